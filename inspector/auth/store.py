"""What is kept of logins between runs: one file for all servers, for its owner's eyes alone.

Written whole and put in the old one's place, so that two programs never leave half a file. A file that can't be read
is no reason not to log in anew.
"""

import contextlib
import os
import tempfile
from pathlib import Path

import msgspec

from inspector.auth.addresses import canonical
from inspector.auth.wishes import Known

FILE = "logins.json"
IN_FILE = "a file for your eyes alone"


class TokenStore:
    """Logins by the server's address, in a directory of 0700."""

    def __init__(self, directory: Path | None) -> None:
        """None keeps nothing."""
        self._path = None if directory is None else directory / FILE

    @property
    def place(self) -> str:
        """Where it is kept, for a sentence."""
        return IN_FILE if self._path is not None else "nowhere"

    def get(self, url: str) -> Known:
        """What is kept of a server; nothing where nothing is, or where the file can't be read."""
        return self._read().get(canonical(url), Known())

    def put(self, url: str, known: Known) -> None:
        """Keep it. A directory that can't be written keeps nothing, and the login works all the same."""
        everything = self._read() | {canonical(url): known}
        self._write(everything)

    def forget(self, url: str) -> bool:
        """Keep nothing of a server any more; whether there was something."""
        everything = self._read()
        was = everything.pop(canonical(url), None) is not None
        if was:
            self._write(everything)
        return was

    def servers(self) -> tuple[str, ...]:
        """The addresses of which something is kept."""
        return tuple(self._read())

    def _read(self) -> dict[str, Known]:
        if self._path is None:
            return {}
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return {}
        with os.fdopen(fd, "rb") as file:
            try:
                return msgspec.json.decode(file.read(), type=dict[str, Known])
            except (msgspec.DecodeError, UnicodeDecodeError):
                return {}

    def _write(self, everything: dict[str, Known]) -> None:
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{FILE}")  # 0600, O_EXCL
            with os.fdopen(fd, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(everything)))
            Path(name).replace(self._path)
