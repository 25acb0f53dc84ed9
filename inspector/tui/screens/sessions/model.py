"""Recorded captures as rows: server, start, duration, size, state and notes."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from inspector import text
from inspector.capture.automatic import Summary
from inspector.capture.compare.differences import Compared, Comparison, OperationPlace, OperationVerdict
from inspector.documents import UNDECODABLE
from inspector.present import spans as signs
from inspector.present.changes.captures import Names, title
from inspector.present.changes.reads import change_lines
from inspector.present.changes.sides import shown
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Line, Role, Span, lay, span
from inspector.protocol.changes import ABSENT, MOST, JsonChange

_DIVIDER = " │ "
_SIGNS: dict[OperationVerdict, tuple[str, Role]] = {
    OperationVerdict.SAME: ("  ", "faint"),
    OperationVerdict.DIFFERENT: ("≠ ", "warning"),
    OperationVerdict.ONLY_BEFORE: ("− ", "removed"),
    OperationVerdict.ONLY_AFTER: ("+ ", "added"),
}
_LONGEST = 2000
"""Maximum characters of a value in a row."""

_WHOLE = 1_000_000
"""Maximum characters of a value shown in full."""

_MOST = 5000
"""Maximum lines of a value without counterpart."""

_DAY_S = 86_400
_COLUMNS = ((19, "Start"), (9, "Duration"), (9, "Entries"), (7, "Errors"), (9, "Size"))


class _Row(msgspec.Struct, frozen=True):
    compared: Compared
    change: JsonChange | None = None
    """Difference within the operation; None for the row of the operation itself."""
    more: bool = False
    """Whether the row stands for differences that are not listed."""


class CompareRows(RowSource):
    """All operations of a comparison, each followed by its differences."""

    def __init__(self, found: Comparison, names: Names) -> None:
        self._names = names
        self._rows: list[_Row] = []
        for compared in found.rows:
            self._rows.append(_Row(compared))
            changes = compared.changes
            self._rows += [_Row(compared, change) for change in changes[:MOST]]
            if len(changes) > MOST:
                self._rows.append(_Row(compared, more=True))
        self.differences = [
            at
            for at, row in enumerate(self._rows)
            if row.change is None and not row.more and row.compared.verdict is not OperationVerdict.SAME
        ]
        """Row indexes of the operations that differ."""

    @property
    def count(self) -> int:
        return len(self._rows)

    def next(self, index: int, *, back: bool = False) -> int | None:
        """Return the row of the next or previous operation that differs; None if there is none."""
        if back:
            return next((at for at in reversed(self.differences) if at < index), None)
        return next((at for at in self.differences if at > index), None)

    def row(self, index: int, width: int) -> RowView:
        """Return both sides with a divider."""
        row = self._rows[index]
        half = max(0, (width - len(_DIVIDER)) // 2)
        more: list[Span] = [("    and more", "muted")]
        left, right = (
            ((more, more) if row.more else _place(row.change)) if row.change or row.more else _heads(row.compared)
        )
        return RowView([*lay(left, half), (_DIVIDER, "faint"), *lay(right, width - half - len(_DIVIDER))])

    def header(self, width: int) -> Sequence[Span]:
        """Return the names of both sides."""
        half = max(0, (width - len(_DIVIDER)) // 2)
        left, right = (lay([span(name, "title")], half) for name in (self._names.before, self._names.after))
        return [*left, (_DIVIDER, "faint"), *right]

    def about(self, index: int) -> Line:
        """Describe the selected row: a difference by its path, an operation by title and verdict."""
        if not 0 <= index < len(self._rows):
            return ()
        row = self._rows[index]
        if row.change is not None:
            return (span(row.change.path or "(root)", "key"),)
        return (*title(row.compared), (f"  {row.compared.verdict}", "muted"))

    def values(self, index: int) -> tuple[str, str] | None:
        """Return both values of a difference in full, as JSON that is not safe to show; None for any other row."""
        change = self._rows[index].change if 0 <= index < len(self._rows) else None
        return None if change is None else (shown(change.before, _WHOLE), shown(change.after, _WHOLE))

    def entries(self, index: int) -> tuple[int, int]:
        """Return the entry numbers of the operation on both sides; 0 where it is missing."""
        compared = self._rows[index].compared
        return tuple(side.frame if side is not None else 0 for side in (compared.before, compared.after))  # type: ignore[return-value]


class CaptureSummary(msgspec.Struct, frozen=True):
    path: Path
    summary: Summary | None = None
    """None until it has been read."""
    remark: str = ""
    """The user's note; not safe to show."""
    marks: int = 0
    here: bool = False
    """Whether a tab has it open or records to it."""
    compared: bool = False
    """Whether it is selected for a comparison."""


def _heads(row: Compared) -> tuple[list[Span], list[Span]]:
    sign, role = _SIGNS[row.verdict]
    return [(sign, role), *_head(row, row.before)], [(sign, role), *_head(row, row.after)]


def _head(row: Compared, side: OperationPlace | None) -> list[Span]:
    if side is None:
        return [span(row.why, "muted")] if row.why else []
    took = "" if side.duration_ns is None else f"  {side.duration_ns / 1e6:,.1f} ms"
    return [*title(row), (f"  #{side.frame}{took}", "faint")]


def _place(change: JsonChange | None) -> tuple[list[Span], list[Span]]:
    assert change is not None, "a row of a place has one"
    last = change.path.rpartition(".")[2] or "(root)"
    sides: list[list[Span]] = []
    for value, role in ((change.before, "removed"), (change.after, "added")):
        if value is ABSENT:
            sides.append([("    ", "text"), span(last, "faint", limit=80), ("  nothing", "faint")])
        else:
            known: Role = "removed" if role == "removed" else "added"
            sides.append(
                [("    ", "text"), span(last, "key", limit=80), ("  ", "text"), span(shown(value, _LONGEST), known)]
            )
    return sides[0], sides[1]


# Line-by-line diff of two JSON values, with differing words in brackets


def value_lines(before: str, after: str) -> list[Line]:
    """Return the diff of two values given as JSON, which need not be safe to show; "" for a missing one."""
    if not before or not after:
        return [*_alone("before", "- ", before, "removed"), *_alone("after", "+ ", after, "added")]
    sides = [{"contents": [{"uri": "value", "text": _spread(text)}]} if text else {} for text in (before, after)]
    return change_lines(*sides)[1:]


def _alone(when: str, sign: str, value: str, role: Role) -> list[Line]:
    """Return all lines of a value without counterpart, or a line that says it is missing."""
    if not value:
        return [((f"  {when}: missing", "muted"),)]
    several = _spread(value).splitlines() or [""]
    lines: list[Line] = [((sign, role), span(line, role)) for line in several[:_MOST]]
    if len(several) > _MOST:
        lines.append(((f"{sign}and {len(several) - _MOST:,} lines more", role),))
    return lines


def _spread(text: str) -> str:
    """Return indented JSON; for a JSON string, its text."""
    try:
        value = msgspec.json.decode(text)
        return value if isinstance(value, str) else msgspec.json.format(text, indent=2)
    except UNDECODABLE:
        return text


class SessionRows(RowSource):
    """Rows of captures, newest first."""

    def __init__(self) -> None:
        self._sessions: Sequence[CaptureSummary] = ()

    def show(self, sessions: Sequence[CaptureSummary]) -> None:
        if [*sessions] != [*self._sessions]:
            self._sessions = sessions
            self._generation += 1

    @property
    def count(self) -> int:
        return len(self._sessions)

    def session(self, index: int) -> CaptureSummary | None:
        """Return the capture in a row; None if there is none."""
        return self._sessions[index] if 0 <= index < len(self._sessions) else None

    def header(self, width: int) -> Sequence[Span]:
        titles = "".join(f"{column:<{cells}}" for cells, column in _shown(width))
        return lay([(f"   {titles}{'State':<15}Server and note", "muted")], width)

    def row(self, index: int, width: int) -> RowView:
        session = self._sessions[index]
        found = session.summary
        sign: Span = (f" {signs.CONNECTED} " if session.here else "   ", "accent")
        if session.compared:
            sign = (f" {signs.EVENT} ", "warning")
        if found is None:
            name = text.visible(session.path.name, limit=200)
            return RowView(lay([sign, (f"{signs.PENDING} ", "pending"), (name, "muted")], width))
        cells = {
            "Start": _when(found.started_ns),
            "Duration": text.human_duration(found.lasted_ns),
            "Entries": "" if found.entries is None else f"{found.entries:,}",
            "Errors": "" if found.errors is None else f"{signs.ERROR} {found.errors:,}" if found.errors else "none",
            "Size": text.human_size(found.size),
        }
        spans: list[Span] = [sign]
        for wide, column in _shown(width):
            role = "error" if column == "Errors" and found.errors else "muted"
            spans.append((text.pad(cells[column], wide), role))  # type: ignore[arg-type]
        ended, role_of_end = _ended(found)
        spans += [(text.pad(ended, 15), role_of_end), *_named(session, found)]
        return RowView(lay(spans, width))


def _shown(width: int) -> Sequence[tuple[int, str]]:
    """Return the columns for a width that leaves enough space for server and note."""
    if width >= 100:
        return _COLUMNS
    names = ("Start", "Errors") if width < 76 else ("Start", "Duration", "Errors")
    return [each for each in _COLUMNS if each[1] in names]


def _when(started_ns: int) -> str:
    from datetime import datetime

    if not started_ns:
        return "?"
    return datetime.fromtimestamp(started_ns / 1e9).astimezone().strftime("%d %b %Y %H:%M")


def _ended(found: Summary) -> Span:
    """Return the state of the capture as a sign and a word."""
    if not found.readable:
        return f"{signs.ERROR} Unreadable", "error"
    ways: dict[str, Span] = {
        "recording": (f"{signs.CONNECTED} Recording", "accent"),
        "clean": (f"{signs.OK} Complete", "ok"),
        "died": (f"{signs.ERROR} Exited", "error"),
        "cut": (f"{signs.WARNING} Truncated", "warning"),
    }
    return ways.get(found.ended, ("", "muted"))


def _named(session: CaptureSummary, found: Summary) -> list[Span]:
    name = found.server or found.target or session.path.name
    spans: list[Span] = [(text.visible(name, limit=60), "strong")]
    if session.remark:
        spans.append((f"  {signs.NOTE} {text.visible(session.remark, limit=200)}", "text"))
    if session.marks:
        spans.append((f"  {signs.MARK} {session.marks}", "warning"))
    if found.why:
        spans.append((f"  {text.visible(found.why, limit=200)}", "warning" if found.readable else "error"))
    elif found.server:
        spans.append((f"  {text.visible(found.target, limit=120)}", "faint"))
    return spans


def about(session: CaptureSummary) -> list[Span]:
    """Return the path of the capture."""
    return [(text.visible(str(session.path), limit=400), "muted")]
