"""What is kept of logins between runs: one file for all servers, for its owner's eyes alone.

Written whole and put in the old one's place, so that two programs never leave half a file. A file that can't be read
is no reason not to log in anew.
"""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from inspector.auth.addresses import canonical
from inspector.auth.wishes import Known
from inspector.config.paths import private_directory
from inspector.errors import UsageError
from inspector.whole import replace

logger = logging.getLogger(__name__)

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
        """Keep it. Where it can't be written, the login works all the same, and the log says so."""
        if self._path is None:
            return
        try:
            with self._locked():
                self._write(self._read() | {canonical(url): known})
        except (OSError, UsageError) as error:
            logger.warning("the login is not stored, so the next run asks for it again: %s", error)

    def forget(self, url: str) -> bool:
        """Keep nothing of a server any more; return whether there was something.

        Raises: UsageError if what is stored can't be removed.
        """
        if self._path is None or canonical(url) not in self._read():
            return False
        try:
            with self._locked():
                everything = self._read()
                was = everything.pop(canonical(url), None) is not None
                self._write(everything)
        except OSError as error:
            raise UsageError(
                f"the login can't be removed from {self._path}: {error.strerror}", hint="Remove the file yourself."
            ) from None
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

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Let no other process read, change and write at the same time: one of two new logins would be lost."""
        assert self._path is not None
        directory = private_directory(self._path.parent)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(directory / f".{FILE}.lock", flags, 0o600)
        try:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, everything: dict[str, Known]) -> None:
        assert self._path is not None
        replace(self._path, msgspec.json.format(msgspec.json.encode(everything)))
