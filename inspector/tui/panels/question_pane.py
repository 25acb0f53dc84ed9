"""One question in full, with the form of its answer below: in the Inbox, and in the dialog over other screens.

Wrong answers can be sent: the first press goes to what is wrong and says so on the button, the second one sends. A
link is opened on a key of its own and in no other way. What is over shows what became of it.
"""

from functools import partial
from typing import Literal, TypeAlias

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.protocol.questions import Kind, Question, Reply, Root
from inspector.session.desk import Ticket
from inspector.tui.panels.answer_bar import AnswerBar, Standing
from inspector.tui.panels.inbox_rows import Asked, age
from inspector.tui.panels.many_questions import DecliningAll, place_of, waiting
from inspector.tui.panels.model_talk import (
    ModelTalk,
    asks_now,
    proposal_of,
    proposal_section,
    request_section,
    standing_of,
)
from inspector.tui.panels.open_link import open_link
from inspector.tui.styles import glyphs, role_styles
from inspector.tui.subject import Subject
from inspector.tui.widgets.form_moves import FormScroll
from inspector.tui.widgets.schema_form import SchemaForm, awaited_count
from inspector.tui.widgets.section_card import section_renderable
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.answers import (
    ROOTS_SCHEMA,
    answer_section,
    filled_by,
    has_form,
    listed,
    no_to,
    roots_of,
)
from inspector.viewmodels.lines import Section
from inspector.viewmodels.question import kind_word, question_sections
from inspector.viewmodels.recorded_questions import answered_section
from inspector.viewmodels.roles import Span

Deed: TypeAlias = Literal["accept", "decline", "dismiss", "open", "json", "again", "model", "all"]
_NOTHING = "Nothing was asked yet"
_ABOUT_ROOTS = Section("What a server is told that asks for roots")


class QuestionPane(Widget):
    """A question and its answer. Posts what the person decided; does nothing to the server itself."""

    DEFAULT_CSS = """
    QuestionPane { layout: vertical; }
    QuestionPane > VerticalScroll { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    QuestionPane .question--about { height: auto; padding: 0 1; margin: 0 0 1 0; }
    QuestionPane.-over SchemaForm { display: none; }
    """

    class Answered(Message):
        """The person answers."""

        def __init__(self, ticket: Ticket, reply: Reply) -> None:
            super().__init__()
            self.ticket = ticket
            self.reply = reply

    class RootsChosen(Message):
        """The person wants other roots to be listed."""

        def __init__(self, roots: tuple[Root, ...]) -> None:
            super().__init__()
            self.roots = roots

    def __init__(self, subject: Subject) -> None:
        super().__init__(classes="-over")
        self.subject = subject
        self.asked: Asked | None = None
        """The question that is shown."""
        self.edits_roots = False
        self._standing: object = None
        """Of what is shown: whether it waits, and how a model's answer stands."""
        self._armed: FormValue = None
        self._typed: dict[tuple[int, str], FormValue] = {}
        self._line = StatusLine()
        self._about = Static("", classes="question--about")
        self._bar = AnswerBar()
        self.form = SchemaForm()
        self._talk = ModelTalk(self.form)
        self._declining = DecliningAll()

    def compose(self) -> ComposeResult:
        """The question, its form, and the ways to answer."""
        yield self._line
        with FormScroll():
            yield self._about
            yield self.form
        yield self._bar

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self._bar.is_mounted and self.form.is_ready

    @property
    def question(self) -> Question | None:
        """What can be answered now; None if nothing."""
        can = self.asked is not None and self.asked.waits and not self.edits_roots
        return self.asked.question if can and self.asked is not None else None

    # Showing

    async def show(self, asked: Asked | None) -> None:
        """Show another question, or what became of the one that is shown. What was typed for it is kept."""
        standing = _standing(asked, self.subject)
        if asked == self.asked and standing == self._standing and not self.edits_roots:
            return
        reads_on = self.has_focus_within and asked == self.asked
        self._keep()
        self.edits_roots = False
        self.asked, self._standing = asked, standing
        await self._fill()
        if reads_on:  # what had the focus is gone
            self.call_after_refresh(self.focus_first)

    async def _fill(self) -> None:
        """Show the question as it stands now."""
        self._armed = None
        question, asked = self.question, self.asked
        if question is not None and asked is not None:
            await self._talk.load(asked, self._typed.get(asked.key, UNSET))
        self.set_class(question is None or not has_form(question) or asks_now(asked), "-over")
        self._about.update(_text(self, self._sections()))
        self.query_one(FormScroll).scroll_home(animate=False)
        self.tick()
        self._renew_bar()

    async def show_roots(self) -> None:
        """Let the list of roots be edited."""
        self._keep()
        self.edits_roots = True
        self._armed = None
        await self._talk.leave()
        await self.form.load(ROOTS_SCHEMA)
        await self.form.take(listed(self.subject.roots))
        self.remove_class("-over")
        self._about.update(_text(self, (_ABOUT_ROOTS,)))
        self.tick()
        self._renew_bar()

    def _keep(self) -> None:
        asked = self.asked
        if asked is None or not _waited(self._standing) or self.edits_roots:
            return
        self.form.read_editors()
        if self._talk.edits_request:
            self._talk.keep_request(asked)
        else:
            self._typed[asked.key] = self.form.state.value

    def _sections(self) -> tuple[Section, ...]:
        asked = self.asked
        if asked is None:
            return ()
        subject = self.subject
        if self._talk.edits_request:
            return (request_section(subject),)
        found = question_sections(asked.question, subject.journal, patience_s=subject.patience_s)
        if asked.stood is not None:
            said = answered_section(asked.question, subject.journal, asked.stood)
            return (said, *found) if said is not None else found
        ticket = asked.ticket
        if came := proposal_section(ticket):
            found = (came, *found)
        return found if ticket is None or asked.waits else (answer_section(ticket.reply, ticket.by, ticket.why), *found)

    def tick(self) -> None:
        """Say how long it has waited."""
        asked = self.asked
        if self.edits_roots or asked is None:
            self._line.show([("Roots" if self.edits_roots else _NOTHING, "title" if self.edits_roots else "muted")])
            return
        left: list[Span] = [(f"{glyphs().event} {kind_word(asked.question)}", "title")]
        if place := place_of(asked.ticket, self.subject):
            left.append((f"  {place}", "muted"))
        waited = age(asked.question, self.subject.now_ns)
        if (proposal := proposal_of(asked)) is not None and asked.waits:
            left.append(standing_of(proposal, self.subject.now_ns))
        waits = asked.waits or asked.waited
        since: Span = (f"waits for {waited}", "warning") if waits else (f"asked {waited} ago", "muted")
        self._line.show(left, [since])

    def _renew_bar(self) -> None:
        form = self.form
        armed = self._armed is not None and self._armed is form.state.value
        model = self._talk.can_begin(self.subject, self.question)
        talk = (
            "asking" if asks_now(self.asked) else "request" if self._talk.edits_request else "answer" if model else ""
        )
        standing = Standing(
            form.problem_count, armed, form.as_json, talk, fixed=self._talk.is_json, awaited=awaited_count(form)
        )
        self._bar.say(self.question, standing, roots=self.edits_roots)

    def focus_first(self) -> None:
        """Focus the first field, or the bar where there is none; of what is over the text."""
        if self.question is None and not self.edits_roots:
            self.query_one(FormScroll).focus()
            return
        self._bar.focus()
        if not self.has_class("-over"):
            self.form.focus_first()

    def can(self, deed: Deed) -> bool:
        """Whether a deed means anything for what is shown."""
        question = self.question
        if self.edits_roots:
            return deed in ("accept", "json")
        if deed == "all":
            return len(waiting(self.subject)) > 1
        if question is None:
            return False
        if deed == "model":
            return self._talk.can_begin(self.subject, question)
        if deed in ("json", "again"):
            return has_form(question) and not self._talk.is_json and not asks_now(self.asked)
        if deed == "open":
            return not has_form(question)
        # With selected text, the key cuts, as it does in every field.
        return deed != "dismiss" or (question.kind is Kind.ELICITATION and not _has_selection(self.screen.focused))

    # Answering

    async def do(self, deed: Deed) -> None:
        """Do what a key, a click or a letter asks for."""
        question, asked = self.question, self.asked
        if deed == "accept":
            self.form.read_editors()
        match deed:
            case "json":
                if not self.has_class("-over") and not self._talk.is_json:
                    await self.form.toggle_json()
                    self._renew_bar()
            case "all":
                _say(self, await self._declining.press(self.subject), False)
            case "again":
                if self.can("again"):
                    await _take_last(self)
            case "accept" if self.edits_roots:
                if await self._is_meant():
                    self.post_message(self.RootsChosen(roots_of(self.form.arguments)))
            case _ if question is None or asked is None or asked.ticket is None:
                self.app.notify("Nothing waits for an answer here.", markup=False)
            case "open":
                open_link(question, partial(_say, self))
            case "model":
                await self._turn_to_the_model(asked, asked.ticket)
            case "accept" if self._talk.edits_request:
                if not _is_unreadable(self):
                    await self.subject.consult(asked.ticket, self._talk.keep_request(asked))
            case "accept" if asks_now(asked):
                _say(self, "The model is being asked; ^s stops that.", False)
            case "accept":
                if not has_form(question) or await self._is_meant():
                    self.post_message(self.Answered(asked.ticket, self._talk.reply(question)))
            case "decline" | "dismiss":
                self.post_message(self.Answered(asked.ticket, no_to(question, dismiss=deed == "dismiss")))

    async def _turn_to_the_model(self, asked: Asked, ticket: Ticket) -> None:
        """Show what it will be asked; from there back to the answer; stop it where it is being asked."""
        if not self._talk.can_begin(self.subject, self.question):
            _say(self, "No model was named: start with --sampler-url and --sampler-model.", False)
        elif asks_now(asked):
            await self.subject.stop_consulting(ticket)
        elif self._talk.edits_request:
            await self.leave_request()
        else:
            self._keep()
            await self._talk.show_request(asked)
            self._about.update(_text(self, self._sections()))
            self._renew_bar()

    @property
    def edits_request(self) -> bool:
        """Whether what a model is to be asked is in sight."""
        return self._talk.edits_request

    async def leave_request(self) -> bool:
        """From what a model is to be asked back to the answer; whether that was in sight."""
        if not self._talk.edits_request:
            return False
        self._keep()
        await self._fill()
        self.focus_first()
        return True

    async def _is_meant(self) -> bool:
        """Whether what was filled in is to be sent: it is right, or this is the second press."""
        form = self.form
        if _is_unreadable(self):
            return False
        verdict = await form.judge()
        if verdict.ok is False and self._armed is not form.state.value:
            self._armed = form.state.value
            await form.insist()
            self._renew_bar()
            return False
        return True

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Say on the bar what a press would do now."""
        event.stop()
        self._renew_bar()

    async def on_answer_bar_pressed(self, event: AnswerBar.Pressed) -> None:
        """Do what the bar offers."""
        event.stop()
        await self.do(event.deed)  # type: ignore[arg-type]


def _has_selection(focused: Widget | None) -> bool:
    return isinstance(focused, Input | TextArea) and not focused.selection.is_empty


def _say(pane: QuestionPane, what: str, grave: bool) -> None:
    pane.app.notify(what, severity="warning" if grave else "information", markup=False)


def _text(pane: QuestionPane, sections: tuple[Section, ...]) -> Group:
    """Under each title what it has, set in: what is too long for a line goes on below itself."""
    dark = pane.app.current_theme.dark
    parts: list[RenderableType] = []
    for section in sections:
        parts += [Text("")] if parts else []
        parts.append(Text(section.title, role_styles(dark=dark)["title"]))
        parts.append(Padding(section_renderable(section, dark=dark), (0, 0, 0, 2)))
    return Group(*parts)


def _is_unreadable(pane: QuestionPane) -> bool:
    """Whether the form holds text that is no JSON; the person is told."""
    if not pane.form.json_problem:
        return False
    _say(pane, "Nothing was sent: the JSON can't be read.", True)
    pane.form.focus_first()
    return True


async def _take_last(pane: QuestionPane) -> None:
    """Fill in what was answered last to a question of this kind."""
    question = pane.question
    assert question is not None, "only what waits can be filled in"
    same = [ticket for ticket in pane.subject.tickets if ticket.question.kind is question.kind]
    earlier = (filled_by(question, ticket.reply) for ticket in reversed(same))
    filled = next((each for each in earlier if each is not UNSET), UNSET)
    if filled is UNSET:
        _say(pane, "No such question was answered yet.", False)
    else:
        await pane.form.take(filled)


def _waited(standing: object) -> bool:
    """Whether what stood so could be answered."""
    return isinstance(standing, tuple) and bool(standing[0])


def _standing(asked: Asked | None, subject: Subject) -> object:
    """All that can change about a question while it is shown."""
    if asked is None:
        return None
    proposal = proposal_of(asked)
    complete = subject.journal.conversation.visits.is_complete(asked.question)
    return asked.waits, complete, id(proposal), proposal.state if proposal is not None else None
