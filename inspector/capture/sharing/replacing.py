"""One replacement after the other: a pseudonym in the place of a secret, and a note of it for the manifest."""

from typing import NamedTuple

from inspector.capture.sharing.json_spans import Level, path_of
from inspector.capture.sharing.known import Known, Secret, as_bytes
from inspector.capture.sharing.pseudonyms import Pseudonyms, length_class


class Found(NamedTuple):
    """One replacement, as the manifest tells it."""

    rule: str
    path: str
    length: int
    """The class of the length, never the length."""
    mark: str
    kind: str
    """"string" or "number"."""


class Replacing:
    """Replaces what it is told to, and the values that are known."""

    def __init__(self, pseudonyms: Pseudonyms, known: Known, *, learns: bool) -> None:
        """`learns`: what is replaced is known from then on."""
        self._pseudonyms = pseudonyms
        self._known = known
        self._learns = learns
        self.active: list[Secret] = []
        """The values that are looked for in what follows, and no others."""
        self.where = ""
        """The field of a record that one is in."""
        self.within: list[list[Level]] = []
        """What is open of each JSON that one is in, the outermost first."""
        self.found: list[Found] = []
        """Since somebody emptied it."""

    def secret(self, secret: str, rule: str) -> str:
        """What stands for a text."""
        new = self._pseudonyms.text(secret)
        if new != secret:
            self._note(secret, rule, "string")
            if self._learns and rule not in ("user", "home"):
                self._known.learn(secret, rule)
        return new

    def number(self, literal: str, rule: str) -> str:
        """What stands for a number, as it stands in JSON."""
        self._note(literal, rule, "number")
        return self._pseudonyms.number(literal)

    def plain(self, text: str) -> str:
        """Replace the values that are known, as they are."""
        for secret in self.active:
            if secret.value in text:
                text = text.replace(secret.value, self.secret(secret.value, secret.rule))
        return text

    def spelt(self, text: str) -> str:
        """Replace the values that are known, in whatever spelling."""
        for secret in self.active:
            for spelling, _ in secret.spellings:
                if spelling in text:
                    text = text.replace(spelling, self.secret(secret.value, secret.rule))
        return text

    def rule_of(self, literal: str) -> str:
        """The rule of a value that is known and stands within a number; "" if none does."""
        return next((secret.rule for secret in self.active if secret.value in literal), "")

    def activate_within(self, text: str) -> list[Secret]:
        """Look for what stands in a text that was hidden until now; what was looked for before."""
        before, self.active = self.active, self._known.hidden(as_bytes(text))
        return before

    def _note(self, secret: str, rule: str, kind: str) -> None:
        path = ".".join([self.where, *(step for levels in self.within for step in path_of(levels))])
        self.found.append(Found(rule, path, length_class(len(secret)), self._pseudonyms.mark(secret), kind))
