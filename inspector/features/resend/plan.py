"""Plans which requests of a capture to resend, in which order, and why others are skipped.

Only the first request of an operation is sent: its retries and the looks at its task come by themselves. The pages
of a list are requests of their own, each with the cursor that the server now gives.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from inspector.capture.compare.differences import essence
from inspector.capture.compare.operations import Accounts, OperationRecord, SentRequest
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.things import KIND_OF_METHOD as LISTS
from inspector.protocol.things import Tool

_OPENINGS = {"initialize", "server/discover"}
"""Every session has its own."""
_ENDLESS = {"subscriptions/listen"}


class PlannedRequest(msgspec.Struct, frozen=True):
    """A request to be sent."""

    account: OperationRecord
    sent: SentRequest
    method: str
    params: Any
    """As recorded, without what each client adds."""

    @property
    def page(self) -> bool:
        """Whether it asks for a further page."""
        return self.sent is not self.account.sent[0]


class Skip(msgspec.Struct, frozen=True):
    """An operation that is not sent again."""

    account: OperationRecord
    why: str
    """A sentence of ours, which may quote."""


class Plan(msgspec.Struct, frozen=True):
    """What is sent again, in the order of the capture."""

    steps: tuple[PlannedRequest, ...]
    skips: tuple[Skip, ...] = ()


def plan(found: Accounts, wanted: Collection[int] | None = None) -> Plan:
    """Plan for the operations of a capture. `wanted` are the entries that a person chose; None: all."""
    steps: list[PlannedRequest] = []
    skips: list[Skip] = []
    for account in found.operations:
        if account.method in _OPENINGS or (wanted is not None and not _is_wanted(account, wanted)):
            continue
        if why := _why_not(account):
            skips.append(Skip(account, why))
        else:
            steps += _steps(account)
    return Plan(tuple(steps), tuple(skips))


def up_to(found: Accounts, last: int) -> Accounts:
    """The requests up to an entry with their outcomes, even later ones: else half of a call would be compared."""
    begun = [each for each in found.operations if each.frame <= last]
    return Accounts([_pages_up_to(each, last) for each in begun], found.loose)


def _pages_up_to(account: OperationRecord, last: int) -> OperationRecord:
    if account.method not in LISTS:
        return account
    return msgspec.structs.replace(account, sent=[each for each in account.sent if each.frame <= last])


def harmful(step: PlannedRequest, tools: Collection[Tool]) -> bool:
    """Whether a step may destroy something, as far as the server says.

    Without annotations it may: "destructiveHint: default true", "readOnlyHint: default false" (ToolAnnotations).
    """
    if step.method != "tools/call":
        return False
    name = peek.text(step.params, "name")
    tool = next((each for each in tools if each.name == name), None)
    if tool is None or tool.read_only:
        return tool is None
    return peek.flag(tool.raw, "annotations", "destructiveHint") is not False


def _is_wanted(account: OperationRecord, wanted: Collection[int]) -> bool:
    return any(each.frame in wanted for each in account.sent)


def _why_not(account: OperationRecord) -> str:
    if account.method in _ENDLESS:
        return "it is a stream without an end"
    if account.state is ExchangeState.CANCELLED:
        return "it was cancelled"
    return ""


def _steps(account: OperationRecord) -> list[PlannedRequest]:
    several = account.sent if account.method in LISTS else account.sent[:1]
    return [
        PlannedRequest(account, sent, account.method, essence(account.method, sent.params.value)) for sent in several
    ]
