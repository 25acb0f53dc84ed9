"""One entry in full."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.store.history import History
from inspector.present.spans import plain
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
from inspector.protocol.frames import Cause, Channel, Direction, Eol, SseFacts
from inspector.tui.screens.traffic.model import Detail, detail_of, moment_sections
from tests.present.tape import Tape
from tests.tui.staging import handshake


def _facts(detail: Detail) -> dict[str, str]:
    return {each.key: each.value for each in detail.facts if each.key != "entry"}


def test_a_request_comes_with_its_answer(tape: Tape) -> None:
    tape.call(1, "echo", {"a": "\x1b"})
    tape.wait(31)
    tape.answer(1, {"content": []})
    detail = detail_of(tape.journal, 1)
    assert plain(detail.title) == "→ tools/call echo"
    assert [(side.name, side.n) for side in detail.sides] == [("request", 1), ("response", 2)]
    assert detail.side is not None
    assert detail.side.payload.startswith(b'{"jsonrpc"')
    assert _facts(detail) == {
        "crossed": "to the server on stdin",
        "size": "126 B",
        "exchange": "1, id 1",
        "state": "✓ OK after 31 ms",
    }


def test_an_answer_comes_with_its_request(tape: Tape) -> None:
    tape.request("a", "tools/list")
    tape.error("a", -32601, "no")
    detail = detail_of(tape.journal, 2)
    assert plain(detail.title) == "← response to tools/list"
    assert [(side.name, side.n) for side in detail.sides] == [("request", 1), ("response", 2)]
    assert detail.shown == 1
    assert _facts(detail)["exchange"] == "1, id 'a'"
    assert _facts(detail)["state"] == "✗ Error -32601 after 0 µs"


def test_pending_request_is_timed_at_the_given_time(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1, "total": 4})
    tape.wait(2500)
    assert _facts(detail_of(tape.journal, 1))["state"] == "⋯ Pending"
    told = _facts(detail_of(tape.journal, 1, now_ns=tape.now))
    assert told["state"] == "⋯ Pending after 2.50 s"
    assert told["progress"] == "1 of 4 (1 ×)"


def test_notification_detail_has_one_side(tape: Tape) -> None:
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
        (b'{"jsonrpc":"2.0","id":9,"result":{}}', "← response", "response"),
    ],
)
def test_unrelated_entry_detail_has_a_title(tape: Tape, payload: bytes, title: str, name: str) -> None:
    detail = detail_of(tape.journal, tape.from_server(payload))
    assert plain(detail.title) == title
    assert [side.name for side in detail.sides] == [name]


def test_defects_and_carriage_facts_are_listed(tape: Tape) -> None:
    journal = tape.journal
    journal.frame(
        Direction.FROM_SERVER,
        Channel.SSE,
        b'\xef\xbb\xbf{"id":1,"method":"x"}',
        eol=Eol.CRLF,
        http=2,
        sse=SseFacts("message", "7\x1b", None),
        cause=Cause.PROBE,
    )
    assert _facts(detail_of(journal, 1)) == {
        "crossed": "from the server on sse, as a probe",
        "size": "24 B",
        "line end": "CR LF",
        "HTTP exchange": "2",
        "SSE event": "event message, id 7␛",
        "defect": '"jsonrpc" is missing',
        "exchange": "1, id 1",
        "state": "⋯ Pending",
    }


@pytest.mark.parametrize("cause", [each for each in Cause if each])
def test_each_cause_of_a_frame_is_shown(tape: Tape, cause: Cause) -> None:
    tape.journal.frame(Direction.TO_SERVER, Channel.STDIN, b'{"jsonrpc":"2.0","id":1,"method":"ping"}', cause=cause)
    assert _facts(detail_of(tape.journal, 1))["crossed"].startswith("to the server on stdin, ")


def test_the_trace_of_a_request_is_shown(tape: Tape) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    tape.request(1, "ping", {"_meta": {"traceparent": f"00-{trace}-{parent}-01"}})
    tape.request(2, "ping", {"_meta": {"traceparent": f"00-{'0' * 32}-{parent}-01"}})
    assert _facts(detail_of(tape.journal, 1))["trace"] == f"{trace}, parent span {parent}, sampled"
    assert "trace" not in _facts(detail_of(tape.journal, 2)), "an invalid one"


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
        (Stderr(b"x\x1b", partial=True), {"size": "2 B", "line end": "none yet"}),
        (
            ConnectionFact(ConnectionEvent.OPEN, "stdio", ("a", "b c"), "/w", env_names=("PATH",)),
            {"transport": "stdio", "command": "a 'b c'", "directory": "/w", "variables": "PATH"},
        ),
        (ProcessFact(ProcessEvent.EXIT, 7, None, "SIGKILL"), {"process": "7", "signal": "SIGKILL"}),
        (HttpFact(HttpEvent.ERROR, 3, why="refused"), {"HTTP exchange": "3", "why": "refused"}),
        (SseNote(3, b": ping", retry=5), {"HTTP exchange": "3", "retry": "5 ms"}),
    ],
)
def test_fact_detail_has_keys_and_values(tape: Tape, fact: Fact, facts: dict[str, str]) -> None:
    detail = detail_of(tape.journal, tape.fact(fact))
    assert _facts(detail) == facts
    assert plain(detail.title).startswith("◆ ")
    has_bytes = isinstance(fact, Stderr | SseNote)
    assert bool(detail.sides) == has_bytes
    assert (detail.side is not None) == has_bytes


def test_unreadable_bytes_are_marked(tape: Tape) -> None:
    tape.call(1, "x")
    tape.journal.close()
    detail = detail_of(tape.journal, 1)
    assert detail.sides[0].missing
    assert "cannot read the message" in _facts(detail)["problem"]


@given(st.binary(max_size=60) | st.just(b"[]") | st.just(b'[{"jsonrpc":"2.0","id":1,"method":"a"},1]'))
def test_no_frame_is_too_strange(payload: bytes) -> None:
    tape = Tape()
    tape.from_server(payload)
    detail = detail_of(tape.journal, 1)
    tape.journal.close()
    assert plain(detail.title).isprintable()
    assert detail.sides[0].payload == payload


def said(tape: Tape, n: int) -> dict[str, str]:
    """Each section as one text."""
    return {
        section.title: "\n".join(
            [*(f"{fact.key}: {fact.value}" for fact in section.facts), *map(plain, section.lines), section.note]
        )
        for section in moment_sections(History(tape.journal).at(n))
    }


def test_before_anything_has_come_nothing_is_known(tape: Tape) -> None:
    found = said(tape, 0)
    assert "no messages yet" in found["State"]
    assert "tools: not listed yet" in found["Lists"]


def test_revision_lists_and_what_is_in_flight_are_those_of_the_moment(tape: Tape) -> None:
    handshake(tape.started())
    tape.call(3, "buy")
    asked = tape.journal.count
    tape.wait(500).notify("notifications/progress", {"progressToken": 3, "progress": 1, "total": 4})
    tape.answer(3, {"content": []})
    assert "not negotiated yet" in said(tape, 3)["State"]
    found = said(tape, asked + 1)
    assert "2025-11-25" in found["State"]
    assert "4711 runs" in found["State"]
    assert f"tools/call buy  #{asked}  ⋯ for 500 ms  1 of 4" in found["Pending"]
    assert "tools: 2: buy, sell" in found["Lists"]
    assert said(tape, asked + 2)["Pending"].strip() == "nothing"


def test_list_is_stale_after_its_notification(tape: Tape) -> None:
    handshake(tape)
    assert "stale" not in said(tape, tape.journal.count)["Lists"]
    told = tape.notify("notifications/tools/list_changed")
    tape.notify("notifications/tools/list_changed")
    assert f"stale since #{told} (notifications/tools/list_changed)" in said(tape, told + 1)["Lists"]
    tape.request(8, "tools/list")
    tape.answer(8, {"tools": []})
    assert "stale" not in said(tape, tape.journal.count)["Lists"]


def test_subscriptions_requests_and_level_are_in_the_state(tape: Tape) -> None:
    handshake(tape).request(4, "resources/subscribe", {"uri": "demo://a\x1b"})
    tape.answer(4, {})
    tape.notify("notifications/resources/updated", {"uri": "demo://a\x1b"})
    tape.request(5, "logging/setLevel", {"level": "warning"})
    tape.answer(5, {})
    tape.server_request(1, "roots/list")
    tape.client_answer(1, {"roots": [{"uri": "file:///srv"}]})
    tape.call(6, "buy")
    question = tape.server_request(2, "elicitation/create", {"message": "Which?"})
    found = said(tape, tape.journal.count)
    assert "demo://a␛: updated 1 times" in found["Watched"]
    assert "log level: warning and higher" in found["State"]
    assert "roots: file:///srv" in found["Server requests"]
    assert f"elicitation: Which?  #{question}" in found["Server requests"]
    tape.client_answer(2, {"action": "decline"})
    assert "Which?" not in said(tape, tape.journal.count)["Server requests"]


def test_running_task_is_in_the_state(tape: Tape) -> None:
    handshake(tape).call(3, "dig")
    asked = tape.journal.count
    tape.answer(3, {"task": {"taskId": "t1", "status": "working", "createdAt": "x", "ttl": 1}})
    running = said(tape, tape.journal.count).get("Tasks", "")
    assert "t1: ⋯ Working" in running or asked == 0, running
