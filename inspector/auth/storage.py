"""Stored logins: the system's keyring or one private file.

The file is replaced atomically, so that two programs never leave half a file. A file that can't be read does not
prevent a new login.
"""

import logging
import os
from contextlib import AbstractContextManager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import replace
from inspector.auth.addresses import canonical
from inspector.auth.steps import StoredLogin
from inspector.errors import UsageError
from inspector.json_file import locked
from inspector.protocol import peek

logger = logging.getLogger(__name__)

FILE = "logins.json"
IN_FILE = "a file for your eyes alone"
SERVICE = "mcp-inspect"


class TokenStore:
    """Logins by the URL of the server, in a directory with mode 0700."""

    def __init__(self, directory: Path | None) -> None:
        """Create a store. With None, nothing is stored."""
        self._path = None if directory is None else directory / FILE

    @property
    def place(self) -> str:
        """Location as part of a sentence."""
        return IN_FILE if self._path is not None else "nowhere"

    def get(self, url: str) -> StoredLogin:
        """Return the stored data of a server; empty if there is none, or if the file can't be read."""
        return self._read().get(canonical(url), StoredLogin())

    def put(self, url: str, known: StoredLogin) -> None:
        """Store the data of a server. If that fails, the login still works, and the failure is logged."""
        if self._path is None:
            return
        try:
            with self._locked():
                self._write(self._read() | {canonical(url): known})
        except (OSError, UsageError) as error:
            logger.warning("the login is not stored; the next run needs a new one: %s", error)

    def forget(self, url: str) -> bool:
        """Delete the stored data of a server; return whether there was any.

        Raises: UsageError if it can't be removed.
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
        """Return the URLs of the servers with stored data."""
        return tuple(self._read())

    def _read(self) -> dict[str, StoredLogin]:
        if self._path is None:
            return {}
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return {}
        with os.fdopen(fd, "rb") as file:
            return peek.decoded_as(dict[str, StoredLogin], file.read()) or {}

    def _locked(self) -> AbstractContextManager[None]:
        """Lock against other processes: of two simultaneous new logins one would be lost."""
        assert self._path is not None
        return locked(self._path.parent, f".{FILE}.lock")

    def _write(self, everything: dict[str, StoredLogin]) -> None:
        assert self._path is not None
        replace(self._path, msgspec.json.format(msgspec.json.encode(everything)))


# Keyring, file or no storage


class LoginStorage(StrEnum):
    """Where logins are stored between runs."""

    FILE = "file"
    KEYRING = "keyring"
    NONE = "none"


class KeyringStore(TokenStore):
    """One keyring entry per server; the file only has its name. If the keyring rejects an entry, the file is used."""

    @property
    def place(self) -> str:
        return "the system's keyring" if has_keyring() else IN_FILE

    def get(self, url: str) -> StoredLogin:
        """Return the stored data of a server; empty if there is none, or if the keyring remains locked."""
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
        super().put(url, StoredLogin() if self._is_taken(url, known) else known)

    def forget(self, url: str) -> bool:
        """Delete the stored data of a server in keyring and file; return whether there was any."""
        if self._read().get(canonical(url)) == StoredLogin():
            import keyring
            from keyring.errors import KeyringError

            with suppress(KeyringError):  # it was removed manually
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
    """Return where to store logins: as configured, else in the keyring if there is a usable one.

    `is_own_home`: the environment sets a directory for all our files, so nothing is stored outside of it by default.

    Raises: UsageError if a keyring was requested and there is none.
    """
    if kept is LoginStorage.NONE:
        return TokenStore(None)
    if kept is LoginStorage.KEYRING and not has_keyring():
        raise UsageError("no keyring is available", hint="--token-store file stores tokens in a file with mode 0600.")
    if kept is LoginStorage.KEYRING or (kept is None and not is_own_home):
        return KeyringStore(directory)
    return TokenStore(directory)


def has_keyring() -> bool:
    """Return whether this system has a working keyring."""
    import keyring
    from keyring.backends import chainer, fail, null

    found: Any = keyring.get_keyring()
    if isinstance(found, chainer.ChainerBackend):
        return bool(found.backends)
    return not isinstance(found, fail.Keyring | null.Keyring)
