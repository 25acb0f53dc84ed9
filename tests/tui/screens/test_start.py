"""The start ends with a choice; a server is shown in full before it is one."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from inspector.config.servers import FoundServer
from inspector.tui.screens.start import ConfirmScreen, StartApp
from inspector.viewmodels.start import Capture, OpenCapture, OpenDemo, OpenServer, StartChoice
from tests.tui.screen_text import lines, text

FILE = Path("/home/ada/.cursor/mcp.json")
SHOP = FoundServer("shop", "Cursor", FILE, argv=("npx", "-y", "shop"), env=(("KEY", "s3cr3t"),))
MAPS = FoundServer("maps", "VS Code", FILE, url="https://maps.test/mcp")
BROKEN = FoundServer("broken", "Zed", FILE, problem="it has neither a command nor a URL")
TAPE = Capture(Path("/captures/20251125-shop-1a2b.mcpcap"), age_s=200, size=120_000)


def app(*servers: FoundServer, captures: tuple[Capture, ...] = (TAPE,)) -> StartApp:
    return StartApp(servers, captures)


async def seen(pilot: Pilot[StartChoice]) -> str:
    await pilot.pause()
    await pilot.pause()
    return text(pilot.app)


def chosen_row(pilot: Pilot[StartChoice]) -> str:
    return next(line for line in lines(pilot.app) if "▌" in line)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_servers_captures_and_the_demo_are_offered(size: tuple[int, int]) -> None:
    async with app(SHOP, MAPS).run_test(size=size) as pilot:
        screen = await seen(pilot)
        assert "shop" in chosen_row(pilot)
    for told in ("npx -y shop", "Cursor", "https://maps.test/mcp", "20251125-shop-1a2b", "Demo server", "d Demo"):
        assert told in screen, told


async def test_where_nothing_is_found_the_demo_is_chosen_and_the_next_steps_are_said() -> None:
    empty = app(captures=())
    async with empty.run_test(size=(80, 24)) as pilot:
        screen = await seen(pilot)
        assert "Demo server" in chosen_row(pilot)
        assert "mcp-inspect -- CMD…" in screen
        await pilot.press("enter")
    assert empty.return_value == OpenDemo()


async def test_a_server_is_shown_in_full_and_started_only_after_a_second_key() -> None:
    start = app(SHOP)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        screen = await seen(pilot)
        assert isinstance(start.screen, ConfirmScreen)
        for told in ("Start this program", "npx", "-y", "the one you are in", "KEY", str(FILE), "⏎ Go on", "Esc Back"):
            assert told in screen, told
        assert "s3cr3t" not in screen
        assert start.return_value is None
        await pilot.press("enter")
    assert start.return_value == OpenServer(SHOP)


async def test_escape_goes_back_and_nothing_is_chosen() -> None:
    start = app(SHOP)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "escape")
        assert "Servers found" in await seen(pilot)
        assert start.is_running
        await pilot.press("q")
    assert start.return_value is None


async def test_a_url_is_asked_about_too() -> None:
    start = app(MAPS)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert "Connect to this server?" in await seen(pilot)
        await pilot.press("enter")
    assert start.return_value == OpenServer(MAPS)


async def test_what_can_not_be_opened_says_why_and_is_not() -> None:
    start = app(BROKEN)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        screen = await seen(pilot)
        assert "▲ it has neither a command nor a URL" in screen
        assert "Go on" not in screen
        await pilot.press("enter", "escape", "q")
    assert start.return_value is None


async def test_a_capture_is_opened_at_once() -> None:
    start = app(SHOP)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("j")
        assert "20251125" in chosen_row(pilot) or "20251125" in await seen(pilot)
        await pilot.press("enter")
    assert start.return_value == OpenCapture(TAPE.path)


async def test_moving_passes_over_headings() -> None:
    async with app(SHOP).run_test(size=(80, 24)) as pilot:
        for key, name in (
            ("j", "20251125"),
            ("j", "Demo"),
            ("j", "Demo"),
            ("k", "20251125"),
            ("g", "shop"),
            ("G", "Demo"),
        ):
            await pilot.press(key)
            await seen(pilot)
            assert name in chosen_row(pilot), key


async def test_a_click_on_a_heading_chooses_what_stands_under_it() -> None:
    async with app(SHOP).run_test(size=(80, 24)) as pilot:
        await seen(pilot)
        row = next(at for at, line in enumerate(lines(pilot.app)) if "Recent captures" in line)
        await pilot.click(offset=(10, row))
        await seen(pilot)
        assert "20251125" in chosen_row(pilot)


async def test_d_is_the_demo_and_t_another_theme() -> None:
    start = app(SHOP)
    async with start.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+t")
        assert not start.current_theme.dark
        await pilot.press("question_mark")
        assert "Look at the server that comes with this program." in await seen(pilot)
        await pilot.press("escape", "d")
    assert start.return_value == OpenDemo()


async def test_hostile_names_do_nothing() -> None:
    bad = FoundServer("\x1b[2J[/]", "[@click=app.quit]x[/]", FILE, argv=("\x07", "[/nope]"))
    async with app(bad).run_test(size=(120, 30)) as pilot:
        assert "␛[2J[/]" in await seen(pilot)
        await pilot.press("enter")
        screen = await seen(pilot)
    assert "[/nope]" in screen
    assert "[@click=app.quit]x[/]" in screen
