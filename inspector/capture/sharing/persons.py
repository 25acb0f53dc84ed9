"""What names a person in a text: home directories and the name of an account."""

import re
from collections.abc import Iterable

from inspector.capture.sharing import tokens
from inspector.capture.sharing.replacing import Replacing

_GENERIC = frozenset(
    {"root", "user", "users", "home", "shared", "public", "runner", "nobody", "app", "node", "admin", "username", "you"}
)
"""Names that name nobody."""


def telling_homes(homes: Iterable[str]) -> tuple[str, ...]:
    """Home directories that are looked for."""
    return tuple(home.rstrip("/") for home in homes if home.count("/") > 1 and len(home) > 5)


def telling_users(users: Iterable[str]) -> set[str]:
    """Names of accounts that name somebody."""
    return {user for user in users if len(user) > 2 and user.lower() not in _GENERIC}


class Persons:
    """Takes the names of persons out of texts."""

    def __init__(self, replacing: Replacing, *, users: Iterable[str], homes: Iterable[str]) -> None:
        self._replacing = replacing
        self._homes = telling_homes(homes)
        names = sorted(telling_users(users), key=len)[::-1]
        self._users = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, names))})(?![^\W_])") if names else None

    def replace(self, text: str) -> str:
        """The text without them."""
        for home in self._homes:
            if home in text:
                before, name = home.rsplit("/", 1)
                parts = re.split(rf"{re.escape(home)}(?![\w-])", text)
                text = parts[0] + "".join(self._home(before + "/", name) + part for part in parts[1:])
        if "/home/" in text or "Users" in text:
            text = tokens.HOME.sub(lambda found: self._home(found[1], found[2]), text)
        if self._users is None:
            return text
        return self._users.sub(lambda found: self._replacing.secret(found[0], "user"), text)

    def _home(self, before: str, name: str) -> str:
        return before + (name if name.lower() in _GENERIC else self._replacing.secret(name, "home"))
