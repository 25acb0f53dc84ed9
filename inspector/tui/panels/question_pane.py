"""One question in full, with the form of its answer below: in the Inbox, and in the dialog over other screens.

Wrong answers can be sent: the first press goes to what is wrong and says so on the button, the second one sends. A
link is opened on a key of its own and in no other way. What is over shows what became of it.
"""

import os
import webbrowser
from typing import Literal, TypeAlias

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.protocol.questions import Kind, Question, Reply, Root
from inspector.session.desk import Ticket
from inspector.tui.panels.answer_bar import AnswerBar, Standing
from inspector.tui.panels.inbox_rows import Asked, age
from inspector.tui.styles import glyphs, role_styles
from inspector.tui.subject import Subject
from inspector.tui.widgets.schema_form import SchemaForm
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.answers import (
    ROOTS_SCHEMA,
    answer_schema,
    answer_section,
    filled_by,
    has_form,
    listed,
    no_to,
    reply_of,
    roots_of,
)
from inspector.viewmodels.lines import Line, Section, section_lines
from inspector.viewmodels.links import read_link
from inspector.viewmodels.question import kind_word, question_sections
from inspector.viewmodels.roles import Span

Deed: TypeAlias = Literal["accept", "decline", "dismiss", "open", "json", "again"]
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
        self._waited = False
        self._armed: FormValue = None
        self._typed: dict[tuple[int, str], FormValue] = {}
        self._line = StatusLine()
        self._about = Static("", classes="question--about")
        self._bar = AnswerBar()
        self.form = SchemaForm()

    def compose(self) -> ComposeResult:
        """The question, its form, and the ways to answer."""
        yield self._line
        with VerticalScroll():
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
        same = asked == self.asked and (asked is None or asked.waits == self._waited) and not self.edits_roots
        if same:
            return
        self._keep()
        self.edits_roots = False
        self.asked, self._waited = asked, asked is not None and asked.waits
        self._armed = None
        question = self.question
        if question is not None and asked is not None:
            await self.form.load(answer_schema(question), self._typed.get(asked.key, UNSET))
        self.set_class(question is None or not has_form(question), "-over")
        self._write(self._sections())
        self.query_one(VerticalScroll).scroll_home(animate=False)
        self.tick()
        self._renew_bar()

    async def show_roots(self) -> None:
        """Let the list of roots be edited."""
        self._keep()
        self.edits_roots = True
        self._armed = None
        await self.form.load(ROOTS_SCHEMA)
        await self.form.take(listed(self.subject.roots))
        self.remove_class("-over")
        self._write((_ABOUT_ROOTS,))
        self.tick()
        self._renew_bar()

    def _keep(self) -> None:
        if self.asked is not None and self._waited and not self.edits_roots:
            self._typed[self.asked.key] = self.form.state.value

    def _sections(self) -> tuple[Section, ...]:
        asked = self.asked
        if asked is None:
            return ()
        subject = self.subject
        found = question_sections(asked.question, subject.journal, patience_s=subject.patience_s)
        ticket = asked.ticket
        return found if ticket is None or asked.waits else (answer_section(ticket.reply, ticket.by, ticket.why), *found)

    def _write(self, sections: tuple[Section, ...]) -> None:
        lines: list[Line] = []
        for section in sections:
            lines += [*section_lines(section), ()]
        inks = role_styles(dark=self.app.current_theme.dark)
        shown = [Text.assemble(*((part, inks[role]) for part, role in line)) for line in lines[:-1]]
        about = Text("\n").join(shown)
        self._about.update(about)

    def tick(self) -> None:
        """Say how long it has waited."""
        asked = self.asked
        if self.edits_roots or asked is None:
            self._line.show([("Roots" if self.edits_roots else _NOTHING, "title" if self.edits_roots else "muted")])
            return
        left: list[Span] = [(f"{glyphs().event} {kind_word(asked.question)}", "title")]
        waited = age(asked.question, self.subject.now_ns)
        since: Span = (f"waits for {waited}", "warning") if asked.waits else (f"asked {waited} ago", "muted")
        self._line.show(left, [since])

    def _renew_bar(self) -> None:
        form = self.form
        armed = self._armed is not None and self._armed is form.state.value
        self._bar.say(self.question, Standing(form.problem_count, armed, form.as_json), roots=self.edits_roots)

    def focus_first(self) -> None:
        """Focus the first field, or the bar where there is none; of what is over the text."""
        if self.question is None and not self.edits_roots:
            self.query_one(VerticalScroll).focus()
            return
        self._bar.focus()
        if not self.has_class("-over"):
            self.form.focus_first()

    def can(self, deed: Deed) -> bool:
        """Whether a deed means anything for what is shown."""
        question = self.question
        if self.edits_roots:
            return deed in ("accept", "json")
        if question is None:
            return False
        if deed in ("json", "again"):
            return has_form(question)
        if deed == "open":
            return not has_form(question)
        return deed != "dismiss" or question.kind is Kind.ELICITATION

    # Answering

    async def do(self, deed: Deed) -> None:
        """Do what a key, a click or a letter asks for."""
        question, asked = self.question, self.asked
        match deed:
            case "json":
                if not self.has_class("-over"):
                    await self.form.toggle_json()
                    self._renew_bar()
            case "again":
                await self._take_last()
            case "accept" if self.edits_roots:
                if await self._is_meant():
                    self.post_message(self.RootsChosen(roots_of(self.form.arguments)))
            case _ if question is None or asked is None or asked.ticket is None:
                self.app.notify("Nothing waits for an answer here.", markup=False)
            case "open":
                self._open(question)
            case "accept":
                if not has_form(question) or await self._is_meant():
                    self.post_message(self.Answered(asked.ticket, reply_of(question, self.form.arguments)))
            case "decline" | "dismiss":
                self.post_message(self.Answered(asked.ticket, no_to(question, dismiss=deed == "dismiss")))

    async def _is_meant(self) -> bool:
        """Whether what was filled in is to be sent: it is right, or this is the second press."""
        form = self.form
        if form.json_problem:
            self.app.notify("Nothing was sent: the JSON can't be read.", severity="warning", markup=False)
            form.focus_first()
            return False
        verdict = await form.judge()
        if verdict.ok is False and self._armed is not form.state.value:
            self._armed = form.state.value
            await form.insist()
            self._renew_bar()
            return False
        return True

    async def _take_last(self) -> None:
        """Fill in what was answered last to a question of this kind."""
        question = self.question
        if question is None or not has_form(question):
            return
        same = [ticket for ticket in self.subject.tickets if ticket.question.kind is question.kind]
        earlier = (filled_by(question, ticket.reply) for ticket in reversed(same))
        filled = next((each for each in earlier if each is not UNSET), UNSET)
        if filled is UNSET:
            self.app.notify("No such question was answered yet.", markup=False)
        else:
            await self.form.take(filled)

    def _open(self, question: Question) -> None:
        """Open a link in the browser: a library call with a URL that was checked, and never a shell."""
        link = read_link(question.url)
        if not link.openable:
            self.app.notify(
                f"Not opened: {link.why_not or 'this question has no link'}.", severity="warning", markup=False
            )
        elif os.environ.get("SSH_CONNECTION"):
            self.app.notify("This terminal is on another machine: copy the link from here.", markup=False)
        elif webbrowser.open(link.openable):
            self.app.notify(f"Opened in the browser: {link.host}. Accept once it is done.", markup=False)
        else:
            self.app.notify("No browser was found: copy the link from here.", severity="warning", markup=False)

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Say on the bar what a press would do now."""
        event.stop()
        self._renew_bar()

    async def on_answer_bar_pressed(self, event: AnswerBar.Pressed) -> None:
        """Do what the bar offers."""
        event.stop()
        await self.do(event.deed)  # type: ignore[arg-type]
