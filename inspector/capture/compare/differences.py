"""What is different between two captures: operation by operation, and in each of them place by place.

Whether two operations differ is found out for all of them; the places only of those that somebody looks at.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import msgspec

from inspector.capture.compare.align import align
from inspector.capture.compare.documents import ALL, alike, document, essence, loose_document
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account, Accounts, Loose
from inspector.protocol.differences import Change, differ, differences
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import encode

TOO_DEEP = "nested too deeply to be told"
_NONE: tuple[Change, ...] = ()


class Verdict(StrEnum):
    """How two sides compare."""

    SAME = "same"
    DIFFERENT = "different"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"


class Side(msgspec.Struct, frozen=True, gc=False):
    """Where an operation stands in its capture."""

    frame: int
    """Of its first request, or of the message."""
    started_ns: int = 0
    duration_ns: int | None = None


class Compared(msgspec.Struct, frozen=True, gc=False):
    """An operation on both sides, or a message that belongs to none. Names are foreign text."""

    verdict: Verdict
    method: str
    target: str
    before: Side | None
    after: Side | None
    find: Callable[[], tuple[Change, ...]] | None = None
    """Finds the places, anew at each call; None where there are none to find."""
    loose: bool = False
    """Whether it is a message that belongs to no operation."""
    why: str = ""
    """Why there is nothing on one side, if that is known: a sentence of ours, which may quote."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The places where the two sides differ, found now: ask once."""
        return _NONE if self.find is None else self.find()


class Comparison(msgspec.Struct, frozen=True):
    """All of it, in the order of the first capture."""

    rows: tuple[Compared, ...]

    def count(self, verdict: Verdict) -> int:
        """How many rows have it."""
        return sum(row.verdict is verdict for row in self.rows)

    @property
    def is_empty(self) -> bool:
        """Whether both sides are the same."""
        return all(row.verdict is Verdict.SAME for row in self.rows)


def compare(before: Accounts, after: Accounts, normal: Normal, only: Sequence[str] = ()) -> Comparison:
    """Compare two conversations. `only` are patterns of methods or targets (`tools/*`, `echo`); none: all."""
    keyed = _keyed(normal)
    ours, theirs = ([*map(keyed, _wanted(side.operations, only))] for side in (before, after))
    pairs = align(ours, theirs, _by_content, _by_subject)
    rows = [_compared(_at(ours, here), _at(theirs, there), normal) for here, there in pairs]
    messages, others = _wanted(before.loose, only), _wanted(after.loose, only)
    by_content = _loose_key(normal)
    for here, there in align(messages, others, by_content):
        rows.append(_compared_loose(_at(messages, here), _at(others, there)))
    return Comparison(tuple(rows))


def compare_two(before: Account, after: Account, normal: Normal, *, asked_too: bool = True) -> Compared:
    """Compare an operation with the one that is known to be the same wish.

    `asked_too` False leaves out what the client asked for, or what is known to be the same.
    """
    left_out = alike(before, after) | (set() if asked_too else {"params"})
    if left_out == ALL or not _differ(before, after, normal, left_out):
        return Compared(Verdict.SAME, before.method, before.target, side(before), side(after))
    find = partial(_changes, before, after, normal, left_out)
    return Compared(Verdict.DIFFERENT, before.method, before.target, side(before), side(after), find)


def _differ(before: Account, after: Account, normal: Normal, left_out: Collection[str]) -> bool:
    try:
        return differ(*_documents(before, after, normal, left_out))
    except RecursionError:
        return bool(_too_deep(before, after))


def _changes(before: Account, after: Account, normal: Normal, left_out: Collection[str]) -> tuple[Change, ...]:
    try:
        return differences(*_documents(before, after, normal, left_out))
    except RecursionError:
        return _too_deep(before, after)


def _documents(before: Account, after: Account, normal: Normal, left_out: Collection[str]) -> tuple[Any, Any]:
    across = None not in (before.revision, after.revision) and before.revision != after.revision
    ours, theirs = (document(each, normal, left_out, across=across) for each in (before, after))
    return ours, theirs


def _too_deep(before: Account, after: Account) -> tuple[Change, ...]:
    """What is nested too deeply to be compared is held against each other as it came."""
    same = before.last.answer.raw == after.last.answer.raw
    return () if same else (Change("", TOO_DEEP, TOO_DEEP),)


def side(account: Account) -> Side:
    """Where it stands."""
    ended = account.ended_ns
    return Side(account.frame, account.started_ns, None if ended is None else ended - account.started_ns)


T_ = Account | Loose


def _wanted(items: Sequence[Any], only: Sequence[str]) -> list[Any]:
    if not only:
        return [*items]
    return [each for each in items if any(_fits(each, pattern) for pattern in only)]


def _fits(item: T_, pattern: str) -> bool:
    target = item.target if isinstance(item, Account) else ""
    return fnmatchcase(item.method, pattern) or fnmatchcase(target, pattern)


def _at(items: Sequence[Any], at: int | None) -> Any:
    return None if at is None else items[at]


_Keyed = tuple[Account, bytes]
"""An operation, and what it asks for as a text that is equal if that is."""


def _keyed(normal: Normal) -> Callable[[Account], _Keyed]:
    def key(account: Account) -> _Keyed:
        return account, _canonical(normal({"params": essence(account.method, account.params)}))

    return key


def _by_content(keyed: _Keyed) -> Hashable:
    account, asked = keyed
    return account.method, account.target, asked


def _by_subject(keyed: _Keyed) -> Hashable:
    account, _ = keyed
    return account.method, account.target


def _loose_key(normal: Normal) -> Callable[[Loose], Hashable]:
    def key(loose: Loose) -> Hashable:
        return loose.method, loose.sender, _canonical(loose_document(loose, normal))

    return key


def _canonical(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value, order="sorted")
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return encode(value)


def _compared(before: _Keyed | None, after: _Keyed | None, normal: Normal) -> Compared:
    if before is not None and after is not None:
        return compare_two(before[0], after[0], normal, asked_too=before[1] != after[1])
    if before is not None:
        gone = before[0]
        return Compared(Verdict.ONLY_BEFORE, gone.method, gone.target, side(gone), None)
    assert after is not None, "a pair has a side"
    new = after[0]
    return Compared(Verdict.ONLY_AFTER, new.method, new.target, None, side(new))


def _compared_loose(before: Loose | None, after: Loose | None) -> Compared:
    one = before or after
    assert one is not None, "a pair has a side"
    verdict = Verdict.SAME
    if before is None or after is None:
        verdict = Verdict.ONLY_BEFORE if before is not None else Verdict.ONLY_AFTER
    who = "" if one.sender is Direction.FROM_SERVER else "by the client"
    sides = (Side(before.frame) if before else None, Side(after.frame) if after else None)
    return Compared(verdict, one.method, who, *sides, loose=True)
