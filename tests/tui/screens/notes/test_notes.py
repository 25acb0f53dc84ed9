"""Marking lines of the traffic, going to marks, and looking as a view does; with all that asks for it on the way."""

import shutil
from pathlib import Path

from textual.widgets import Input

from inspector.tui.conversation import ConversationStage, ReplayedConversation, past_of
from inspector.tui.notes import notes_of
from inspector.tui.screens.notes.dialogs import MarksScreen
from inspector.tui.widgets.prompts import CommentScreen, NameScreen
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import press, text
from tests.tui.staging import Staged, handshake
from tests.tui.test_replay_controls import bar, opened, playback_of
from tests.waiting import until


async def test_mark_is_stored_listed_and_filterable(tmp_path: Path) -> None:
    path = tmp_path / "evening.mcpcap"
    shutil.copy(sample("evening"), path)
    async with opened(path) as (app, pilot):
        traffic = app.panel.list  # type: ignore[attr-defined]
        await press(pilot, "j", "j", "m", shows="★y")
        await pilot.press("j", "j", "j", "x n")
        await until(lambda: isinstance(app.screen, CommentScreen), "what to write")
        await press(pilot, *"odd", "down", "right", "enter", shows="★r odd")
        await pilot.press("v z")
        await until(lambda: traffic.look.now.reference, "times that count from there")
        marked = traffic.chosen
        await pilot.press("f m")
        await until(lambda: traffic.model.count == 2, "the marked lines alone")
        await pilot.press("g m")
        await until(lambda: isinstance(app.screen, MarksScreen) and "2 marks" in text(app), "the list")
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, NameScreen), "how the view is called")
        app.screen.query_one(Input).value = "mine"
        await press(pilot, "enter", shows="1 view")
        await press(pilot, "m", "j", "x d", shows=("1 mark,", "★ red"))
        await pilot.press("escape", "f m", "g g", "2", "g m")
        await until(lambda: isinstance(app.screen, MarksScreen), "the list, from another screen")
        await pilot.press("enter")
        first = notes_of(app.conversation).notes.marks
        await until(lambda: playback_of(app).at == next(iter(first)), "that moment, on the screen one was on")
        assert app.tab.shown == "tools"
        await pilot.press("g m")
        await until(lambda: isinstance(app.screen, MarksScreen), "the list once more")
        await pilot.press("G", "enter")
        await until(lambda: app.tab.shown == "traffic" and traffic.model.count == 1, "the traffic as the view shows it")
    async with opened(path) as (app, _):
        await until(lambda: "★r" in text(app), "the mark, the next time")
        traffic = app.panel.list  # type: ignore[attr-defined]
        await until(lambda: traffic.look.now.reference in (marked, marked - 1), "what times count from")
        assert "end of capture" in bar(app)


async def test_the_list_of_marks_offers_what_is_possible_there(tmp_path: Path) -> None:
    path = tmp_path / "evening.mcpcap"
    shutil.copy(sample("evening"), path)
    async with opened(path) as (app, pilot):
        await press(pilot, "g m", shows="No marks.")
        assert "Color" not in text(app)
        assert "Act" not in text(app)
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, NameScreen), "how the view is called")
        await press(pilot, *"mine", "enter", shows=("1 view", "Delete"))
        assert "Color" not in text(app)


async def test_unwritable_notes_are_reported_and_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "evening.mcpcap"
    shutil.copy(sample("evening"), path)
    (tmp_path / "evening.mcpcap.notes").write_bytes(b"something else")
    async with opened(path) as (app, pilot):
        await until(lambda: "no head of notes" in text(app), "what is wrong with them")
        await press(pilot, "j", "m", shows="left as it is")
        assert not app.conversation.journal.marks
    assert (tmp_path / "evening.mcpcap.notes").read_bytes() == b"something else"


def test_a_mark_is_one_of_the_recording_and_a_colour_that_was_given_is_given_again(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=ConversationStage.RECORDED)
    then = ReplayedConversation(whole, past_of(whole).at(2))
    noted = notes_of(whole)
    assert notes_of(then) is noted
    assert not noted.is_kept
    assert noted.mark(2, color="blue", text="here").text == "here"
    assert then.journal.marks[2].color == "blue"
    assert noted.mark(3).color == "blue"
    assert noted.mark(2, color="red").text == "here"
    assert noted.mark_at(9).color == "red"
    assert 9 not in noted.notes.marks
    changes = noted.changes
    noted.unmark(2)
    assert (2 in tape.journal.marks, noted.changes) == (False, changes + 1)
