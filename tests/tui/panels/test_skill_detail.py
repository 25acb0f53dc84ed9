"""What is known of a skill or a file of it."""

import pytest
from textual.app import App, ComposeResult

from inspector.protocol.skills import verify
from inspector.tui.panels.skill_detail import SkillDetail, why_not_read
from inspector.tui.styles import THEMES
from inspector.viewmodels.skill_index import Held, SkillRow
from tests.protocol.test_skills import TEXT, entry, listed, text_result
from tests.tui.screen_text import text
from tests.waiting import until


class Looking(App[None]):
    """An app with the widget alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def compose(self) -> ComposeResult:
        yield SkillDetail()


@pytest.mark.parametrize(
    ("served", "shown", "hidden"),
    [(TEXT, ["as in the entry", "# Knots", "A match says"], "must not"), (TEXT + "!", ["must not be used"], "# Knots")],
)
async def test_only_what_is_as_listed_is_shown(served: str, shown: list[str], hidden: str) -> None:
    held = Held(entry(), 1)
    file = held.skill.files[0]
    async with Looking().run_test(size=(100, 30)) as pilot:
        detail = pilot.app.query_one(SkillDetail)
        detail.show(SkillRow(held, file))
        await until(lambda: "Not read yet" in text(pilot.app), "it was not read")
        held.reads[file.uri] = verify(held.skill, file, text_result(served))
        detail.show(SkillRow(held, file))
        await until(lambda: all(each in text(pilot.app) for each in shown), f"{shown}")
        assert hidden not in text(pilot.app)


async def test_an_entry_shows_its_front_matter_and_its_flaws() -> None:
    async with Looking().run_test(size=(100, 30)) as pilot:
        detail = pilot.app.query_one(SkillDetail)
        skill = entry(frontmatter={"name": "bends", "description": "How", "license": "CC0"})
        detail.show(SkillRow(Held(skill, 1)))
        await until(lambda: "CC0" in text(pilot.app) and "does not end in its name" in text(pilot.app), "the entry")
        detail.show(None)
        await until(lambda: "CC0" not in text(pilot.app), "nothing")


def test_what_must_not_be_read_says_why() -> None:
    held = Held(entry(listed("../x", b"")), 1)
    assert why_not_read(held, held.skill.files[1]) == "it is not within the skill's directory"
    assert why_not_read(held, held.skill.files[0]) == ""
