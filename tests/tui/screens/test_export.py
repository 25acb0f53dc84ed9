"""The dialog of exporting: the path is seen before anything is written, and nothing is replaced unasked."""

from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.tui.export_ways import Made, Scope, Source
from inspector.tui.screens.export import ExportScreen
from inspector.tui.widgets.log_list import LogList
from tests.tui.screen_text import text
from tests.tui.staging import handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape
from tests.waiting import until


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_one_chooses_what_as_what_and_where(
    size: tuple[int, int], tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    handshake(tape)
    app, results = Showing(), list[Made | None]()
    async with app.run_test(size=size) as pilot:
        screen = ExportScreen(Source("shop", None, tape.journal, (Scope("this operation", [4, 5]),)))
        app.push_screen(screen, results.append)
        await until(lambda: "shop.har" in text(app), "what is proposed")
        assert "what  everything" in text(app)
        assert "Compare" in text(app), "all ways are in sight"
        await pilot.press("right", "n")
        await until(lambda: "this operation, 2 entries" in text(app) and "with notes" in text(app), "the part")
        await pilot.press("j", "j")
        await until(lambda: screen.query_one(Input).value == str(tmp_path / "shop.jsonl"), "another name")
        assert "notes" not in text(app), "it has no place for them"
        (tmp_path / "shop.jsonl").write_text("mine")
        await pilot.press("enter", "enter")
        await until(lambda: "It is there already. Enter again replaces it." in text(app), "what is in the way")
        assert (tmp_path / "shop.jsonl").read_text() == "mine"
        await pilot.press("up")
        await until(lambda: screen.query_one(LogList).has_focus, "the list again")
        await pilot.press("enter", "enter")
        await until(lambda: bool(results), "that it was made")
    (made,) = results
    assert made is not None
    assert made.said.startswith("Written to shop.jsonl: 2 entries")
    assert (tmp_path / "shop.jsonl").read_bytes().count(b'"jsonrpc"') == 2


async def test_what_goes_wrong_is_said_and_a_path_that_was_typed_stays(tape: Tape, tmp_path: Path) -> None:
    handshake(tape)
    app, results = Showing(), list[Made | None]()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = ExportScreen(Source("shop", None, tape.journal))
        app.push_screen(screen, results.append)
        await until(lambda: "shop.har" in text(app), "the dialog")
        await pilot.press("enter")
        screen.query_one(Input).value = str(tmp_path / "no" / "place")
        await pilot.press("enter")
        await until(lambda: "can't be written" in text(app), "why not")
        await pilot.press("up", "G", "k", "k", "k")
        await until(lambda: "everything" in text(app), "a way that takes all")
        assert screen.query_one(Input).value == str(tmp_path / "no" / "place")
        await pilot.press("enter", "enter")
        await until(lambda: "nothing keeps this conversation" in text(app), "why it can't be shared")
        await pilot.press("escape")
        await until(lambda: bool(results), "that it is left")
    assert results == [None]
