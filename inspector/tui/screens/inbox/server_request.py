"""Pane with one server request in full and the form of its response, for the Inbox and for the dialog.

Invalid responses can be sent: the first press focuses the problem and shows it on the button, the second one sends.
A URL is opened only by its own key. A completed request shows its outcome.
"""

import os
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeAlias

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.present.logins import read_link
from inspector.present.spans import Role, Section, Span
from inspector.protocol.server_requests import Reply, RequestKind, Root, ServerRequest
from inspector.session.inbox import Ticket, TicketState
from inspector.text import clock
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.input_queue import drop_typed_ahead, hold_keys, release_keys
from inspector.tui.screens.inbox.model import (
    ROOTS_SCHEMA,
    answer_section,
    answered_section,
    declining_reply,
    filled_by,
    has_form,
    kind_word,
    listed,
    roots_of,
    server_request_sections,
    undelivered_section,
)
from inspector.tui.screens.inbox.rows import RequestRow, age
from inspector.tui.screens.inbox.sampling import (
    SamplingEditor,
    asks_now,
    proposal_line,
    proposal_of,
    proposal_section,
    request_section,
)
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.bars import BarItem, BarLine, PressBar, StatusLine, button_spans, form_or_json
from inspector.tui.widgets.schema_form.form import SchemaForm, awaited_count, hint_count, hints_span, wrong_or_awaited
from inspector.tui.widgets.schema_form.moves import FormScroll
from inspector.tui.widgets.section_card import section_renderable

_THEN = {False: "Accept", True: "Call again"}
_NOTHING = "No server requests yet"
_ABOUT_ROOTS = Section("Roots returned to the server")
_KEPT = Section("Your response", note="Not sent. It is filled in when the server asks the same again.")


# Several pending requests: the position of the shown one, and declining all with two presses of one key


class ResponseState(msgspec.Struct, frozen=True):
    """State of a response that is being edited."""

    problems: int = 0
    """Number of problems in the form."""
    armed: bool = False
    """Whether the next press sends it in spite of the problems."""
    as_json: bool = False
    sampling: str = ""
    """"answer", "request" or "asking": what the form holds or waits for if a model is available; "" without one."""
    fixed: bool = False
    """Whether it is JSON that has no form."""
    awaited: int = 0
    """Number of problems that are only required fields not filled in yet."""
    hints: int = 0
    """Number of texts of another format than the schema's, which can be sent."""


Say = Callable[[str, bool], None]
"""Shows a text to the user; True makes it a warning."""
QuestionAction: TypeAlias = Literal["accept", "decline", "dismiss", "open", "json", "again", "model", "all"]


def place_of(ticket: Ticket | None, conversation: OpenConversation) -> str:
    """Return the position among the pending requests ("2 of 3"); "" for the only one and for a completed one."""
    asked = conversation.inbox.waiting
    at = next((at for at, each in enumerate(asked, 1) if each is ticket), 0)
    return f"{at} of {len(asked)}" if at and len(asked) > 1 else ""


class DeclineAll:
    """Declines all pending requests on the second press.

    The first press announces that. If a request arrives in between, another press is needed, so that none is
    declined unseen.
    """

    def __init__(self) -> None:
        self._meant: tuple[Ticket, ...] = ()

    async def press(self, conversation: OpenConversation) -> str:
        """Handle a press of the key; return the text to show."""
        asked = conversation.inbox.waiting
        if not asked:
            return "No server requests waiting."
        if asked != self._meant:
            self._meant = asked
            return f"Press again to decline all {len(asked)} waiting requests."
        self._meant = ()
        declined = [await conversation.inbox.answer(ticket, declining_reply(ticket.server_request)) for ticket in asked]
        return f"{sum(declined)} requests declined."


# The bar below a request: accept, decline, cancel, and what a press does now


class AnswerBar(PressBar):
    """Bar with the ways to respond: "accept", "decline", "dismiss", "open", "json"."""

    BINDINGS = keys.bindings_of("line.press")
    first = "accept"

    def say(self, server_request: ServerRequest | None, standing: ResponseState, *, roots: bool = False) -> None:
        """Show the ways to respond; None if nothing is pending. `roots`: the list of roots is edited."""
        if server_request is None and not roots:
            self.show([BarLine(inset=1)])
            return
        left = _roots(standing) if server_request is None else _answers(server_request, standing)
        both = (
            (server_request is None or has_form(server_request))
            and not standing.fixed
            and standing.sampling != "asking"
        )
        right = (_form_or_json(standing),) if both else ()
        self.show([BarLine(left=tuple(left), right=right, inset=1)])


def _answers(server_request: ServerRequest, standing: ResponseState) -> Sequence[BarItem]:
    if standing.sampling in ("request", "asking"):
        return _model_items(standing)
    items = [_yes("Call again" if server_request.visit else "Respond", standing)]
    if standing.sampling:
        items.append(_button("Ask the model", "inbox.model", "model", "accent"))
    if not has_form(server_request) and read_link(server_request.url).openable:
        items.insert(0, _button("Open link", "inbox.open", "open", "title"))
    items.append(_button("Decline", "inbox.decline", "decline", "text", rank=1))
    if server_request.kind is RequestKind.ELICITATION:
        items.append(_button("Cancel", "inbox.dismiss", "dismiss", "text", rank=2))
    return [*items, *(_wrong(standing) if has_form(server_request) else ())]


def _model_items(standing: ResponseState) -> Sequence[BarItem]:
    if standing.sampling == "asking":
        first = [_button("Stop", "inbox.model", "model", "title")]
    else:
        ask = _button("Ask the model", "inbox.accept", "accept", "button")
        first = [ask, _button("Back", "inbox.model", "model", "text", rank=1)]
    return [*first, _button("Decline", "inbox.decline", "decline", "text", rank=1)]


def _roots(standing: ResponseState) -> Sequence[BarItem]:
    return [_yes("List these roots", standing), *_wrong(standing)]


def _yes(words: str, standing: ResponseState) -> BarItem:
    if standing.problems and standing.armed:
        return _button(f"{words} anyway", "inbox.accept", "accept", "warning")
    return _button(words, "inbox.accept", "accept", "button")


def _button(words: str, action: str, name: str, role: Role, rank: int = 0) -> BarItem:
    return BarItem(button_spans(words, keys.shown_key(action), role), name, rank)


def _wrong(standing: ResponseState) -> Sequence[BarItem]:
    count = standing.problems
    if not count and standing.hints:
        return (BarItem((hints_span(standing.hints),), rank=3),)
    if not count:
        return (BarItem(((f"{glyphs().ok} Valid", "ok"),), rank=4),)
    return (BarItem((wrong_or_awaited(count, standing.awaited),), rank=3),)


def _form_or_json(standing: ResponseState) -> BarItem:
    return BarItem(form_or_json(keys.shown_key("inbox.json"), as_json=standing.as_json), "json", 5)


# Opening a URL in the browser: a library call with a validated URL, never a shell


def open_link(server_request: ServerRequest, say: Say) -> bool:
    """Open the URL if it is a web URL; return whether it was opened."""
    link = read_link(server_request.url)
    if not link.openable:
        say(f"Not opened: {link.why_not or 'no URL in this request'}.", True)
    elif os.environ.get("SSH_CONNECTION"):
        say("This terminal is on another machine. Copy the URL.", False)
    elif webbrowser.open(link.openable):
        say(f"Opened in the browser: {link.host}. {_THEN[server_request.visit]} once it is done.", False)
        return True
    else:
        say("No browser found. Copy the URL.", True)
    return False


class QuestionPane(Widget):
    """A server request and its response. Posts the user's decision and sends nothing to the server itself."""

    DEFAULT_CSS = """
    QuestionPane { layout: vertical; }
    QuestionPane .question--about { height: auto; padding: 0 1; margin: 0 0 1 0; }
    QuestionPane.-over SchemaForm { display: none; }
    """

    class Answered(Message):
        """The user responds to the request."""

        def __init__(self, ticket: Ticket, reply: Reply) -> None:
            super().__init__()
            self.ticket = ticket
            self.reply = reply

    class RootsChosen(Message):
        """The user changes the list of roots."""

        def __init__(self, roots: tuple[Root, ...]) -> None:
            super().__init__()
            self.roots = roots

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__(classes="-over")
        self.conversation = conversation
        self.asked: RequestRow | None = None
        """Shown request."""
        self._asked_in = conversation
        """The conversation of the shown request: until the next one is drawn, that before the latest."""
        self._takes_focus = False
        """Whether this pane is about to get the focus; until then no widget has it."""
        self.edits_roots = False
        self._standing: object = None
        """State that was drawn last; see `_standing`."""
        self._armed: FormValue = None
        self._content = b""
        """What the request asks that the form was loaded for."""
        self._unsent: FormValue = UNSET
        """Value of the form as it is in `unsent` of the conversation."""
        self.title_row = StatusLine()
        self._about = Static("", classes="question--about")
        self._bar = AnswerBar()
        self.form = SchemaForm()
        self._sampling_editor = SamplingEditor(self.form)
        self._declining = DeclineAll()

    def compose(self) -> ComposeResult:
        yield self.title_row
        with FormScroll():
            yield self._about
            yield self.form
        yield self._bar

    @property
    def is_ready(self) -> bool:
        return self._bar.is_mounted and self.form.is_ready

    @property
    def server_request(self) -> ServerRequest | None:
        """Shown request if it can be answered now, else None."""
        can = self.asked is not None and self.asked.waits and not self.edits_roots
        return self.asked.server_request if can and self.asked is not None else None

    # Rendering

    async def show(self, asked: RequestRow | None) -> None:
        """Show another request, or the new state of the shown one. Text that was typed for a request is kept."""
        standing = _standing(asked, self.conversation)
        if asked == self.asked and standing == self._standing and not self.edits_roots and not self.is_outdated:
            return
        has_focus = self.has_focus_within or (self._takes_focus and self.screen.focused is None)
        reads_on = has_focus and asked == self.asked
        self._keep()
        self.edits_roots = False
        self.asked, self._asked_in, self._standing = asked, self.conversation, standing
        if not reads_on:
            await self._fill()
            return
        hold_keys(self)
        await self._fill()
        self._takes_focus = True  # the focused widget was removed
        self.call_after_refresh(self._focus_and_release)

    async def read(self, asked: RequestRow | None) -> None:
        """Show another request and focus its first field, which also gets the text typed meanwhile."""
        hold_keys(self)
        await self.show(asked)
        self.call_after_refresh(self._focus_and_release)

    def _focus_and_release(self) -> None:
        self.focus_first()
        release_keys(self)

    async def _fill(self) -> None:
        """Show the current state of the request."""
        self._armed = None
        server_request, asked = self.server_request, self.asked
        if server_request is not None and asked is not None:
            self._content = asked.content
            self._unsent = self.conversation.unsent.get(self._content, UNSET)
            await self._sampling_editor.load(asked, self._unsent)
        self.set_class(server_request is None or not has_form(server_request) or asks_now(asked), "-over")
        self._about.update(_text(self, self._sections()))
        self.query_one(FormScroll).scroll_home(animate=False)
        self.tick()
        self._renew_bar()

    async def show_roots(self) -> None:
        """Show the list of roots for editing."""
        self._keep()
        self.edits_roots = True
        self._armed = None
        await self._sampling_editor.leave()
        await self.form.load(ROOTS_SCHEMA)
        await self.form.take(listed(self.conversation.inbox.roots))
        self.remove_class("-over")
        self._about.update(_text(self, (_ABOUT_ROOTS,)))
        self.tick()
        self._renew_bar()

    @property
    def is_outdated(self) -> bool:
        """Whether the response was edited in another pane since."""
        return _waited(self._standing) and self.conversation.unsent.get(self._content, UNSET) is not self._unsent

    def _keep(self) -> None:
        asked = self.asked
        if asked is None or not _waited(self._standing) or self.edits_roots:
            return
        self.form.read_editors()
        if self._sampling_editor.edits_request:
            self._sampling_editor.keep_request(asked)
        else:
            self._keep_value()

    def _keep_value(self) -> None:
        if not self.is_outdated:
            self._unsent = self.form.state.value if self.form.is_touched else UNSET
            self.conversation.unsent[self._content] = self._unsent

    def _sections(self) -> tuple[Section, ...]:
        asked = self.asked
        if asked is None:
            return ()
        conversation = self.conversation
        if self._sampling_editor.edits_request:
            return (request_section(conversation),)
        found = server_request_sections(
            asked.server_request, conversation.journal, patience_s=conversation.inbox.patience_s
        )
        if asked.stood is not None:
            section = answered_section(asked.server_request, conversation.journal, asked.stood)
            return (section, *found) if section is not None else found
        ticket = asked.ticket
        if came := proposal_section(ticket):
            found = (came, *found)
        if ticket is None or asked.waits:
            return found
        is_kept = self.conversation.unsent.get(asked.content, UNSET) is not UNSET
        kept = (_KEPT,) if ticket.state is TicketState.WITHDRAWN and is_kept else ()
        lost = (undelivered_section(ticket.undelivered),) if ticket.undelivered else ()
        return (*lost, answer_section(ticket.reply, ticket.by, ticket.why), *kept, *found)

    def tick(self) -> None:
        """Update the age of the request."""
        asked, conversation = self.asked, self._asked_in
        if self.edits_roots or asked is None:
            self.title_row.show([("Roots" if self.edits_roots else _NOTHING, "title" if self.edits_roots else "muted")])
            return
        left: list[Span] = [(f"{glyphs().event} {kind_word(asked.server_request)}", "title")]
        if place := place_of(asked.ticket, conversation):
            left.append((f"  {place}", "muted"))
        if (proposal := proposal_of(asked)) is not None and asked.waits:
            left.append(proposal_line(proposal, conversation.now_ns))
        if asked.waits or asked.waited:
            since: Span = (f"Waiting for you {age(asked.server_request, conversation.now_ns)}", "warning")
        else:  # no age, which would be painted again and again
            since = (f"received {clock(conversation.journal.store.wall_ns(asked.server_request.frame))}", "muted")
        self.title_row.show(left, [since])

    def _renew_bar(self) -> None:
        form = self.form
        armed = self._armed is not None and self._armed is form.state.value
        model = self._sampling_editor.can_begin(self.conversation, self.server_request)
        sampling = (
            "asking"
            if asks_now(self.asked)
            else "request"
            if self._sampling_editor.edits_request
            else "answer"
            if model
            else ""
        )
        standing = ResponseState(
            form.problem_count,
            armed,
            form.as_json,
            sampling,
            fixed=self._sampling_editor.is_json,
            awaited=awaited_count(form),
            hints=hint_count(form),
        )
        self._bar.say(self.server_request, standing, roots=self.edits_roots)

    def on_descendant_focus(self) -> None:
        """Note that the focus has arrived."""
        self._takes_focus = False

    def focus_first(self) -> None:
        """Focus the first field, or the bar if there is none; for a completed request, its text."""
        if self.server_request is None and not self.edits_roots:
            self.query_one(FormScroll).focus()
            return
        self._bar.focus()
        if not self.has_class("-over"):
            self.form.focus_first()

    def can(self, action: QuestionAction) -> bool:
        """Return whether an action applies to the current content."""
        server_request = self.server_request
        if self.edits_roots:
            return action in ("accept", "json")
        if action == "all":
            return len(self.conversation.inbox.waiting) > 1
        if server_request is None:
            return False
        if action == "model":
            return self._sampling_editor.can_begin(self.conversation, server_request)
        if action in ("json", "again"):
            return has_form(server_request) and not self._sampling_editor.is_json and not asks_now(self.asked)
        if action == "open":
            return not has_form(server_request)
        # With selected text the key cuts, as in every field.
        return action != "dismiss" or (
            server_request.kind is RequestKind.ELICITATION and not _has_selection(self.screen.focused)
        )

    # Responding

    async def send(self, ticket: Ticket, reply: Reply) -> bool:
        """Send a response, which is then no longer kept; return False if the request does not wait for it."""
        if sent := await self.conversation.inbox.answer(ticket, reply):
            self.conversation.unsent.pop(RequestRow(ticket.server_request).content, None)
        return sent

    async def do(self, action: QuestionAction) -> None:
        """Run an action requested by key, click or letter."""
        server_request, asked = self.server_request, self.asked
        if action == "accept":
            self.form.read_editors()
        match action:
            case "json":
                if not self.has_class("-over") and not self._sampling_editor.is_json:
                    await self.form.toggle_json()
                    self._renew_bar()
            case "all":
                drop_typed_ahead(self)
                _say(self, await self._declining.press(self.conversation), False)
            case "again":
                if self.can("again"):
                    await _take_last(self)
            case "accept" if self.edits_roots:
                if await self._is_confirmed():
                    self.post_message(self.RootsChosen(roots_of(self.form.arguments)))
            case _ if server_request is None or asked is None or asked.ticket is None:
                self.app.notify("No request is waiting for a response.")
            case "open":
                open_link(server_request, partial(_say, self))
            case "model":
                await self._switch_to_model(asked, asked.ticket)
            case "accept" if self._sampling_editor.edits_request:
                if not _is_unreadable(self):
                    await self.conversation.inbox.request_proposal(
                        asked.ticket, self._sampling_editor.keep_request(asked)
                    )
            case "accept" if asks_now(asked):
                _say(self, f"Waiting for the model; {keys.shown_key('inbox.model')} cancels.", False)
            case "accept":
                if not has_form(server_request) or await self._is_confirmed():
                    self.post_message(self.Answered(asked.ticket, self._sampling_editor.reply(server_request)))
            case "decline" | "dismiss":
                self.post_message(
                    self.Answered(asked.ticket, declining_reply(server_request, dismiss=action == "dismiss"))
                )

    async def _switch_to_model(self, asked: RequestRow, ticket: Ticket) -> None:
        """Show the model request for editing; from there, return to the response; cancel it while it runs."""
        if not self._sampling_editor.can_begin(self.conversation, self.server_request):
            _say(self, "No model configured. Start with --sampler-url and --sampler-model.", False)
        elif asks_now(asked):
            await self.conversation.inbox.cancel_proposal(ticket)
        elif self._sampling_editor.edits_request:
            await self.leave_request()
        else:
            self._keep()
            await self._sampling_editor.show_request(asked)
            self._about.update(_text(self, self._sections()))
            self._renew_bar()

    @property
    def edits_request(self) -> bool:
        return self._sampling_editor.edits_request

    async def leave_request(self) -> bool:
        """Return from the model request to the response; return whether the model request was visible."""
        if not self._sampling_editor.edits_request:
            return False
        self._keep()
        await self._fill()
        self.focus_first()
        return True

    async def _is_confirmed(self) -> bool:
        """Return whether to send the form: it is valid, or this is the second press."""
        form = self.form
        if _is_unreadable(self):
            drop_typed_ahead(self)
            return False
        await form.judge()
        if form.state.is_wrong and self._armed is not form.state.value:
            self._armed = form.state.value
            drop_typed_ahead(self)
            await form.show_all_problems()
            self._renew_bar()
            return False
        return True

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Show on the bar what a press does now."""
        event.stop()
        if self.server_request is not None and not self._sampling_editor.edits_request:
            self._keep_value()
        self._renew_bar()

    async def on_press_bar_pressed(self, event: AnswerBar.Pressed) -> None:
        """Run the action of the bar."""
        event.stop()
        await self.do(event.action)  # type: ignore[arg-type]


def _has_selection(focused: Widget | None) -> bool:
    return isinstance(focused, Input | TextArea) and not focused.selection.is_empty


def _say(pane: QuestionPane, what: str, grave: bool) -> None:
    pane.app.notify(what, severity="warning" if grave else "information")


def _text(pane: QuestionPane, sections: tuple[Section, ...]) -> Group:
    """Render each section below its title, indented; long lines wrap within the indentation."""
    dark = pane.app.current_theme.dark
    parts: list[RenderableType] = []
    for section in sections:
        parts += [Text("")] if parts else []
        parts.append(Text(section.title, role_styles(dark=dark)["title"]))
        parts.append(Padding(section_renderable(section, dark=dark), (0, 0, 0, 2)))
    return Group(*parts)


def _is_unreadable(pane: QuestionPane) -> bool:
    """Return whether the form holds text that is not JSON, and if so notify the user."""
    if not pane.form.json_problem:
        return False
    _say(pane, "Not sent: invalid JSON.", True)
    pane.form.focus_first()
    return True


async def _take_last(pane: QuestionPane) -> None:
    """Fill in the last response to a request of the same kind."""
    server_request = pane.server_request
    assert server_request is not None, "only a waiting request can be filled in"
    same = [ticket for ticket in pane.conversation.inbox.tickets if ticket.server_request.kind is server_request.kind]
    earlier = (filled_by(server_request, ticket.reply) for ticket in reversed(same))
    filled = next((each for each in earlier if each is not UNSET), UNSET)
    if filled is UNSET:
        _say(pane, "No response to such a request yet.", False)
    else:
        await pane.form.take(filled)


def _waited(standing: object) -> bool:
    """Return whether a request in this state could be answered."""
    return isinstance(standing, tuple) and bool(standing[0])


def _standing(asked: RequestRow | None, conversation: OpenConversation) -> object:
    """Return everything about a request that can change while it is shown."""
    if asked is None:
        return None
    proposal = proposal_of(asked)
    complete = conversation.journal.conversation.visits.is_complete(asked.server_request)
    return asked.waits, complete, id(proposal), proposal.state if proposal is not None else None
