"""Which requests of a capture become cases, each with what came as its snapshot."""

from collections.abc import Container, Sequence

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account
from inspector.replay.cases.making import snapshot_of
from inspector.replay.cases.model import Case

_CALLS = {"tools/call", "resources/read", "prompts/get", "completion/complete"}
"""Requests that become cases unless others are chosen."""


def promoted(operations: Sequence[Account], chosen: Container[int] | None = None) -> list[Case]:
    """A case of each call that got an answer, or of each operation of which an entry was chosen, whatever it asks."""
    wanted = [
        each
        for each in operations
        if (each.method in _CALLS if chosen is None else any(sent.frame in chosen for sent in each.sent))
    ]
    normal = Normal()
    return [case for each in wanted if (case := snapshot_of(each, normal)) is not None]
