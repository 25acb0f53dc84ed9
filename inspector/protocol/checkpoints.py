"""Checkpoints: a conversation as it was at some moment, in some ten kilobytes, while the conversation itself goes on.

Most of what is known only ever grows, so a checkpoint holds how long it was; what changes is kept as it was. Together
with the conversation that has gone on, it gives the conversation of that moment back, and that one can be folded on.
"""

import zlib
from typing import Any

import msgspec

from inspector.protocol.conversation import Conversation
from inspector.protocol.exchange_log import ExchangeLog, open_again, take_back
from inspector.protocol.kept import Kept, NotKept, columns_of, condensed, rebuilt

_LARGEST = 256 * 1024 * 1024
"""Bytes that a checkpoint may unfold to: one that came from a file may be anything."""


class Checkpoint(msgspec.Struct, frozen=True):
    """What a conversation was: lengths of what only grows, and the rest."""

    exchanges: int
    records: int
    """Bytes of the packed exchanges."""
    names: int
    operations: int
    questions: int
    changes: int
    """How many exchanges had changed after their end, in the count of `ExchangeLog.changes`."""
    rest: bytes


def checkpoint(conversation: Conversation) -> Checkpoint:
    """The checkpoint of now. From the first one on, the log of exchanges must track its changes.

    Raises: NotKept if something can't be kept.
    """
    log = conversation.exchanges
    kept = condensed(conversation)
    names, questions = len(kept.names), len(kept.questions)
    kept.names, kept.questions, kept.further = [], [], {}
    try:
        rest = zlib.compress(msgspec.msgpack.encode(kept), 1)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise NotKept(f"it holds what can't be written: {error}") from None
    columns = columns_of(log)
    operations = len(columns_of(conversation.operations)["_first"])
    return Checkpoint(
        len(log), len(columns["_records"]), names, operations, questions, log.begin_epoch(), rest
    )  # fmt: skip


def conversation_at(point: Checkpoint, later: Conversation) -> Conversation:
    """The conversation of that moment, apart from the one that has gone on since. That may go on meanwhile.

    Raises: NotKept if the checkpoint is none of this conversation's.
    """
    log = later.exchanges
    try:
        kept = msgspec.msgpack.decode(_unfolded(point.rest), type=Kept)
        found = _columns_at(point, log)
    except (zlib.error, msgspec.MsgspecError, ValueError, IndexError) as error:
        raise NotKept(f"the checkpoint can't be read: {error}") from None
    _open_again(found, kept)
    columns: dict[str, Any] = {f"exchanges.{name}": column for name, column in found.items()}
    columns["operations._first"] = columns_of(later.operations)["_first"][: point.operations]
    raw = {name: bytes(memoryview(column).cast("B")) for name, column in columns.items()}
    kept.names = list(vars(log)["_names"][: point.names])
    kept.questions = later.questions[: point.questions]
    further = dict(vars(later.operations)["_further"])
    kept.further = {
        operation: early
        for operation, numbers in further.items()
        if (early := [number for number in numbers if number <= point.exchanges])
    }
    return rebuilt(kept, raw)


def _unfolded(data: bytes) -> bytes:
    unfolding = zlib.decompressobj()
    found = unfolding.decompress(data, _LARGEST)
    if unfolding.unconsumed_tail or not unfolding.eof:
        raise ValueError("it is cut, or too large")
    return found


def _columns_at(point: Checkpoint, log: ExchangeLog) -> dict[str, Any]:
    """The columns as they were, but for exchanges that were still open."""
    own = columns_of(log)  # first what may change, then how it was before: so no change goes unseen
    lengths = {"_places": point.exchanges, "_records": point.records}
    found: dict[str, Any] = {name: column[: lengths.get(name, point.exchanges + 1)] for name, column in own.items()}
    for change in reversed((log.changes or [])[point.changes :]):
        if change.number <= point.exchanges:
            take_back(found, change)
    return found


def _open_again(columns: dict[str, Any], kept: Kept) -> None:
    """What was open had no record, no answer and no end."""
    for number in kept.open_records:
        if not 0 < number <= len(columns["_places"]):
            raise NotKept("an exchange has no number")
        open_again(columns, number)
