"""What is different between two captures: operation by operation, and in each of them place by place."""

from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from inspector.capture.compare.align import align
from inspector.capture.compare.documents import document, essence, loose_document
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Account, Accounts, Loose
from inspector.protocol.differences import Change, differences
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import encode

TOO_DEEP = "nested too deeply to be told"
_WHOLE = 200_000
"""Bytes up to which two results are first held against each other as they came."""


class Verdict(StrEnum):
    """How two sides compare."""

    SAME = "same"
    DIFFERENT = "different"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"


class Side(msgspec.Struct, frozen=True):
    """Where an operation stands in its capture."""

    frame: int
    """Of its first request, or of the message."""
    started_ns: int = 0
    duration_ns: int | None = None


class Compared(msgspec.Struct, frozen=True):
    """An operation on both sides, or a message that belongs to none. Names are foreign text."""

    verdict: Verdict
    method: str
    target: str
    before: Side | None
    after: Side | None
    changes: tuple[Change, ...] = ()
    loose: bool = False
    """Whether it is a message that belongs to no operation."""
    why: str = ""
    """Why there is nothing on one side, if that is known: a sentence of ours, which may quote."""


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
    ours, theirs = _wanted(before.operations, only), _wanted(after.operations, only)
    pairs = align(ours, theirs, _by_content(normal), _by_subject)
    rows = [_compared(_at(ours, here), _at(theirs, there), normal) for here, there in pairs]
    messages, others = _wanted(before.loose, only), _wanted(after.loose, only)
    by_content = _loose_key(normal)
    for here, there in align(messages, others, by_content):
        rows.append(_compared_loose(_at(messages, here), _at(others, there)))
    return Comparison(tuple(rows))


def compare_two(before: Account, after: Account, normal: Normal, *, asked_too: bool = True) -> Compared:
    """Compare an operation with the one that is known to be the same wish."""
    changes: tuple[Change, ...] = ()
    if not _is_plainly_same(before, after, asked_too=asked_too):
        changes = _changes(before, after, normal, asked_too=asked_too)
    verdict = Verdict.DIFFERENT if changes else Verdict.SAME
    return Compared(verdict, before.method, before.target, side(before), side(after), changes)


def _changes(before: Account, after: Account, normal: Normal, *, asked_too: bool) -> tuple[Change, ...]:
    try:
        return differences(document(before, normal, asked_too=asked_too), document(after, normal, asked_too=asked_too))
    except RecursionError:  # what is nested too deeply to be compared is held against each other as it came
        ours, theirs = before.last.answer.raw, after.last.answer.raw
        return () if ours == theirs else (Change("", TOO_DEEP, TOO_DEEP),)


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


def _by_content(normal: Normal) -> Callable[[Account], Hashable]:
    def key(account: Account) -> Hashable:
        return account.method, account.target, _canonical(normal({"params": essence(account.method, account.params)}))

    return key


def _by_subject(account: Account) -> Hashable:
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


def _compared(before: Account | None, after: Account | None, normal: Normal) -> Compared:
    if before is not None and after is not None:
        return compare_two(before, after, normal)
    one = before or after
    assert one is not None, "a pair has a side"
    verdict = Verdict.ONLY_BEFORE if before is not None else Verdict.ONLY_AFTER
    return Compared(verdict, one.method, one.target, side(before) if before else None, side(after) if after else None)


def _compared_loose(before: Loose | None, after: Loose | None) -> Compared:
    one = before or after
    assert one is not None, "a pair has a side"
    verdict = Verdict.SAME
    if before is None or after is None:
        verdict = Verdict.ONLY_BEFORE if before is not None else Verdict.ONLY_AFTER
    who = "" if one.sender is Direction.FROM_SERVER else "by the client"
    sides = (Side(before.frame) if before else None, Side(after.frame) if after else None)
    return Compared(verdict, one.method, who, *sides, loose=True)


def _is_plainly_same(before: Account, after: Account, *, asked_too: bool) -> bool:
    """Whether two operations of one request are the same byte by byte, which most are: nothing need be decoded."""
    if len(before.sent) != 1 or len(after.sent) != 1 or before.state is not after.state:
        return False
    ours, theirs = before.sent[0], after.sent[0]
    if (ours.answer_frame is None) is not (theirs.answer_frame is None) or ours.failed is not theirs.failed:
        return False
    if len(ours.answer.raw) > _WHOLE or ours.answer.raw != theirs.answer.raw:
        return False
    beside = ("progress", "logs", "told")
    if any(getattr(before, name) != getattr(after, name) for name in beside) or before.asked or after.asked:
        return False
    if not asked_too:
        return True
    return bool(essence(before.method, before.params) == essence(after.method, after.params))
