"""Stored logins: the system's keyring or one private file.

Written whole and put in the old one's place, so that two programs never leave half a file. A file that can't be read
is no reason not to log in again.
"""

import contextlib
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import replace
from inspector.auth.addresses import canonical
from inspector.auth.steps import StoredLogin
from inspector.config.paths import private_directory
from inspector.errors import UsageError

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

    def get(self, url: str) -> StoredLogin:
        """What is kept of a server; nothing where nothing is, or where the file can't be read."""
        return self._read().get(canonical(url), StoredLogin())

    def put(self, url: str, known: StoredLogin) -> None:
        """Keep it. Where it can't be written, the login works all the same, and the log says so."""
        if self._path is None:
            return
        try:
            with self._locked():
                self._write(self._read() | {canonical(url): known})
        except (OSError, UsageError) as error:
            logger.warning("the login is not stored; the next run needs a new one: %s", error)

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

    def _read(self) -> dict[str, StoredLogin]:
        if self._path is None:
            return {}
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return {}
        with os.fdopen(fd, "rb") as file:
            try:
                return msgspec.json.decode(file.read(), type=dict[str, StoredLogin])
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

    def _write(self, everything: dict[str, StoredLogin]) -> None:
        assert self._path is not None
        replace(self._path, msgspec.json.format(msgspec.json.encode(everything)))


# Keyring, file or no storage

SERVICE = "mcp-inspect"


class LoginStorage(StrEnum):
    """Where logins are kept between runs."""

    FILE = "file"
    KEYRING = "keyring"
    NONE = "none"


class KeyringStore(TokenStore):
    """One entry of the keyring a server; the file has only its name.

    Where the keyring takes nothing, the file does.
    """

    @property
    def place(self) -> str:
        """Where it is kept, for a sentence."""
        return "the system's keyring" if has_keyring() else IN_FILE

    def get(self, url: str) -> StoredLogin:
        """What is kept of a server; nothing where nothing is, or where the keyring stays closed."""
        known = self._read().get(canonical(url))
        if known is None or known != StoredLogin():
            return known or StoredLogin()
        import keyring
        from keyring.errors import KeyringError

        try:
            return msgspec.json.decode(keyring.get_password(SERVICE, canonical(url)) or "{}", type=StoredLogin)
        except (KeyringError, msgspec.DecodeError):
            return StoredLogin()

    def put(self, url: str, known: StoredLogin) -> None:
        """Keep it."""
        super().put(url, StoredLogin() if self._is_taken(url, known) else known)

    def forget(self, url: str) -> bool:
        """Keep nothing of a server any more, there and here."""
        if self._read().get(canonical(url)) == StoredLogin():
            import keyring
            from keyring.errors import KeyringError

            with suppress(KeyringError):  # it was taken out by hand
                keyring.delete_password(SERVICE, canonical(url))
        return super().forget(url)

    def _is_taken(self, url: str, known: StoredLogin) -> bool:
        if not has_keyring():
            return False
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, canonical(url), msgspec.json.encode(known).decode())
        except KeyringError:
            return False
        return True


def choose_store(kept: LoginStorage | None, directory: Path, *, is_own_home: bool) -> TokenStore:
    """Where to store logins: as configured; else in the keyring where there is one that is ours to use.

    `is_own_home`: the environment names a place for all our files, and nothing is stored outside of it by default.

    Raises: UsageError if a keyring was asked for and there is none.
    """
    if kept is LoginStorage.NONE:
        return TokenStore(None)
    if kept is LoginStorage.KEYRING and not has_keyring():
        raise UsageError("no keyring is available", hint="--token-store file stores tokens in a file with mode 0600.")
    if kept is LoginStorage.KEYRING or (kept is None and not is_own_home):
        return KeyringStore(directory)
    return TokenStore(directory)


def has_keyring() -> bool:
    """Whether this system has a keyring that answers."""
    import keyring
    from keyring.backends import chainer, fail, null

    found: Any = keyring.get_keyring()
    if isinstance(found, chainer.ChainerBackend):
        return bool(found.backends)
    return not isinstance(found, fail.Keyring | null.Keyring)
