"""Skills screen: the skills that a server lists, reading their files, and verifying those against the list.

Opening the screen requests the list and reads no files. A file that does not match its entry is not shown: the
screen shows expected and actual values, and Traffic has its bytes.
"""

from collections.abc import Callable
from typing import Any

from rich.console import Group
from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from inspector.present.skills import check_facts, file_text, skill_facts
from inspector.present.spans import Section, Span, paragraph
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.flows.skills import check_skill, get_skill, list_skills, read_skill_file
from inspector.protocol.flows.steps import Flow
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.skills import SkillFile
from inspector.session.session import Session
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation, why_silent
from inspector.tui.panels import Panel
from inspector.tui.screens.skills.model import Held, SkillIndex, SkillRow
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.section_card import section_renderable, sections_text
from inspector.tui.widgets.virtual_list import LogList

_NOT_SAFE = "A match shows that file and entry agree, not that the content is safe."
_NOT_USED = "The file does not match its entry and must not be used. Its content is in Traffic."
_NARROW = 110


class SkillDetail(VerticalScroll, can_focus=True):
    DEFAULT_CSS = """
    SkillDetail { padding: 0 1; border-left: solid $border-blurred; }
    SkillDetail > Static { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._about = Static("", markup=False)
        self.sections: tuple[Section, ...] = ()
        """Sections that are shown."""

    def compose(self) -> ComposeResult:
        yield self._about

    @property
    def is_ready(self) -> bool:
        return self._about.is_mounted

    def show(self, row: SkillRow | None) -> None:
        """Show another row or a new state of the same one; None for nothing."""
        self.sections = () if row is None else (_about_skill(row.held),) if row.file is None else _about_file(row)
        dark = self.app.current_theme.dark
        self._about.update(Group(*(section_renderable(section, dark=dark) for section in self.sections)))
        self.scroll_home(animate=False)


def why_not_read(held: Held, file: SkillFile) -> str:
    """Return why a file must not be read; "" if it may."""
    skill = held.skill
    return skill.flaw or ("" if skill.is_dynamic and file.is_manifest else file.flaw)


def _about_skill(held: Held) -> Section:
    skill = held.skill
    return Section(skill.name, skill_facts(skill), paragraph(skill.description, "foreign", limit=5000))


def _about_file(row: SkillRow) -> tuple[Section, ...]:
    held, file = row.held, row.file
    assert file is not None, "reading a file"
    read = held.reads.get(file.uri)
    if read is None:
        error = held.errors.get(file.uri, "") or why_not_read(held, file)
        message = f"{glyphs().error} {error}" if error else f"Not read yet. {keys.shown_key('skills.read')} reads it."
        return (Section(file.path, lines=paragraph(message, "error" if error else "muted")),)
    if read.problem:
        return (Section(file.path, lines=paragraph(f"{glyphs().error} {read.problem}", "error")),)
    checks = Section(file.path, check_facts(read), note=_NOT_SAFE if read.ok else "")
    if not read.ok:
        return (checks, Section("", lines=paragraph(_NOT_USED, "error")))
    return (checks, Section("", lines=((), *file_text(read))))


class SkillsPanel(Panel):
    """Panel of the server's skills."""

    places = keys.SCREENS["skills"].places
    BINDINGS = keys.bindings("Skills")
    DEFAULT_CSS = """
    SkillsPanel { layout: grid; grid-size: 2; grid-columns: 2fr 3fr; grid-rows: 1 1fr; }
    SkillsPanel > StatusLine { column-span: 2; }
    SkillsPanel.-right { layout: grid; }
    SkillsPanel.-below { grid-size: 1; grid-columns: 1fr; grid-rows: 1 1fr 1fr; }
    SkillsPanel.-below > StatusLine { column-span: 1; }
    SkillsPanel.-below > SkillDetail { border-left: none; border-top: solid $border-blurred; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self.index = SkillIndex(conversation.journal)
        self._line = StatusLine()
        self._list = LogList(self.index)
        self._detail = SkillDetail()
        self.frame: ListDetail = ListDetail(
            self, lambda: self._list, lambda: self._detail, narrow=_NARROW, narrow_layout="below"
        )
        self._under_way: list[str] = []
        """Running operations, newest last."""
        self._asked_for = False

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._list
        yield self._detail

    # Interface for the app

    def sync(self) -> None:
        """Update the list and the details; request the list once if the server declares skills."""
        if not self._list.is_mounted or not self._detail.is_ready:
            return
        changed = self.index.take()
        if not self.index.listed and not self._asked_for and self._may_ask and _declared(self.conversation):
            self._asked_for = True
            self._perform("listing", lambda revision: list_skills(revision=revision))
        self._list.empty = self._empty_text()
        self._list.sync()
        if changed:
            self._detail.show(self._row)
        self._line.show(*self._status())

    def rebind(self, conversation: OpenConversation) -> None:
        self.conversation = conversation
        self.index = SkillIndex(conversation.journal)
        self._list.source = self.index
        self._asked_for = False
        self._detail.show(self._row)

    def copy(self) -> None:
        """Copy the details of the selected row."""
        copy(self.app, sections_text(self._detail.sections))

    # Keys

    def action_list(self) -> None:
        if self._can_ask("listing"):
            self._perform("listing", lambda revision: list_skills(revision=revision))

    def action_get(self) -> None:
        """Request the entry of the selected skill."""
        row = self._chosen()
        if row is not None and self._can_ask("requesting the entry"):
            uri = row.held.skill.uri
            self._perform("requesting the entry", lambda revision: get_skill(uri, revision=revision))

    def action_read(self) -> None:
        """Read the selected file; for a skill, its SKILL.md."""
        row = self._chosen()
        if row is None or not self._can_ask("reading"):
            return
        skill = row.held.skill
        file = row.file or next((file for file in skill.files if file.is_manifest), None)
        if file is None:
            self.app.notify("Its entry lists no SKILL.md.", severity="warning")
        elif refused := why_not_read(row.held, file):
            self.app.notify(f"Not read: {refused}.", severity="warning")
        else:
            self._perform("reading", lambda revision: read_skill_file(skill, file, revision=revision))

    def action_check(self) -> None:
        """Read all files of the selected skill, up to the first mismatch."""
        row = self._chosen()
        if row is not None and self._can_ask("verifying"):
            skill = row.held.skill
            self._perform("verifying", lambda revision: check_skill(skill, skill.files, revision=revision))

    @work(group="skills")
    async def _perform(self, busy: str, flow: Callable[[Revision], Flow[Any]]) -> None:
        self._under_way.append(busy)

        async def do(session: Session) -> None:
            await session.perform(flow)

        try:
            await self.conversation.perform(do)
        finally:
            self._under_way.remove(busy)

    # Messages of the widgets

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        event.stop()
        self._detail.show(self._row)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Read the file, or focus its text if it was read already."""
        event.stop()
        row = self._row
        if row is not None and row.file is not None and row.file.uri in row.held.reads:
            self._detail.focus()
        else:
            self.action_read()

    # Rendering

    ROW_ACTIONS = frozenset(("get", "read", "check"))

    @property
    def has_row(self) -> bool:
        """Whether there is a row under the cursor, or the list is still arriving."""
        return self._row is not None or "listing" in self._under_way

    @property
    def _row(self) -> SkillRow | None:
        at = self._list.view.cursor
        return self.index.rows[at] if 0 <= at < len(self.index.rows) else None

    @property
    def _may_ask(self) -> bool:
        return self.conversation.can_act and self.conversation.stage is ConversationStage.OPEN

    def _chosen(self) -> SkillRow | None:
        """Return the row that a key applies to; if there is none yet, notify the user and return None."""
        if self._row is None:
            self.app.notify("The list is still arriving.")
        return self._row

    def _can_ask(self, what: str) -> bool:
        """Return whether an operation can start now. A visible skill can be read while the list is still arriving."""
        if not self._may_ask:
            self.app.notify(why_silent(self.conversation), severity="warning")
        elif what in self._under_way:
            self.app.notify(f"Still {what}.")
        return self._may_ask and what not in self._under_way

    def _status(self) -> tuple[list[Span], list[Span]]:
        count = self.index.skills
        left: list[Span] = [("Skills", "title"), (f"  {count}" if self.index.listed else "", "muted")]
        if self._under_way:
            left.append((f"  {glyphs().pending} {', '.join(self._under_way)}", "pending"))
        elif self.index.refusal:
            left.append((f"  {glyphs().error} cannot list skills: {visible(self.index.refusal, limit=200)}", "error"))
        return left, [("read on request only", "faint")]

    def _empty_text(self) -> list[list[Span]]:
        if self.index.listed:
            return [[("No skills", "muted")], [("A server can have skills that it does not list.", "faint")]]
        if not _declared(self.conversation):
            asks: list[Span] = [(f"{keys.shown_key('skills.list')} lists skills anyway", "faint")]
            return [[("The server does not declare skills", "muted")], asks if self._may_ask else []]
        return [[("Not listed yet", "muted")]]


def _declared(conversation: OpenConversation) -> bool:
    return conversation.opening is not None and declares(conversation.opening.capabilities, SKILLS)
