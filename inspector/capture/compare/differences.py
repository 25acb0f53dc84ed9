"""Differences between two captures, per operation and per JSON path.

Whether two operations differ is computed for all of them; the differing paths only for those that are shown.
"""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeVar

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import OperationRecord, Operations, ServerRequestRecord, UnassignedMessage
from inspector.documents import UNENCODABLE
from inspector.protocol import peek
from inspector.protocol.changes import JsonChange, differ, differences
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import encode

# Alignment: which operation of one capture corresponds to which of the other. Matched by request, never by position or
# time.

T = TypeVar("T")
Pair = tuple[int | None, int | None]
"""Positions in the first and the second sequence; None on the side that has no counterpart."""

_STAMPED = "io.modelcontextprotocol/"
"""Prefix of the `_meta` members that identify the sender in every request and every result."""
_CACHING = ("ttlMs", "cacheScope")
_ANSWERED = (ExchangeState.ANSWERED, ExchangeState.ERROR, ExchangeState.LATE)
ALL = frozenset(("params", "answer", "progress", "logs", "notifications", "questions"))
"""All parts of an operation."""
TOO_DEEP = "nested too deeply to compare"
_NONE: tuple[JsonChange, ...] = ()
T_ = OperationRecord | UnassignedMessage
_DIGEST = 32
"""Bytes of a digest: there may be a million requests."""


class OperationVerdict(StrEnum):
    """Outcome of the comparison of two operations."""

    SAME = "same"
    DIFFERENT = "different"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"


class OperationPlace(msgspec.Struct, frozen=True, gc=False):
    """Location of an operation in its capture."""

    frame: int
    """Number of the operation's first request frame, or of the message."""
    started_ns: int = 0
    duration_ns: int | None = None


class Compared(msgspec.Struct, frozen=True, gc=False):
    """One row of a comparison: an operation, or a message outside any operation. Names are untrusted text."""

    verdict: OperationVerdict
    method: str
    target: str
    before: OperationPlace | None
    after: OperationPlace | None
    find: Callable[[], tuple[JsonChange, ...]] | None = None
    """Computes the differing paths, again at each call; None if there are none."""
    loose: bool = False
    """Whether the row is a message outside any operation."""
    why: str = ""
    """Why one side is empty, if known: our own sentence, which may quote untrusted text."""

    @property
    def changes(self) -> tuple[JsonChange, ...]:
        """Differing paths. Computed at each access, so keep the value."""
        return _NONE if self.find is None else self.find()


_Keyed = tuple[OperationRecord, bytes]
"""An operation, and what it requests: equal requests have equal bytes."""


def align(first: Sequence[T], second: Sequence[T], *keys: Callable[[T], Hashable]) -> list[Pair]:
    """Pair all items of two sequences by the strictest key that matches, in the order of `first`."""
    partner_of: dict[int, int] = {}
    left_first, left_second = [*range(len(first))], [*range(len(second))]
    for key in keys:
        waiting: dict[Hashable, int] = {}
        following = array("q", [-1]) * len(second)  # a list for each key would need half a kilobyte
        for at in reversed(left_second):
            wanted = key(second[at])
            following[at] = waiting.get(wanted, -1)
            waiting[wanted] = at
        for at in left_first:
            wanted = key(first[at])
            if (there := waiting.get(wanted, -1)) >= 0:
                partner_of[at] = there
                waiting[wanted] = following[there]
        taken = set(partner_of.values())
        left_first = [at for at in left_first if at not in partner_of]
        left_second = [at for at in left_second if at not in taken]
    return _in_place(len(first), partner_of, left_second)


def _in_place(count: int, partner_of: dict[int, int], alone: Sequence[int]) -> list[Pair]:
    """Return all pairs in the order of the first sequence.

    An item that only the second sequence has follows its predecessor there.
    """
    in_first = {there: here for here, there in partner_of.items()}
    behind: defaultdict[int, list[int]] = defaultdict(list)
    neighbour, lonely = -1, set(alone)
    for there in range(len(in_first) + len(lonely)):
        if there in lonely:
            behind[neighbour].append(there)
        else:
            neighbour = in_first[there]
    found: list[Pair] = []
    waiting = behind[-1]
    for here in range(count):
        if here in partner_of:  # a removed item precedes the item that replaces it
            found += [(None, there) for there in waiting]
            waiting = behind[here]
        found.append((here, partner_of.get(here)))
    return found + [(None, there) for there in waiting]


# An operation as one JSON value, so that two operations can be compared path by path.


def essence(method: str, params: Any) -> Any:
    """Return the params without what a client adds to every request and without its own identity."""
    if not isinstance(params, dict):
        return params
    left_out = {"inputResponses", "requestState"}
    if method == "initialize":
        left_out |= {"clientInfo", "capabilities"}
    kept = {key: value for key, value in params.items() if key not in left_out}
    meta = {
        key: value
        for key, value in peek.mapping(kept, "_meta").items()
        if key != "progressToken" and not key.startswith(_STAMPED)
    }
    kept.pop("_meta", None)
    return kept | ({"_meta": meta} if meta else {}) or None


def document(
    account: OperationRecord, normal: Normal, left_out: Collection[str] = (), *, across: bool = False
) -> dict[str, Any]:
    """Return everything about an operation that is compared, except the parts in `left_out` (see `alike`).

    `across` is True if the other operation uses another revision: members of a result that depend on the revision
    are then left out as well.
    """
    members: dict[str, Any] = {}
    if "params" not in left_out:
        members["params"] = essence(account.method, account.params)
    if "answer" not in left_out:
        name, value = _outcome(account)
        members[name] = _without_envelope(value) if across and name == "result" else value
    value = normal(members | {name: items for name, items in _beside(account, left_out) if items})
    assert isinstance(value, dict), "rules apply below the root"
    return value


def alike(before: OperationRecord, after: OperationRecord) -> set[str]:
    """Return the parts of two operations that are equal as recorded, so that they need not be decoded.

    The parts are "answer", "progress", "logs", "notifications" and "questions". Params are never included.
    """
    found = set()
    if len(before.sent) == len(after.sent) == 1 and before.state is after.state and _same_answer(before, after):
        found.add("answer")
    if before.progress == after.progress:
        found.add("progress")
    if before.logs == after.logs:
        found.add("logs")
    if before.notifications == after.notifications:
        found.add("notifications")
    if not before.asked and not after.asked:
        found.add("questions")
    return found


def _same_answer(before: OperationRecord, after: OperationRecord) -> bool:
    ours, theirs = before.sent[0], after.sent[0]
    if (ours.answer_frame is None) is not (theirs.answer_frame is None) or ours.failed is not theirs.failed:
        return False
    return ours.answer.raw == theirs.answer.raw


def _outcome(account: OperationRecord) -> tuple[str, Any]:
    last = account.last
    if last.answer_frame is not None and account.state in _ANSWERED:
        return "error" if last.failed else "result", account.answer
    return "outcome", str(account.state)


def _without_envelope(result: Any) -> Any:
    """Return a result without the members that only results of the stateless era have."""
    if not isinstance(result, dict):
        return result
    kept = {name: value for name, value in result.items() if name not in _CACHING}
    if kept.get("resultType") == "complete":
        del kept["resultType"]
    if isinstance(meta := kept.get("_meta"), dict):
        kept["_meta"] = {name: value for name, value in meta.items() if not name.startswith(_STAMPED)}
        if not kept["_meta"]:
            del kept["_meta"]
    return kept


def _beside(account: OperationRecord, left_out: Collection[str]) -> Iterator[tuple[str, Sequence[Any]]]:
    if "progress" not in left_out:
        yield "progress", account.progress
    if "logs" not in left_out:
        yield "logs", account.logs
    if "notifications" not in left_out:
        yield "notifications", [{"method": method, "params": params} for method, params in account.notifications]
    if "questions" not in left_out:
        yield "questions", [_question(each) for each in account.asked]


def unassigned_document(loose: UnassignedMessage, normal: Normal) -> Any:
    """Return what is compared of a message outside any operation."""
    return normal({"params": loose.params})


def _question(asked: ServerRequestRecord) -> dict[str, Any]:
    members = {"method": asked.method, "params": asked.params}
    return members | ({} if asked.answer is None else {"error" if asked.failed else "answer": asked.answer})


class Comparison(msgspec.Struct, frozen=True):
    """Result of a comparison, in the order of the first capture."""

    rows: tuple[Compared, ...]

    def count(self, verdict: OperationVerdict) -> int:
        """Return how many rows have this verdict."""
        return sum(row.verdict is verdict for row in self.rows)

    @property
    def is_empty(self) -> bool:
        """Whether both sides are the same."""
        return all(row.verdict is OperationVerdict.SAME for row in self.rows)


def compare(before: Operations, after: Operations, normal: Normal, only: Sequence[str] = ()) -> Comparison:
    """Compare two conversations.

    `only` are patterns of methods or targets (`tools/*`, `echo`); if empty, everything is compared.
    """
    keyed = _keyed(normal)
    ours, theirs = ([*map(keyed, _wanted(side.operations, only))] for side in (before, after))
    pairs = align(ours, theirs, _by_content, _by_subject)
    rows = [_compared(_at(ours, here), _at(theirs, there), normal) for here, there in pairs]
    messages, others = _wanted(before.loose, only), _wanted(after.loose, only)
    by_content = _unassigned_key(normal)
    for here, there in align(messages, others, by_content):
        rows.append(_compared_unassigned(_at(messages, here), _at(others, there)))
    return Comparison(tuple(rows))


def compare_two(before: OperationRecord, after: OperationRecord, normal: Normal, *, asked_too: bool = True) -> Compared:
    """Compare two operations that are known to correspond. `asked_too` False leaves the params out."""
    left_out = alike(before, after) | (set() if asked_too else {"params"})
    if left_out == ALL or not _differ(before, after, normal, left_out):
        return Compared(OperationVerdict.SAME, before.method, before.target, side(before), side(after))
    find = partial(_changes, before, after, normal, left_out)
    return Compared(OperationVerdict.DIFFERENT, before.method, before.target, side(before), side(after), find)


def _differ(before: OperationRecord, after: OperationRecord, normal: Normal, left_out: Collection[str]) -> bool:
    try:
        return differ(*_documents(before, after, normal, left_out))
    except RecursionError:
        return bool(_too_deep(before, after))


def _changes(
    before: OperationRecord, after: OperationRecord, normal: Normal, left_out: Collection[str]
) -> tuple[JsonChange, ...]:
    try:
        return differences(*_documents(before, after, normal, left_out))
    except RecursionError:
        return _too_deep(before, after)


def _documents(
    before: OperationRecord, after: OperationRecord, normal: Normal, left_out: Collection[str]
) -> tuple[Any, Any]:
    across = None not in (before.revision, after.revision) and before.revision != after.revision
    ours, theirs = (document(each, normal, left_out, across=across) for each in (before, after))
    return ours, theirs


def _too_deep(before: OperationRecord, after: OperationRecord) -> tuple[JsonChange, ...]:
    return () if (before.last.answer.raw == after.last.answer.raw) else (JsonChange("", TOO_DEEP, TOO_DEEP),)


def side(account: OperationRecord) -> OperationPlace:
    """Return the location of an operation."""
    ended = account.ended_ns
    return OperationPlace(account.frame, account.started_ns, None if ended is None else ended - account.started_ns)


def _wanted(items: Sequence[Any], only: Sequence[str]) -> list[Any]:
    if not only:
        return [*items]
    return [each for each in items if any(_fits(each, pattern) for pattern in only)]


def _fits(item: T_, pattern: str) -> bool:
    target = item.target if isinstance(item, OperationRecord) else ""
    return fnmatchcase(item.method, pattern) or fnmatchcase(target, pattern)


def _at(items: Sequence[Any], at: int | None) -> Any:
    return None if at is None else items[at]


def _keyed(normal: Normal) -> Callable[[OperationRecord], _Keyed]:
    def key(account: OperationRecord) -> _Keyed:
        return account, _canonical(normal({"params": essence(account.method, account.params)}))

    return key


def _by_content(keyed: _Keyed) -> Hashable:
    account, asked = keyed
    return account.method, account.target, asked


def _by_subject(keyed: _Keyed) -> Hashable:
    account, _ = keyed
    return account.method, account.target


def _unassigned_key(normal: Normal) -> Callable[[UnassignedMessage], Hashable]:
    def key(loose: UnassignedMessage) -> Hashable:
        return loose.method, loose.sender, _canonical(unassigned_document(loose, normal))

    return key


def _canonical(value: Any) -> bytes:
    """Return the same bytes for equal values: canonical JSON, or its digest if that is shorter."""
    try:
        text = msgspec.json.encode(value, order="sorted")
    except UNENCODABLE:
        text = encode(value)
    return text if len(text) <= _DIGEST else hashlib.blake2b(text, digest_size=_DIGEST).digest()


def _compared(before: _Keyed | None, after: _Keyed | None, normal: Normal) -> Compared:
    if before is not None and after is not None:
        return compare_two(before[0], after[0], normal, asked_too=before[1] != after[1])
    if before is not None:
        gone = before[0]
        return Compared(OperationVerdict.ONLY_BEFORE, gone.method, gone.target, side(gone), None)
    assert after is not None, "a pair has a side"
    new = after[0]
    return Compared(OperationVerdict.ONLY_AFTER, new.method, new.target, None, side(new))


def _compared_unassigned(before: UnassignedMessage | None, after: UnassignedMessage | None) -> Compared:
    one = before or after
    assert one is not None, "a pair has a side"
    verdict = OperationVerdict.SAME
    if before is None or after is None:
        verdict = OperationVerdict.ONLY_BEFORE if before is not None else OperationVerdict.ONLY_AFTER
    who = "" if one.sender is Direction.FROM_SERVER else "by the client"
    sides = (OperationPlace(before.frame) if before else None, OperationPlace(after.frame) if after else None)
    return Compared(verdict, one.method, who, *sides, loose=True)
