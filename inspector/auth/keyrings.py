"""Logins in the system's keyring, where there is one, and the choice between it, a file and nothing.

The file keeps the names of the servers, so that one of which nothing is kept never has a keyring unlocked. The
keyring's library is loaded for the first server of which something is, and not before.
"""

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from inspector.auth.addresses import canonical
from inspector.auth.store import IN_FILE, TokenStore
from inspector.auth.wishes import Known
from inspector.errors import UsageError

SERVICE = "mcp-inspect"


class Kept(StrEnum):
    """Where logins are kept between runs."""

    FILE = "file"
    KEYRING = "keyring"
    NONE = "none"


class KeyringStore(TokenStore):
    """One entry of the keyring a server; in the file stands its name, and nothing with it.

    Where the keyring takes nothing, the file does.
    """

    @property
    def place(self) -> str:
        """Where it is kept, for a sentence."""
        return "the system's keyring" if has_keyring() else IN_FILE

    def get(self, url: str) -> Known:
        """What is kept of a server; nothing where nothing is, or where the keyring stays closed."""
        known = self._read().get(canonical(url))
        if known is None or known != Known():
            return known or Known()
        import keyring
        from keyring.errors import KeyringError

        try:
            return msgspec.json.decode(keyring.get_password(SERVICE, canonical(url)) or "{}", type=Known)
        except (KeyringError, msgspec.DecodeError):
            return Known()

    def put(self, url: str, known: Known) -> None:
        """Keep it."""
        super().put(url, Known() if self._is_taken(url, known) else known)

    def forget(self, url: str) -> bool:
        """Keep nothing of a server any more, there and here."""
        if self._read().get(canonical(url)) == Known():
            import keyring
            from keyring.errors import KeyringError

            with suppress(KeyringError):  # it was taken out by hand
                keyring.delete_password(SERVICE, canonical(url))
        return super().forget(url)

    def _is_taken(self, url: str, known: Known) -> bool:
        if not has_keyring():
            return False
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, canonical(url), msgspec.json.encode(known).decode())
        except KeyringError:
            return False
        return True


def choose_store(kept: Kept | None, directory: Path, *, is_own_home: bool) -> TokenStore:
    """Where to keep logins: as somebody said; else in the keyring where there is one that is ours to use.

    `is_own_home`: the environment names a place for all our files, and nothing is kept outside of it unasked.

    Raises: UsageError if a keyring was asked for and there is none.
    """
    if kept is Kept.NONE:
        return TokenStore(None)
    if kept is Kept.KEYRING and not has_keyring():
        raise UsageError(
            "there is no keyring on this system", hint="--token-store file keeps logins in a file of 0600."
        )
    if kept is Kept.KEYRING or (kept is None and not is_own_home):
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
