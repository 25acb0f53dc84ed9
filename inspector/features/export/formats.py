"""The export formats: what each contains, what it loses, and its writer.

The module of a format is imported when it is first used.
"""

from collections.abc import Callable, Iterator
from importlib import import_module

import msgspec

from inspector.errors import UsageError
from inspector.features.export.selection import Selection


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
    empty: str = ""
    """Error message for a capture without anything that the format can contain."""
    ending: str = ".txt"
    """File name extension."""
    notes: bool = False
    """Whether the format can hold marks, comments and the remark."""


FORMATS = {
    "har": Format(
        "HAR",
        "inspector.features.export.http:document",
        "HAR 1.2",
        "stderr and what became of the process",
        ending=".har",
        notes=True,
    ),
    "markdown": Format(
        "Markdown",
        "inspector.features.export.markdown:report",
        "a report to read",
        "most payloads",
        ending=".md",
        notes=True,
    ),
    "jsonrpc": Format(
        "JSON-RPC lines",
        "inspector.features.export.http:lines",
        "a JSON-RPC message a line, as it crossed",
        "times, directions and invalid messages",
        "it has no JSON-RPC messages",
        ".jsonl",
    ),
    "curl": Format(
        "curl",
        "inspector.features.export.http:commands",
        "the HTTP requests as curl commands",
        "answers",
        "it has no HTTP requests: --to python makes its calls again, --to jsonrpc has its messages",
        ".sh",
    ),
    "html": Format(
        "HTML",
        "inspector.features.export.html:page",
        "a page for a browser, without a network",
        "waits and findings",
        ending=".html",
        notes=True,
    ),
    "otlp": Format(
        "OpenTelemetry spans",
        "inspector.features.export.otlp:lines",
        "OpenTelemetry spans, OTLP/HTTP JSON lines",
        "arguments, results, stderr and session ids",
        "it has no requests",
        ".jsonl",
    ),
    "python": Format(
        "Python",
        "inspector.features.export.python:script",
        "a script that makes the calls again",
        "answers",
        ending=".py",
    ),
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
