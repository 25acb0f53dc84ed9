"""One question before something that is claimed to be destructive."""

import pytest
from rich.console import RenderableType
from textual._compositor import LayoutUpdate
from textual._context import visible_screen_stack
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from inspector.tui.widgets.dialogs import ConfirmScreen, DialogBox
from inspector.tui.widgets.prompts import NameScreen
from tests.settling import click
from tests.tui.screen_text import lines, shows, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["f5"], True),
        (["ctrl+j"], False),  # the byte LF, which some terminals send for the keypad's Enter
        (["right", "ctrl+j"], True),
        (["y", "n", "escape"], False),
        (["escape"], False),
        (["enter"], False),
        (["right", "enter"], True),
        (["right", "left", "enter"], False),
    ],
)
async def test_only_a_yes_is_a_yes(pressed: list[str], answer: bool) -> None:
    answers: list[bool | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(ConfirmScreen("Sure?", [[("Call it?", "text")]], "{}"), answers.append)
        await pilot.pause()
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "it is answered")


async def test_dialog_shows_markup_literally() -> None:
    async with (app := Showing()).run_test(size=(80, 24)):
        app.push_screen(ConfirmScreen("Sure [/]?", [[("Call [bold]x[/]?", "strong")]], '{"a": "[@click=app.quit]"}'))
        await shows(app, "Call [bold]x[/]?", '{"a": "[@click=app.quit]"}')


def place_of(app: Showing, word: str) -> tuple[int, int]:
    return next((line.index(word), at) for at, line in enumerate(lines(app)) if word in line)


async def test_the_mark_in_the_frame_closes_a_dialog_as_escape_does() -> None:
    answers: list[object] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(ConfirmScreen("Sure?", [[("Call it?", "text")]], "{}"), answers.append)
        await pilot.pause()
        await click(app, place_of(app, "✕"))
        await until(lambda: answers == [False], "it is answered")
        app.push_screen(NameScreen("Name", "mine"), answers.append)
        await pilot.pause()
        x, y = place_of(app, "✕")
        await click(app, (x - 5, y))
        assert answers == [False], "the rest of the frame closes nothing"
        await click(app, (x, y))
        await until(lambda: answers == [False, None], "it is closed")


async def test_a_dialog_with_an_input_line_is_completed_by_its_buttons() -> None:
    answers: list[object] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        for button, answer in (("Save", "mine"), ("Back", None)):
            app.push_screen(NameScreen("Name", "mine"), answers.append)
            await pilot.pause()
            await click(app, place_of(app, f"{button} "))
            await until(lambda: len(answers) > 0, "it is answered")
            assert answers.pop() == answer


async def test_a_dialog_that_is_closed_twice_closes_nothing_else() -> None:
    answers: list[object] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(first := NameScreen("Name", "first"), answers.append)
        await pilot.pause()
        first.dismiss("once")
        first.dismiss("twice")
        app.push_screen(NameScreen("Name", "second"), answers.append)
        first.dismiss("again")
        await shows(app, "second")
        assert answers == ["once"]


class Crowded(Showing):
    """Widgets in columns, one of them scrolled, under others that lie over them."""

    CSS = """
    #right { dock: right; width: 31; } #over { layer: over; offset: 7 2; width: 20; height: 3; background: red; }
    Screen { layers: default over; } VerticalScroll { width: 1fr; border: round green; }
    """

    def compose(self) -> ComposeResult:
        yield Static("on the right\n" * 30, id="right")
        with VerticalScroll():
            yield Static("\n".join(f"line {n} of many" for n in range(60)))
        yield Static("over it", id="over")


@pytest.mark.parametrize("size", [(80, 24), (33, 9), (4, 3)])
async def test_around_a_dialog_the_screen_below_is_seen(size: tuple[int, int]) -> None:
    async with (app := Crowded()).run_test(size=size) as pilot:
        await pilot.pause()
        app.query_one(VerticalScroll).scroll_to(y=5, animate=False)
        await pilot.pause()
        before = lines(app)
        app.push_screen(ConfirmScreen("Sure?", [[("Call it?", "text")]], "{}"))
        await pilot.pause()
        box = app.screen.query_one(DialogBox).region
        assert box
        visible_screen_stack.set(app._background_screens)
        after = [strip.text for strip in app.screen._compositor.render_strips()]
        for y, (was, now) in enumerate(zip(before, after, strict=True)):
            beside = slice(0, box.x), slice(box.right, None)
            for part in beside if box.y <= y < box.bottom else (slice(None),):
                assert now[part].rstrip() == was[part].rstrip()


async def test_a_dialog_fills_the_screen_at_each_size(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures: list[LayoutUpdate] = []
    async with (app := Crowded()).run_test(size=(100, 30)) as pilot:
        app.push_screen(NameScreen("Name", "mine"))
        await pilot.pause()
        monkeypatch.setattr(
            app, "_display", lambda _, update: pictures.append(update) if isinstance(update, LayoutUpdate) else None
        )
        for size in [(130, 20), (20, 5), (100, 30), (101, 30), (60, 40)]:
            await pilot.resize_terminal(*size)
        await pilot.pause()
    assert pictures
    assert all(strip is not None for picture in pictures for line in picture.strips for strip in line)


async def test_a_dialog_is_painted_once_to_open(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []
    async with (app := Crowded()).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        display = app._display

        def counted(screen: Screen[object], update: RenderableType | None) -> None:
            painted.append(type(screen).__name__)
            display(screen, update)

        monkeypatch.setattr(app, "_display", counted)
        monkeypatch.setattr(Screen, "_update_timer", NoClock())
        app.push_screen(NameScreen("Name", "mine"))
        await until(lambda: "NameScreen" in painted, "it is painted, though Textual's clock stands still")
        assert "mine" in text(app)
        assert painted.count("NameScreen") == 1


class NoClock:
    """A timer that never ticks."""

    def pause(self) -> None:
        """Do nothing."""

    def resume(self) -> None:
        """Do nothing."""
