"""A filter on a journal: over columns and bytes it finds what it finds over parsed messages; what it costs to know."""

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capture.format.records import RecordingTool
from inspector.capture.journal import Journal
from inspector.filters.engine.program import NodeFactory, Program
from inspector.filters.language.completion import describe
from inspector.filters.language.fields import FIELDS
from inspector.filters.language.parser import parse
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from tests.filters.oracle import Oracle
from tests.present.tape import Tape


def say(fact: Fact) -> str:
    return type(fact).__name__


def program(journal: Journal, text: str, now_ns: int = 10**12) -> Program:
    term = parse(text)
    assert term is not None
    return Program(term, journal, clock=lambda: now_ns, say=say)


def found(journal: Journal, text: str) -> list[int]:
    """The entries that a filter finds, in stretches of very few."""
    made = program(journal, text)
    marks = [(first, made.mark(first, last)) for first, last in made.stretches(1, journal.count, 700)]
    return sorted(first + index for first, mask in marks for index, mark in enumerate(mask) if mark)


_FILTERS = (
    *("tool == echo", 'tool != "echo"', "tool ~ e.*o", "tool contains EC", "tool in {echo, sum}", "tool", "not tool"),
    *("method ~ ^tools/", "method == tools/call", "method contains PROGRESS", "method", "prompt == echo", "uri"),
    *("target", "kind == error", "kind in {request, stderr}", "kind != notification", "dir == s2c", "dir"),
    *("status == ok", "status == pending or status == late", "status ~ o", "id == 1", 'id == "1"', "id"),
    *("id in {1, 2}", "error.code == -1", "error.code", "error", "error.code < 0", "error.message contains bo"),
    *("not error", "dur > 1ms", "dur <= 3ms", "dur", "age > 1s", "pending", "size > 80", "size == 0", "n >= 3"),
    *("n != 2", "probe", "stderr", "raw.valid", "not raw.valid", "progress >= 1", "text contains APPLE"),
    *("text ~ app?le", "args.q == apple", "args.q ~ a", "args", "args.q != apple", "params.name == echo", "params"),
    *("args.deep[0].q == 1", "args.deep[*].q == 1", "args.flag", "args.flag == false", "args.none == null"),
    *('args["a b"] == "x\\ny"', "args.q > 3", "args.tags contains red", "result.isError", "result.isError == true"),
    *("result.content[0].text ~ boom", "req.tool == echo", "resp.result.isError", "any.args.q == apple"),
    *("any.kind == error", "req.id == 1", "not any.tool", "any.pending", "resp.size > 60", "req.dir == s2c", "apple"),
    *('"tool error"', "call", "probe", "pending", "e", "fact", "é", "É", '"a\\nb"', '"\\""', "\\\\", "n", "u00e9"),
    *("raw", "frame", "error", "-1", "Straße", "tool == echo and dur > 1ms", "kind == error or result.isError"),
    *("not (apple or pending)", "apple -stderr", "(kind == request or any.args.q == apple) and not n == 4"),
    *("time > 00:00", "time < 2000-01-01T00:00", '"ny"', '"u0000"'),
)
_TEXTS = ("apple", "APPLE pie", "a\nb", 'say "no"', "café", "CAFÉ", "boom", "\\", "Straße", "\x00", "x\ny", "😀", "")
_SCALARS = st.one_of(st.sampled_from(_TEXTS), st.integers(-2, 5), st.booleans(), st.none(), st.just(1.5))
_ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "q": _SCALARS,
        "deep": st.lists(st.one_of(_SCALARS, st.fixed_dictionaries({"q": _SCALARS})), max_size=3),
        "flag": st.booleans(),
        "none": st.none(),
        "a b": st.just("x\ny"),
        "tags": st.lists(st.sampled_from(("red", "Red", "blue")), max_size=2),
    },
)
_NAMES = ("call", "answer", "failure", "error", "progress", "message", "cancel", "question", "reply", "stderr", "junk")
_STEPS = st.tuples(
    st.sampled_from((*_NAMES, "fact", "read", "batch", "probe", "bytes")), st.integers(1, 3), _ARGUMENTS, st.booleans()
)


def _spelled(message: Any, escaped: bool) -> bytes:
    """JSON in one of the spellings that writers choose: compact, or with blanks and with escapes for all that may."""
    if not escaped:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    return json.dumps(message).replace("apple", "\\u0061pple").replace('"q"', '"\\u0071"').encode()


def _play(tape: Tape, step: str, id_: int, value: Any, escaped: bool) -> None:
    head, text = {"jsonrpc": "2.0"}, str(value.get("q", "boom"))
    with_id = head | {"id": id_}
    content = {"content": [{"type": "text", "text": text}]}
    sent: dict[str, Any] = {
        "call": with_id | {"method": "tools/call", "params": {"name": ("echo", "sum")[id_ % 2], "arguments": value}},
        "read": with_id | {"method": "resources/read", "params": {"uri": "a://b"}},
        "reply": with_id | {"result": {"roots": []}},
        "cancel": head | {"method": "notifications/cancelled", "params": {"requestId": id_}},
    }
    came: dict[str, Any] = {
        "answer": with_id | {"result": content},
        "failure": with_id | {"result": content | {"isError": True}},
        "error": with_id | {"error": {"code": -id_, "message": text}},
        "progress": head | {"method": "notifications/progress", "params": {"progressToken": id_, "progress": 1}},
        "message": head | {"method": "notifications/message", "params": {"data": value}},
        "question": with_id | {"method": "roots/list"},
        "batch": [with_id | {"result": content}, head | {"method": "notifications/message", "params": {"data": value}}],
    }
    if step in sent:
        tape.to_server(_spelled(sent[step], escaped))
    elif step in came:
        tape.from_server(_spelled(came[step], escaped))
    elif step == "probe":
        tape.to_server(_spelled(with_id | {"method": "server/discover"}, escaped), probe=True)
    elif step == "stderr":
        tape.stderr(text.encode())
    elif step == "fact":
        tape.posted(id_)
    else:
        tape.from_server(text.encode() if step == "junk" else b'{"a":"apple \xff"}')


@given(st.lists(_STEPS, max_size=14), st.lists(st.sampled_from(_FILTERS), min_size=1, max_size=6, unique=True))
@settings(max_examples=100)
def test_a_filter_over_columns_and_bytes_finds_what_it_finds_over_parsed_messages(
    steps: list[tuple[str, int, Any, bool]], filters: list[str]
) -> None:
    tape = Tape()
    for step in steps:
        _play(tape.wait(1), *step)
    oracle = Oracle(tape.journal, 10**12)
    try:
        for text in filters:
            term = parse(text)
            assert term is not None
            expected = [n for n in range(1, tape.journal.count + 1) if oracle.holds(term, n)]
            assert found(tape.journal, text) == expected, text
            assert parse(describe(term)) == term
    finally:
        tape.journal.close()


def test_program_knows_its_dependencies(tape: Tape) -> None:
    made = {text: program(tape.journal, text) for text in ("tool == a", "dur > 1s", "age > 1s", "text ~ a", "any.tool")}
    assert [text for text, each in made.items() if each.by_columns] == ["tool == a", "dur > 1s", "age > 1s", "any.tool"]
    assert [text for text, each in made.items() if each.follows_exchanges] == ["dur > 1s", "age > 1s", "any.tool"]
    assert [text for text, each in made.items() if each.follows_time] == ["age > 1s"]
    assert [text for text, each in made.items() if each.lifts] == ["any.tool"]


def test_exploding_pattern_is_stopped_and_reported(tape: Tape) -> None:
    for _ in range(8):
        tape.stderr(b"a" * 40 + b"b")
    made = program(tape.journal, 'text ~ "(a|a)*$"')
    assert made.mark(1, 8) == bytes(8)
    assert "took too long" in made.trouble
    assert program(tape.journal, "text ~ a").trouble == ""


def test_a_capture_that_others_wrote_is_read_line_by_line(tape: Tape) -> None:
    tape.stderr(b"<b>")
    tape.journal.head = msgspec.structs.replace(tape.journal.head, tool=RecordingTool("another"))
    line = tape.journal.store.read(tape.journal.store.place(1), 1000)
    assert b"<b>" in line
    tape.journal.store._source = Escaping(line.replace(b"<", b"\\u003c"))  # type: ignore[assignment]
    assert found(tape.journal, '"<b>"') == [1]


class Escaping:
    """One line, spelled with escapes that need not be."""

    def __init__(self, line: bytes) -> None:
        self._line = line

    def read(self, place: int, length: int) -> bytes:
        return self._line


def test_error_finds_all_that_failed_and_nothing_else(tape: Tape) -> None:
    tape.connected("http://x/mcp")
    good = [tape.call(1, "fine"), tape.answer(1, {"content": [{"type": "text", "text": "an error in words"}]})]
    bad = [tape.call(2, "refused"), tape.error(2, -32602, "no")]
    bad += [tape.call(3, "failing"), tape.answer(3, {"content": [], "isError": True})]
    for http, method, status in ((1, "POST", 200), (2, "POST", 500), (3, "GET", 405), (4, "GET", 404)):
        tape.fact(HttpFact(HttpEvent.REQUEST, http, method=method, target="http://x/mcp"))
        (bad if status in (500, 404) else good).append(tape.fact(HttpFact(HttpEvent.RESPONSE, http, status=status)))
    bad.append(tape.fact(HttpFact(HttpEvent.ERROR, 5, why="connection refused")))
    bad.append(tape.call(4, "lost"))
    bad.append(tape.fact(ConnectionFact(ConnectionEvent.ABORT, "http", why="the connection was reset")))
    assert found(tape.journal, "error") == found(tape.journal, "is:error") == sorted(bad)
    assert set(found(tape.journal, "not error")) >= set(good)


def test_a_request_is_found_once_it_has_failed(tape: Tape) -> None:
    assert program(tape.journal, "error").follows_exchanges


def test_a_message_is_found_by_its_http_response() -> None:
    tape = Tape(http=True)
    tape.posted(1, 404, (("Content-Type", "text/plain"), ("Mcp-Name", "x")))
    tape.call(1, "echo", http=1)
    tape.posted(2, 200)
    tape.call(2, "echo", http=2)
    assert found(tape.journal, "http.status == 404") == [1, 2, 3]
    assert found(tape.journal, "tool and any.http.status >= 400") == [3]
    assert found(tape.journal, 'kind == request and http.header["mcp-NAME"] == x') == [3]
    assert found(tape.journal, 'http.header["authorization"] contains bearer') == [1, 2, 3, 4, 5, 6]
    assert found(tape.journal, "channel == post") == [3, 6]


def test_an_event_is_found_by_its_id(tape: Tape) -> None:
    tape.journal.frame(Direction.FROM_SERVER, Channel.SSE, b"{}", sse=SseFacts(id="12"))
    tape.fact(SseNote(1, b": x", id="13"))
    assert found(tape.journal, 'sse.id == "12"') == [1]
    assert found(tape.journal, "sse.id") == [1, 2]


def test_orphan_responses_match_by_id_and_code(tape: Tape) -> None:
    tape.answer(7, {})
    tape.error(8, -5, "no")
    tape.answer("7", {})
    assert found(tape.journal, "id == 7") == [1]
    assert found(tape.journal, 'id == "7"') == [3]
    assert found(tape.journal, "error.code == -5") == [2]


def test_the_age_is_that_of_what_is_pending(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    tape.answer(2, {})
    assert program(tape.journal, "age > 5s", tape.now + 6 * 10**9).mark(1, 3) == b"\1\0\0"
    assert program(tape.journal, "age > 5s", tape.now + 4 * 10**9).mark(1, 3) == b"\0\0\0"


def test_every_field_of_the_table_is_made(tape: Tape) -> None:
    tape.call(1, "a")
    made = [program(tape.journal, field.example) for field in FIELDS]
    assert all(isinstance(each, Program) for each in made)
    assert NodeFactory.__doc__


def test_a_message_is_found_by_its_server(tape: Tape) -> None:
    tape.request(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me"}})
    assert found(tape.journal, "server == shop") == []
    tape.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "shop"}})
    assert found(tape.journal, "server == shop") == [1, 2]
    assert found(tape.journal, "not server == shop") == []
    tape.journal.name = "the one in the harbour"
    assert found(tape.journal, "server contains harbour and kind == request") == [1]
