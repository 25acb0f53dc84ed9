"""Exports of a conversation: formats, and how each is made from a journal or a file, on a thread.

Each does the same as the command of its name: `export`, `share`, `surface`, `promote`, `diff`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from inspector.capture.compare.operations import accounts
from inspector.capture.format.notes import NotesFile
from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.cases.file import add_cases, beside
from inspector.features.cases.making import promoted
from inspector.features.export.formats import FORMATS, pieces
from inspector.features.export.selection import Selection, to_file
from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lines import diff_lines, summary
from inspector.features.lock.lock_file import ServerDefinitions, definitions_of, read_lock_file, save
from inspector.present.spans import Line, plain, span
from inspector.text import human_size
from inspector.tui.panels import ExportScope


class Share(Protocol):
    """Copies a capture without its secrets, and returns lines that report what was done."""

    def __call__(self, capture: Path, out: Path, /, *, notes: bool, overwrite: bool) -> list[str]:
        """Raises: InspectError."""


class ExportTarget(msgspec.Struct, frozen=True):
    """An export format."""

    id: str
    label: str
    says: str
    ending: str
    """Ending of the file name."""
    notes: bool = False
    """Whether it can include notes."""
    whole: bool = False
    """Whether it always exports everything."""
    adds: bool = False
    """Whether it adds to an existing file."""
    reads: bool = False
    """Whether it reads the file and writes nothing."""


TARGETS = (
    *(ExportTarget(name, each.label, each.says, each.ending, each.notes) for name, each in FORMATS.items()),
    ExportTarget("share", "Share", "a copy with secrets removed", ".shared.mcpcap", notes=True, whole=True),
    ExportTarget("surface", "Lock file", "server definitions, to commit and compare", ".surface.json", whole=True),
    ExportTarget("cases", "Test cases", "the calls as test cases, added to the file", ".cases.yaml", adds=True),
    ExportTarget("compare", "Compare", "server definitions with a lock file", ".surface.json", whole=True, reads=True),
)


class ExportSource(msgspec.Struct, frozen=True):
    stem: str
    """Stem for file names, with safe characters only."""
    path: Path | None
    """Capture file; None if there is none."""
    journal: Journal | None = None
    """Open journal; None: the capture file is loaded."""
    scopes: tuple[ExportScope, ...] = ()
    """Scopes that can be chosen instead of everything."""
    share: Share | None = None


class ExportRequest(msgspec.Struct, frozen=True):
    """The user's choices for an export."""

    way: ExportTarget
    path: Path
    scope: ExportScope | None = None
    """None for everything."""
    notes: bool = False
    overwrite: bool = False


class ExportResult(msgspec.Struct, frozen=True):
    message: str
    """Message, which may quote file names."""
    lines: tuple[Line, ...] = ()
    """Additional lines; () if the message says everything."""


def proposed(way: ExportTarget, source: ExportSource) -> Path:
    """Return the proposed path: in the working directory; for test cases beside the capture."""
    if way.id == "cases" and source.path is not None:
        return beside(source.path).absolute()
    return Path.cwd() / (source.stem + way.ending)


def make(request: ExportRequest, source: ExportSource) -> ExportResult:
    """Make an export. May take long for a large capture.

    Raises: FileExistsError if the file exists and must not be overwritten; InspectError if the export fails.
    """
    writes = not request.way.adds and not request.way.reads
    if writes and not request.overwrite and (request.path.is_symlink() or request.path.exists()):
        raise FileExistsError(request.path)
    if writes and source.path is not None and _is_same(request.path, source.path):
        raise UsageError(f"{_called(request.path)} is the open capture", hint="Name another file.")
    if request.way.id == "share":
        return _shared(request, source)
    with _journal(source) as journal:
        export: Callable[[ExportRequest, Journal], ExportResult] = _OTHERS.get(request.way.id, _exported)
        return export(request, journal)


def _is_same(path: Path, capture: Path) -> bool:
    return path.exists() and capture.exists() and path.samefile(capture)


@contextmanager
def _journal(source: ExportSource) -> Iterator[Journal]:
    if source.journal is not None:
        yield source.journal
        return
    assert source.path is not None, "the file exists"
    journal = load(source.path)
    try:
        yield journal
    finally:
        journal.close()


def _exported(request: ExportRequest, journal: Journal) -> ExportResult:
    chosen = request.scope.found() if request.scope is not None else range(1, journal.count + 1)
    notes = NotesFile(journal.capture_path, journal.head.id).read() if request.notes and request.way.notes else None
    selection = Selection(journal, chosen, notes=notes)
    size = to_file(request.path, pieces(request.way.id, selection), overwrite=request.overwrite)
    message = f"Written to {_called(request.path)}: {len(chosen):,} entries, {human_size(size)}. "
    message += "Credentials in headers and URLs are masked; messages are not changed. "
    if selection.left_out:
        message += f"Left out (not in this format): {selection.left_out:,}. "
    return ExportResult(f"{message}Not included: {FORMATS[request.way.id].loses}.")


def _shared(request: ExportRequest, source: ExportSource) -> ExportResult:
    if source.path is None:
        raise UsageError("this session is not recorded", hint="Record it next time.")
    if source.share is None:
        raise UsageError("sharing is not available here", hint="mcp-inspect share does it.")
    lines = source.share(source.path, request.path, notes=request.notes, overwrite=request.overwrite)
    head, rest = lines[0], lines[1:]
    return ExportResult(
        f"Written to {_called(request.path)}: {head}.", tuple((span(each, limit=400),) for each in (head, *rest))
    )


def _surface(request: ExportRequest, journal: Journal) -> ExportResult:
    surface = _definitions_of(journal)
    save(request.path, surface)
    counts = ", ".join(f"{len(items):,} {kind}" for kind, items in surface.lists.items() if items)
    return ExportResult(f"Written to {_called(request.path)}: {counts or 'no lists'}.")


def _definitions_of(journal: Journal) -> ServerDefinitions:
    surface = definitions_of(journal.conversation)
    if not surface.is_known:
        raise UsageError("no server definitions", hint="No handshake and no list in the capture.")
    return surface


def _cases(request: ExportRequest, journal: Journal) -> ExportResult:
    chosen = set(request.scope.found()) if request.scope is not None else None
    cases = promoted(accounts(journal).operations, chosen)
    if not cases:
        raise UsageError("no request can become a test case", hint="A test case needs a response.")
    opening = journal.conversation.opening
    count = add_cases(request.path, cases, opening.revision.date if opening is not None else "")
    added = "1 test case" if len(cases) == 1 else f"{len(cases):,} test cases"
    return ExportResult(f"{added} added, {count:,} in the file. Run: mcp-inspect test {_called(request.path)} TARGET")


def _compared(request: ExportRequest, journal: Journal) -> ExportResult:
    before, odd = read_lock_file(request.path)
    diff = compare_definitions(before, _definitions_of(journal))
    lines = [*((span(message, "warning"),) for message in odd), *diff_lines(diff, request.path.name, "this session")]
    return ExportResult(plain(summary(diff)), tuple(lines))


def _called(path: Path) -> str:
    """Return the file name; the whole path if the file is not in the working directory."""
    return path.name if path.parent == Path.cwd() else str(path)


_OTHERS = {"surface": _surface, "cases": _cases, "compare": _compared}
