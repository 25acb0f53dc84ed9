"""A card shows a section within its width, in every theme, and gives it away as text."""

import pytest
from textual.app import App

from inspector.present.spans import Fact, Section, fact, paragraph
from inspector.tui.theme import DARK_NAME, LIGHT_NAME, role_styles
from inspector.tui.widgets.section_card import SectionCard, sections_text
from tests.tui.screen_text import shows, text
from tests.tui.widgets.showing import Showing

PROCESS = Section(
    "Process",
    (Fact("command", "node server.js"), Fact("pid", "4711", "ok")),
    lines=paragraph("one\ntwo words", "foreign"),
    note="as far as we know",
)


async def test_title_note_facts_and_lines_stand_below_each_other() -> None:
    async with (app := Showing(SectionCard(PROCESS))).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        rows = [row.strip("│ ") for row in app.rows()]
    assert "Process" in rows[0]
    assert rows[1:7] == ["as far as we know", "command  node server.js", "pid      4711", "", "one", "two words"]


async def test_a_long_value_wraps_under_itself() -> None:
    card = SectionCard(Section("S", (fact("key", "word " * 12),)))
    async with (app := Showing(card)).run_test(size=(30, 12)) as pilot:
        await pilot.pause()
        rows = app.rows()
    assert "key  word word" in rows[1]
    assert rows[2].strip("│").startswith("      word")
    assert all(len(row) <= 30 for row in rows)


async def test_a_word_longer_than_the_card_is_folded_and_nothing_is_lost() -> None:
    async with (app := Showing(SectionCard(Section("S", (fact("k", "x" * 100),))))).run_test(size=(30, 12)) as pilot:
        await pilot.pause()
        assert text(app).count("x") == 100


async def test_another_state_is_shown_and_the_same_is_not_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with (app := Showing(card := SectionCard(PROCESS))).run_test(size=(40, 12)):
        card.show(Section("Process", (Fact("pid", "5000"),)))
        await shows(app, "5000")
        assert "4711" not in text(app)
        drawn: list[object] = []
        monkeypatch.setattr(card, "update", drawn.append)
        card.show(Section("Process", (Fact("pid", "5000"),)))
        assert drawn == []


async def test_the_inks_follow_the_theme() -> None:
    async with (app := Showing(SectionCard(PROCESS), theme=DARK_NAME)).run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert app.style_of("4711").color == role_styles(dark=True)["ok"].color
        app.theme = LIGHT_NAME
        await pilot.pause()
        await pilot.pause()
        assert app.style_of("4711").color == role_styles(dark=False)["ok"].color


async def test_y_copies_the_section_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(App, "copy_to_clipboard", lambda self, text: copied.append(text))
    async with Showing(card := SectionCard(PROCESS)).run_test(size=(40, 12)) as pilot:
        card.focus()
        await pilot.press("y")
    assert copied == [sections_text([PROCESS])]
    assert copied[0].splitlines()[0] == "Process"
    assert "command  node server.js" in copied[0]


async def test_markup_in_a_title_and_in_values_is_text() -> None:
    section = Section("[/][@click=app.quit]t", (fact("[/k]", "[bold]v\x1b[2J"),), lines=paragraph("[/l]"))
    async with (app := Showing(SectionCard(section))).run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        screen = text(app)
    for shown in ("[/][@click=app.quit]t", "[/k]", "[bold]v␛[2J", "[/l]"):
        assert shown in screen
