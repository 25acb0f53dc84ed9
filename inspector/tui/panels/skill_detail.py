"""What is known of a skill or of one of its files: the entry, the comparison, and the text of what is as listed."""

from rich.console import Group
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from inspector.protocol.skills import SkillFile
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.widgets.section_card import section_renderable
from inspector.viewmodels.lines import Section, paragraph
from inspector.viewmodels.skill_index import Held, SkillRow
from inspector.viewmodels.skills import check_facts, file_text, skill_facts

_NOT_SAFE = "A match says that server and entry agree, not that the content is harmless."
_NOT_USED = "This is not what the entry says and must not be used. Its bytes stand in the traffic."


class SkillDetail(VerticalScroll, can_focus=True):
    """About one line of the list."""

    DEFAULT_CSS = """
    SkillDetail { padding: 0 1; border-left: solid $border-blurred; }
    SkillDetail > Static { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._about = Static("", markup=False)
        self.sections: tuple[Section, ...] = ()
        """What is shown."""

    def compose(self) -> ComposeResult:
        """One text."""
        yield self._about

    @property
    def is_ready(self) -> bool:
        """Whether something can be shown."""
        return self._about.is_mounted

    def show(self, row: SkillRow | None) -> None:
        """Show another line, or the same after something has happened; None for nothing."""
        self.sections = () if row is None else (_about_skill(row.held),) if row.file is None else _about_file(row)
        dark = self.app.current_theme.dark
        self._about.update(Group(*(section_renderable(section, dark=dark) for section in self.sections)))
        self.scroll_home(animate=False)


def why_not_read(held: Held, file: SkillFile) -> str:
    """Why a file must not be asked for; "" if it may."""
    skill = held.skill
    return skill.flaw or ("" if skill.is_dynamic and file.is_manifest else file.flaw)


def _about_skill(held: Held) -> Section:
    skill = held.skill
    return Section(skill.name, skill_facts(skill), paragraph(skill.description, "foreign", limit=5000))


def _about_file(row: SkillRow) -> tuple[Section, ...]:
    held, file = row.held, row.file
    assert file is not None, "asked of a file"
    read = held.reads.get(file.uri)
    if read is None:
        error = held.errors.get(file.uri, "") or why_not_read(held, file)
        said = f"{glyphs().error} {error}" if error else f"Not read yet: {keys.key_name('ctrl+j')} reads it."
        return (Section(file.path, lines=paragraph(said, "error" if error else "muted")),)
    if read.problem:
        return (Section(file.path, lines=paragraph(f"{glyphs().error} {read.problem}", "error")),)
    checks = Section(file.path, check_facts(read), note=_NOT_SAFE if read.ok else "")
    if not read.ok:
        return (checks, Section("", lines=paragraph(_NOT_USED, "error")))
    return (checks, Section("", lines=((), *file_text(read))))
