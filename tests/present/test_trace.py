"""The trace of an operation: its messages, server requests in it, and events beside it."""

import json
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.journal import Journal, start_capture
from inspector.present import trace
from inspector.present.spans import spans_width
from inspector.present.trace import MOST_BYTES, MOST_STEPS, Trace, TraceRows, facts_line, markdown_of, trace_of
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import encode
from tests.present.tape import Tape
from tests.tui.staging import handshake


def told(tape: Tape, n: int) -> Trace:
    found = trace_of(tape.journal, n)
    assert found is not None
    return found


def parts(trace: Trace) -> list[tuple[str, str]]:
    return [(step.part, step.way) for step in trace.steps]


def facts(trace: Trace) -> dict[str, str]:
    return {fact.key: fact.value for fact in trace.facts}


def test_a_call_with_progress_a_question_logs_stderr_cancel_and_a_late_answer(tape: Tape) -> None:
    handshake(tape).stderr(b"before")
    call = tape.call(3, "dig", {"q": 1})
    tape.wait(10).notify("notifications/progress", {"progressToken": 3, "progress": 1, "total": 2})
    question = tape.server_request("s1", "elicitation/create", {"message": "Where?\x1b[2J"})
    tape.wait(500).client_answer("s1", {"action": "accept", "content": {}})
    tape.notify("notifications/message", {"level": "info", "data": "digging"})
    tape.stderr(b"a stone\x07")
    tape.notify("notifications/cancelled", {"requestId": 3, "reason": "slow"}, by_client=True)
    late = tape.wait(100).answer(3, {"content": [{"type": "text", "text": "done"}]})
    tape.stderr(b"after")
    trace = told(tape, call)
    assert trace == told(tape, late) == told(tape, question), "whichever entry one asks about"
    assert parts(trace) == [
        ("request", "to_server"),
        ("progress", "from_server"),
        ("question", "from_server"),
        ("reply", "to_server"),
        ("log", "from_server"),
        ("stderr", "beside"),
        ("cancel", "to_server"),
        ("late", "from_server"),
    ]
    assert trace.steps[-1].after_ns == 610_000_000
    assert trace.steps[2].summary == "Where?␛[2J"
    assert trace.steps[5].summary == "a stone␇"
    found = facts(trace)
    assert found["outcome"] == "▲ Late"
    assert found["questions"] == "1 (elicitation), response after 500 ms"
    assert (found["progress"], found["log messages"], found["lines of stderr"], found["late responses"]) == ("1",) * 4
    assert found["why"] == "slow"
    assert (trace.title, trace.server, trace.open) == ("tools/call dig", "shop", False)


def test_a_retry_with_answers_is_the_same_story(tape: Tape) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    first = tape.request(1, "tools/call", {"name": "dig", "_meta": meta})
    asks = {"k": {"method": "elicitation/create", "params": {"message": "Where?"}}}
    tape.answer(1, {"resultType": "input_required", "inputRequests": asks, "requestState": "s"})
    more = {"inputResponses": {"k": {"action": "accept"}}, "requestState": "s"}
    tape.request(2, "tools/call", {"name": "dig", "_meta": meta} | more)
    last = tape.answer(2, {"resultType": "complete", "content": []})
    trace = told(tape, last)
    assert [step.n for step in trace.steps] == [first, 2, 3, last]
    assert trace.steps[2].summary.startswith("again")
    assert facts(trace)["requests"].startswith("2: #1 (id 1), #3 (id 2)")


def test_trace_has_the_http_exchange(tape: Tape) -> None:
    tape.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", "http://x/mcp"))
    call = tape.request(1, "tools/list", http=1)
    tape.wait(20).fact(HttpFact(HttpEvent.RESPONSE, 1, status=200, reason="OK"))
    tape.answer(1, {"tools": []}, http=1)
    tape.fact(HttpFact(HttpEvent.END, 1))
    trace = told(tape, call)
    assert [step.part for step in trace.steps] == ["http", "request", "http", "answer", "http"]
    assert facts(trace)["HTTP 1"] == "200 OK after 20 ms"


def test_open_trace_ends_at_the_newest_entry(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig")
    last = tape.stderr(b"still at it")
    trace = told(tape, call)
    assert trace.open
    assert trace.steps[-1].n == last
    assert "duration" not in facts(trace)


def test_other_entries_have_no_trace(tape: Tape) -> None:
    tape.stderr(b"hello")
    tape.notify("notifications/message", {"data": "x"})
    assert [trace_of(tape.journal, n) for n in (0, 1, 2, 99)] == [None] * 4


def test_long_trace_keeps_beginning_and_end(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig")
    for progress in range(MOST_STEPS + 10):
        tape.notify("notifications/progress", {"progressToken": 3, "progress": progress})
    tape.answer(3, {})
    trace = told(tape, call)
    assert (len(trace.steps), trace.left_out) == (MOST_STEPS, 12)
    assert (trace.steps[0].part, trace.steps[-1].part) == ("request", "answer")


def test_the_entries_of_an_operation_are_looked_for_once_however_many_of_them_are_named(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape.call(1, "buy")
    tape.answer(1, {"content": []})
    tape.call(2, "sell")
    tape.answer(2, {"content": []})
    looked, own = list[int](), trace.entries_of

    def counted(journal: Journal, n: int) -> Sequence[int]:
        looked.append(n)
        return own(journal, n)

    monkeypatch.setattr(trace, "entries_of", counted)
    count = tape.journal.count
    assert trace.entries_of_all(tape.journal, [count, count - 1, 0, count + 1, count]) == [count - 1, count]
    assert looked == [count]


_EVIL = st.sampled_from(
    ["```", "`", "\n## x", "end", ";", "-->>", "%%{init}%%", "<script>", "|", "@all", "#1", "\x1b[2J", "é"]
)


def page(tape: Tape, n: int) -> str:
    trace = trace_of(tape.journal, n)
    assert trace is not None
    return markdown_of(trace, tape.journal)


def test_trace_page_has_facts_diagram_and_messages(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"deep": True})
    tape.wait(30).stderr(b"a stone")
    tape.wait(3).answer(3, {"content": []})
    found = page(tape, call)
    assert found.startswith("# `tools/call dig`\n")
    assert "| outcome | `✓ OK` |" in found
    assert "    participant S as shop\n    C->>S: tools/call dig (+0.000 s)\n" in found
    assert "    Note right of S: +0.030 s stderr a stone\n" in found
    assert "    S-->>C: #10003; OK  tools/call dig (+0.033 s)\n```\n" in found
    assert '  ```json\n  {"jsonrpc":"2.0","id":3,"method":"tools/call"' in found


def test_large_message_in_a_trace_is_cut_with_a_note(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"text": "x" * 3 * MOST_BYTES})
    assert f"*the first {MOST_BYTES:,} of " in page(tape, call)


@given(st.lists(_EVIL, min_size=1, max_size=6).map("".join))
def test_hostile_text_stays_inside_trace_blocks(said: str) -> None:
    tape = Tape()
    call = handshake(tape).call(3, said, {"q": said})
    tape.stderr(said.encode())
    tape.error(3, -1, said)
    found = page(tape, call)
    lines = found.split("\n")
    assert sum(line.startswith("#") for line in lines) == 3, "no heading but ours"
    begin, end = lines.index("```mermaid"), lines.index("```")
    for line in lines[begin + 4 : end]:
        label = line.partition(": ")[2] if line.lstrip().startswith(("C", "S")) else line
        assert not re.search(r"[;#%<>{}`|@]", re.sub(r"#\d+;", "", label)), line
        assert not re.search(r"\bend\b", re.sub(r"#101;nd", "", label), re.IGNORECASE), line
    assert all(line.startswith(("- ", "  ", "*", "")) for line in lines[end:])
    assert "\x1b" not in found
    fences = [line for line in lines if re.fullmatch(r"  `{3,}(json)?", line)]
    assert len(fences) % 2 == 0
    for opening, closing in zip(fences[::2], fences[1::2], strict=True):
        assert opening == closing + "json", "each block ends where we end it"
    json.dumps(found)
    tape.journal.close()


def test_trace_rows_fill_the_width_and_grow(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"q": "x" * 200})
    trace = trace_of(tape.journal, call)
    assert trace is not None
    rows = TraceRows(trace)
    for width in (40, 80, 160):
        assert spans_width(rows.row(0, width).spans) == width
    assert "".join(text for text, _ in rows.row(0, 80).spans).rstrip().endswith(f"#{call}")
    generation = rows.generation
    tape.stderr(b"a stone")
    more = trace_of(tape.journal, call)
    assert more is not None
    rows.show(more)
    assert (rows.count, rows.generation) == (2, generation + 1)
    rows.show(more)
    assert rows.generation == generation + 1
    step = rows.step(1)
    assert step is not None
    assert step.summary == "a stone"
    assert rows.step(2) is None
    assert "outcome ⋯ Pending" in "".join(text for text, _ in facts_line(more.facts))


def test_call_of_a_view_and_the_servers_answer_are_one_trace() -> None:
    journal = start_capture(None)
    call = {"name": "count", "arguments": {}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    answered = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
    for direction, channel, message in (
        (Direction.FROM_VIEW, Channel.VIEW, asked),
        (Direction.TO_SERVER, Channel.STDIN, asked),
        (Direction.FROM_SERVER, Channel.STDOUT, answered),
        (Direction.TO_VIEW, Channel.VIEW, answered),
    ):
        journal.frame(direction, channel, encode(message))
    found = trace_of(journal, 1)
    assert found is not None
    assert [step.way for step in found.steps] == ["to_host", "to_server", "from_server", "to_view"]
