"""One entry in full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Channel, Direction, Eol, SseFacts
from inspector.viewmodels.detail import Detail, detail_of
from inspector.viewmodels.lines import plain
from tests.viewmodels.tape import Tape


def _facts(detail: Detail) -> dict[str, str]:
    return {each.key: each.value for each in detail.facts if each.key != "entry"}


def test_a_request_comes_with_its_answer(tape: Tape) -> None:
    tape.call(1, "echo", {"a": "\x1b"})
    tape.wait(31)
    tape.answer(1, {"content": []})
    detail = detail_of(tape.journal, 1)
    assert plain(detail.title) == "→ tools/call echo"
    assert [(side.name, side.n) for side in detail.sides] == [("request", 1), ("answer", 2)]
    assert detail.side is not None
    assert detail.side.payload.startswith(b'{"jsonrpc"')
    assert _facts(detail) == {
        "crossed": "to the server on stdin",
        "size": "126 bytes",
        "exchange": "1, id 1",
        "state": "✓ ok after 31 ms",
    }


def test_an_answer_comes_with_its_request(tape: Tape) -> None:
    tape.request("a", "tools/list")
    tape.error("a", -32601, "no")
    detail = detail_of(tape.journal, 2)
    assert plain(detail.title) == "← answer to tools/list"
    assert [(side.name, side.n) for side in detail.sides] == [("request", 1), ("answer", 2)]
    assert detail.shown == 1
    assert _facts(detail)["exchange"] == "1, id 'a'"
    assert _facts(detail)["state"] == "✗ error -32601 after 0 µs"


def test_a_pending_request_is_timed_if_somebody_gives_the_time(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1, "total": 4})
    tape.wait(2500)
    assert _facts(detail_of(tape.journal, 1))["state"] == "⋯ pending"
    told = _facts(detail_of(tape.journal, 1, now_ns=tape.now))
    assert told["state"] == "⋯ pending after 2.50 s"
    assert told["progress"] == "1 of 4 (1 ×)"


def test_a_notification_stands_alone(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.notify("notifications/cancelled", {"requestId": 1, "reason": "too slow"}, by_client=True)
    detail = detail_of(tape.journal, 2)
    assert plain(detail.title) == "→ notifications/cancelled"
    assert [side.name for side in detail.sides] == ["notification"]
    assert _facts(detail)["why"] == "too slow"


@pytest.mark.parametrize(
    ("payload", "title", "name"),
    [
        (b"Listening on 3000", "← not JSON-RPC: not JSON", "bytes"),
        (b"", "← not JSON-RPC: an empty line", "bytes"),
        (b'{"jsonrpc":"2.0","id":9,"result":{}}', "← answer", "answer"),
    ],
)
def test_what_belongs_to_nothing_says_what_it_is(tape: Tape, payload: bytes, title: str, name: str) -> None:
    detail = detail_of(tape.journal, tape.from_server(payload))
    assert plain(detail.title) == title
    assert [side.name for side in detail.sides] == [name]


def test_defects_and_the_marks_of_the_carriage_are_told(tape: Tape) -> None:
    journal = tape.journal
    journal.frame(
        Direction.FROM_SERVER,
        Channel.SSE,
        b'\xef\xbb\xbf{"id":1,"method":"x"}',
        eol=Eol.CRLF,
        http=2,
        sse=SseFacts("message", "7\x1b", None),
        probe=True,
    )
    assert _facts(detail_of(journal, 1)) == {
        "crossed": "from the server on sse, as a probe",
        "size": "24 bytes",
        "line end": "CR LF",
        "HTTP exchange": "2",
        "SSE event": "event message, id 7␛",
        "defect": '"jsonrpc" is missing',
        "exchange": "1, id 1",
        "state": "⋯ pending",
    }


def test_headers_come_with_a_frame_over_http(http_tape: Tape) -> None:
    http_tape.request(1, "tools/list", http=4)
    http_tape.posted(4)
    detail = detail_of(http_tape.journal, 1)
    assert [section.title for section in detail.headers] == ["POST https://example.test/mcp", "200"]
    assert "s3cr3t" not in repr(detail.headers)
    assert "s3cr3t" in repr(detail_of(http_tape.journal, 1, reveal=True).headers)


@pytest.mark.parametrize(
    ("fact", "facts"),
    [
        (Stderr(b"x\x1b", partial=True), {"size": "2 bytes", "line end": "none came (yet)"}),
        (
            ConnectionFact(ConnectionEvent.OPEN, "stdio", ("a", "b c"), "/w", env_names=("PATH",)),
            {"transport": "stdio", "command": "a 'b c'", "directory": "/w", "variables": "PATH"},
        ),
        (
            ProcessFact(ProcessEvent.EXIT, 7, None, "SIGKILL"),
            {"process": "7", "signal": "SIGKILL"},
        ),
        (HttpFact(HttpEvent.ERROR, 3, why="refused"), {"HTTP exchange": "3", "why": "refused"}),
        (SseNote(3, b": ping", retry=5), {"HTTP exchange": "3", "retry": "5 ms"}),
    ],
)
def test_a_fact_is_told_in_keys_and_values(tape: Tape, fact: Fact, facts: dict[str, str]) -> None:
    detail = detail_of(tape.journal, tape.fact(fact))
    assert _facts(detail) == facts
    assert plain(detail.title).startswith("◆ ")
    has_bytes = isinstance(fact, Stderr | SseNote)
    assert bool(detail.sides) == has_bytes
    assert (detail.side is not None) == has_bytes


def test_bytes_that_are_gone_are_said_to_be(tape: Tape) -> None:
    tape.call(1, "x")
    tape.journal.close()
    detail = detail_of(tape.journal, 1)
    assert detail.sides[0].missing
    assert "can't be read back" in _facts(detail)["problem"]


@given(st.binary(max_size=60) | st.just(b"[]") | st.just(b'[{"jsonrpc":"2.0","id":1,"method":"a"},1]'))
def test_no_frame_is_too_strange(payload: bytes) -> None:
    tape = Tape()
    tape.from_server(payload)
    detail = detail_of(tape.journal, 1)
    tape.journal.close()
    assert plain(detail.title).isprintable()
    assert detail.sides[0].payload == payload
