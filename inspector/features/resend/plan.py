"""Plans which requests of a capture to resend, in which order, and why others are skipped.

Only the first request of an operation is planned: the session makes retries and polls tasks itself. The pages of a
list are separate requests, each with the cursor that the server returns now.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from inspector.capture.compare.differences import essence
from inspector.capture.compare.operations import OperationRecord, Operations, SentRequest
from inspector.protocol import peek
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.things import KIND_OF_METHOD as LISTS
from inspector.protocol.things import Tool

_OPENINGS = {"initialize", "server/discover"}
"""Methods that every session sends itself."""
_ENDLESS = {"subscriptions/listen"}


class PlannedRequest(msgspec.Struct, frozen=True):
    """A request to send."""

    account: OperationRecord
    sent: SentRequest
    method: str
    params: Any
    """Recorded params without members that each client adds."""

    @property
    def page(self) -> bool:
        """Whether it requests a further page."""
        return self.sent is not self.account.sent[0]


class Skip(msgspec.Struct, frozen=True):
    """An operation that is not resent."""

    account: OperationRecord
    why: str
    """Reason as a sentence. It may quote untrusted text."""


class Plan(msgspec.Struct, frozen=True):
    """Requests to resend, in the order of the capture."""

    steps: tuple[PlannedRequest, ...]
    skips: tuple[Skip, ...] = ()


def plan(found: Operations, wanted: Collection[int] | None = None) -> Plan:
    """Plan the operations of a capture. `wanted` are the entries that the user chose; None for all."""
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


def up_to(found: Operations, last: int) -> Operations:
    """Return the requests up to an entry with their outcomes.

    Outcomes after the entry are included, because half of a call can't be compared.
    """
    begun = [each for each in found.operations if each.frame <= last]
    return Operations([_pages_up_to(each, last) for each in begun], found.loose)


def _pages_up_to(account: OperationRecord, last: int) -> OperationRecord:
    if account.method not in LISTS:
        return account
    return msgspec.structs.replace(account, sent=[each for each in account.sent if each.frame <= last])


def harmful(step: PlannedRequest, tools: Collection[Tool]) -> bool:
    """Return whether a step may be destructive according to the server.

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
