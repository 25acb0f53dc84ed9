"""The login's dialog: what it shows, and what its keys do."""

import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from textual import events
from textual.pilot import Pilot

from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.login.dialog import LoginScreen, QrScreen
from tests.servers.guarded import Guarded
from tests.tui.screen_text import shows, text
from tests.tui.screens.logins import Entrance, browse
from tests.waiting import until


class Dialog:
    """The dialog while consent is waited for."""

    def __init__(self, app: InspectApp, pilot: Pilot[Any], house: Guarded, entrance: Entrance) -> None:
        self.app, self.pilot, self.house, self.entrance = app, pilot, house, entrance

    async def shows(self, *words: str) -> None:
        """Waits for words."""
        await shows(self.app, *words)

    @property
    def url(self) -> str:
        """Where to consent."""
        guide = self.entrance.guide
        assert guide is not None
        assert guide.waiting is not None
        return guide.waiting.url


@asynccontextmanager
async def waiting(width: int = 110, height: int = 40, **about: object) -> AsyncIterator[Dialog]:
    async with Guarded() as house:
        house.about = about
        with Entrance(house.url) as entrance:
            async with (app := InspectApp(entrance.begin)).run_test(size=(width, height)) as pilot:
                await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
                dialog = Dialog(app, pilot, house, entrance)
                await dialog.shows("host")
                yield dialog


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 45)])
async def test_steps_host_and_the_whole_address_are_in_sight(width: int, height: int) -> None:
    async with waiting(width, height) as dialog:
        await dialog.shows("authorization request", "host", dialog.house.issuer.removeprefix("http://"), "paste")
        shown = "".join(line.strip(" │") for line in text(dialog.app).split("\n"))
        assert "code_challenge_method=S256" in shown.replace(" ", "")
        assert "&scope=look" in shown


async def test_the_address_is_opened_on_a_key_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: not opened.append(url))  # type: ignore[func-returns-value]
    async with waiting() as dialog:
        assert opened == []
        await dialog.pilot.press("enter")
        await until(lambda: opened == [dialog.url], "it is opened")


async def test_login_dialog_over_ssh_shows_the_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 5 10.0.0.2 22")
    async with waiting(160, 45) as dialog:
        await dialog.shows("ssh -N -L", "@10.0.0.2")
        await dialog.pilot.press("enter")
        await dialog.shows("Not opened: this terminal is on another machine")


async def test_the_address_can_be_copied() -> None:
    async with waiting() as dialog:
        await dialog.pilot.press("y")
        await until(lambda: dialog.app.clipboard == dialog.url, "it is copied")


async def test_redirect_url_can_be_typed() -> None:
    async with waiting(authorization_response_iss_parameter_supported=None) as dialog:
        await dialog.pilot.press("/", *"two words", "enter")
        await dialog.shows("neither the address")
        await dialog.pilot.press("escape")
        assert isinstance(dialog.app.screen, LoginScreen)
        await dialog.pilot.press("/", "ctrl+u", *"wr0ng-code", "enter")
        await dialog.shows("invalid_grant", "Fails at: token for the code.")


async def test_redirect_url_can_be_pasted_anywhere() -> None:
    async with waiting() as dialog:
        import httpx

        async with httpx.AsyncClient(trust_env=False) as browser:
            ended = (await browser.get(dialog.url)).headers["location"]
        dialog.app.screen.post_message(events.Paste(f"{ended}\n"))
        await until(lambda: dialog.app.conversation.stage is ConversationStage.OPEN, "one is in")


async def test_cancelled_login_offers_no_more_keys() -> None:
    async with waiting() as dialog:
        await dialog.pilot.press("ctrl+x")
        await dialog.shows("it was cancelled", "Fails at: consent in the browser.", "Esc closes")
        await until(lambda: "Give up" not in text(dialog.app), "the keys are gone")
        await dialog.pilot.press("o", "y", "r", "x", "escape")
        await until(lambda: not isinstance(dialog.app.screen, LoginScreen), "the dialog goes")
        await dialog.shows("Login required")


async def test_a_camera_gets_a_code_where_there_is_room() -> None:
    async with waiting(80, 24) as small:
        await small.pilot.press("Q")
        await small.shows("The QR code needs")
    async with waiting(160, 60) as large:
        await large.pilot.press("Q")
        await until(lambda: isinstance(large.app.screen, QrScreen), "the code comes")
        await large.pilot.press("escape")
        await large.shows("host")


async def test_the_steps_stay_on_the_server_screen() -> None:
    async with waiting(130, 45) as dialog:
        await browse(dialog.entrance.guide)
        await until(lambda: dialog.app.conversation.stage is ConversationStage.OPEN, "one is in")
        await until(lambda: not isinstance(dialog.app.screen, LoginScreen), "the dialog goes")
        await dialog.pilot.press("9")
        await dialog.shows("Login", "token for the code", "All steps OK.")
        assert "opens-the-door" not in text(dialog.app)


async def test_two_enters_in_a_burst_open_no_page_whose_code_goes_to_another_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: not opened.append(url))  # type: ignore[func-returns-value]
    async with waiting() as dialog:
        guide, app = dialog.entrance.guide, dialog.app
        assert guide is not None
        assert guide.waiting is not None
        guide.waiting = msgspec.structs.replace(guide.waiting, code_host="https://elsewhere.test")
        await dialog.shows("elsewhere.test")
        for _ in range(2):
            app.post_message(events.Key("enter", "\r"))
        await dialog.shows("Open the page?", "Another host gets the code", "▌Back")
        assert opened == []
        await dialog.pilot.press("enter")
        await until(lambda: isinstance(app.screen, LoginScreen), "Enter goes back")
        assert opened == []
        await dialog.pilot.press("enter")
        await dialog.shows("Open the page?")
        await dialog.pilot.press("f5")
        await until(lambda: opened == [dialog.url], "the page is opened once it is confirmed")
