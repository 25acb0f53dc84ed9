"""The index of a capture: its loaded state in the cache, so that opening it again needs no folding.

It contains nothing that the capture lacks. It is made again whenever the capture, mcp-inspect or the index format
changed, and if it has any defect, the capture is loaded without it. It is in a directory of our own, never beside
the capture, and readable by its owner only. It is used only if that is so and its digest is right.

File format: MAGIC; the SHA-256 of everything after it; the length of the contents; the contents (msgpack); the
columns.
"""

import hashlib
import os
import stat
import sys
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

import inspector
from inspector.capture.connection_facts import ConnectionFacts, HttpExchange
from inspector.capture.format.file import make_private_directory
from inspector.capture.format.lines import read_at
from inspector.capture.journal import Journal
from inspector.capture.store.columns import (
    DIRECTION_BITS,
    DIRECTION_OF_BITS,
    KIND_BITS,
    UNLISTED,
    EntryKind,
    MessageKind,
)
from inspector.capture.store.points import Point
from inspector.capture.store.snapshot import (
    Column,
    SnapshotError,
    adopt,
    columns_of,
    fill_column,
    keep,
    refuse_others,
    restored,
)
from inspector.capture.store.store import Store
from inspector.documents import prepared_type
from inspector.protocol.compact_arrays import DeltaArray, ShortArray
from inspector.protocol.exchange_log import LateChange
from inspector.protocol.facts import ConnectionFact

# Contents of an index: the columns of the store, the conversation, and the facts beside the messages.

_STORE = {"_numbers", "method_names", "_source", "_recent", "beginnings", "count"}
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
_DIRECTIONS = {0, *DIRECTION_OF_BITS}
_FLAGS = bytes(
    flags for flags in range(0x100) if flags & KIND_BITS <= max(MessageKind) and flags & DIRECTION_BITS in _DIRECTIONS
)
MAGIC = b"mcp-inspect index 1\n"
SUFFIX = ".mcpidx"

SMALLEST = 4 * 1024 * 1024
"""Size in bytes from which a capture gets an index: a smaller one loads as fast without."""

MOST, BUDGET = 20, 1024 * 1024 * 1024
"""Maximum number of indexes, and of their total bytes. The most recently used are kept."""

_ENDS = 1024
"""Bytes at the beginning and at the end of a capture that identify it."""

_MAX_INDEX_BYTES = 1 << 30


class Rest(msgspec.Struct):
    """Everything except the columns."""

    count: int
    methods: list[str]
    conversation: bytes
    connections: int
    connection: ConnectionFact | None
    ended: ConnectionFact | None
    unreachable: int
    """Entry number; 0 for none."""
    processes: list[int]
    """Entry numbers."""
    stderr_tail: list[bytes]
    http: list[tuple[int, int, int, int]]
    """Of each HTTP exchange its number, and the entry numbers of request, response and end."""
    notices: list[str]
    points: list[Point]
    """Checkpoints."""
    changes: list[LateChange] | None
    """Late changes of exchanges, which the checkpoints need."""


class Identity(msgspec.Struct, frozen=True):
    """Identity of a capture file in its current version, and of the program that loaded it."""

    path: str
    device: int
    inode: int
    size: int
    changed_ns: int
    id: str
    """Id in the head of the capture."""
    ends: bytes
    """Digest of its beginning and its end."""
    reader: str


@prepared_type
class _Contents(msgspec.Struct):
    identity: Identity
    rest: Rest
    columns: list[tuple[str, int]]
    """Name and size in bytes of each column."""


def rest_of(journal: Journal) -> tuple[Rest, dict[str, Column]]:
    """Return the state of a loaded journal, and its columns. Raises: SnapshotError."""
    store, around = journal.store, journal.connection_facts
    columns = columns_of(store)
    refuse_others("the store", vars(store), _STORE | {name.partition(".")[0] for name in columns})
    refuse_others("the connection facts", vars(around), _SURROUNDINGS)
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
    """Restore the state of an empty journal. `columns` is consumed.

    `size` is that of the capture in bytes.

    Raises: SnapshotError; the journal stays empty then.
    """
    try:
        filled = _filled(journal.store, rest, columns)
        conversation = restored(rest.conversation, columns)
    except (KeyError, ValueError) as error:
        raise SnapshotError(str(error)) from None
    _check(filled, rest, len(conversation.exchanges), size)
    adopt(journal.conversation, conversation)
    if journal.points is not None:
        journal.conversation.exchanges.changes = rest.changes
        journal.points.restored(rest.points)
    _surround(journal.connection_facts, journal.store, rest)
    for notice in rest.notices:
        journal.note(notice)
    count = filled.pop("count")
    vars(journal.store).update(filled)
    journal.store.count = count  # last, because readers check it first
    if rest.unreachable:
        journal.connection_facts.unreachable = journal.store.entry(rest.unreachable)
    vars(journal.connection_facts)["_processes"] += [journal.store.entry(n) for n in rest.processes]


def _filled(store: Store, rest: Rest, columns: dict[str, bytes]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, own in vars(store).items():
        if isinstance(own, DeltaArray | ShortArray):
            parts = {part: _column(mine, f"{name}.{part}", columns) for part, mine in own.parts.items()}
            found[name] = type(own).of(parts)
        elif isinstance(own, array | bytearray):
            found[name] = _column(own, name, columns)
    if any(len(column) != rest.count for column in found.values()):
        raise ValueError("the columns differ in length")
    numbers = {name: number for number, name in enumerate(rest.methods)}
    return found | {"method_names": rest.methods, "_numbers": numbers, "count": rest.count}


def _column(own: Column, name: str, columns: dict[str, bytes]) -> Any:
    """Return the stored column of this name, in the type of the store's own."""
    column: Column = bytearray() if isinstance(own, bytearray) else array(own.typecode)
    fill_column(column, columns.pop(_COLUMN + name))
    return column


def _check(filled: Mapping[str, Any], rest: Rest, exchanges: int, size: int) -> None:
    """Check that the columns are valid: code that reads them later does not. Raises: SnapshotError."""
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
        raise SnapshotError("the columns mean nothing")


def _surround(around: ConnectionFacts, store: Store, rest: Rest) -> None:
    around.connections, around.connection, around.ended = rest.connections, rest.connection, rest.ended
    around.stderr_tail.extend(rest.stderr_tail)
    for number, request, response, end in rest.http:
        exchange = around.http_exchanges[number] = HttpExchange(store, number, len(around.http_in_order))
        exchange.request_n, exchange.response_n, exchange.end_n = request, response, end
        around.http_in_order.append(exchange)


def identity(fd: int, path: Path, head_id: str) -> Identity:
    """Return the current identity of a capture. Raises: OSError."""
    found = os.fstat(fd)
    ends = hashlib.sha256(read_at(fd, 0, _ENDS) + read_at(fd, max(0, found.st_size - _ENDS), _ENDS)).digest()
    return Identity(
        os.path.realpath(path), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, head_id, ends, _reader()
    )


def save(directory: Path, journal: Journal, what: Identity) -> bool:
    """Save the index of a capture; return whether that worked.

    Afterwards the least recently used indexes are removed.
    """
    try:
        rest, columns = rest_of(journal)
        lengths = [(name, len(memoryview(column).cast("B"))) for name, column in columns.items()]
        contents = msgspec.msgpack.encode(_Contents(what, rest, lengths))
    except (SnapshotError, TypeError, ValueError, OverflowError, RecursionError):
        return False
    made = directory / f"{_name(what)}.{os.getpid()}.new"
    try:
        make_private_directory(directory)
        _write(made, contents, columns)
        os.replace(made, directory / _name(what))
        _make_room(directory)
    except OSError:
        with suppress(OSError):
            os.unlink(made)
        return False
    return True


def exists(directory: Path, what: Identity) -> bool:
    """Return whether there is an index of this capture, usable or not."""
    return (directory / _name(what)).exists()


def load(directory: Path, journal: Journal, what: Identity) -> bool:
    """Restore an empty journal from the index of this capture.

    Return False, without any change, if there is no usable index.
    """
    file = directory / _name(what)
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        _check_owner(fd)
        contents, columns = _read(fd, what)
        restore(journal, contents.rest, columns, size=what.size)
        with suppress(OSError):
            os.utime(fd)
    except (SnapshotError, OSError, EOFError, ValueError, OverflowError, MemoryError, msgspec.MsgspecError):
        return False
    finally:
        os.close(fd)
    return True


def _write(file: Path, contents: bytes, columns: Mapping[str, Column]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(file, flags, 0o600), "wb", buffering=0) as out:
        os.fchmod(out.fileno(), 0o600)
        digest = hashlib.sha256()
        out.write(MAGIC + bytes(digest.digest_size))
        for part in (len(contents).to_bytes(8), contents, *columns.values()):
            data = memoryview(part).cast("B")
            digest.update(data)
            _write_all(out.fileno(), data)
        os.pwrite(out.fileno(), digest.digest(), len(MAGIC))


def _write_all(fd: int, data: memoryview) -> None:
    while data:
        data = data[os.write(fd, data) :]


def _check_owner(fd: int) -> None:
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise SnapshotError("it is not ours alone")


def _read(fd: int, what: Identity) -> tuple[_Contents, dict[str, bytes]]:
    """Read the contents and the columns of an index. Each column is freed as soon as it is taken over."""
    total = os.fstat(fd).st_size
    digest = hashlib.sha256()
    start = os.read(fd, len(MAGIC) + digest.digest_size)
    if not start.startswith(MAGIC) or total > _MAX_INDEX_BYTES:
        raise SnapshotError("it is not an index")
    length = _take(fd, 8, digest)
    size = int.from_bytes(length)
    if size > total:
        raise SnapshotError("it is cut")
    contents = msgspec.msgpack.decode(_take(fd, size, digest), type=_Contents)
    if contents.identity != what:
        raise SnapshotError("it is of another capture, or of an earlier state of it")
    if sum(length for _, length in contents.columns) != total - len(start) - 8 - size:
        raise SnapshotError("it is cut")
    if any(length < 0 for _, length in contents.columns):
        raise SnapshotError("a column has no length")
    columns = {name: _take(fd, length, digest) for name, length in contents.columns}
    if digest.digest() != start[len(MAGIC) :]:
        raise SnapshotError("it was damaged")
    return contents, columns


def _take(fd: int, length: int, digest: "hashlib._Hash") -> bytes:
    found = os.read(fd, length)
    if len(found) != length:
        raise EOFError
    digest.update(found)
    return found


def _name(what: Identity) -> str:
    return hashlib.sha256(what.path.encode(errors="surrogateescape")).hexdigest()[:32] + SUFFIX


def _make_room(directory: Path) -> None:
    """Remove the least recently used indexes until the others fit, and temporary files left by a crash."""
    total = 0
    for place, (file, size) in enumerate(_indexes(directory)):
        total += size
        if place >= MOST or total > BUDGET or not file.name.endswith(SUFFIX):
            with suppress(OSError):
                file.unlink()


def _indexes(directory: Path) -> Iterator[tuple[Path, int]]:
    """Yield the indexes, newest first."""
    with os.scandir(directory) as items:
        found = [(item.stat(follow_symlinks=False), item.name) for item in items if SUFFIX in item.name]
    for status, name in sorted(found, key=lambda each: each[0].st_mtime_ns, reverse=True):
        yield directory / name, status.st_size


@cache
def _reader() -> str:
    """Return the identity of the reader: this version of mcp-inspect on this kind of machine.

    After a change of the fold, indexes differ.
    """
    room = Path(inspector.__file__).parent
    parts = [inspector.__version__, sys.byteorder, sys.version.split()[0]]
    parts += [str(array(code).itemsize) for code in "HIqQ"]
    for part in ("capture", "protocol"):
        for file in sorted((room / part).rglob("*.py")):
            found = file.stat()
            parts.append(f"{file.name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
