"""Removes secrets from answers: what an agent reads may be sent to a model, and stored."""

import os
from collections.abc import Iterable
from getpass import getuser
from pathlib import Path
from typing import Any

import msgspec

from inspector.features.share.known import KnownSecrets, Pseudonyms
from inspector.features.share.redactor import Redactor
from inspector.protocol.credentials import SecretValues
from inspector.protocol.jsonrpc import encode

_SHORTEST = 6
"""Minimum length of a value of the environment that is searched for."""


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
        text = self._redactor.text(payload.decode("utf-8", "replace"), "answer", is_message=True)
        self._redactor.forget()
        for pseudonym, name in self._own.items():
            text = text.replace(pseudonym, name)
        return msgspec.json.decode(text)


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return ""
