"""HTTP exchanges as rows and in full, and headers that contradict the body."""

import json
from typing import Any

import pytest

from inspector.capture.connection_facts import HttpExchange
from inspector.capture.store.load import load
from inspector.present.spans import plain, section_lines
from inspector.protocol.facts import HttpEvent, HttpFact, HttpTiming, SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.protocol.headers import encode_value, headers_for
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.text import cell_width
from inspector.tui.screens.network import model
from inspector.tui.screens.network.model import decoded, request_verdicts, response_verdicts
from tests.architecture.sources import ROOT
from tests.present.tape import Tape

META = {"io.modelcontextprotocol/protocolVersion": NEWEST.date}
CALL = {"name": "søk", "arguments": {}, "_meta": META}
RIGHT = headers_for(NEWEST, "tools/call", CALL)


def body(method: str = "tools/call", params: Any = CALL) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def request(headers: dict[str, str]) -> HttpFact:
    return HttpFact(HttpEvent.REQUEST, 1, method="POST", headers=tuple(headers.items()))


def response(kind: str, status: int = 200) -> HttpFact:
    return HttpFact(HttpEvent.RESPONSE, 1, status=status, headers=(("content-type", kind),))


def test_headers_that_repeat_the_body_are_no_verdict_whatever_their_case_and_packing() -> None:
    lower = {name.lower(): value for name, value in RIGHT.items()}
    sent = body()
    assert request_verdicts(request(lower | {"content-length": str(len(sent))}), sent) == ()
    assert RIGHT["Mcp-Name"].startswith("=?base64?")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Mcp-Method": "tools/list"}, "Mcp-Method says tools/list, the body says tools/call"),
        ({"Mcp-Name": "other"}, "Mcp-Name says other, the body says søk"),
        ({"Mcp-Name": encode_value("ø")}, "Mcp-Name says ø, the body says søk"),
        ({"MCP-Protocol-Version": ROWS[2].date}, f"MCP-Protocol-Version says {ROWS[2].date}, _meta says {NEWEST.date}"),
        ({"Content-Length": "3"}, "Content-Length says 3, the body has"),
    ],
)
def test_header_mismatch_has_both_values(changed: dict[str, str], said: str) -> None:
    (verdict,) = request_verdicts(request(RIGHT | changed), body())
    assert verdict.startswith(said)


@pytest.mark.parametrize("name", list(RIGHT))
def test_missing_header_is_reported(name: str) -> None:
    (verdict,) = request_verdicts(request({key: value for key, value in RIGHT.items() if key != name}), body())
    assert verdict.startswith(f"there is no {name}, ")


def test_superfluous_mcp_name_is_reported() -> None:
    headers = headers_for(NEWEST, "tools/list", {}) | {"Mcp-Name": "x"}
    verdicts = request_verdicts(request(headers), body("tools/list", {"_meta": META}))
    assert verdicts == ("Mcp-Name says x, the body has none",)


@pytest.mark.parametrize("row", ROWS[:-1])
def test_headers_are_not_required_in_old_revisions(row: Any) -> None:
    headers = headers_for(row, "tools/call", {"name": "x"})
    assert request_verdicts(request(headers), body(params={"name": "x"})) == ()


@pytest.mark.parametrize("sent", [b"", b"{", b"[]", b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]'])
def test_body_without_method_has_no_header_verdict(sent: bytes) -> None:
    assert request_verdicts(request({"Mcp-Method": "x"}), sent) == ()


ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'


@pytest.mark.parametrize(
    ("head", "came", "said"),
    [
        (response("application/json"), b"<html>", "says application/json, but the body is not a JSON-RPC"),
        (response("text/html; charset=x"), ANSWER, "says text/html, but the body is a JSON-RPC message"),
        (response(""), ANSWER, "says nothing, but"),
        (response("text/plain", 202), b"Accepted", "202 requires an empty body"),
    ],
)
def test_response_mismatch_is_reported(head: HttpFact, came: bytes, said: str) -> None:
    (verdict,) = response_verdicts(head, came)
    assert said in verdict


@pytest.mark.parametrize(
    ("head", "came"),
    [
        (response("application/json; charset=utf-8"), ANSWER),
        (response("application/json"), b""),
        (response("", 202), b""),
        (response("text/html", 404), b"<html>"),
    ],
)
def test_matching_response_has_no_verdict(head: HttpFact, came: bytes) -> None:
    assert response_verdicts(head, came) == ()


@pytest.mark.parametrize("value", ["plain", "=?base64?%%?=", "=?base64?/w==?=", "=?BASE64?YQ==?="])
def test_unencoded_value_is_unchanged(value: str) -> None:
    assert decoded(value) == value


def test_nothing_in_a_verdict_acts_on_a_terminal() -> None:
    (verdict,) = request_verdicts(request(RIGHT | {"Mcp-Method": "\x1b[31m"}), body())
    assert "\x1b" not in verdict


URL = "https://shop.example/mcp?token=abc"
JSON, STREAM = ("content-type", "application/json"), ("content-type", "text/event-stream")
PARAMS = {"name": "buy", "_meta": {"io.modelcontextprotocol/protocolVersion": NEWEST.date}}
HEADERS = tuple(headers_for(NEWEST, "tools/call", PARAMS).items())


def asked(tape: Tape, number: int, *headers: tuple[str, str], method: str = "POST", body: Any = None) -> None:
    """A request, with the body of a call where there is none."""
    tape.journal.fact(HttpFact(HttpEvent.REQUEST, number, method, URL, headers=headers))
    if method == "POST":
        tape.request(number, "tools/call", PARAMS if body is None else body, http=number)


def answered(tape: Tape, number: int, status: int = 200, *headers: tuple[str, str], **more: Any) -> None:
    tape.journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=status, headers=headers or (JSON,), **more))


def came(tape: Tape, number: int, message: Any, sse: SseFacts | None = None) -> None:
    payload = message if isinstance(message, bytes) else json.dumps(message).encode()
    channel = Channel.SSE if sse is not None else Channel.REPLY
    tape.journal.frame(Direction.FROM_SERVER, channel, payload, http=number, sse=sse)


def ended(tape: Tape, number: int, why: str = "") -> None:
    tape.journal.fact(HttpFact(HttpEvent.END, number, why=why, body_bytes=1234))


def only(tape: Tape) -> HttpExchange:
    (exchange,) = tape.journal.connection_facts.http_in_order
    return exchange


def row(tape: Tape, width: int = 120) -> str:
    spans = model.row(tape.journal, only(tape), tape.now, width)
    assert cell_width(plain(spans)) == width
    return " ".join(plain(spans).split())


def full(tape: Tape, **more: Any) -> str:
    found = model.sections(tape.journal, only(tape), **more)
    return "\n".join(plain(line) for section in found for line in section_lines(section))


RESULT = {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_exchange_row_has_status_duration_and_size() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    answered(tape.wait(20), 1)
    came(tape.wait(5), 1, RESULT)
    ended(tape, 1)
    assert row(tape) == "1 POST 200 json 25 ms 1.2 kB tools/call buy https://shop.example/mcp?token=••••••"
    assert "kB" not in row(tape, 60)


def test_a_row_that_goes_on_shows_how_long_so_far() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    tape.wait(1500)
    assert row(tape).startswith("1 POST … 1.50 s tools/call")


def test_failed_exchange_row_has_the_reason() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    tape.journal.fact(HttpFact(HttpEvent.ERROR, 1, why="h refuses connections."))
    assert "failed" in row(tape)
    assert "h refuses connections." in row(tape)


def test_redirect_and_resumption_are_in_the_row() -> None:
    tape = Tape(http=True)
    asked(tape, 1, ("Last-Event-ID", "e7"), method="GET")
    answered(tape, 1, 307, ("Location", "/there?token=x"))
    assert "307" in row(tape)
    assert "resumes after e7 → /there?token=••••••" in row(tape)


def test_head_and_body_mismatch_is_in_row_and_details() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS, ("Content-Length", "1"))
    answered(tape, 1)
    came(tape, 1, b"<html>")
    ended(tape, 1)
    assert "▲ header/body mismatch ×2" in row(tape)
    assert "Content-Length says 1, the body has" in full(tape)
    assert "Content-Type says application/json, but the body is not a JSON-RPC message" in full(tape)


def test_exchange_times_are_listed_by_phase() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    timing = HttpTiming(lookup=2_000_000, connect=3_000_000, tls=4_000_000, send=1_000_000, wait=10_000_000)
    answered(tape.wait(25), 1, timing=timing)
    ended(tape.wait(5), 1)
    facts = [" ".join(line.split()) for line in full(tape).splitlines()]
    assert facts[facts.index("Time") :][1:10] == [
        "DNS lookup 2.0 ms",
        "connected 3.0 ms",
        "TLS 4.0 ms",
        "request sent 1.0 ms",
        "TTFB 10 ms",
        "client 5.0 ms",
        "TTFB 25 ms",
        "body 5.0 ms",
        "total 30 ms",
    ]


def test_reused_connection_differs_from_unrecorded_times() -> None:
    kept, old = Tape(http=True), Tape(http=True)
    for tape, timing in ((kept, HttpTiming(send=1, wait=2)), (old, None)):
        asked(tape, 1, *HEADERS)
        answered(tape, 1, timing=timing)
    assert "reused connection" in full(kept)
    assert "not recorded" in full(old)


def test_stream_events_are_listed_with_ids_and_times() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    answered(tape.wait(10), 1, 200, STREAM)
    tape.wait(10).journal.fact(SseNote(1, b": keep-alive"))
    tape.wait(10).journal.fact(SseNote(1, b"id: e1\nretry: 500\ndata:", id="e1", retry=500))
    tape.wait(10).notify("notifications/progress", http=2)
    came(tape, 1, RESULT, SseFacts("message", "e2", None))
    told = [" ".join(line.split()) for line in full(tape).partition("Content")[2].splitlines()[1:]]
    assert [line.partition(" ")[2] for line in told] == [
        "+0 µs → tools/call buy 135 B",
        "+20 ms ← : keep-alive",
        "+30 ms ← id: e1␊retry: 500␊data: id e1 retry 500 ms",
        "+40 ms ← response 41 B event message id e2",
    ]


def test_a_stream_without_end_is_listed_only_so_far(monkeypatch: Any) -> None:
    monkeypatch.setattr(model, "MOST_SHOWN", 3)
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    answered(tape, 1, 200, STREAM)
    for _ in range(5):
        tape.journal.fact(SseNote(1, b": keep-alive"))
    assert full(tape).count("keep-alive") == 2
    assert "The first " in full(tape)


def test_empty_stream_has_a_note() -> None:
    tape = Tape(http=True)
    asked(tape, 1, method="GET")
    answered(tape, 1, 200, STREAM)
    assert "No data yet." in full(tape)


def test_exchange_secrets_are_masked_until_revealed() -> None:
    tape = Tape(http=True)
    asked(tape, 1, ("X-Session", "s3cret"))
    assert "s3cret" not in full(tape)
    assert "s3cret" in full(tape, reveal=True)


def test_nothing_of_a_server_acts_on_a_terminal() -> None:
    tape = Tape(http=True)
    asked(tape, 1, ("X-Odd", "\x1b[31m"), body={"name": "\x1b]0;x\x07"})
    answered(tape, 1, 302, ("Location", "\x1b[2J"), ("Content-Type", "text/\x1b[2J"))
    ended(tape, 1, "\x07")
    assert not any(char in row(tape) + full(tape) for char in "\x1b\x07")


def test_an_exchange_whose_beginning_is_not_there_is_a_row_too() -> None:
    tape = Tape(http=True)
    ended(tape, 7)
    assert row(tape).startswith("7 ? failed") or row(tape).startswith("7 ?")
    assert "Content" in full(tape)


def test_own_requests_have_no_header_mismatch() -> None:
    journal = load(ROOT / "tests" / "captures" / "harbour.mcpcap")
    exchanges = journal.connection_facts.http_in_order
    assert len(exchanges) == 10
    assert [model.verdicts(journal, each) for each in exchanges] == [()] * 10
