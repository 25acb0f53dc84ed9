"""The answers that a capture's client gave to its server's questions, given again.

An answer is meant for the same question inside the same operation; else for a question of its kind there; else for one
that belonged to no operation. Each is given once, but for the last kind.
"""

from typing import Any

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account, Accounts, Asked, Loose
from inspector.protocol import offers, peek
from inspector.protocol.questions import KIND_OF_METHOD, REJECTED, Question, Refusal, Reply, Result
from inspector.protocol.tracking.task_words import EXTENSION_NAME

NAME = "answer of the capture"


class Replies:
    """Answers questions while operations are sent again; `turn_to` says which."""

    def __init__(self, found: Accounts) -> None:
        self._normal = Normal()
        self._loose = [each for each in found.loose if each.method in KIND_OF_METHOD and each.answer is not None]
        self._left: list[Asked] = []
        self._over = False

    def turn_to(self, account: Account) -> None:
        """This operation is sent now."""
        self._left = [each for each in account.asked if each.answer is not None]

    def stop(self) -> None:
        """Everything was sent: what is asked from now on is for somebody else."""
        self._over = True

    async def answer(self, question: Question) -> Reply | None:
        """The recorded answer; None if there is none."""
        if self._over:
            return None
        mine = [each for each in self._left if KIND_OF_METHOD.get(each.method) is question.kind]
        asked = self._normal(question.params)
        same = [each for each in mine if self._normal(each.params) == asked]
        if found := (same or mine)[:1]:
            self._left.remove(found[0])
            return _reply(found[0])
        others = [each for each in self._loose if KIND_OF_METHOD.get(each.method) is question.kind]
        return _reply(others[0]) if others else None


def offers_of(capabilities: Any) -> frozenset[str]:
    """What a client declared, by the names of `protocol.offers`."""
    found = set()
    if peek.has(capabilities, "roots"):
        found.add(offers.ROOTS)
    if peek.has(capabilities, "sampling"):
        found.add(offers.SAMPLING)
        if peek.has(capabilities, "sampling", "tools"):
            found.add(offers.SAMPLING_TOOLS)
    if peek.has(capabilities, "elicitation"):
        modes = peek.mapping(capabilities, "elicitation")
        found |= {mode for mode, name in ((offers.FORM, "form"), (offers.URL, "url")) if name in modes or not modes}
        if not modes:
            found.discard(offers.URL)
    if peek.has(capabilities, "tasks") or EXTENSION_NAME in peek.mapping(capabilities, "extensions"):
        found.add(offers.TASKS)
    return frozenset(found)


def _reply(asked: Asked | Loose) -> Reply:
    if not asked.failed:
        return Result(asked.answer)
    code = peek.integer(asked.answer, "code")
    return Refusal(
        REJECTED if code is None else code, peek.text(asked.answer, "message") or "", peek.at(asked.answer, "data")
    )
