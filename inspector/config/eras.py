"""What is remembered of each target between two runs: the era it was found in, so that the next start need not ask.

A memory is a hint. One that is lost, broken or wrong costs a probe and nothing else, so nothing here fails: a file
that can't be read is no memory, and one that can't be written is a line in the log. Targets are kept as hashes,
since an argv or a URL may carry secrets.
"""

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path

import msgspec

from inspector.config.whole_files import replace_file
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era

logger = logging.getLogger(__name__)

MOST = 500
"""Targets remembered; the one not heard of for longest is forgotten first."""
_FORMAT = 1
_MOST_BYTES = 1 << 20
"""A file beyond that is not ours."""


class _File(msgspec.Struct):
    format: int
    eras: dict[str, Era]
    """Target key → era, the one heard of last at the end."""


def process_key(argv: Sequence[str], cwd: Path) -> str:
    """Return the key of a server that is started as a process: by what is run, and where."""
    return _hash("process", str(cwd), *argv)


def url_key(url: str) -> str:
    """Return the key of a server that is reached by URL; the fragment never reaches the server and plays no part."""
    from urllib.parse import urldefrag

    return _hash("url", urldefrag(url).url)


def _hash(*parts: str) -> str:
    # Quoted, so that "a b" and "a", "b" differ; the surrogates of odd file names are escaped, not refused.
    text = repr(parts).encode(errors="backslashreplace")
    return hashlib.sha256(text).hexdigest()[:32]


class Eras:
    """The eras of targets, in one file of the state directory."""

    def __init__(self, state: Path) -> None:
        """Touch nothing yet; the directory is made by the first thing to remember."""
        self._file = state / "eras.json"

    def get(self, target_key: str) -> Era | None:
        """Return what was found when this target was last met; None if it never was, or was forgotten."""
        return self._read().get(target_key)

    def remember(self, target_key: str, era: Era) -> None:
        """Keep what was found, for this target in place of what was known before."""
        eras = self._read()
        if eras.get(target_key) is era and next(reversed(eras)) == target_key:
            return
        eras.pop(target_key, None)
        eras[target_key] = era
        self._write(dict(list(eras.items())[-MOST:]))

    def forget(self, target_key: str) -> None:
        """Drop what is known of a target, after it proved wrong."""
        eras = self._read()
        if eras.pop(target_key, None) is not None:
            self._write(eras)

    def _read(self) -> dict[str, Era]:
        try:
            with self._file.open("rb") as file:
                found = msgspec.json.decode(file.read(_MOST_BYTES), type=_File)
        except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}
        return found.eras if found.format == _FORMAT else {}

    def _write(self, eras: dict[str, Era]) -> None:
        try:
            replace_file(self._file, msgspec.json.encode(_File(_FORMAT, eras)))
        except (OSError, UsageError) as error:
            logger.warning("what was found out about a server's era can't be kept: %s", error)
