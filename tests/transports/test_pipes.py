"""A pipe on an event loop: bounded work a turn, back-pressure, and whole lines in order."""

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import IO

import pytest

from inspector.protocol.frames import Eol
from inspector.transports import pipes
from inspector.transports.lines import Line, LineSplitter
from inspector.transports.pipes import LineSink, LineSource, enlarge
from tests.waiting import until


@pytest.fixture
def pipe() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Give the reading and the writing end of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as source, os.fdopen(writing, "wb", buffering=0) as sink:
        yield source, sink


Pipe = tuple[IO[bytes], IO[bytes]]


def _nothing() -> None:
    pass


async def test_the_tail_comes_before_the_end_and_both_come_once(pipe: Pipe) -> None:
    seen: list[Line | str] = []
    source = LineSource(pipe[0], LineSplitter(), seen.extend, lambda: seen.append("end"))
    pipe[1].write(b"one\ntail")
    pipe[1].close()
    await until(lambda: source.closed, "the stream has ended")
    assert seen == [Line(b"one", Eol.LF), Line(b"tail", Eol.NONE), "end"]
    source.close()
    assert len(seen) == 3


async def test_a_closed_source_hands_on_what_it_had_read_and_is_silent_about_an_end(pipe: Pipe) -> None:
    seen: list[Line | str] = []
    source = LineSource(pipe[0], LineSplitter(), seen.extend, lambda: seen.append("end"))
    pipe[1].write(b"x\n" * 1000 + b"tail")
    await until(lambda: seen, "the first lines are there")
    source.close()
    assert len(seen) == 1001
    assert seen[-1] == Line(b"tail", Eol.NONE)


async def test_one_turn_of_the_loop_hands_on_a_bounded_number_of_lines(pipe: Pipe) -> None:
    seen: list[Line] = []
    source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
    pipe[1].write(b"\n" * 20_000)
    steps = []
    while len(seen) < 20_000:
        before = len(seen)
        await asyncio.sleep(0)
        steps.append(len(seen) - before)
    source.close()
    assert max(steps) <= 2048


@pytest.mark.parametrize("is_watched", [True, False])
async def test_flood_yields_between_short_turns_while_keys_are_pressed(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch, is_watched: bool
) -> None:
    at_pauses: list[int] = []
    monkeypatch.setattr(time, "sleep", lambda seconds: at_pauses.append(len(seen)))
    monkeypatch.setattr(pipes, "is_watched", lambda: is_watched)
    seen: list[Line] = []
    source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
    pipe[1].write(b"\n" * 20_000)
    await until(lambda: len(seen) == 20_000, "all lines are there")
    source.close()
    turns = [after - before for before, after in itertools.pairwise([0, *at_pauses, 20_000])]
    assert (max(turns) <= 512) is is_watched
    assert (len(turns) >= 20_000 / 512) is is_watched


async def test_while_lines_wait_to_be_handed_on_nothing_more_is_read(pipe: Pipe) -> None:
    os.set_blocking(pipe[1].fileno(), False)
    seen: list[Line] = []
    written = 0
    source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
    for _ in range(200):
        while (count := os_write(pipe[1], b"\n" * 65536)) > 0:
            written += count
        await asyncio.sleep(0)
    assert written - len(seen) <= 2 * 1024 * 1024
    assert written < 200 * 1024 + 2 * 1024 * 1024
    source.close()


def os_write(file: IO[bytes], data: bytes) -> int:
    """Write what the pipe takes; 0 if it is full."""
    try:
        return os.write(file.fileno(), data)
    except BlockingIOError:
        return 0


async def test_a_source_that_is_closed_by_the_receiver_of_a_line_stays_closed(pipe: Pipe) -> None:
    seen: list[Line] = []

    def take(lines: Sequence[Line]) -> None:
        seen.extend(lines)
        source.close()

    source = LineSource(pipe[0], LineSplitter(), take, lambda: pytest.fail("it was closed"))
    pipe[1].write(b"one\ntwo\n")
    await until(lambda: source.closed, "the first line is handed on")
    assert [line.payload for line in seen] == [b"one", b"two"]


async def test_lines_of_concurrent_writers_stay_whole_and_in_order(pipe: Pipe) -> None:
    ended: list[str] = []
    sink = LineSink(pipe[1], lambda: ended.append("end"))
    seen: list[Line] = []
    started: list[int] = []
    lines = [bytes([65 + number]) * 300_000 for number in range(10)]

    def note(number: int) -> Callable[[], None]:
        return lambda: started.append(number)

    async with asyncio.TaskGroup() as group:
        for number, line in enumerate(lines):
            group.create_task(sink.write(line + b"\n", note(number)))
        await until(lambda: started, "the pipe is full")
        source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
    await until(lambda: len(seen) == 10, "everything came through")
    source.close()
    sink.close()
    sink.close()
    assert started == list(range(10))
    assert [line.payload for line in seen] == lines
    assert ended == ["end"]


async def test_a_line_given_up_before_its_first_byte_was_never_sent(pipe: Pipe) -> None:
    sink = LineSink(pipe[1], _nothing)
    enlarge(pipe[0].fileno())
    started: list[str] = []
    async with asyncio.TaskGroup() as group:
        first = group.create_task(sink.write(b"a" * 2_000_000 + b"\n", lambda: started.append("first")))
        second = group.create_task(sink.write(b"b\n", lambda: started.append("second")))
        await until(lambda: started, "the pipe is full")
        second.cancel()
        await asyncio.wait([second])
        seen: list[Line] = []
        source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
        await first
    sink.close_when_written()
    assert sink.closed
    await until(lambda: source.closed, "the end of the stream is read")
    assert [len(line.payload) for line in seen] == [2_000_000]
    assert started == ["first"]


async def test_a_line_written_at_once_is_whole_and_before_later_ones(pipe: Pipe) -> None:
    sink = LineSink(pipe[1], _nothing)
    assert sink.write_now(b"first\n")
    assert os.read(pipe[0].fileno(), 100) == b"first\n"
    long = b"x" * 5_000_000 + b"\n"
    assert sink.write_now(long), "the pipe has room for its beginning"
    assert not sink.write_now(b"other\n"), "the rest of a line is waiting"
    read = bytearray()
    os.set_blocking(pipe[0].fileno(), False)

    def all_read() -> bool:
        with suppress(BlockingIOError):
            read.extend(os.read(pipe[0].fileno(), 1 << 20))
        return read.endswith(b"later\n")

    async with asyncio.TaskGroup() as group:
        group.create_task(sink.write(b"later\n", _nothing))
        await until(all_read, "both lines are read")
    assert bytes(read) == long + b"later\n"
    pipe[0].close()
    assert not sink.write_now(b"x\n")
    assert sink.closed


async def test_a_sink_closes_behind_the_lines_that_wait(pipe: Pipe) -> None:
    ended: list[str] = []
    sink = LineSink(pipe[1], lambda: ended.append("end"))
    seen: list[Line] = []
    async with asyncio.TaskGroup() as group:
        started: list[str] = []
        group.create_task(sink.write(b"a" * 2_000_000 + b"\n", lambda: started.append("first")))
        await until(lambda: started, "the pipe is full")
        sink.close_when_written()
        assert ended == []
        with pytest.raises(BrokenPipeError):
            await sink.write(b"too late\n", _nothing)
        source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing)
    await until(lambda: source.closed, "the end of the stream is read")
    assert [len(line.payload) for line in seen] == [2_000_000]
    assert ended == ["end"]


async def test_pipe_without_reader_fails_its_writers(pipe: Pipe) -> None:
    ended: list[str] = []
    sink = LineSink(pipe[1], lambda: ended.append("end"))

    async def write_in_vain(size: int) -> None:
        with pytest.raises(BrokenPipeError):
            await sink.write(b"a" * size + b"\n", _nothing)

    async with asyncio.TaskGroup() as group:
        group.create_task(write_in_vain(2_000_000))
        group.create_task(write_in_vain(1))
        await asyncio.sleep(0)
        pipe[0].close()
    assert sink.closed
    assert ended == ["end"]


async def test_an_unfinished_line_is_handed_on_after_the_pause_and_its_remainder_later(pipe: Pipe) -> None:
    seen: list[Line] = []
    source = LineSource(pipe[0], LineSplitter(), seen.extend, _nothing, pause=0.01)
    pipe[1].write(b"Name: ")
    await until(lambda: seen, "the prompt is handed on")
    pipe[1].write(b"Bob\n")
    await until(lambda: len(seen) == 2, "the remainder is handed on")
    source.close()
    assert seen == [Line(b"Name: ", Eol.NONE), Line(b"Bob", Eol.LF)]
