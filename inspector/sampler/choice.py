"""Settings of the model for sampling: which one, where, and who approves.

The key is a thing of its own, so that no repr, no traceback and no quoted answer shows it.
"""

from enum import StrEnum

import msgspec


class Approve(StrEnum):
    """What waits for the person's consent."""

    ALWAYS = "always"
    """What the model is asked, and what it answered."""
    REQUEST = "request"
    """What it is asked; its answer goes to the server at once."""
    NEVER = "never"
    """Nothing: for headless runs."""


class Key:
    """A secret that can be sent, and otherwise not be seen."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(hidden)"

    def __bool__(self) -> bool:
        return bool(self._value)

    def header(self) -> dict[str, str]:
        """The header that carries it; none without a key."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden_in(self, text: str) -> str:
        """A text without it: endpoints quote a key that they refuse."""
        return text.replace(self._value, "[key]") if self._value else text


class ModelChoice(msgspec.Struct, frozen=True):
    """A model at an endpoint."""

    url: str
    """The base of the endpoint, such as "http://127.0.0.1:11434/v1", or the whole address of its completions."""
    model: str
    key: Key = Key("")
    approve: Approve = Approve.ALWAYS
    patience_s: float = 120.0
    """How long it may take to answer."""
