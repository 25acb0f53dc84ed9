"""Screen 0, Write: any message, right or wrong, and what came of it.

Sending goes around everything that helps elsewhere: no retry, no answer to questions in a result, no cancel once the
time is up. What was sent and what came are frames of the journal like all others.
"""

from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.worker import Worker

from inspector.protocol.drafts import Composed, compose, draft_of
from inspector.protocol.extensions import SKILLS, declares
from inspector.session.exactly import Sent
from inspector.session.session import Session
from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.panels import Panel
from inspector.tui.panels.raw_came import RawCame
from inspector.tui.panels.raw_form import RawForm
from inspector.tui.panels.raw_shots import Shot, patience_s, verdict
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject, why_silent
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.roles import Span

_NARROW = 110
_OF_SKILLS = ("skills/list", "skills/get", "resources/directory/read")


class RawPanel(Panel):
    """Writing messages by hand."""

    places = (
        Where.EVERYWHERE,
        Where.RAW,
        Where.FORM_CHOICE,
        Where.MOVING,
        Where.LIST,
        Where.JSON,
        Where.FINDING_HERE,
        Where.PAYLOAD,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.RAW)
    HELP = """\
Write a request, a notification, several at once, or exactly what is to cross the wire. What is odd about it is said;
it is sent all the same. What came stands beside, and what was sent before below it.
"""
    DEFAULT_CSS = """
    RawPanel { layout: vertical; }
    RawPanel > Horizontal { height: 1fr; }
    RawPanel RawForm { width: 1fr; }
    RawPanel.-narrow RawCame { display: none; border: none; }
    RawPanel.-narrow.-sent RawCame { display: block; }
    RawPanel.-narrow.-sent RawForm { display: none; }
    """

    class CameBack(Message):
        """Something came of a message, or nothing more will."""

        def __init__(self, shot: Shot) -> None:
            super().__init__()
            self.shot = shot

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        self.form = RawForm()
        self.came = RawCame()
        self._line = StatusLine()
        self._awaited: tuple[Shot, Worker[None]] | None = None

    def compose(self) -> ComposeResult:
        """A line on what is going on, the form, and what came."""
        yield self._line
        with Horizontal():
            yield self.form
            yield self.came

    def on_resize(self, event: events.Resize) -> None:
        """Use the room."""
        self.set_class(event.size.width < _NARROW, "-narrow")

    # What the app asks

    def sync(self) -> None:
        """Look again."""
        if not self.came.is_ready:
            return
        connection = self.subject.journal.connection
        self.form.offer(_methods(self.subject), over_http=connection is not None and bool(connection.url))
        self.came.sync()
        self._line.show(*self._said())

    def rebind(self, subject: Subject) -> None:
        """Write to another conversation; what is written, and what was sent before, stays."""
        self.subject = subject

    def take_focus(self) -> None:
        """Where one writes."""
        self.call_after_refresh(self.came.focus_list if self.has_class("-sent") else self.form.focus_first)

    def go_back(self) -> bool:
        """From what came, or from a field, to the form or the list."""
        if self.has_class("-narrow") and self.has_class("-sent"):
            self.remove_class("-sent")
            self.form.focus_first()
            return True
        if self.form.has_focus_within and not self.has_class("-narrow"):
            self.came.focus_list()
            return True
        return False

    def copy(self) -> None:
        """Copy the frame in sight."""
        self.came.copy()

    async def take_draft(self, message: bytes) -> None:
        """Put a message into the form."""
        self.remove_class("-sent")
        self.form.take(draft_of(message))
        self.call_after_refresh(self.form.focus_first)

    async def cancel_running(self) -> bool:
        """Wait no longer. Nothing is cancelled at the server: nobody wrote that."""
        if self._awaited is None:
            return False
        shot, worker = self._awaited
        worker.cancel()
        self._over(shot, "nobody waited any longer")
        return True

    # Keys

    def action_send(self) -> None:
        """Send what is written."""
        if why := why_silent(self.subject):
            self.app.notify(why, severity="warning", markup=False)
            return
        if self._awaited is not None:
            self.app.notify("The last one is still waited for; ^c waits no longer.", markup=False)
            return
        shot = Shot(self.form.draft, self.subject.journal, self.subject.now_ns)
        self._awaited = shot, self._send(shot)
        self.came.add(shot)
        self.add_class("-sent")
        if self.has_class("-narrow"):
            self.came.focus_list()

    @work(group="raw")
    async def _send(self, shot: Shot) -> None:
        draft = shot.draft

        async def do(session: Session) -> tuple[Composed, Sent]:
            client = session.options.wish.client
            tools = {tool.name: tool.input_schema for tool in session.journal.conversation.catalogue.tools}
            made = compose(draft, session.revision, client, session.by_hand.next_id, tools.get)
            wait_s = patience_s(draft, session.options.clocks.idle_s)
            return made, await session.by_hand.send(made.payload, headers=made.headers, wait_s=wait_s)

        composed, sent = await self.subject.perform(do)
        shot.take(composed, sent, self.subject.now_ns)
        self.post_message(self.CameBack(shot))

    def action_frame(self, by: int) -> None:
        """The next frame, or the one before."""
        self.came.turn(by)

    def action_again(self) -> None:
        """Put the chosen message into the form."""
        if self.came.chosen is not None:
            self.form.take(self.came.chosen.draft)
            self.remove_class("-sent")
            self.form.focus_first()

    def action_entry(self) -> None:
        """Show the frame in the traffic."""
        if entry := self.came.entry_in(self.subject.journal):
            self.post_message(self.EntryWanted(entry))

    # What the parts tell

    def on_raw_panel_came_back(self, event: CameBack) -> None:
        """Show what came."""
        event.stop()
        self._over(event.shot, "")

    def _over(self, shot: Shot, problem: str) -> None:
        shot.problem = problem
        self._awaited = None
        self.came.changed(shot)

    def _said(self) -> tuple[list[Span], list[Span]]:
        left: list[Span] = [("Write a message", "title")]
        if self._awaited is not None:
            left.append((f"  {glyphs().pending} waiting for what comes; ^c waits no longer", "pending"))
        elif (chosen := self.came.chosen) is not None:
            word, role = verdict(chosen)
            left.append((f"  {word}", role))
            notes = chosen.composed.notes if chosen.composed else ()
            left += [(f"  {glyphs().warning} {notes[0]}", "warning")] if notes else []
        return left, [(f"{keys.key_name('ctrl+j')} sends", "faint")]


def _methods(subject: Subject) -> tuple[str, ...]:
    """What can be asked of the server in this revision, requests first."""
    opening = subject.opening
    if opening is None:
        return ()
    revision = opening.revision
    more = _OF_SKILLS if declares(opening.capabilities, SKILLS) else ()
    return (*sorted(revision.client_requests), *more, *sorted(revision.client_notifications))
