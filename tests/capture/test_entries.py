"""An entry, written and read, is the same entry: every byte of it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.entries import Entry, entry_of, numbered, record_of
from inspector.capture.records import Dated, FrameRecord, StderrRecord, from_line, to_line
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, HttpEvent, HttpFact, HttpTiming, Stderr
from inspector.protocol.frames import Channel, Direction, Eol, Frame, SseFacts
from tests.capture.recording import FACTS

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
    probe=st.booleans(),
)


def there_and_back(entry: Entry) -> Entry:
    record = from_line(to_line(record_of(entry, c="c1", origin="server")))
    assert isinstance(record, Dated)
    return entry_of(record, entry.n)


@given(frames)
def test_a_frame_comes_back_whatever_its_bytes(frame: Frame) -> None:
    entry = Entry(frame.n, frame.time_ns, frame.wall_ns, frame)
    assert there_and_back(entry) == entry


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


def test_a_lone_surrogate_that_somebody_wrote_as_text_is_kept_as_bytes() -> None:
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
    record = StderrRecord(tm=1, raw="")
    assert entry_of(record, 1, given).wall_ns == kept


def test_an_entry_can_be_numbered_anew() -> None:
    frame = Frame(1, 2, 3, Direction.TO_SERVER, Channel.STDIN, b"x")
    entry = Entry(1, 2, 3, frame)
    assert numbered(entry, 1) is entry
    assert numbered(entry, 5) == Entry(5, 2, 3, msgspec.structs.replace(frame, n=5))
    assert numbered(Entry(1, 2, 3, Stderr(b"x")), 5) == Entry(5, 2, 3, Stderr(b"x"))
