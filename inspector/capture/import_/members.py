"""What stands in a JSON object of another program: its members as written, each read as what is expected there.

Nothing is raised: what is not there, or is something else, is nothing.
"""

from datetime import datetime
from typing import Any

import msgspec

LATEST = 2**62
"""Nanoseconds: beyond it a time is none."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class Members(dict[str, msgspec.Raw]):
    """The members of an object by their names."""

    def value(self, name: str) -> Any:
        """The value of a member; None if it is not there."""
        return value(self[name]) if name in self else None

    def text(self, name: str) -> str:
        """The same where a string is expected; "" for anything else."""
        found = self.value(name)
        return found if isinstance(found, str) else ""

    def words(self, name: str) -> tuple[str, ...]:
        """The strings of a list; of anything else none."""
        found = self.value(name)
        return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()

    def moment(self, name: str) -> int | None:
        """Nanoseconds since 1970 of a time; None if it is none."""
        return moment(self.value(name))

    def exact(self, name: str) -> bytes:
        """The bytes of a member."""
        return bytes(self[name]) if name in self else b""

    def inner(self, name: str) -> "Members":
        """The members of an object in it; none of anything else."""
        return (members(self[name]) if name in self else None) or Members()


def value(written: bytes | msgspec.Raw) -> Any:
    """Any value, from how it was written; None if that is no JSON."""
    try:
        return msgspec.json.decode(written)
    except _UNREADABLE:
        return None


def members(line: bytes | msgspec.Raw) -> Members | None:
    """The members of a JSON object; None for anything else."""
    try:
        return Members(_decode(line))
    except _UNREADABLE:
        return None


def moment(said: object) -> int | None:
    """Nanoseconds since 1970 of an ISO time, local if it has no zone, or of (milli)seconds; None if it is none."""
    if isinstance(said, bool):
        return None
    if isinstance(said, int | float):
        return _checked(said * (1_000_000 if abs(said) > 1e11 else 1_000_000_000))
    if not isinstance(said, str):
        return None
    whole, _, rest = said.strip().partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    fraction, zone = rest[:digits], rest[digits:]
    try:
        date = datetime.fromisoformat(whole + zone)
        seconds = int((date if date.tzinfo is not None else date.astimezone()).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return _checked(seconds * 1_000_000_000 + int(fraction[:9].ljust(9, "0") or "0"))


def _checked(nanoseconds: float) -> int | None:
    return round(nanoseconds) if -LATEST < nanoseconds < LATEST else None


def first_members(start: bytes) -> Members:
    """The members of the object on the first line; none if that is no object."""
    for line in start.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip():
            return members(line) or Members()
    return Members()
