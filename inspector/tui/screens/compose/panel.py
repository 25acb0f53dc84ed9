"""Composer: send any message, valid or not, and show its outcome.

Messages bypass the usual handling: no retry, no response to requests inside a result, no cancel notification on
timeout. Sent and received frames are recorded in the journal as usual.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static, TextArea
from textual.worker import Worker

from inspector import text
from inspector.capture.journal import Journal
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.drafts import Composed, Draft, DraftKind, compose, draft_of, fault_in, header_pairs, oddities
from inspector.protocol.frames import Direction, Frame
from inspector.session.raw import Ended, RawSent
from inspector.session.session import Session
from inspector.text import human_size
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.panels import Panel
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.payload import RAW, TREE, PayloadView
from inspector.tui.widgets.schema_form.editors import BlockEdit, LineEdit
from inspector.tui.widgets.segments import Segments
from inspector.tui.widgets.virtual_list import LogList

_KINDS = tuple(DraftKind)
_STAMPS = ("add required fields", "send as typed")

_TEXT_WORDS = {
    DraftKind.REQUEST: "params: JSON or any text; empty: no params",
    DraftKind.NOTIFICATION: "params: JSON or any text; empty: no params",
    DraftKind.BATCH: 'an array of messages: [{"method": "ping"}, …]',
    DraftKind.EXACT: "sent exactly as typed; over stdio each line is one message",
}

_NARROW = 110
_OF_SKILLS = ("skills/list", "skills/get", "resources/directory/read")


# Messages composed in this session, as rows of a list: each with its time and its outcome


@dataclass(slots=True)
class ComposedMessage:
    """A composed message that was sent or is being sent."""

    draft: Draft
    journal: Journal
    """Journal with its frames."""
    started_ns: int
    composed: Composed | None = None
    sent: RawSent | None = None
    """Outcome; None while waiting for it."""
    problem: str = ""
    """Why waiting ended early; "" if it did not."""
    took_ns: int = 0
    frames: list[int] = field(default_factory=list)
    """Entry numbers of the sent frames, followed by those received."""

    @property
    def is_over(self) -> bool:
        """Whether waiting for frames has ended."""
        return self.sent is not None or bool(self.problem)

    def take(self, composed: Composed, sent: RawSent, now_ns: int) -> None:
        """Store the outcome."""
        self.composed, self.sent, self.took_ns = composed, sent, now_ns - self.started_ns
        self.frames = [*sent.frames, *sent.received]

    @property
    def first_answer(self) -> int:
        """Index in `frames` of the first received frame; of the last one sent if none was received."""
        sent = len(self.sent.frames) if self.sent else 0
        return min(sent, max(0, len(self.frames) - 1))

    def frame(self, place: int) -> Frame | None:
        """Return the frame with an index in `frames`; None if there is none."""
        if not 0 <= place < len(self.frames):
            return None
        what = self.journal.store.entry(self.frames[place]).what
        return what if isinstance(what, Frame) else None


class ComposedMessages(RowSource):
    """All composed messages, newest on top."""

    def __init__(self) -> None:
        self.all: list[ComposedMessage] = []

    def add(self, message: ComposedMessage) -> None:
        """Add a message on top."""
        self.all.insert(0, message)
        self._generation += 1

    def changed(self) -> None:
        """Mark the rows as changed."""
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self.all)

    def row(self, index: int, width: int) -> RowView:
        message = self.all[index]
        word, role = verdict(message)
        spans: list[Span] = [
            (f"{sign(message)} ", role),
            (text.pad(f"{message.draft.kind}", 13), "muted"),
            (text.visible(message.draft.method or _beginning(message.draft), limit=80), "method"),
            (f"  {word}", role),
        ]
        return RowView(lay(spans, width))


def _beginning(draft: Draft) -> str:
    return " ".join(draft.text[:60].split())


def sign(message: ComposedMessage) -> str:
    """Return the sign of its outcome."""
    if not message.is_over:
        return glyphs().pending
    return glyphs().ok if verdict(message)[1] == "ok" else glyphs().warning


def verdict(message: ComposedMessage) -> tuple[str, Role]:
    """Return its outcome as a short text."""
    if message.problem:
        return text.visible(message.problem, limit=200), "warning"
    sent = message.sent
    if sent is None:
        return "waiting", "pending"
    took = text.human_duration(message.took_ns)
    received = text.counted(len(sent.received), "frame")
    status = f", HTTP {sent.status}" if sent.status else ""
    match sent.ended:
        case Ended.ANSWERED:
            return f"{received} received in {took}{status}", "ok"
        case Ended.ACCEPTED:
            return f"sent{status}" + (f", {received} received" if sent.received else ""), "ok"
        case Ended.REFUSED:
            return f"no response{status}" + (f": {text.visible(sent.why, limit=100)}" if sent.why else ""), "error"
        case Ended.SILENT:
            return f"{received} received, then no response for {sent.seconds:g} s", "warning"
        case Ended.LOST:
            return f"lost: {text.visible(sent.why, limit=200)}", "error"


def frame_title(message: ComposedMessage, place: int) -> list[Span]:
    """Return the direction and position of the visible frame."""
    frame = message.frame(place)
    if frame is None:
        return [("Responses appear here", "faint")]
    to_server = frame.direction is Direction.TO_SERVER
    arrow = glyphs().to_server if to_server else glyphs().from_server
    direction = "sent" if to_server else "received"
    return [
        (f"{arrow} {direction} ", "to_server" if to_server else "from_server"),
        (f"frame {place + 1} of {len(message.frames)}", "muted"),
        ("  [ ] switch", "faint"),
    ]


def patience_s(draft: Draft, idle_s: float | None) -> float:
    """Return how many seconds to wait: a request's timeout, none for a notification, at most 10 for exact text."""
    if draft.kind is DraftKind.NOTIFICATION:
        return 0
    longest = 60.0 if idle_s is None else idle_s
    return longest if draft.kind is not DraftKind.EXACT else min(longest, 10.0)


# Outcome of composed messages: the frames of the selected one above the list of all


class ComposerOutcome(Vertical):
    """One frame above the list of composed messages."""

    DEFAULT_CSS = """
    ComposerOutcome { width: 1fr; height: 1fr; border-left: solid $border-blurred; }
    ComposerOutcome LogList { height: 30%; min-height: 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.messages = ComposedMessages()
        self.chosen: ComposedMessage | None = None
        """Message whose frames are shown."""
        self._list = LogList(self.messages, empty=([("Nothing sent yet", "muted")],))
        self._view = PayloadView()
        self._place = 0

    def compose(self) -> ComposeResult:
        yield self._view
        yield self._list

    @property
    def is_ready(self) -> bool:
        return self._list.is_mounted and self._view.is_mounted

    def sync(self) -> None:
        self._list.sync()

    def focus_list(self) -> None:
        self._list.focus()

    def add(self, message: ComposedMessage) -> None:
        self.messages.add(message)
        self._list.sync()
        self._list.go_to(0)
        self._choose(message)

    def changed(self, message: ComposedMessage) -> None:
        """Show the first received frame of a message whose outcome has arrived."""
        self.messages.changed()
        self._choose(message)

    def turn(self, by: int) -> None:
        """Show the next or previous frame."""
        if self.chosen is not None and self.chosen.frames:
            self._place = (self._place + by) % len(self.chosen.frames)
            self._show(self.chosen)

    def entry_in(self, journal: Journal) -> int:
        """Return the entry number of the visible frame; 0 if it is in another journal."""
        chosen = self.chosen
        if chosen is None or chosen.journal is not journal or self._place >= len(chosen.frames):
            return 0
        return chosen.frames[self._place]

    def copy(self) -> None:
        """Copy the visible frame, or the value under the cursor."""
        copy(self.app, self._view.value.decode("utf-8", "replace"))

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        event.stop()
        if 0 <= event.index < self.messages.count and self.messages.all[event.index] is not self.chosen:
            self._choose(self.messages.all[event.index])

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Focus the frame."""
        event.stop()
        self._view.focus_content()

    def _choose(self, message: ComposedMessage) -> None:
        self.chosen = message
        self._place = message.first_answer
        self._show(message)

    def _show(self, message: ComposedMessage) -> None:
        frame = message.frame(self._place)
        payload = frame.payload if frame else (message.sent.body if message.sent else b"")
        exact = message.draft.kind is DraftKind.EXACT and frame is not None and frame.direction is Direction.TO_SERVER
        form = TREE if frame is not None and not exact else RAW
        size: list[Span] = [(human_size(len(payload)), "faint")] if payload else []
        self._view.show(frame_title(message, self._place), size, payload, form)


# Form of a composed message: kind, method, id, headers and text. It reports problems and never prevents sending.


class ComposerForm(Vertical):
    DEFAULT_CSS = """
    ComposerForm { height: 1fr; padding: 0 1; }
    ComposerForm Horizontal { height: auto; }
    ComposerForm .raw--label { width: 9; color: $text-muted; }
    ComposerForm .raw--row { height: auto; }
    ComposerForm LineEdit { margin: 0 1 0 0; }
    ComposerForm #raw-id { width: 18; }
    ComposerForm BlockEdit, ComposerForm BlockEdit.-textual-compact { height: 1fr; min-height: 3; max-height: 100%; }
    ComposerForm .raw--verdict { height: auto; max-height: 4; color: $text-muted; }
    ComposerForm.-whole .raw--of-single { display: none; }
    ComposerForm.-stdio .raw--of-http { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._methods: tuple[str, ...] = ()
        self._kinds = Segments(_KINDS, (0,))
        self._method = LineEdit("", unset=True)
        self._id_line = LineEdit("", unset=True)
        self._id_line.id = "raw-id"
        self._stamp = Segments(_STAMPS, (0,))
        self._headers = LineEdit("", unset=True)
        self._text = BlockEdit("", unset=True)
        self._verdict_line = Static("", classes="raw--verdict", markup=False)
        self._near = Static("", classes="raw--of-single raw--verdict", markup=False)

    def compose(self) -> ComposeResult:
        yield from self._rows()
        yield self._text
        yield self._verdict_line

    def _rows(self) -> ComposeResult:
        with Horizontal(classes="raw--row"):
            yield Static("Send", classes="raw--label")
            yield self._kinds
        with Horizontal(classes="raw--row raw--of-single"):
            yield Static("Method", classes="raw--label")
            yield self._method
            yield self._id_line
        yield self._near
        with Horizontal(classes="raw--row"):
            yield Static("_meta", classes="raw--label")
            yield self._stamp
        with Horizontal(classes="raw--row raw--of-http"):
            yield Static("Headers", classes="raw--label")
            yield self._headers

    def on_mount(self) -> None:
        """Set the placeholders of the fields."""
        self._method.placeholder = "method"
        self._id_line.placeholder = "id: auto"
        self._headers.placeholder = "Name: value; Name: value"
        self._say()

    # Interface for the panel

    def offer(self, methods: Sequence[str], *, over_http: bool) -> None:
        """Set the proposed methods, and show the headers field for HTTP. Cheap if nothing has changed."""
        self.set_class(not over_http, "-stdio")
        if tuple(methods) != self._methods:
            self._methods = tuple(methods)
            self._method.suggester = SuggestFromList(self._methods, case_sensitive=False)
            self._say()

    @property
    def draft(self) -> Draft:
        """Current content of the form."""
        kind = self._kind
        single = kind in (DraftKind.REQUEST, DraftKind.NOTIFICATION)
        return Draft(
            kind,
            self._method.value.strip() if single else "",
            self._text.text,
            self._id_line.value if kind is DraftKind.REQUEST else "",
            stamp=self._stamp.chosen == (0,),
            headers=header_pairs(self._headers.value.split(";"))[0],
        )

    def take(self, draft: Draft) -> None:
        self._kinds.choose(_KINDS.index(draft.kind))
        self._method.value, self._id_line.value = draft.method, draft.id
        self._stamp.choose(0 if draft.stamp else 1)
        self._headers.value = "; ".join(f"{name}: {value}" for name, value in draft.headers)
        self._text.load_text(draft.text)
        self._say()

    def focus_first(self) -> None:
        """Focus the method field if it is shown and empty, else the text."""
        single = self._kind in (DraftKind.REQUEST, DraftKind.NOTIFICATION)
        (self._method if single and not self._method.value else self._text).focus()

    # Input events

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Choose another kind, or whether to stamp the message."""
        event.stop()
        event.control.choose(event.index)
        self._say()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check the draft."""
        event.stop()
        self._say()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Focus the text."""
        event.stop()
        self._text.focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Check the draft."""
        event.stop()
        self._say()

    @property
    def _kind(self) -> DraftKind:
        return _KINDS[self._kinds.chosen[0]]

    def _say(self) -> None:
        """Show the problems of the draft and the methods similar to the typed one."""
        if not self.is_mounted:
            return
        kind = self._kind
        self.set_class(kind in (DraftKind.BATCH, DraftKind.EXACT), "-whole")
        self._id_line.display = kind is DraftKind.REQUEST
        self._text.placeholder = _TEXT_WORDS[kind]
        self._verdict_line.update(spans_to_text(self._verdict(kind), dark=self.app.current_theme.dark))
        self._near.update(spans_to_text(self._near_by(), dark=self.app.current_theme.dark))

    def _verdict(self, kind: DraftKind) -> list[Span]:
        found = _faults(kind, self._text.text)
        wrong = header_pairs(self._headers.value.split(";"))[1]
        if wrong:
            found.append("a header needs the form NAME: VALUE")
        if not found:
            return [(f"{glyphs().ok} ", "ok"), ("valid JSON-RPC", "faint")]
        return [(f"{glyphs().warning} {'; '.join(found[:3])}", "warning")]

    def _near_by(self) -> list[Span]:
        typed = self._method.value.strip().casefold()
        if typed in map(str.casefold, self._methods):
            return []
        near = [method for method in self._methods if typed in method.casefold()]
        return [("         ", "text"), ("  ".join(near[:4]), "faint")] if near else []


def _faults(kind: DraftKind, text: str) -> list[str]:
    """Return the problems of a text; a long one is only checked when it is sent."""
    if len(text) > 200_000:
        return []
    if kind is DraftKind.EXACT:
        odd = oddities(text.encode("utf-8", "surrogatepass"))
        return [each.rstrip(".") for each in odd] if text else ["nothing to send"]
    fault = fault_in(text)
    return [f"invalid JSON: {fault}"] if fault else []


class ComposerPanel(Panel):
    """Panel to compose messages."""

    places = keys.SCREENS["raw"].places
    BINDINGS = keys.bindings("Composer")
    DEFAULT_CSS = """
    ComposerPanel { layout: vertical; }
    ComposerPanel > Horizontal { height: 1fr; }
    ComposerPanel ComposerForm { width: 1fr; }
    ComposerPanel.-narrow ComposerOutcome { display: none; border: none; }
    ComposerPanel.-narrow.-sent ComposerOutcome { display: block; }
    ComposerPanel.-narrow.-sent ComposerForm { display: none; }
    """

    class OutcomeKnown(Message):
        def __init__(self, message: ComposedMessage) -> None:
            super().__init__()
            self.message = message

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self.form = ComposerForm()
        self.outcome = ComposerOutcome()
        self._line = StatusLine()
        self._awaited: tuple[ComposedMessage, Worker[None]] | None = None

    def compose(self) -> ComposeResult:
        yield self._line
        with Horizontal():
            yield self.form
            yield self.outcome

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < _NARROW, "-narrow")

    # Interface for the app

    def sync(self) -> None:
        if not self.outcome.is_ready:
            return
        connection = self.conversation.journal.connection
        self.form.offer(_methods(self.conversation), over_http=connection is not None and bool(connection.url))
        self.outcome.sync()
        self._line.show(*self._status())

    def rebind(self, conversation: OpenConversation) -> None:
        """Switch to another conversation; the draft and the sent messages are kept."""
        self.conversation = conversation

    def take_focus(self) -> None:
        """Focus the form, or the list after sending."""
        self.call_after_refresh(self.outcome.focus_list if self.has_class("-sent") else self.form.focus_first)

    def go_back(self) -> bool:
        """Return from the outcome to the form, or from the form to the list."""
        if self.has_class("-narrow") and self.has_class("-sent"):
            self.remove_class("-sent")
            self.form.focus_first()
            return True
        if self.form.has_focus_within and not self.has_class("-narrow"):
            self.outcome.focus_list()
            return True
        return False

    def copy(self) -> None:
        self.outcome.copy()

    async def take_draft(self, message: bytes) -> None:
        self.remove_class("-sent")
        self.form.take(draft_of(message))
        self.call_after_refresh(self.form.focus_first)

    async def cancel_running(self) -> bool:
        """Stop waiting. No cancel notification is sent, because the user did not compose one."""
        if self._awaited is None:
            return False
        message, worker = self._awaited
        worker.cancel()
        self._over(message, "cancelled")
        return True

    ROW_ACTIONS = frozenset(("again", "entry", "frame"))

    @property
    def has_row(self) -> bool:
        return self.outcome.chosen is not None

    # Keys

    def action_send(self) -> None:
        if why := why_silent(self.conversation):
            self.app.notify(why, severity="warning")
            return
        if self._awaited is not None:
            self.app.notify(f"Still waiting for the previous response; {keys.shown_key('request.cancel')} cancels.")
            return
        message = ComposedMessage(self.form.draft, self.conversation.journal, self.conversation.now_ns)
        self._awaited = message, self._send(message)
        self.outcome.add(message)
        self.add_class("-sent")
        if self.has_class("-narrow"):
            self.outcome.focus_list()

    @work(group="raw")
    async def _send(self, message: ComposedMessage) -> None:
        draft = message.draft

        async def do(session: Session) -> tuple[Composed, RawSent]:
            client = session.options.connect.client
            tools = {tool.name: tool.input_schema for tool in session.journal.conversation.catalogue.tools}
            made = compose(draft, session.revision, client, session.raw.next_id, tools.get)
            wait_s = patience_s(draft, session.options.clocks.idle_s)
            return made, await session.raw.send(made.payload, headers=made.headers, wait_s=wait_s)

        composed, sent = await self.conversation.perform(do)
        message.take(composed, sent, self.conversation.now_ns)
        self.post_message(self.OutcomeKnown(message))

    def action_frame(self, by: int) -> None:
        """Show the next or previous frame."""
        self.outcome.turn(by)

    def action_again(self) -> None:
        """Fill the form with the selected message."""
        if self.outcome.chosen is not None:
            self.form.take(self.outcome.chosen.draft)
            self.remove_class("-sent")
            self.form.focus_first()

    def action_entry(self) -> None:
        """Show the frame in Traffic."""
        if entry := self.outcome.entry_in(self.conversation.journal):
            self.post_message(self.EntryWanted(entry))

    # Messages of the widgets

    def on_composer_panel_outcome_known(self, event: OutcomeKnown) -> None:
        event.stop()
        self._over(event.message, "")

    def _over(self, message: ComposedMessage, problem: str) -> None:
        message.problem = problem
        self._awaited = None
        self.outcome.changed(message)

    def _status(self) -> tuple[list[Span], list[Span]]:
        left: list[Span] = [("Composer", "title")]
        if self._awaited is not None:
            left.append(
                (f"  {glyphs().pending} waiting for a response; {keys.shown_key('request.cancel')} cancels", "pending")
            )
        elif (chosen := self.outcome.chosen) is not None:
            word, role = verdict(chosen)
            left.append((f"  {word}", role))
            notes = chosen.composed.notes if chosen.composed else ()
            left += [(f"  {glyphs().warning} {notes[0]}", "warning")] if notes else []
        return left, [(f"{keys.shown_key('composer.send')} sends", "faint")]


def _methods(conversation: OpenConversation) -> tuple[str, ...]:
    """Return the methods that a client can send in this protocol version, requests first."""
    opening = conversation.opening
    if opening is None:
        return ()
    revision = opening.revision
    more = _OF_SKILLS if declares(opening.capabilities, SKILLS) else ()
    return (*sorted(revision.client_requests), *more, *sorted(revision.client_notifications))
