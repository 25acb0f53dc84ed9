"""How many messages a second the checks take in, beside the fold, on a conversation without faults."""

import time

from inspector.checks.runner import Inspection
from inspector.protocol.conversation import Conversation
from inspector.protocol.frames import Frame
from tests.checks.talks import Entry, Talk

_CALLS = 10_000
_BATCH = 1000


def conversation(calls: int = _CALLS) -> list[Entry]:
    """Calls, each with a word of progress, a log message and a result: four messages a call."""
    talk = Talk()
    result = {"content": [{"type": "text", "text": "fine"}]}
    for at in range(calls):
        talk.ask("tools/call", {"name": "add", "arguments": {"a": 1}}, progressToken=at)
        talk.tell("notifications/progress", {"progressToken": at, "progress": 1})
        talk.tell("notifications/message", {"level": "info", "data": "x"}).answer(result)
    return talk.entries


def seconds_of_checks(entries: list[Entry]) -> float:
    """The processor's seconds that the quick checks take, in batches."""
    inspection, began = Inspection(), time.process_time()
    found = [
        each for first in range(0, len(entries), _BATCH) for each in inspection.take(entries[first : first + _BATCH])
    ]
    assert not found
    return time.process_time() - began


def seconds_of_fold(entries: list[Entry]) -> float:
    """The same for the fold, which every message goes through anyway."""
    fold, began = Conversation(), time.process_time()
    for entry in entries:
        if isinstance(entry.what, Frame):
            fold.observe(entry.what)
    return time.process_time() - began
