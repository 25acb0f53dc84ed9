"""Settings of the model for sampling: which one, where, and who approves.

The key has a class of its own, so that no repr, traceback or quoted response shows it.
"""

from enum import StrEnum

import msgspec


class Approve(StrEnum):
    """What the user has to approve."""

    ALWAYS = "always"
    """The request to the model, and its answer."""
    REQUEST = "request"
    """The request; the answer is sent to the server immediately."""
    NEVER = "never"
    """Nothing: for headless runs."""


class Key:
    """A secret that can be sent but not shown."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(hidden)"

    def __bool__(self) -> bool:
        return bool(self._value)

    def header(self) -> dict[str, str]:
        """Return the header with the key; empty without a key."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden_in(self, text: str) -> str:
        """Return a text without the key: endpoints may quote a rejected key."""
        return text.replace(self._value, "[key]") if self._value else text


class ModelChoice(msgspec.Struct, frozen=True):
    """A model at an endpoint."""

    url: str
    """Base URL of the endpoint, such as "http://127.0.0.1:11434/v1", or the complete URL of its completions."""
    model: str
    key: Key = Key("")
    approve: Approve = Approve.ALWAYS
    patience_s: float = 120.0
    """Timeout of a response in seconds."""
