"""Serialization of a conversation, so that a long recording need not be folded again when it is opened again.

The columns are stored as raw bytes, everything else as one typed value. A restored object continues like the
original. If there is a member that this file does not know, or a value that would be restored differently, nothing
is stored: folding again is always correct.
"""

import zlib
from array import array
from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeAlias, TypeVar

import msgspec

from inspector.documents import prepared_type
from inspector.protocol.compact_arrays import DeltaArray, ShortArray
from inspector.protocol.conversation import Conversation
from inspector.protocol.exchange_log import ExchangeLog, mark_open, take_back
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import resolve
from inspector.protocol.server_requests import ServerRequest
from inspector.protocol.tracking.catalogue import ListFetch, Listing
from inspector.protocol.tracking.exchanges import InputRound
from inspector.protocol.tracking.http_sessions import HttpSessions
from inspector.protocol.tracking.subscriptions import ListenStream, StreamFilter, Update
from inspector.protocol.tracking.tasks import Task, TaskFault

Column: TypeAlias = "array[Any] | bytearray"
_Row = TypeVar("_Row", bound=tuple[Any, ...])

_MEMBERS = {
    "conversation": {
        "pairs", "progress", "operations", "catalogue", "subscriptions", "tasks", "_opening",
        "server_requests", "visits", "_awaited", "_on_notification",
    },
    "pairs": {"exchanges", "sessions", "_open", "_ended", "_on", "_numbering", "_unheard"},
    "progress": {"exchanges", "_by_token"},
    "operations": {"_first", "_further", "_by_cursor", "_asking"},
    "catalogue": {"listings", "_fetches"},
    "subscriptions": {
        "streams", "_open", "subscribed", "updates", "count", "changes", "_read", "_reading", "_parents",
    },
    "tasks": {"all", "faults", "_by_id", "_by_operation", "_about"},
    "visits": {"complete"},
    "_opening": {"opening", "_handshake"},
}  # fmt: skip

_WATCHED = ("subscribed", "updates", "count", "changes", "_read", "_reading", "_parents")
_LOG = {"_objects", "_held", "names", "_numbers", "changes", "_changed"}

_LARGEST = 256 * 1024 * 1024
"""Maximum decompressed size in bytes: a checkpoint from a file is untrusted."""


class SnapshotError(Exception):
    """The state can't be stored, or the stored state can't be used; the text says why."""


class _Opening(msgspec.Struct):
    date: str
    era: Era
    server: dict[str, Any]
    capabilities: dict[str, Any]
    client_capabilities: dict[str, Any]
    client: dict[str, Any]
    instructions: str
    supported: tuple[str, ...]
    offered: str
    warnings: tuple[str, ...]


class _Stream(msgspec.Struct):
    exchange: int
    asked: StreamFilter
    granted: StreamFilter | None
    acknowledged_frame: int | None
    count: int


@prepared_type
class ConversationSnapshot(msgspec.Struct):
    """A conversation without its columns. Exchanges, tasks and streams are represented by their numbers."""

    names: list[str]
    open_records: dict[int, bytes]
    sessions: HttpSessions
    open: list[int]
    aside: list[int]
    """Open requests whose ids others took."""
    open_on_http: list[int]
    ended: list[tuple[Direction, RequestId | tuple[int, RequestId], int]]
    server_offset: int
    """Difference between the ids of requests and those of responses that the server numbers itself."""
    unheard: int
    tokens: list[tuple[Direction, RequestId, int, int]]
    further: dict[int, list[int]]
    cursors: list[tuple[int, str, str, int]]
    asking: list[InputRound]
    listings: dict[str, Listing]
    fetches: dict[str, ListFetch]
    streams: list[_Stream]
    open_streams: list[int]
    watched: tuple[dict[str, bool], dict[str, Update], int, int, dict[str, int], dict[int, int], dict[str, str]]
    tasks: list[Task]
    task_faults: tuple[TaskFault, ...]
    task_ids: list[tuple[bool, str, int]]
    task_operations: dict[int, int]
    about_tasks: dict[int, str]
    opening: _Opening | None
    handshake: int
    """Number of the exchange that completed a handshake; 0 if none did."""
    server_requests: list[ServerRequest]
    visits: dict[str, int]
    awaited: dict[int, Any]


class Checkpoint(msgspec.Struct, frozen=True):
    """State of a conversation at some moment: lengths of what only grows, and the rest."""

    exchanges: int
    records: int
    """Bytes of the packed exchanges."""
    names: int
    operations: int
    server_requests: int
    changes: int
    """Number of late changes so far, as in `ExchangeLog.changes`."""
    rest: bytes


def columns_of(owner: object) -> dict[str, Column]:
    """Return the members of an object that are columns, by name; for narrow columns their parts."""
    found: dict[str, Column] = {}
    for name, value in vars(owner).items():
        if isinstance(value, array | bytearray):
            found[name] = value
        elif isinstance(value, DeltaArray | ShortArray):
            found |= {f"{name}.{part}": column for part, column in value.parts.items()}
    return found


def refuse_others(name: str, members: Mapping[str, Any], known: Set[str]) -> None:
    """Check that all state of an object is in members that are stored. Raises: SnapshotError."""
    if more := [member for member in members if member not in known and members[member]]:
        raise SnapshotError(f"{', '.join(more)} of {name} is not stored")


def alike(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of equal types. 1 differs from 1.0. An enum member equals its string."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other
    if type(one) is not type(other):
        return False
    if isinstance(one, msgspec.Struct):
        return all(alike(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__)
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def keep(conversation: Conversation) -> tuple[bytes, dict[str, Column]]:
    """Serialize a conversation: one msgpack value, and columns by name. Raises: SnapshotError."""
    parts = _parts(conversation)
    log = conversation.exchanges
    refuse_others("the log of exchanges", vars(log), _LOG | columns_of(log).keys())
    try:
        kept = _kept(parts, log)
        data = msgspec.msgpack.encode(kept)
        same = alike(msgspec.msgpack.decode(data, type=ConversationSnapshot), kept)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"it holds what can't be written: {error}") from None
    if not same:
        raise SnapshotError("it holds what would come back as something else")
    columns = {f"exchanges.{name}": column for name, column in columns_of(log).items()}
    return data, columns | {"operations._first": parts["operations"]["_first"]}


def condensed(conversation: Conversation) -> ConversationSnapshot:
    """Return everything except the columns.

    The values are shared with the conversation: write them at once and do not change them.

    Raises: SnapshotError.
    """
    return _kept(_parts(conversation), conversation.exchanges)


def restored(data: bytes, columns: dict[str, bytes]) -> Conversation:
    """Restore a conversation. `columns` is consumed.

    Raises: SnapshotError if this is not a snapshot, or is inconsistent.
    """
    try:
        kept = msgspec.msgpack.decode(data, type=ConversationSnapshot)
    except (ValueError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"what was kept does not agree with itself: {error}") from None
    return rebuilt(kept, columns)


def rebuilt(kept: ConversationSnapshot, columns: dict[str, bytes]) -> Conversation:
    """Build a conversation from its parts. Both are consumed. Raises: SnapshotError if they do not match."""
    conversation = Conversation()
    try:
        _fill_log(conversation.exchanges, kept, columns)
        fill_column(vars(conversation.operations)["_first"], columns.pop("operations._first"))
        _fill(_parts(conversation), kept, conversation.exchanges)
    except (LookupError, TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise SnapshotError(f"what was kept does not agree with itself: {error}") from None
    return conversation


def adopt(conversation: Conversation, other: Conversation) -> None:
    """Move the state of `other` to an empty conversation. `other` must not be used afterwards."""
    vars(conversation.exchanges).update(vars(other.exchanges))
    theirs = _parts(other)
    for name, own in _parts(conversation).items():
        if name == "conversation":
            own["server_requests"][:] = other.server_requests
            own["_awaited"].update(theirs[name]["_awaited"])
        else:
            own.update({member: value for member, value in theirs[name].items() if member != "exchanges"})


def fill_column(column: Column, data: bytes) -> None:
    """Replace the content of a column by these bytes.

    Raises: ValueError if they are not a multiple of the item size.
    """
    del column[:]
    if isinstance(column, bytearray):
        column += data
    else:
        column.frombytes(data)


def _parts(conversation: Conversation) -> dict[str, dict[str, Any]]:
    """Return the members of a conversation and of its trackers. Only this file accesses them directly.

    Raises: SnapshotError if there are unknown members.
    """
    own = vars(conversation)
    parts = {name: own if name == "conversation" else vars(own[name]) for name in _MEMBERS}
    for name, members in parts.items():
        refuse_others(name, members, _MEMBERS[name])
    return parts


def _kept(parts: Mapping[str, dict[str, Any]], log: ExchangeLog) -> ConversationSnapshot:
    pairs, operations, catalogue, tasks = parts["pairs"], parts["operations"], parts["catalogue"], parts["tasks"]
    watched, streams = parts["subscriptions"], parts["subscriptions"]["streams"]
    return ConversationSnapshot(
        names=log.names,
        open_records=_open_records(log),
        sessions=pairs["sessions"],
        open=sorted(each.number for side in pairs["_open"].values() for each in side.values()),
        aside=[each.number for side in pairs["_open"].values() for key, each in side.items() if _is_aside(key)],
        open_on_http=sorted(each.number for there in pairs["_on"].values() for each in there.values()),
        ended=[(sender, id_, number) for (sender, id_), number in pairs["_ended"].items()],
        server_offset=pairs["_numbering"].offset,
        unheard=pairs["_unheard"],
        tokens=[(*key[:2], number, key[2]) for key, number in parts["progress"]["_by_token"].items()],
        further=operations["_further"],
        cursors=[(*key, number) for key, number in operations["_by_cursor"].items()],
        asking=operations["_asking"],
        listings=catalogue["listings"],
        fetches=catalogue["_fetches"],
        streams=[
            _Stream(each.exchange.number, each.asked, each.granted, each.acknowledged_frame, each.count)
            for each in streams
        ],
        open_streams=[streams.index(each) for each in watched["_open"]],
        watched=tuple(watched[name] for name in _WATCHED),
        tasks=tasks["all"],
        task_faults=tasks["faults"],
        task_ids=[(by_server, id_, task.number) for (by_server, id_), task in tasks["_by_id"].items()],
        task_operations={operation: task.number for operation, task in tasks["_by_operation"].items()},
        about_tasks=tasks["_about"],
        opening=_kept_opening(parts["_opening"]["opening"]),
        handshake=parts["_opening"]["_handshake"],
        server_requests=parts["conversation"]["server_requests"],
        visits=parts["visits"]["complete"],
        awaited=parts["conversation"]["_awaited"],
    )


def _open_records(log: ExchangeLog) -> dict[int, bytes]:
    found = {}
    for number, exchange in vars(log)["_objects"].items():
        record = log.pack(exchange)
        if record is None:
            raise SnapshotError("an exchange can't be packed")
        found[number] = record
    return found


def _kept_opening(opening: Opening | None) -> _Opening | None:
    if opening is None:
        return None
    date, era = opening.revision.in_header, opening.era
    members = msgspec.structs.asdict(opening)
    if resolve(date, era)[0] != members.pop("revision"):
        raise SnapshotError("its revision is not found by its name")
    return _Opening(date=date, era=era, **members)


def _fill_log(log: ExchangeLog, kept: ConversationSnapshot, columns: dict[str, bytes]) -> None:
    own = vars(log)
    for name, column in columns_of(log).items():
        fill_column(column, columns.pop(f"exchanges.{name}"))
    own["names"] = kept.names
    own["_numbers"] = {name: number for number, name in enumerate(kept.names)}
    log.check()
    own["_objects"].update({number: _opened(log, number, record) for number, record in kept.open_records.items()})


def _opened(log: ExchangeLog, number: int, record: bytes) -> Exchange:
    if not 0 < number <= len(log):
        raise ValueError("an exchange has no number")
    return log.unpack(number - 1, record)


def _fill(parts: Mapping[str, dict[str, Any]], kept: ConversationSnapshot, log: ExchangeLog) -> None:
    pairs, operations, tasks = parts["pairs"], parts["operations"], parts["tasks"]
    pairs["sessions"], aside, on_http = kept.sessions, set(kept.aside), set(kept.open_on_http)
    for number in kept.open:
        exchange = _of(log, number)
        place = -(exchange.http or 0) if number in aside else exchange.session
        pairs["_open"][exchange.sender][(place, exchange.id) if place else exchange.id] = exchange
        if number in on_http:
            pairs["_on"].setdefault((exchange.http, exchange.sender), {})[exchange.id] = exchange
    pairs["_ended"] = {(sender, id_): number for sender, id_, number in _within(kept.ended, log)}
    pairs["_numbering"].offset, pairs["_unheard"] = kept.server_offset, kept.unheard
    parts["progress"]["_by_token"] = {(*row[:2], row[3]): row[2] for row in _within(kept.tokens, log)}
    operations["_further"], operations["_asking"] = kept.further, kept.asking
    operations["_by_cursor"] = {tuple(row[:3]): row[3] for row in kept.cursors}
    parts["catalogue"]["listings"].update(kept.listings)
    parts["catalogue"]["_fetches"].update(kept.fetches)
    _fill_watched(parts["subscriptions"], kept, log)
    tasks["all"], tasks["faults"], tasks["_about"] = kept.tasks, kept.task_faults, kept.about_tasks
    tasks["_by_id"] = {(by_server, id_): _at(kept.tasks, number) for by_server, id_, number in kept.task_ids}
    tasks["_by_operation"] = {each: _at(kept.tasks, number) for each, number in kept.task_operations.items()}
    parts["_opening"].update(opening=_opening_of(kept.opening), _handshake=kept.handshake)
    parts["conversation"]["server_requests"], parts["conversation"]["_awaited"] = kept.server_requests, kept.awaited
    parts["visits"]["complete"] = kept.visits


def _fill_watched(watched: dict[str, Any], kept: ConversationSnapshot, log: ExchangeLog) -> None:
    watched.update(zip(_WATCHED, kept.watched, strict=True))
    streams = [
        ListenStream(_of(log, each.exchange), each.asked, each.granted, each.acknowledged_frame, each.count)
        for each in kept.streams
    ]
    watched["streams"], watched["_open"] = streams, [_at(streams, at + 1) for at in kept.open_streams]


def _opening_of(kept: _Opening | None) -> Opening | None:
    if kept is None:
        return None
    members = msgspec.structs.asdict(kept)
    revision, _ = resolve(members.pop("date"), members.pop("era"))
    return Opening(revision=revision, **members)


def _of(log: ExchangeLog, number: int) -> Exchange:
    return log[_position(number, len(log))]


def _at(items: list[Any], number: int) -> Any:
    return items[_position(number, len(items))]


def _position(number: int, count: int) -> int:
    if not 0 < number <= count:
        raise ValueError(f"number {number} does not exist")
    return number - 1


def _is_aside(key: object) -> bool:
    return isinstance(key, tuple) and key[0] < 0


def _within(rows: Iterable[_Row], log: ExchangeLog) -> Iterable[_Row]:
    for row in rows:
        _position(row[2], len(log))
        yield row


# Checkpoints: a conversation at some moment, in some ten kilobytes, while the conversation itself continues.


def checkpoint(conversation: Conversation) -> Checkpoint:
    """Make a checkpoint of the current state. From the first one on, the exchange log tracks late changes.

    Raises: SnapshotError if something can't be stored.
    """
    log = conversation.exchanges
    kept = condensed(conversation)
    names, server_requests = len(kept.names), len(kept.server_requests)
    kept.names, kept.server_requests, kept.further = [], [], {}
    try:
        rest = zlib.compress(msgspec.msgpack.encode(kept), 1)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise SnapshotError(f"it holds what can't be written: {error}") from None
    columns = columns_of(log)
    operations = len(columns_of(conversation.operations)["_first"])
    return Checkpoint(
        len(log), len(columns["_records"]), names, operations, server_requests, log.begin_epoch(), rest
    )  # fmt: skip


def conversation_at(point: Checkpoint, later: Conversation) -> Conversation:
    """Return the conversation at a checkpoint, independent of `later`, which may continue meanwhile.

    Raises: SnapshotError if the checkpoint is from another conversation.
    """
    log = later.exchanges
    try:
        kept = msgspec.msgpack.decode(_unfolded(point.rest), type=ConversationSnapshot)
        found = _columns_at(point, log)
    except (zlib.error, msgspec.MsgspecError, ValueError, IndexError) as error:
        raise SnapshotError(f"the checkpoint can't be read: {error}") from None
    _open_again(found, kept)
    columns: dict[str, Any] = {f"exchanges.{name}": column for name, column in found.items()}
    columns["operations._first"] = columns_of(later.operations)["_first"][: point.operations]
    raw = {name: bytes(memoryview(column).cast("B")) for name, column in columns.items()}
    kept.names = list(log.names[: point.names])
    kept.server_requests = later.server_requests[: point.server_requests]
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
    """Return the columns at that moment, except exchanges that were still open."""
    own = columns_of(log)  # copied before the changes are read, so that no change is missed
    lengths = {"_places": point.exchanges, "_records": point.records}
    found: dict[str, Any] = {name: column[: lengths.get(name, point.exchanges + 1)] for name, column in own.items()}
    for change in reversed((log.changes or [])[point.changes :]):
        if change.number <= point.exchanges:
            take_back(found, change)
    return found


def _open_again(columns: dict[str, Any], kept: ConversationSnapshot) -> None:
    """Reset exchanges that were open then: they had no record, no response and no end."""
    for number in kept.open_records:
        if not 0 < number <= len(columns["_places"]):
            raise SnapshotError("an exchange has no number")
        mark_open(columns, number)
