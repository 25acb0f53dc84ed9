"""The directory of captures that are made without being asked for: their names, and how the oldest make room.

Only what looks like a capture is ever removed, and never one that somebody records into.
"""

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from inspector.capture.opening import being_written

SUFFIX = ".mcpcap"
BUDGET = 2 * 1024 * 1024 * 1024
"""Bytes that all captures of a shelf may take."""
_LABEL = 40


def fresh_path(directory: Path, wall_ns: int, label: str, *, chance: str | None = None) -> Path:
    """Where a capture that begins now is put: named by local time and by what it is of, readable and sorted by age.

    `label` may be any text; `chance` keeps two apart that begin within a second.
    """
    when = time.strftime("%Y%m%d-%H%M%S", time.localtime(wall_ns // 1_000_000_000))
    name = re.sub(r"[^A-Za-z0-9._]+", "-", label).strip("-.")[:_LABEL].rstrip("-.") or "capture"
    return directory / f"{when}-{name}-{chance or os.urandom(2).hex()}{SUFFIX}"


def captures(directory: Path) -> list[Path]:
    """The captures of a shelf, newest first; none if there is no such directory."""
    try:
        with os.scandir(directory) as items:
            found = [
                (item.stat(follow_symlinks=False).st_mtime_ns, item.name)
                for item in items
                if item.name.endswith(SUFFIX) and item.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [directory / name for _, name in sorted(found, reverse=True)]


def make_room(directory: Path, budget: int = BUDGET) -> list[Path]:
    """Remove the oldest captures until the others fit the budget (bytes); which ones went.

    One that can't be removed stays, and so does one that is being recorded into.
    """
    total = 0
    removed = []
    for path in captures(directory):
        total += _size(path)
        if total > budget and remove(path):
            removed.append(path)
    return removed


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def remove(path: Path) -> bool:
    """Remove a capture and its notes; False, and nothing is, if it can't be or somebody records into it.

    No link is followed.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        if being_written(fd):
            return False
        from inspector.capture.notes import remove_notes  # most starts remove nothing

        path.unlink()
        with suppress(OSError):
            remove_notes(path)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True
