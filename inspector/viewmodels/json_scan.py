"""JSON indented by a scanner of our own: for what the fast one refuses although a reader wants to walk through it.

It takes what others write and the grammar forbids (NaN, Infinity, a byte order mark) and any depth, keeps each token
as it came, and tells what it put up with. What is no JSON for another reason is refused, with the byte at which.
"""

import re
from collections.abc import Iterator

import msgspec

LARGEST = 4_000_000
"""Bytes: each token costs a microsecond or so."""
DEEPEST = 2_500
"""Beyond, indentation alone would fill the memory."""
BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'[ \t\r\n]*+("(?:[^"\\\n]++|\\[^\n])*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++)', re.DOTALL)
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\.', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_SURROGATE = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = frozenset((b"true", b"false", b"null"))
_FOREIGN = frozenset((b"NaN", b"Infinity", b"-Infinity"))
_VALUE, _FIRST, _KEY, _FIRST_KEY, _COLON, _AFTER = range(6)
"""What may come next: a value; a value or the end of the array; a key; a key or the end of the object; and so on."""
_WANTED = ("a value", "a value or ]", "a key", "a key or }", "a colon", "a comma or the end of what is open")


class Scanned(msgspec.Struct, frozen=True):
    """Indented JSON."""

    text: bytes
    notes: tuple[str, ...]
    """What the grammar forbids and was put up with, each in some words."""


class ScanError(ValueError):
    """It is no JSON; says at which byte."""


def scan(raw: bytes) -> Scanned:
    """Indent JSON by two spaces. Raises: ScanError."""
    if len(raw) > LARGEST:
        raise ScanError(f"it is larger than {LARGEST // 1_000_000} MB")
    scanner = _Scanner(raw)
    text = b"".join(scanner.pieces())
    return Scanned(text, tuple(sorted(scanner.notes)))


class _Scanner:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.notes: set[str] = set()
        self._open: list[bytes] = []
        """The closing brackets that are due."""
        self._next = _VALUE

    def pieces(self) -> Iterator[bytes]:
        """The parts of the indented text."""
        at = 0
        if self._raw.startswith(BOM):
            self.notes.add("a byte order mark before it")
            at = len(BOM)
        end = len(self._raw.rstrip(b" \t\r\n"))
        while at < end:
            found = _TOKEN.match(self._raw, at, end)
            if found is None:
                raise ScanError(f"a string without an end begins at byte {at}")
            if self._next == _AFTER and not self._open:
                raise ScanError(f"something follows its end, at byte {found.start(1)}")
            yield self._take(found.group(1), found.start(1))
            at = found.end()
        if self._open or self._next != _AFTER:
            raise ScanError(f"it ends at byte {end}, where {_WANTED[self._next]} is due")

    def _take(self, token: bytes, at: int) -> bytes:
        before, wanted = self._margin(), self._next
        if token in (b"]", b"}"):
            return self._close(token, at)
        if token in (b"[", b"{") and wanted in (_VALUE, _FIRST):
            if len(self._open) >= DEEPEST:
                raise ScanError(f"it is nested deeper than {DEEPEST:,}")
            self._open.append(b"]" if token == b"[" else b"}")
            self._next = _FIRST if token == b"[" else _FIRST_KEY
            return before + token
        if token == b"," and wanted == _AFTER and self._open:
            self._next = _VALUE if self._open[-1] == b"]" else _KEY
            return b","
        if token == b":" and wanted == _COLON:
            self._next = _VALUE
            return b": "
        if token[:1] == b'"' and wanted in (_KEY, _FIRST_KEY):
            self._look_into(token)
            self._next = _COLON
            return before + token
        if wanted in (_VALUE, _FIRST) and self._is_scalar(token):
            self._next = _AFTER
            return before + token
        raise self._unexpected(at)

    def _close(self, token: bytes, at: int) -> bytes:
        if not self._open or self._open[-1] != token or self._next not in (_AFTER, _FIRST, _FIRST_KEY):
            raise self._unexpected(at)
        empty = self._next != _AFTER
        self._open.pop()
        self._next = _AFTER
        return token if empty else b"\n" + b"  " * len(self._open) + token

    def _margin(self) -> bytes:
        """What stands before a key or an element: its own line; nothing before a member's value."""
        on_its_own = self._next in (_FIRST, _KEY, _FIRST_KEY) or (self._next == _VALUE and self._open[-1:] == [b"]"])
        return b"\n" + b"  " * len(self._open) if on_its_own else b""

    def _look_into(self, string: bytes) -> None:
        """Note what JSON forbids within a string."""
        if _CONTROL.search(string):
            self.notes.add("control characters in a string")
        if b"\\" in string:
            if any(len(found) == 2 and found[1] not in b'"\\/bfnrt' for found in _ESCAPE.findall(string)):
                self.notes.add("an escape that JSON does not know")
            if _SURROGATE.search(string):
                self.notes.add("half of a surrogate pair")

    def _is_scalar(self, token: bytes) -> bool:
        if token[:1] == b'"':
            self._look_into(token)
            return True
        if token in _WORDS or _NUMBER.fullmatch(token):
            return True
        if token in _FOREIGN:
            self.notes.add(f"{token.decode()}, which JSON does not know")
            return True
        return False

    def _unexpected(self, at: int) -> ScanError:
        return ScanError(f"{_WANTED[self._next]} is due at byte {at}")
