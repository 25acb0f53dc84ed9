"""What the index of a capture holds: the columns of its store, its conversation, and what is known beside the messages.

Taking it over is all or nothing: a journal either knows everything that was kept, or nothing of it.
"""

from array import array
from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.past import Point
from inspector.capture.store import UNLISTED, EntryKind, MessageKind, Store
from inspector.capture.surroundings import HttpExchange, Surroundings
from inspector.protocol.exchange_log import Change
from inspector.protocol.facts import ConnectionFact
from inspector.protocol.kept import Column, NotKept, adopt, columns_of, fill_column, keep, refuse_others, restored
from inspector.protocol.narrow import Near, Small

_STORE = {"_numbers", "_names", "_source", "_recent", "beginnings", "count"}
_SURROUNDINGS = {
    "_store",
    "connections",
    "connection",
    "ended",
    "unreachable",
    "_processes",
    "stderr_tail",
    "http_exchanges",
    "http_in_order",
    "touched",
}
_COLUMN = "store."
_KINDS = bytes(EntryKind)
_FLAGS = bytes(flags for flags in range(0x80) if flags & 0x07 <= max(MessageKind))


class Rest(msgspec.Struct):
    """All but the columns."""

    count: int
    methods: list[str]
    conversation: bytes
    connections: int
    connection: ConnectionFact | None
    ended: ConnectionFact | None
    unreachable: int
    """The number of an entry; 0 for none."""
    processes: list[int]
    """Numbers of entries."""
    stderr_tail: list[bytes]
    http: list[tuple[int, int, int, int]]
    """Of each exchange its number, and the entries of its request, its response and its end."""
    notices: list[str]
    points: list[Point]
    """Its checkpoints."""
    changes: list[Change] | None
    """What they need to know of exchanges."""


def rest_of(journal: Journal) -> tuple[Rest, dict[str, Column]]:
    """What a loaded journal knows, and its columns.

    Raises: NotKept.
    """
    store, around = journal.store, journal.surroundings
    columns = columns_of(store)
    refuse_others("the store", vars(store), _STORE | {name.partition(".")[0] for name in columns})
    refuse_others("the surroundings", vars(around), _SURROUNDINGS)
    conversation, more = keep(journal.conversation)
    rest = Rest(
        count=store.count,
        methods=list(store.method_names),
        conversation=conversation,
        connections=around.connections,
        connection=around.connection,
        ended=around.ended,
        unreachable=0 if around.unreachable is None else around.unreachable.n,
        processes=[entry.n for entry in around.processes],
        stderr_tail=list(around.stderr_tail),
        http=[(each.http, each.request_n, each.response_n, each.end_n) for each in around.http_in_order],
        notices=list(journal.notices),
        points=journal.points.all if journal.points is not None else [],
        changes=journal.conversation.exchanges.changes,
    )
    return rest, {_COLUMN + name: column for name, column in columns.items()} | more


def restore(journal: Journal, rest: Rest, columns: dict[str, bytes], *, size: int) -> None:
    """Let an empty journal know all of this. `size`: bytes of the capture. `columns` is used up.

    Raises: NotKept, and the journal knows nothing.
    """
    try:
        filled = _filled(journal.store, rest, columns)
        conversation = restored(rest.conversation, columns)
    except (KeyError, ValueError) as error:
        raise NotKept(str(error)) from None
    _check(filled, rest, len(conversation.exchanges), size)
    adopt(journal.conversation, conversation)
    if journal.points is not None:
        journal.conversation.exchanges.changes = rest.changes
        journal.points.restored(rest.points)
    _surround(journal.surroundings, journal.store, rest)
    for notice in rest.notices:
        journal.note(notice)
    count = filled.pop("count")
    vars(journal.store).update(filled)
    journal.store.count = count  # last: who reads looks at it first
    if rest.unreachable:
        journal.surroundings.unreachable = journal.store.entry(rest.unreachable)
    vars(journal.surroundings)["_processes"] += [journal.store.entry(n) for n in rest.processes]


def _filled(store: Store, rest: Rest, columns: dict[str, bytes]) -> dict[str, Any]:
    """The members of a store like this one that was kept."""
    found: dict[str, Any] = {}
    for name, own in vars(store).items():
        if isinstance(own, Near | Small):
            parts = {part: _column(mine, f"{name}.{part}", columns) for part, mine in own.parts.items()}
            found[name] = type(own).of(parts)
        elif isinstance(own, array | bytearray):
            found[name] = _column(own, name, columns)
    if any(len(column) != rest.count for column in found.values()):
        raise ValueError("the columns differ in length")
    numbers = {name: number for number, name in enumerate(rest.methods)}
    return found | {"_names": rest.methods, "_numbers": numbers, "count": rest.count}


def _column(own: Column, name: str, columns: dict[str, bytes]) -> Any:
    """The column that was kept by this name, like the store's own."""
    column: Column = bytearray() if isinstance(own, bytearray) else array(own.typecode)
    fill_column(column, columns.pop(_COLUMN + name))
    return column


def _check(filled: Mapping[str, Any], rest: Rest, exchanges: int, size: int) -> None:
    """Look whether the columns mean something: whoever reads them later does not ask.

    Raises: NotKept.
    """
    entries = [rest.unreachable, *rest.processes, *(n for _, *each in rest.http for n in each)]
    sound = (
        rest.methods[:1] == [""]
        and not filled["_kinds"].translate(None, _KINDS)
        and not filled["_flags"].translate(None, _FLAGS)
        and set(filled["_methods"]) <= {*range(len(rest.methods)), UNLISTED}
        and max(filled["_exchanges"], default=0) <= exchanges
        and filled["_lengths"].largest <= size
        and all(0 <= n <= rest.count for n in entries)
        and all(n and filled["_kinds"][n - 1] == EntryKind.PROCESS for n in rest.processes)
    )
    if not sound:
        raise NotKept("the columns mean nothing")


def _surround(around: Surroundings, store: Store, rest: Rest) -> None:
    around.connections, around.connection, around.ended = rest.connections, rest.connection, rest.ended
    around.stderr_tail.extend(rest.stderr_tail)
    for number, request, response, end in rest.http:
        exchange = around.http_exchanges[number] = HttpExchange(store, number, len(around.http_in_order))
        exchange.request_n, exchange.response_n, exchange.end_n = request, response, end
        around.http_in_order.append(exchange)
