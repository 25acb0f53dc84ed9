"""What a journal or a capture holds, as lists."""

from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.protocol.frames import Direction, Frame

What = TypeVar("What")


def whats(source: Journal | Path) -> list[Any]:
    """The frame, fact or line of each entry. A capture is opened and closed again."""
    if isinstance(source, Path):
        with closing(load(source)) as journal:
            return whats(journal)
    return [source.store.entry(n).what for n in range(1, source.count + 1)]


def kept(source: Journal | Path, kind: type[What]) -> list[What]:
    return [what for what in whats(source) if isinstance(what, kind)]


def frames_to(source: Journal | Path, direction: Direction) -> list[Frame]:
    return [frame for frame in kept(source, Frame) if frame.direction is direction]
