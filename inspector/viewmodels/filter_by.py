"""Filters made from what is chosen: a row of the list, or a place in a payload. What is shown becomes a test."""

import re

import msgspec

from inspector.capture.filters.fields import ROOTS
from inspector.capture.filters.normal import describe
from inspector.capture.filters.parse import parse
from inspector.capture.filters.terms import And, Compare, Has, Op, Or, Ref, Step, Term
from inspector.capture.journal import Journal
from inspector.capture.store import EntryKind, MessageKind
from inspector.errors import FilterError

_LONGEST = 200
"""Characters of a text that is compared as a whole; of a longer one, its beginning is looked for."""
_STEP = re.compile(r'\.?([^.\[\]"]+)|\[(\d+)\]|\[?("(?:[^"\\]|\\.)*")\]?')
_FIELDS_OF_TARGETS = (("tools/call", "tool"), ("prompts/get", "prompt"), ("resources/", "uri"))


def row_test(journal: Journal, n: int) -> Term | None:
    """What tells entry n from others: its tool, prompt, uri or method; the kind of what has none of these."""
    store, kind = journal.store, journal.store.message_kind(n)
    if store.kind(n) is not EntryKind.FRAME:
        return Compare(Ref("kind"), Op.EQ, (store.kind(n).name.lower(),))
    number = store.exchange(n)
    if number and kind is not MessageKind.NOTIFICATION:
        exchange = journal.conversation.exchanges[number - 1]
        for begins, name in _FIELDS_OF_TARGETS:
            if exchange.method.startswith(begins) and exchange.target:
                return Compare(Ref(name), Op.EQ, (exchange.target,))
        return Compare(Ref("method"), Op.EQ, (exchange.method,))
    if method := store.method(n):
        return Compare(Ref("method"), Op.EQ, (method,))
    return Compare(Ref("kind"), Op.EQ, (kind.name.lower(),)) if kind is not MessageKind.NONE else None


def path_test(path: str, value: bytes) -> Term | None:
    """What a place in a message asks for: its value, or where that is an object or an array, that there is one.

    `path` as the view of a payload writes it; `value` as JSON. None for what no filter asks about.
    """
    ref = ref_of_path(path)
    if ref is None:
        return None
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    if isinstance(found, dict | list):
        return Has(ref) if ref.path or ref.name in ROOTS else None
    if isinstance(found, str) and len(found) > _LONGEST:
        return Compare(ref, Op.CONTAINS, (found[:_LONGEST],))
    return Compare(ref, Op.EQ, (found,))


def ref_of_path(path: str) -> Ref | None:
    """The field that is at a place of a message; None if there is none."""
    steps = _steps(path)
    if not steps:
        return None
    head, *rest = steps
    if steps in (["id"], ["method"]):
        return Ref(str(head))
    if steps == ["error", "code"]:
        return Ref("error.code")
    if steps[:2] == ["params", "arguments"]:
        return Ref("args", tuple(steps[2:]))
    return Ref(head, tuple(rest)) if isinstance(head, str) and head in ("params", "result", "error") else None


def _steps(path: str) -> list[Step]:
    found: list[Step] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or step.end() == at:
            return []
        name, position, in_quotes = step.groups()
        found.append(name if name is not None else int(position) if position else _unquoted(in_quotes))
        at = step.end()
    return found


def _unquoted(text: str) -> str:
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogatepass"), type=str)
    except (msgspec.MsgspecError, UnicodeError):
        return text[1:-1]


def combined(text: str, test: Term, how: str) -> str:
    """A filter's text with a test added: "and" (also this), "only" (nothing else), "not" (not this)."""
    said = describe(test)
    if how == "only":
        return said
    added = f"not {said}" if how == "not" else said
    before = text.strip()
    if not before:
        return added
    try:
        term = parse(before)
    except FilterError:
        return added
    if term is not None and any(describe(each) == added for each in (term.terms if isinstance(term, And) else (term,))):
        return before
    return f"({before}) and {added}" if isinstance(term, Or) else f"{before} and {added}"
