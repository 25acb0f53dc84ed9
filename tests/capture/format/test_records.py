"""An entry, written and read, is the same entry: every byte of it."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format.records import (
    KNOWN,
    ConnectionRecord,
    Dated,
    EndRecord,
    Entry,
    FrameRecord,
    Head,
    HttpRecord,
    SseRecord,
    StderrRecord,
    Target,
    entry_of,
    from_line,
    numbered,
    record_of,
    to_line,
    type_of,
)
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, HttpEvent, HttpFact, HttpTiming, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame, SseFacts
from tests.capture.recording import FACTS, HEAD

frames = st.builds(
    Frame,
    n=st.just(7),
    time_ns=st.integers(-(2**62), 2**62),
    wall_ns=st.integers(0, 2**62),
    direction=st.sampled_from(Direction),
    channel=st.sampled_from(Channel),
    payload=st.binary() | st.text().map(str.encode),
    eol=st.sampled_from(Eol),
    http=st.none() | st.integers(1, 9),
    sse=st.none() | st.builds(SseFacts, event=st.none() | st.text(), id=st.none() | st.text(), retry=st.none()),
    cause=st.sampled_from(Cause),
)


def there_and_back(entry: Entry) -> Entry:
    record = from_line(to_line(record_of(entry, c="c1", origin="server")))
    assert isinstance(record, Dated)
    return entry_of(record, entry.n)


@given(frames)
def test_a_frame_comes_back_whatever_its_bytes(frame: Frame) -> None:
    entry = Entry(frame.n, frame.time_ns, frame.wall_ns, frame)
    assert there_and_back(entry) == entry


@pytest.mark.parametrize(
    ("members", "cause"),
    [
        (b'"probe":true,', Cause.PROBE),
        (b'"cause":"probe","probe":true,', Cause.PROBE),
        (b'"cause":"retry",', Cause.RETRY),
        (b'"cause":"a later one",', Cause.UNKNOWN),
        (b"", Cause.UNKNOWN),
    ],
)
def test_cause_of_older_and_newer_captures_is_read(members: bytes, cause: Cause) -> None:
    record = from_line(b'{"r":"frame","dir":"c2s","ch":"stdin","tm":1,"tw":1,%s"raw":"{}"}' % members)
    assert isinstance(record, FrameRecord)
    frame = entry_of(record, 1).what
    assert isinstance(frame, Frame)
    assert frame.cause is cause


@pytest.mark.parametrize("origin", ["user", "rule"])
def test_response_of_a_proxy_is_one_in_place_of_the_server(origin: str) -> None:
    line = b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"tw":1,"origin":"%s","raw":"{}"}' % origin.encode()
    record = from_line(line)
    assert isinstance(record, FrameRecord)
    frame = entry_of(record, 1).what
    assert isinstance(frame, Frame)
    assert frame.cause is Cause.IN_PLACE


def test_cause_is_written_so_that_older_readers_know_a_probe() -> None:
    frame = Frame(1, 1, 1, Direction.TO_SERVER, Channel.STDIN, b"{}", cause=Cause.PROBE)
    line = to_line(record_of(Entry(1, 1, 1, frame), c="c1", origin="inspector"))
    assert b'"cause":"probe","probe":true' in line


MEASURED = HttpFact(HttpEvent.RESPONSE, 2, status=200, timing=HttpTiming(None, 1, None, 2, 3))
RENEWED = ConnectionFact(ConnectionEvent.RENEW, "http", url="http://h/mcp", why="the server has answered 404")


@pytest.mark.parametrize("fact", [*FACTS, MEASURED, RENEWED], ids=repr)
def test_a_fact_comes_back(fact: Fact) -> None:
    entry = Entry(3, 10, 20, fact)
    assert there_and_back(entry) == entry


@pytest.mark.parametrize(
    "payload",
    [
        b"\xef\xbb\xbf{}",
        b"a\xe2\x80\xa8b\xe2\x80\xa9c",
        b"\x00\x1b[2J\x7f\xc2\x85",
        b'{"a":1E2,"a":1.0,"b":"\\ud800\\u0041"}',
        b'tab\there\rand \\ and "',
        "é".encode(),
    ],
)
def test_utf8_is_written_as_text(payload: bytes) -> None:
    record = record_of(Entry(1, 2, 3, Stderr(payload)), c="c1", origin="")
    assert isinstance(record, StderrRecord)
    assert record.raw is not None
    assert record.b64 is None
    assert to_line(record).count(b"\n") == 1


@pytest.mark.parametrize("payload", [b"\xff", b"\xed\xa0\x80", b"ok\xc3", b"\xc0\x80"])
def test_other_bytes_are_written_as_base64(payload: bytes) -> None:
    record = record_of(Entry(1, 2, 3, Stderr(payload)), c="c1", origin="")
    assert isinstance(record, StderrRecord)
    assert (record.raw, record.b64) == (None, payload)


def test_lone_surrogate_in_a_record_is_kept_as_bytes() -> None:
    record = from_line(b'{"r":"err","tm":1,"raw":"a\\ud800"}')
    assert isinstance(record, StderrRecord)
    assert entry_of(record, 1).what == Stderr(b"a\xed\xa0\x80")


def test_a_record_without_its_payload_is_a_value_error() -> None:
    record = FrameRecord(dir=Direction.TO_SERVER, ch=Channel.STDIN, tm=1)
    with pytest.raises(ValueError, match="not in this file"):
        entry_of(record, 1)


def test_the_number_is_given_and_not_read() -> None:
    record = FrameRecord(n=99, dir=Direction.TO_SERVER, ch=Channel.STDIN, tm=1, tw=2, raw="")
    entry = entry_of(record, 4)
    assert entry.n == 4
    assert isinstance(entry.what, Frame)
    assert entry.what.n == 4


@pytest.mark.parametrize(("given", "kept"), [(5, 5), (2**80, 2**63 - 1), (-(2**80), -(2**63) + 1)])
def test_a_record_without_a_wall_clock_gets_one_that_fits(given: int, kept: int) -> None:
    assert entry_of(StderrRecord(tm=1, raw=""), 1, given).wall_ns == kept


def test_numbered_replaces_the_number_of_an_entry() -> None:
    frame = Frame(1, 2, 3, Direction.TO_SERVER, Channel.STDIN, b"x")
    entry = Entry(1, 2, 3, frame)
    assert numbered(entry, 1) is entry
    assert numbered(entry, 5) == Entry(5, 2, 3, msgspec.structs.replace(frame, n=5))
    assert numbered(Entry(1, 2, 3, Stderr(b"x")), 5) == Entry(5, 2, 3, Stderr(b"x"))


FRAME = FrameRecord(
    n=2,
    c="c1",
    dir=Direction.FROM_SERVER,
    ch=Channel.STDOUT,
    tm=5,
    tw=6,
    len=2,
    eol=Eol.CRLF,
    origin="server",
    raw="hi",
)


def test_a_frame_is_written_with_the_names_of_the_format_in_their_order() -> None:
    assert to_line(FRAME) == (
        b'{"r":"frame","n":2,"c":"c1","dir":"s2c","ch":"stdout","tm":5,"tw":6,"len":2,"eol":"crlf",'
        b'"origin":"server","raw":"hi"}\n'
    )


def test_head_line_starts_with_type_format_and_version() -> None:
    line = json.loads(to_line(HEAD))
    assert list(line)[:4] == ["r", "format", "v", "must"]
    assert (line["r"], line["format"], line["v"]) == ("head", "mcpcap", "1.0")
    assert line["redaction"] == {"policy": "none", "on": "none"}


def test_an_sse_event_without_any_field_is_not_the_same_as_none() -> None:
    bare = FrameRecord(dir=Direction.FROM_SERVER, ch=Channel.SSE, tm=5, sse=SseFacts(), raw="")
    assert from_line(to_line(bare)) == bare
    assert b'"sse"' in to_line(bare)


def test_names_that_are_no_utf8_come_back() -> None:
    record = ConnectionRecord(tm=1, ev=ConnectionEvent.OPEN, target=Target(argv=("caf\udce9",)), env_names=("\udc80",))
    assert from_line(to_line(record)) == record


def test_a_number_beyond_all_bounds_comes_back() -> None:
    record = SseRecord(tm=1, ex=1, retry=10**30, raw="")
    assert from_line(to_line(record)) == record


def test_unknown_fields_are_ignored() -> None:
    line = to_line(FRAME).replace(b'"n":2', b'"n":2,"later":"held","x":{"deep":[1]}')
    assert from_line(line) == FRAME


def test_headers_keep_order_case_and_duplicates() -> None:
    record = HttpRecord(tm=1, ex=1, ev=HttpEvent.REQUEST, headers=(("B", "1"), ("a", "2"), ("A", "3"), ("a", "2")))
    assert from_line(to_line(record)) == record


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"r":"frame"}',
        b'{"r":7}',
        b'{"r":"mark","n":1}',
        b'{"r":"frame","dir":"up","ch":"stdout","tm":1}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":99999999999999999999}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"b64":"*"}',
        b'{"r":"frame","dir":"s2c","ch":"stdout","tm":1,"raw":"\\ud800","n":"x"}',
        b'{"r":"frame"',
        b"\xff",
        b"[" * 100_000,
        b'{"r":"frame","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_invalid_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        from_line(line)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_record_or_a_value_error(line: bytes) -> None:
    with suppress(ValueError):
        from_line(line)
    assert type_of(line) is None or isinstance(type_of(line), str)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"r":"mark","n":1}', "mark"),
        (b'{"r":7}', None),
        (b'{"n":1}', None),
        (b"[]", None),
        (b"nonsense", None),
        (b"[" * 100_000, None),
    ],
)
def test_type_of_returns_the_type_of_unknown_lines(line: bytes, kind: str | None) -> None:
    assert type_of(line) == kind


def test_every_record_that_is_written_is_known() -> None:
    for record in (HEAD, FRAME, EndRecord()):
        assert type_of(to_line(record)) in KNOWN
    assert isinstance(from_line(to_line(HEAD)), Head)
