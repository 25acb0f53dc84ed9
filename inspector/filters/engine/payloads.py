"""Nodes for payloads: bare text, the text of a message, a path into its JSON.

Payloads that a search through the bytes rules out are never parsed.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator

from inspector.capture.store.columns import BYTES_BIT, KIND_BITS, PROBE_BIT, EntryKind, MessageKind
from inspector.filters.engine.matching import Test, values_in
from inspector.filters.engine.nodes import (
    READ,
    SEARCH,
    SLOW,
    ByExchange,
    ByFlags,
    ByMethod,
    ExchangeColumns,
    Node,
    Stretch,
    both,
    either,
    ones,
    text_in,
    without,
)
from inspector.filters.language.fields import STATES, Compare, Op, Ref
from inspector.protocol.facts import Fact
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Message, read

_BACKSLASH = 0x5C
_B64 = b',"b64":"'
_BYTES = bytes(bool(flags & BYTES_BIT) for flags in range(256))
_STDERR = bytes(kind == EntryKind.STDERR for kind in range(256))
"""For these entries, no flag says whether they are text."""

_CALLS = (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.BATCH)
_KINDS_WITH = {
    "params": _CALLS,
    "args": _CALLS,
    "result": (MessageKind.RESPONSE, MessageKind.BATCH),
    "error": (MessageKind.ERROR, MessageKind.BATCH),
}
_WITH_TEXT = bytes(kind in (EntryKind.FRAME, EntryKind.STDERR) for kind in range(256))
_OTHER_FACTS = bytes(kind > EntryKind.STDERR for kind in range(256))
_PROBES = bytes(bool(flags & PROBE_BIT) for flags in range(256))
_ANSWERS = bytes((flags & KIND_BITS) in (MessageKind.RESPONSE, MessageKind.ERROR) for flags in range(256))
_SAFE = re.compile(r"[A-Za-z0-9_ .:$-]+")
"""Characters that JSON encoders never escape, except those that escape everything."""
_OF_ERRORS = frozenset("error -0123456789")
_ESCAPED_ASCII = rb"\\u00"
"""Start of an unnecessary escape sequence (of an ASCII character) in a line of the file."""


class Needle:
    """A text to search for."""

    def __init__(self, wanted: str) -> None:
        self.text = wanted.casefold()
        cases = {wanted, wanted.lower(), wanted.upper()}
        self._spellings = {spelling for case in cases for spelling in _spellings(case)}
        self._in_lines = tuple(sorted({line for spelling in self._spellings for line in _in_line(spelling)}))

    def is_in_text(self, found: str) -> bool:
        """Return whether a decoded text contains it."""
        return self.text in found.casefold()

    def is_in_bytes(self, payload: bytes) -> bool:
        """Return whether bytes contain it, with or without escapes."""
        lowered = payload.lower()
        if any(spelling in lowered for spelling in self._spellings):
            return True
        if self.text.isascii() or payload.isascii():
            return False
        return self.text in payload.decode("utf-8", "replace").casefold()

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Mark the needed entries whose payload contains it."""
        marks = bytearray(len(need))
        for index in self._found(stretch, need):
            marks[index] = 1
        return bytes(marks)

    def _found(self, stretch: Stretch, need: bytes) -> Iterator[int]:
        if not stretch.plain or (not self.text.isascii() and not stretch.window.isascii()):
            yield from (index for index in ones(need) if self.is_in_bytes(stretch.payload(index)))
            return
        for spelling in self._in_lines:
            yield from candidates(stretch, need, spelling, self.is_in_bytes)
        for index in odd_lines(stretch, need):
            if self.is_in_bytes(stretch.payload(index)):
                yield index


def candidates(
    stretch: Stretch, need: bytes, spelling: bytes, is_in_bytes: Callable[[bytes], bool], *, exact: bool = False
) -> Iterator[int]:
    """Yield the needed entries whose payload contains a spelling; case-sensitive if `exact`.

    If the match may be part of an escape sequence, `is_in_bytes` decides.
    """
    has_cases = not exact and spelling.upper() != spelling
    window = stretch.lowered if has_cases else stretch.window
    find, size = window.find, len(spelling)
    at, index = find(spelling), 0
    if at < 0:
        return
    starts, lengths = stretch.starts, stretch.columns.lengths
    while at >= 0:
        index = bisect_right(starts, at, index) - 1
        start = starts[index]
        end = start + lengths[index]
        if at >= end or not need[index]:  # another record, such as a checksum or a mark, may follow a line
            at = find(spelling, max(end, at + 1))
            continue
        begin, close = text_in(window, start, end, at + size)
        if begin > at:
            at = find(spelling, begin)
            continue
        if (at + size <= close and _stands_alone(window, at)) or is_in_bytes(stretch.payload(index)):
            yield index
        at = find(spelling, end)


def odd_lines(stretch: Stretch, need: bytes) -> Iterator[int]:
    """Yield the needed entries with binary payload, which is encoded in the file."""
    odd = both(need, stretch.columns.flags.translate(_BYTES))
    text = both(need, stretch.columns.kinds.translate(_STDERR))
    return ones(either(odd, _as_bytes(stretch, text)) if 1 in text else odd)


def _as_bytes(stretch: Stretch, need: bytes) -> bytes:
    marks, window = bytearray(len(need)), stretch.window
    at = window.find(_B64)
    while at >= 0:
        index = stretch.at(at)
        end = stretch.end(index)
        marks[index] = need[index] if at < end else 0
        at = window.find(_B64, max(end, at + 1))
    return bytes(marks)


def _stands_alone(window: bytes, at: int) -> bool:
    """Return whether the match does not begin within an escape sequence, such as the n of a newline."""
    return window[at - 1] != _BACKSLASH and window.find(b"\\u", at - 5, at) < 0


def _spellings(wanted: str) -> tuple[bytes, bytes, bytes]:
    quoted = json.dumps(wanted, ensure_ascii=False)[1:-1]
    return (
        wanted.encode("utf-8", "surrogatepass").lower(),
        quoted.encode("utf-8", "surrogatepass").lower(),
        json.dumps(wanted)[1:-1].encode().lower(),
    )


def _in_line(spelling: bytes) -> set[bytes]:
    try:
        text = spelling.decode()
    except UnicodeDecodeError:
        return set()  # a payload with such bytes is binary, and not in its line as text
    return {json.dumps(text, ensure_ascii=False)[1:-1].encode().lower(), json.dumps(text)[1:-1].encode().lower()}


class TextSearch:
    """Bare text: in the method, the target or the state shown in a row, or anywhere in the payload."""

    cost = SEARCH

    def __init__(self, text: str, exchanges: ExchangeColumns, say: Callable[[Fact], str]) -> None:
        """Create a node; `say` formats a fact as it is shown."""
        self.needle = Needle(text)
        self._say = say
        seen = self.needle.is_in_text
        method, target = (exchanges.text_test(name, seen) for name in ("method", "target"))
        self._names: list[Node] = [ByMethod(seen, method), ByExchange(target)]
        if any(seen(_state_text(state)) for state in STATES):
            self._names.append(ByExchange(exchanges.text_test("status", lambda state: seen(_state_text(state)))))
        if set(self.needle.text) <= _OF_ERRORS:
            self._names.append(ByExchange(exchanges.number_test("error.code", lambda code: seen(f"error {code}"))))
        if seen("probe"):
            self._names.append(ByFlags(flags=_PROBES))
        if seen("stderr"):
            self._names.append(ByFlags(kinds=_STDERR))

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Test the names first, then search the payloads of the remaining entries."""
        found = bytes(len(need))
        for part in self._names:
            found = either(found, part.mark(stretch, without(need, found)))
        need = without(need, found)
        bare = both(need, stretch.columns.kinds.translate(_WITH_TEXT))
        if 1 in bare:
            found = either(found, self.needle.mark(stretch, bare))
        facts = both(need, stretch.columns.kinds.translate(_OTHER_FACTS))
        return either(found, self._in_facts(stretch, facts)) if 1 in facts else found

    def _in_facts(self, stretch: Stretch, need: bytes) -> bytes:
        marks = bytearray(len(need))
        for index in ones(need):
            marks[index] = self._contains(stretch, index)
        return bytes(marks)

    def _contains(self, stretch: Stretch, index: int) -> bool:
        what = stretch.store.entry(stretch.first + index).what
        return not isinstance(what, Frame) and self.needle.is_in_text(self._say(what))


def _state_text(state: str) -> str:
    return state.replace("-", " ")


class InText:
    """The payload as text, for frames and stderr."""

    def __init__(self, test: Test, compare: Compare | None) -> None:
        """Create a node; `compare` is the origin of the test, None if it only tests for presence."""
        self._test = test
        contains = compare is not None and compare.op is Op.CONTAINS
        self._needle = Needle(str(compare.values[0])) if contains and compare is not None else None
        self.cost = SEARCH if self._needle is not None else SLOW

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Search the bytes if that is sufficient; otherwise test each text."""
        need = both(need, stretch.columns.kinds.translate(_WITH_TEXT))
        if 1 not in need:
            return need
        if self._needle is not None:
            return self._needle.mark(stretch, need)
        marks = bytearray(len(need))
        for index in ones(need):
            marks[index] = self._test(stretch.payload(index).decode("utf-8", "replace"))
        return bytes(marks)


class InJson:
    """A path into params, arguments, result or error."""

    cost = READ

    def __init__(self, ref: Ref, test: Test, literal: bytes | None) -> None:
        """Create a node; `literal` is contained in each matching line, possibly escaped. None: unknown."""
        self._ref = ref
        self._test = test
        self._literal = literal
        kinds = _KINDS_WITH[ref.name]
        self._flags = bytes((flags & KIND_BITS) in kinds for flags in range(256))

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Parse the payloads that the bytes do not rule out."""
        need = both(need, stretch.columns.flags.translate(self._flags))
        marks = bytearray(len(need))
        if 1 in need:
            for index in self._possible(stretch, need):
                marks[index] = self._holds(stretch.payload(index))
        return bytes(marks)

    def _possible(self, stretch: Stretch, need: bytes) -> Iterator[int]:
        if self._literal is None or not stretch.plain:
            yield from ones(need)
            return
        yield from candidates(stretch, need, self._literal, _maybe, exact=True)
        if _ESCAPED_ASCII in stretch.window:
            yield from candidates(stretch, need, _ESCAPED_ASCII, _maybe, exact=True)
        yield from odd_lines(stretch, need)

    def _holds(self, payload: bytes) -> bool:
        return any(self._test(each) for message in read(payload) for each in values_in(message, self._ref))


def _maybe(payload: bytes) -> bool:
    """Accept every candidate: it is parsed later anyway."""
    return True


def literal_of(ref: Ref, compare: Compare | None) -> bytes | None:
    """Return bytes that every matching line contains, from the path or the compared text. None if there are none."""
    texts = [step for step in ref.path if isinstance(step, str)]
    if compare is not None and compare.op is Op.EQ and isinstance(compare.values[0], str):
        texts.append(compare.values[0])
    runs = [run for text in texts for run in _SAFE.findall(text)]
    return max(runs, key=len).encode() if runs else None


class InMessages:
    """The contents of responses that belong to no exchange."""

    cost = READ

    def __init__(self, test: Callable[[Message], bool]) -> None:
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Read each response without an exchange."""
        need = both(need, stretch.columns.flags.translate(_ANSWERS))
        marks = bytearray(len(need))
        for index in ones(need):
            if not stretch.columns.exchanges[index]:
                marks[index] = any(map(self._test, read(stretch.payload(index))))
        return bytes(marks)
