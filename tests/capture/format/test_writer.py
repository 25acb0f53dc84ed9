"""Running digests: over the bytes as they were on the wire, due after a thousand frames or five seconds."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.format.file import LOST, CaptureFile, create
from inspector.capture.format.records import Entry, Head
from inspector.capture.format.writer import EVERY_FRAMES, EVERY_NS, Digests, Recorder
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from tests.capture.recording import CAME, FACTS, HEAD, SENT


def frame(payload: bytes, eol: Eol = Eol.LF, time_ns: int = 0, channel: Channel = Channel.STDOUT) -> Frame:
    return Frame(1, time_ns, 0, CAME, channel, payload, eol)


def test_the_digest_is_over_payloads_and_line_ends() -> None:
    digests = Digests()
    for payload, eol in ((b"a", Eol.LF), (b"b", Eol.CRLF), (b"c", Eol.NONE)):
        digests.take(frame(payload, eol))
    told = digests.sum(CAME, Channel.STDOUT, "c1")
    assert (told.bytes, told.frames, told.c) == (6, 3, "c1")
    assert told.sha256 == hashlib.sha256(b"a\nb\r\nc").hexdigest()


def test_each_direction_and_channel_has_its_own() -> None:
    digests = Digests()
    digests.take(frame(b"a"))
    digests.take(frame(b"b", channel=Channel.SSE))
    assert [(told.ch, told.frames) for told in digests.rest("c1")] == [(Channel.STDOUT, 1), (Channel.SSE, 1)]
    assert digests.rest("c1") == []


def test_a_stream_without_frames_has_the_digest_of_nothing() -> None:
    told = Digests().sum(CAME, Channel.GET, "c1")
    assert (told.bytes, told.frames, told.sha256) == (0, 0, hashlib.sha256(b"").hexdigest())


def test_a_sum_is_due_after_a_thousand_frames() -> None:
    digests = Digests()
    due = [digests.take(frame(b"a")) for _ in range(EVERY_FRAMES)]
    assert due == [False] * (EVERY_FRAMES - 1) + [True]
    digests.sum(CAME, Channel.STDOUT, "c1")
    assert not digests.take(frame(b"a"))


def test_a_sum_is_due_after_five_seconds_with_traffic() -> None:
    digests = Digests()
    assert not digests.take(frame(b"a", time_ns=7))
    assert not digests.take(frame(b"a", time_ns=6 + EVERY_NS))
    assert digests.take(frame(b"a", time_ns=7 + EVERY_NS))
    digests.sum(CAME, Channel.STDOUT, "c1")
    assert not digests.take(frame(b"a", time_ns=9 * EVERY_NS))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.mcpcap"


def recorder(path: Path, head: Head = HEAD) -> Recorder:
    return Recorder(CaptureFile(create(path), path), head)


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def entry(n: int, direction: Direction = CAME, payload: bytes = b"x") -> Entry:
    return Entry(n, n, n, Frame(n, n, n, direction, Channel.STDOUT, payload, Eol.LF))


def test_the_head_is_first_and_the_end_counts_what_is_there(path: Path) -> None:
    made = recorder(path)
    for n, what in enumerate(FACTS, 1):
        made.keep(Entry(n, n, n, what))
    made.keep(entry(99))
    made.close()
    first, *between, last = lines(path)
    assert first["r"] == "head"
    assert last["r"] == "end"
    assert last["clean"] is True
    assert last["counts"] == {"head": 1, "conn": 3, "proc": 3, "err": 2, "http": 6, "sse": 2, "frame": 1, "sum": 1}
    assert [line["r"] for line in between][-2:] == ["frame", "sum"]


def test_every_record_names_its_connection(path: Path) -> None:
    made = recorder(path)
    made.keep(entry(1))
    made.keep(Entry(2, 2, 2, FACTS[0]))
    made.keep(entry(3))
    made.keep(Entry(4, 4, 4, FACTS[1]))
    made.keep(Entry(5, 5, 5, FACTS[2]))
    made.close()
    assert [(line.get("n"), line["c"]) for line in lines(path) if "c" in line] == [
        (1, "c1"),
        (2, "c1"),
        (3, "c1"),
        (4, "c2"),
        (5, "c2"),
        (None, "c2"),
    ]


@pytest.mark.parametrize(
    ("mode", "origins"),
    [("client", ["inspector", "server"]), ("stdio-proxy", ["host", "server"]), ("mock", ["host", "mock"])],
)
def test_frame_line_has_its_origin(path: Path, mode: str, origins: list[str]) -> None:
    made = recorder(path, Head(format="mcpcap", v="1.0", mode=mode))
    made.keep(entry(1, SENT))
    made.keep(entry(2, CAME))
    made.close()
    assert [line["origin"] for line in lines(path) if line["r"] == "frame"] == origins


def test_a_digest_follows_every_thousand_frames(path: Path) -> None:
    made = recorder(path)
    for n in range(1, 2502):
        made.keep(entry(n))
    made.close()
    assert [line["frames"] for line in lines(path) if line["r"] == "sum"] == [1000, 2000, 2501]


def test_the_place_and_length_are_those_of_the_line(path: Path) -> None:
    made = recorder(path)
    place, length = made.keep(entry(1, payload=b"hello"))
    made.close()
    assert json.loads(path.read_bytes()[place : place + length])["raw"] == "hello"


def test_environment_variables_are_written_by_name_only(path: Path) -> None:
    made = recorder(path)
    made.keep(Entry(1, 1, 1, FACTS[0]))
    made.close()
    assert lines(path)[1]["env_names"] == ["PATH", "API_KEY"]


def test_after_the_close_nothing_is_kept(path: Path) -> None:
    made = recorder(path)
    made.close()
    size = path.stat().st_size
    assert made.keep(entry(1))[0] == LOST
    assert made.keep(Entry(2, 2, 2, Stderr(b"x")))[0] == LOST
    assert made.keep(Entry(3, 3, 3, SseNote(1, b"x")))[0] == LOST
    for n in range(4, 1100):
        made.keep(entry(n))  # a digest is due, and lost as well
    made.close()
    assert path.stat().st_size == size
