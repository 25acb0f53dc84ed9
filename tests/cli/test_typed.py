"""Lines that are typed while something else goes on."""

import io
import os
from pathlib import Path
from typing import cast

from inspector.cli.typed import Typed
from tests.waiting import until


async def test_lines_are_taken_as_they_come_from_a_pipe() -> None:
    taken: list[str] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as stream:
        typed = Typed(stream, taken.append)
        os.write(writing, b"one\ntw")
        await until(lambda: taken == ["one"], "the first line")
        os.write(writing, b"o\n\nlast")
        await until(lambda: taken == ["one", "two", ""], "the second")
        os.close(writing)
        await until(lambda: taken[-1] == "last", "what has no end")
        typed.stop()
        typed.stop()


async def test_a_file_is_there_at_once(tmp_path: Path) -> None:
    taken: list[str] = []
    (tmp_path / "answers").write_text("one\ntwo")
    with (tmp_path / "answers").open() as stream:
        typed = Typed(stream, taken.append)
        assert taken == []
        await until(lambda: taken == ["one", "two"], "both lines")
        typed.stop()


async def test_a_stream_without_a_descriptor_does_too() -> None:
    taken: list[str] = []
    Typed(io.StringIO("one\n"), taken.append)
    await until(lambda: taken == ["one"], "the line")


async def test_what_is_typed_after_the_end_is_not_read() -> None:
    taken: list[str] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as stream:
        Typed(cast(io.TextIOBase, stream), taken.append).stop()  # type: ignore[arg-type]
        os.write(writing, b"late\n")
        assert os.read(reading, 10) == b"late\n"
    os.close(writing)
    assert taken == []
