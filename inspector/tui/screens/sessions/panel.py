"""Captures screen: recorded captures, newest first, to open, compare, annotate and delete.

A thread reads the summary of each capture; summaries are cached. A capture that is being recorded or is open here
can't be deleted, and deleting needs confirmation.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from textual.app import ComposeResult
from textual.message import Message
from textual.worker import get_current_worker

from inspector.capture.automatic import Summaries, captures, remove
from inspector.capture.format.notes import NotesFile
from inspector.config.paths import places
from inspector.config.settings import captures_directory
from inspector.errors import UsageError
from inspector.present.spans import Span
from inspector.text import counted, human_size, visible
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.panels import Panel
from inspector.tui.screens.sessions.model import CaptureSummary, SessionRows, about
from inspector.tui.tabs import Tab
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import NameScreen
from inspector.tui.widgets.virtual_list import LogList

_EMPTY: list[list[Span]] = [
    [("No captures yet.", "muted")],
    [("Sessions appear here unless started with --no-capture.", "faint")],
]


class SessionsPanel(Panel):
    """Panel of the recorded captures."""

    places = keys.SCREENS["sessions"].places
    BINDINGS = keys.bindings("Captures")
    DEFAULT_CSS = """
    SessionsPanel { layout: vertical; }
    """

    class OpenWanted(Message):
        """The user opens a capture."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class CompareWanted(Message):
        """The user compares two captures, the older one first."""

        def __init__(self, before: Path, after: Path) -> None:
            super().__init__()
            self.before = before
            self.after = after

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._directory = captures_directory()
        self._kept = places().state / "sessions.json"
        self._rows = SessionRows()
        self._sessions: list[CaptureSummary] = []
        self._compared: Path | None = None
        self._head = StatusLine()
        self._foot = StatusLine()
        self.list = self.row_list = LogList(self._rows, empty=_EMPTY)

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.list
        yield self._foot

    def on_mount(self) -> None:
        self.action_look_again()

    def sync(self) -> None:
        """Update the list with the summaries read so far."""
        if not self.list.is_mounted:
            return
        here = self._open_here
        shown = [
            msgspec.structs.replace(each, here=each.path in here, compared=each.path == self._compared)
            for each in self._sessions
        ]
        self._rows.show(shown)
        self.list.sync()
        size = sum(each.summary.size for each in shown if each.summary is not None)
        many = counted(len(shown), "capture")
        self._head.show([("Captures", "title")], [(f"{many}, {human_size(size)}", "muted")])
        chosen = self.chosen
        self._foot.show(about(chosen) if chosen is not None else [])

    def take_focus(self) -> None:
        self.list.focus()

    ROW_ACTIONS = frozenset(("note", "compare", "delete"))

    @property
    def chosen(self) -> CaptureSummary | None:
        """Capture under the cursor; None if there is none."""
        return self._rows.session(self.list.view.cursor)

    @property
    def export_capture(self) -> Path | None:
        """Path of the capture under the cursor; None if there is none."""
        return self.chosen.path if self.chosen is not None else None

    @property
    def _open_here(self) -> set[Path]:
        tabs: Iterable[Tab] = getattr(self.app, "tabs", ())
        shown = (tab.conversation.journal.capture_path for tab in tabs)
        return {path.absolute() for path in shown if path is not None}

    # --- reading summaries

    def action_look_again(self) -> None:
        """Search for captures and read their summaries."""
        known = {each.path: each for each in self._sessions}
        self._sessions = [known.get(path, CaptureSummary(path)) for path in captures(self._directory)]
        self.run_worker(self._find_out, thread=True, exclusive=True, group="sessions")

    def _find_out(self) -> None:
        worker = get_current_worker()
        summaries, paths = Summaries(self._kept), [each.path for each in self._sessions]
        for path in paths:
            if worker.is_cancelled:
                return
            found = summaries.of(path)
            notes = NotesFile(path, found.id).read()
            self.app.call_from_thread(
                self._found, CaptureSummary(path, found, notes.remark or notes.trouble, len(notes.marks))
            )
        summaries.keep(paths)

    def _found(self, session: CaptureSummary) -> None:
        self._sessions = [session if each.path == session.path else each for each in self._sessions]

    # --- keys

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        message.stop()
        session = self._rows.session(message.index)
        if session is not None:
            self.post_message(self.OpenWanted(session.path))

    def action_note(self) -> None:
        """Edit the note of the capture."""
        session = self.chosen
        if session is None or session.summary is None:
            return
        file = NotesFile(session.path, session.summary.id)

        def written(remark: str | None) -> None:
            if remark is None:
                return
            try:
                notes = file.change(lambda notes: msgspec.structs.replace(notes, remark=remark))
            except UsageError as error:
                self._say(error.full_text)
                return
            self._found(msgspec.structs.replace(session, remark=notes.remark))

        self.app.push_screen(NameScreen("Note", session.remark, empty=True), written)

    def action_compare(self) -> None:
        """Select the capture for a comparison, or compare it with the selected one."""
        session, first = self.chosen, self._compared
        if session is None:
            return
        self._compared = None if first is not None else session.path
        if first is None:
            self._say(
                f"Select the other capture and press {keys.shown_key('captures.compare')}.", severity="information"
            )
        elif first != session.path:
            order: Sequence[Path] = [each.path for each in self._sessions]
            before, after = sorted((first, session.path), key=order.index, reverse=True)
            self.post_message(self.CompareWanted(before, after))

    def action_delete(self) -> None:
        """Delete the capture and its notes after confirmation."""
        session = self.chosen
        if session is None:
            return
        if session.path in self._open_here:
            self._say("This capture is open. Close its tab first.")
            return
        size = human_size(session.summary.size) if session.summary is not None else "?"
        question: list[list[Span]] = [
            [("Delete this capture?", "strong")],
            [(f"{size}. Its notes are deleted too.", "text")],
        ]

        def answered(sure: bool | None) -> None:
            if sure:
                self._delete(session.path)

        ways = ("Back", "Delete")
        self.app.push_screen(ConfirmScreen("Delete", question, visible(str(session.path)), ways), answered)

    def _delete(self, path: Path) -> None:
        if not remove(path):
            self._say("Cannot delete: the file is being recorded to, or is not writable.")
        self.action_look_again()

    def _say(self, message: str, *, severity: str = "warning") -> None:
        self.notify(message, severity=severity, timeout=4)  # type: ignore[arg-type]
