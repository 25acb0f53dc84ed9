"""No input raises or hangs: files, lines, streams, frames, filters, schemas, texts.

A few dozen examples each, here and in CI; `HYPOTHESIS_PROFILE=thorough pytest tests/fuzzing` makes thousands.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from textual.color import Color

from inspector import text
from inspector.capture.format.verify import verify
from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.checks.runner import Inspection
from inspector.errors import CaptureError, FilterError
from inspector.filters.engine.program import Program
from inspector.filters.language.parser import parse
from inspector.forms.arguments import smallest_valid
from inspector.forms.fields import LazyField, ObjectField, opened
from inspector.forms.read_schema import read_schema
from inspector.forms.validate import validate, verdict_on_schema
from inspector.present.traffic.log import LogModel
from inspector.protocol.conversation import Conversation
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import read
from inspector.protocol.tracking.exchanges import HttpEnd
from inspector.transports.http.sse import EventTooLong, SseParser
from inspector.transports.lines import CuttingSplitter
from inspector.tui.safety import ControlFilter
from inspector.tui.screens.traffic.model import detail_of
from tests.captures.record import sample
from tests.counting import at_most
from tests.forms.schemas import any_json, schema_like
from tests.servers.acts import leaks, texts
from tests.servers.breaking import SCHEMAS

CALLS = 1_000_000
"""How many calls one example may make: many times what is usual."""
SAMPLES = ("handshake", "stateless", "lighthouse", "shipyard", "wreck", "torn")
each_with_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@cache
def lines_of(name: str) -> tuple[bytes, ...]:
    """The lines of a sample, with their ends."""
    return tuple(sample(name).read_bytes().splitlines(keepends=True))[:200]


@st.composite
def garbled_captures(draw: st.DrawFn) -> bytes:
    """A capture to which something has happened: lines lost, doubled, moved or exchanged; bytes, too; and cut."""
    lines = list(lines_of(draw(st.sampled_from(SAMPLES))))
    for _ in range(draw(st.integers(0, 6))):
        at, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["lost", "doubled", "moved", "bytes", "noise", "number"])):
            case "lost" if len(lines) > 1:
                del lines[at]
            case "doubled":
                lines.insert(other, lines[at])
            case "moved":
                lines[at], lines[other] = lines[other], lines[at]
            case "bytes":
                line = bytearray(lines[at])
                line[draw(st.integers(0, len(line) - 1))] = draw(st.integers(0, 255))
                lines[at] = bytes(line)
            case "noise":
                lines[at] = draw(st.binary(max_size=60)) + b"\n"
            case "number":
                odd = draw(st.sampled_from([b"-1", b"1e400", b"9" * 40, b"null", b'"x"', b"[[]]", b"{}", b"true"]))
                lines[at] = lines[at].replace(draw(st.sampled_from([b":1,", b":2,", b":0,"])), b":" + odd + b",")
    whole = b"".join(lines)
    return whole[: draw(st.integers(0, len(whole)))] if draw(st.booleans()) else whole


def look_at_all(journal: Journal) -> None:
    """Everything that the screens ask of a journal."""
    model = LogModel(journal, clock=lambda: journal.head.tm)
    while model.refresh():
        pass
    for index in range(min(model.count, 300)):
        spans = model.row(index, 100).spans
        assert not leaks("".join(shown for shown, _ in spans).encode())
    for n in range(1, min(journal.count, 300) + 1):
        detail = detail_of(journal, n, now_ns=journal.head.tm)
        assert not leaks("".join(shown for shown, _ in detail.title).encode())
    inspection = Inspection()
    inspection.take(journal.store.entry(n) for n in range(1, journal.count + 1))
    inspection.finish()
    assert not inspection.disabled_checks


@each_with_files
@given(garbled_captures())
def test_a_garbled_capture_opens_as_far_as_it_goes_or_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "garbled.mcpcap"
    path.write_bytes(content)
    with at_most(CALLS):
        try:
            journal = load(path)
        except CaptureError:
            return
        try:
            look_at_all(journal)
            verify(path)
        finally:
            journal.close()


@st.composite
def bent_messages(draw: st.DrawFn) -> bytes:
    """A message of which some bytes are others."""
    line = bytearray(draw(st.sampled_from(MESSAGE_LINES)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(line)))
        line[at : at + draw(st.integers(0, 3))] = draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"{", b"[", b","])
        )
    return bytes(line)


MESSAGE_LINES = (
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"_meta":{"progressToken":1}}}',
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\ud83d"}],"resultType":"input_required"}}',
    b'{"jsonrpc":"2.0","id":"1","error":{"code":-32000,"message":"no","data":[1,2.5e300,null]}}',
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2}}',
    b'{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working","ttl":1}}',
    b'{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":{}}]',
    b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"x"}}',
    b'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"x","capabilities":{},"serverInfo":{"name":"a"}}}',
)
FRAMES = st.tuples(
    st.sampled_from(Direction),
    st.sampled_from(Channel),
    bent_messages() | st.binary(max_size=80),
    st.none() | st.integers(1, 3),
    st.sampled_from(Cause),
    st.just(0) | st.integers(0, 10**12),
)


@given(st.lists(FRAMES | st.integers(1, 3), max_size=25))
def test_no_frames_make_the_fold_raise_and_what_is_over_is_not_pending(several: list[Any]) -> None:
    conversation = Conversation()
    with at_most(CALLS):
        for n, each in enumerate(several, start=1):
            if isinstance(each, int):
                conversation.http_ended(n, HttpEnd(each, why="cut" if n % 2 else "", status=500 if n % 3 else 200))
                continue
            way, channel, payload, http, cause, cut = each
            assert read(payload)
            conversation.observe(Frame(n, n, n, way, channel, payload, Eol.LF, http, None, cause, cut))
        conversation.end(len(several) + 1, "over")
    assert conversation.pairs.pending == []
    assert not any(exchange.is_open for exchange in conversation.exchanges)


@each_with_files
@given(st.lists(FRAMES, max_size=12))
def test_arbitrary_recording_loads_the_same(tmp_path: Path, several: list[Any]) -> None:
    path = tmp_path / "any.mcpcap"
    journal = start_capture(path, overwrite=True)
    try:
        for way, channel, payload, http, cause, cut in several:
            journal.frame(way, channel, payload, http=http, cause=cause, cut=cut)
        with at_most(CALLS):
            look_at_all(journal)
    finally:
        journal.close()
    again = load(path)
    try:
        assert again.notices == ()
        frames = [
            entry.what for n in range(1, again.count + 1) if isinstance((entry := again.store.entry(n)).what, Frame)
        ]
        assert [(frame.payload, frame.http, frame.cut) for frame in frames] == [
            (*each[2:4], each[5]) for each in several
        ]
        assert verify(path).faults == ()
        assert len(again.conversation.exchanges) == len(journal.conversation.exchanges)
    finally:
        again.close()


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", b"\r", b"data: x", b"\n\n", b"id: \0"]), max_size=20))
def test_however_a_stream_is_cut_into_chunks_its_events_are_the_same(chunks: list[bytes]) -> None:
    with at_most(CALLS):
        one, many = SseParser(), SseParser()
        whole = [*one.feed(b"".join(chunks)), *one.finish()]
        assert [item for chunk in chunks for item in many.feed(chunk)] + many.finish() == whole
        small = SseParser(limit=8)
        with suppress(EventTooLong):
            for chunk in chunks:
                small.feed(chunk)


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(1, 30), st.integers(1, 30))
def test_a_line_source_keeps_no_more_than_its_limit(chunks: list[bytes], limit: int, kept: int) -> None:
    splitter = CuttingSplitter(limit, kept)
    for chunk in chunks:
        assert all(len(line.payload) <= limit for line in splitter.feed(chunk))
        assert splitter.pending <= limit


@pytest.fixture(scope="module")
def lighthouse() -> Iterator[Journal]:
    journal = load(sample("lighthouse"))
    yield journal
    journal.close()


_WORDS = st.sampled_from(
    (
        *(
            "tool",
            "method",
            "==",
            "!=",
            "~",
            "!~",
            "and",
            "or",
            "not",
            "(",
            ")",
            "contains",
            "in",
            "{",
            "}",
            ",",
            "5ms",
        ),
        *("'x'", '"(a|a)*$"', ">10k", "is:error", "-x", "@y", "args.a", 'params["x"][*]', "http.header['a']", "resp."),
        *('~ "(((((a+)+)+)+)+)$"', "text", "\0", "n", "1e999"),
    )
)


@each_with_files
@given(st.lists(_WORDS, max_size=10).map(" ".join) | st.text(max_size=30))
def test_arbitrary_filter_runs_or_is_refused(lighthouse: Journal, typed: str) -> None:
    with at_most(CALLS):
        try:
            term = parse(typed, named={"y": "tool"})
        except FilterError:
            return  # what it says, and where, is the parser's own test
        if term is None:
            return
        program = Program(term, lighthouse, clock=lambda: lighthouse.head.tm, say=str)
        for n in range(1, lighthouse.count + 1):
            program.matches(n)


_SPITEFUL = [schema for name, schema in SCHEMAS.items() if name not in ("wide", "choices")]  # those take their time


@given(schema_like | any_json | st.sampled_from(_SPITEFUL), any_json)
def test_any_schema_is_a_form_with_a_value_and_any_value_gets_a_verdict(schema: object, value: object) -> None:
    with at_most(CALLS):
        form = read_schema(schema)
        for _, field in form.properties[:20] if isinstance(form, ObjectField) else ():
            if isinstance(field, LazyField):
                opened(field)
        given_ = smallest_valid(schema)
        verdict_on_schema(schema)
        for each in (value, given_):
            verdict = validate(schema, each, clock=time.thread_time)
            assert verdict.ok is not None or verdict.note


@given(st.text() | st.sampled_from(texts()), st.integers(0, 30), st.booleans())
def test_any_text_can_be_shown_and_does_nothing(foreign: str, width: int, newlines: bool) -> None:
    with at_most(CALLS):
        raw = foreign.encode("utf-8", "surrogatepass")
        for shown in (text.visible(foreign), text.visible(text.decode(raw)), text.one_line(foreign, width)):
            assert not leaks(shown.encode())
        assert not leaks(text.visible(foreign, newlines=newlines).encode())
        assert text.cell_width(text.one_line(foreign, width)) <= width
        (segment,) = ControlFilter().apply([Segment(foreign)], Color(0, 0, 0))
        assert not leaks(segment.text.encode())
        copied, count = text.for_clipboard(foreign)
        assert len(copied) + count == len(foreign)
