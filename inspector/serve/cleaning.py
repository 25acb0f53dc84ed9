"""Removes secrets from answers: what an agent reads may be sent to a model, and stored."""

import json
import os
import re
from collections.abc import Iterable
from getpass import getuser
from pathlib import Path
from typing import Any

from inspector.features.share.known import KnownSecrets, Pseudonyms
from inspector.features.share.redactor import Redactor
from inspector.protocol.credentials import SecretValues
from inspector.protocol.jsonrpc import encode

_SHORTEST, _SHORTEST_HALF = 6, 3
"""Minimum length of a value of the environment that is searched for; of a half, exclusive."""
_CUT = re.compile(r"… \(\+[\d,]+ characters\)")
"""The mark of a cut."""
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")
"""An escape in JSON; the group is half of a surrogate pair."""


class Cleaner:
    """Replaces what `share` replaces, and given values of environments. Paths keep the name of the agent's own home."""

    def __init__(self) -> None:
        pseudonyms = Pseudonyms(os.urandom(32))
        self._redactor = Redactor(pseudonyms, KnownSecrets())
        self._own = {pseudonyms.text(name): name for name in {Path.home().name, _user()} if name}
        self._secrets: set[str] = set()
        self._values: SecretValues | None = None

    def learn(self, secrets: Iterable[str]) -> None:
        """Remove these values from now on."""
        self._secrets |= {each for each in secrets if len(each) >= _SHORTEST}
        self._values = SecretValues(self._secrets) if self._secrets else None

    def __call__(self, value: Any) -> Any:
        """Return a JSON value without secrets."""
        payload = encode(value)
        if self._values is not None:
            payload = self._values.masked(payload)
        text = _ESCAPE.sub(_well_formed, payload.decode("utf-8", "replace"))
        text = self._without_halves(text) if self._secrets else text
        text = self._redactor.text(text, "answer", is_message=True)
        self._redactor.forget()
        for pseudonym, name in self._own.items():
            text = text.replace(pseudonym, name)
        return json.loads(text, parse_constant=lambda name: None)  # NaN is null, as msgspec writes it

    def _without_halves(self, text: str) -> str:
        """Remove the beginnings of secrets that were cut off, before the marks of the cuts."""
        forms = {encode(each).decode("utf-8", "replace")[1:-1] for each in self._secrets}
        parts, at = [], 0
        for mark in _CUT.finditer(text):
            kept = text[at : mark.start()]
            lengths = (n for each in forms for n in range(len(each), _SHORTEST_HALF, -1) if kept.endswith(each[:n]))
            parts += [kept[: len(kept) - max(lengths, default=0)], mark[0]]
            at = mark.end()
        return "".join([*parts, text[at:]])


def _well_formed(escape: re.Match[str]) -> str:
    """Return an escape in JSON; U+FFFD for half of a surrogate pair, which no client can read."""
    return "\ufffd" if escape[1] else escape[0]


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return ""
