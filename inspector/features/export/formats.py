"""The export formats: what each contains, what it loses, and its writer.

The module of a format is imported when it is first used.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import msgspec

from inspector.errors import UsageError
from inspector.features.export.selection import Selection

_ROWS = [row.split("\t") for row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]]


class Format(msgspec.Struct, frozen=True):
    """An export format."""

    label: str
    """Name in a list of formats."""
    place: str
    """Module and function; the function takes a selection and yields chunks of the file."""
    says: str
    """What the format contains, as half a sentence."""
    loses: str
    """What the format loses; "" if nothing important."""
    empty: str
    """Error message for a capture without anything that the format can contain."""
    ending: str
    """File name extension."""
    notes: bool
    """Whether the format can hold marks, comments and the remark."""


FORMATS = {
    name: Format(label, place, contents, loses, empty, ending, notes == "true")
    for name, label, place, contents, loses, empty, ending, notes in _ROWS
}


def demand_place_for_notes(name: str) -> None:
    """Raise a UsageError if a format can't hold notes."""
    if not FORMATS[name].notes:
        able = ", ".join(each for each, known in FORMATS.items() if known.notes)
        raise UsageError(f"{name} has no place for notes", hint=f"These have: {able}.")


def pieces(name: str, selection: Selection) -> Iterator[bytes]:
    """Yield the export in chunks. Raises: UsageError if the capture has nothing that the format can contain."""
    known = FORMATS[name]
    module, _, function = known.place.partition(":")
    write: Callable[[Selection], Iterator[bytes]] = getattr(import_module(module), function)
    found = write(selection)
    first = next(found, None)
    if first is None:
        raise UsageError(f"nothing of the capture can be written as {name}", hint=known.empty)
    return _after(first, found)


def _after(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
