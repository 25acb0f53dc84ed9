"""HAR: what we wrote comes back, and of a browser's only what carries MCP."""

from pathlib import Path

import pytest

from inspector.capture.import_.http import HAR, OFFICIAL, RecordedExchange, events, is_rpc, items
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from inspector.features.export.http import document
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Frame
from tests.capture.import_.orchard import BACK, OUT, SESSION, connection, frames, imported, messages, read_text
from tests.captures.record import sample
from tests.features.export.staging import all_of


def test_a_browser_s_is_read_without_what_is_not_mcp_and_without_credentials(tmp_path: Path) -> None:
    journal, told = imported("browser.har", tmp_path)
    assert told.reader is HAR
    assert messages(journal) == [(OUT, "initialize"), (BACK, 1), (OUT, "tools/call"), (BACK, 2)]
    assert told.passed_over == {"HTTP exchanges that carry no MCP": 1}
    last = frames(journal)[-1]
    assert last.sse is not None
    assert (last.http, last.sse.id) == (2, "7")
    assert b"planted-orchard-token" not in (tmp_path / "out.mcpcap").read_bytes()


@pytest.mark.parametrize("name", ["lighthouse", "harbour", "stateless", "evening"])
def test_exported_har_imports_with_the_same_messages(name: str, tmp_path: Path) -> None:
    before = load(sample(name))
    after, _ = read_text(tmp_path, "har", b"".join(document(all_of(before))))

    def payloads(which: object) -> list[tuple[str, bytes]]:
        return sorted((frame.direction, frame.payload) for frame in frames(which))  # type: ignore[arg-type]

    assert payloads(after) == payloads(before)


@pytest.mark.parametrize("text", [b'{"log":{"entries":[{', b"[]", b'{"log":{"entries":[1,{"request":[]}]}}'])
def test_broken_har_is_refused(text: bytes, tmp_path: Path) -> None:
    with pytest.raises(CaptureError):
        read_text(tmp_path, "har", text)


def test_recorded_exchange_yields_facts_in_order_with_times() -> None:
    stream = (("content-type", "text/event-stream"),)
    each = RecordedExchange(
        "POST", "http://x/", sent=b"a", status=200, headers=stream, received=b"data: b\n\n", began_ns=5, lasted_ns=9
    )
    found = list(items(each, 3))
    kinds = [item.what.event if isinstance(item.what, HttpFact) else "frame" for item in found]
    assert kinds == [HttpEvent.REQUEST, "frame", HttpEvent.RESPONSE, "frame", HttpEvent.END]
    assert [item.wall_ns for item in found] == [5, 5, 5, 14, 14]
    assert all(item.what.http == 3 for item in found if isinstance(item.what, Frame))
    failed = list(items(RecordedExchange("GET", "http://x/", error="refused"), 1))
    assert isinstance(failed[-1].what, HttpFact)
    assert failed[-1].what.event is HttpEvent.ERROR


def test_events_are_taken_apart() -> None:
    body = b": hi\r\n\r\nevent: message\r\nid: 7\r\ndata: a\r\ndata: b\r\n\r\nretry: 9\r\ndata:c"
    (one, its), (other, late) = events(body)
    assert (one, its.event, its.id) == (b"a\nb", "message", "7")
    assert (other, late.retry) == (b"c", 9)


def test_is_rpc_accepts_json_rpc_objects_only() -> None:
    assert is_rpc(b'{"jsonrpc":"2.0","method":"a"}')
    assert not is_rpc(b'{"jsonrpc"')
    assert not is_rpc(b"{}")
    assert RecordedExchange("DELETE", "http://x/", sent_headers=(("Mcp-Session-Id", "s"),)).is_mcp


def test_a_history_is_put_in_order(tmp_path: Path) -> None:
    journal, told = imported("inspector.json", tmp_path)
    assert told.reader is OFFICIAL
    assert messages(journal) == SESSION
    assert connection(journal).transport == "memory", "nobody knows how it was carried"


def test_requests_are_exchanges(tmp_path: Path) -> None:
    journal, told = imported("inspector-network.json", tmp_path)
    assert messages(journal) == [(OUT, "initialize"), (BACK, 1), (OUT, "tools/call"), (BACK, 2)]
    assert told.passed_over == {"requests of a login": 1}
    assert len(journal.http_exchanges) == 2
    assert b"planted-orchard-token" not in (tmp_path / "out.mcpcap").read_bytes()


def test_other_arrays_are_refused(tmp_path: Path) -> None:
    for text in (b"[1, 2]", b"[]", b'[{"timestamp": 1}]', b'[["a"]]'):
        with pytest.raises(CaptureError, match="holds no message that can be read as an export of the official Insp"):
            read_text(tmp_path, "inspector", text)
