"""The captures of a shelf as rows: with which server, when, how long, how much, how it ended, what is noted."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from inspector import text
from inspector.capture.shelf import Summary
from inspector.present import spans as signs
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Span, lay

_DAY_S = 86_400
_COLUMNS = ((19, "when"), (9, "lasted"), (9, "entries"), (7, "errors"), (9, "size"))


class CaptureSummary(msgspec.Struct, frozen=True):
    """One capture of the shelf."""

    path: Path
    summary: Summary | None = None
    """None while it is not known yet."""
    remark: str = ""
    """What somebody has noted about it. Foreign."""
    marks: int = 0
    here: bool = False
    """Whether it is open in a tab, or recorded by one."""
    compared: bool = False
    """Whether it waits for another one to be compared with."""


class SessionRows(RowSource):
    """The newest first."""

    def __init__(self) -> None:
        self._sessions: Sequence[CaptureSummary] = ()
        self._generation = 0

    def show(self, sessions: Sequence[CaptureSummary]) -> None:
        """Show these."""
        if [*sessions] != [*self._sessions]:
            self._sessions = sessions
            self._generation += 1

    @property
    def count(self) -> int:
        return len(self._sessions)

    @property
    def generation(self) -> int:
        return self._generation

    def session(self, index: int) -> CaptureSummary | None:
        """The capture in a row."""
        return self._sessions[index] if 0 <= index < len(self._sessions) else None

    def header(self, width: int) -> Sequence[Span]:
        titles = "".join(f"{title:<{cells}}" for cells, title in _shown(width))
        return lay([(f"   {titles}{'how it ended':<15}server and note", "muted")], width)

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
            "when": _when(found.started_ns),
            "lasted": text.human_duration(found.lasted_ns),
            "entries": "" if found.entries is None else f"{found.entries:,}",
            "errors": "" if found.errors is None else f"{signs.ERROR} {found.errors:,}" if found.errors else "none",
            "size": text.human_size(found.size),
        }
        spans: list[Span] = [sign]
        for wide, title in _shown(width):
            role = "error" if title == "errors" and found.errors else "muted"
            spans.append((text.pad(cells[title], wide), role))  # type: ignore[arg-type]
        ended, role_of_end = _ended(found)
        spans += [(text.pad(ended, 15), role_of_end), *_named(session, found)]
        return RowView(lay(spans, width))


def _shown(width: int) -> Sequence[tuple[int, str]]:
    """The columns for a width: the server and the note keep their room."""
    if width >= 100:
        return _COLUMNS
    names = ("when", "errors") if width < 76 else ("when", "lasted", "errors")
    return [each for each in _COLUMNS if each[1] in names]


def _when(started_ns: int) -> str:
    from datetime import datetime

    if not started_ns:
        return "?"
    return datetime.fromtimestamp(started_ns / 1e9).astimezone().strftime("%d %b %Y %H:%M")


def _ended(found: Summary) -> Span:
    """How it ended, in a sign and a word."""
    if not found.readable:
        return f"{signs.ERROR} unreadable", "error"
    ways: dict[str, Span] = {
        "recording": (f"{signs.CONNECTED} recording", "accent"),
        "clean": (f"{signs.OK} closed", "ok"),
        "died": (f"{signs.ERROR} died", "error"),
        "cut": (f"{signs.WARNING} cut off", "warning"),
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
    """A session on a line: its file, and what of it stands in no column."""
    return [(text.visible(str(session.path), limit=400), "muted")]
