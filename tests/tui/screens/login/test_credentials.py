"""A server that requires a token or a header: the card offers to enter it, and the session keeps it."""

import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.cli.env import CliEnv
from inspector.cli.interface import ServerRuns
from inspector.cli.targets import TargetOptions
from inspector.config.targets import HttpTarget
from inspector.errors import UsageError
from inspector.session.options import Timeouts
from inspector.transports.http.listener import HttpRequest, HttpResponse
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.login.credentials import HeadersScreen, TokenScreen, bearer_header
from tests.cli.running import Terminal
from tests.servers.guarded import said, spoken
from tests.servers.http_fixtures import Site, serving
from tests.tui.screen_text import shows, text
from tests.waiting import until

Sent = tuple[tuple[str, str], ...]


class Refused:
    """The app at a server that has refused its first connection."""

    def __init__(self, app: InspectApp, pilot: Pilot[Any], site: Site) -> None:
        self.app, self.pilot, self.site = app, pilot, site

    async def shows(self, *words: str) -> None:
        await shows(self.app, *words)

    async def connects(self) -> None:
        await until(lambda: self.app.conversation.stage is ConversationStage.OPEN, "connected")


@asynccontextmanager
async def refused(header: str, value: str, sent: Sent = (), size: tuple[int, int] = (80, 24)) -> AsyncIterator[Refused]:
    """Open the app at a server that requires `header`, with the headers `sent`."""

    async def guard(request: HttpRequest) -> HttpResponse:
        if request.header(header) == value:
            return spoken(request)
        is_mcp = request.target == "/mcp"
        return said({"error": "unauthorized"}, 401) if is_mcp else said({"error": "not found"}, 404)

    env = CliEnv(None, dict(os.environ), Terminal(), Terminal(), io.StringIO())
    async with serving(guard) as site:
        runs = ServerRuns(TargetOptions(HttpTarget(site.url, sent), None, "", Timeouts(), None, record=False), env)
        try:
            async with (app := InspectApp(runs.begin)).run_test(size=size) as pilot:
                await until(lambda: app.conversation.stage is ConversationStage.FAILED, "the server refuses")
                yield Refused(app, pilot, site)
        finally:
            runs.end()


@pytest.mark.parametrize("sent", [(), (("Authorization", "Bearer old"), ("X-Team", "blue"))])
async def test_card_of_a_refused_connection_offers_a_token_and_the_session_keeps_it(sent: Sent) -> None:
    async with refused("Authorization", "Bearer key-1", sent) as at:
        await at.shows("HTTP 401", "[ Enter a token", "[ Headers", "'Authorization: Bearer …'")
        await at.pilot.press("x", "T")
        await until(lambda: isinstance(at.app.screen, TokenScreen), "the dialog")
        await at.pilot.press(*"key-1")
        await at.shows("•••••")
        assert "key-1" not in text(at.app)
        await at.pilot.press("ctrl+j")
        await at.connects()
        assert [pair for pair in at.site.requests[-1].headers if pair[0] == "X-Team"] == [*sent[1:]]
        before = at.app.conversation
        await at.pilot.press("ctrl+r")
        await until(lambda: at.app.conversation is not before, "another connection")
        await at.connects()


async def test_headers_are_edited_added_and_left_out_and_secret_ones_masked() -> None:
    sent = (("X-Api-Key", "wrong"), ("X-Team", "blue"))
    async with refused("X-Api-Key", "key-2", sent, (120, 36)) as at:
        await at.pilot.press("x", "H")
        await until(lambda: isinstance(at.app.screen, HeadersScreen), "the dialog")
        await at.shows("X-Api-Key", "X-Team", "blue")
        assert "wrong" not in text(at.app)
        key, team, added = at.app.screen.query(Input)
        added.value = "Authorization: Basic abc"
        await at.shows("••••••")
        assert "Basic abc" not in text(at.app)
        key.value, team.value, added.value = "key-2", "", "X-Zone: 7"
        await at.pilot.press("ctrl+j")
        await at.connects()
        names = {name for name, _ in at.site.requests[-1].headers}
        assert "X-Zone" in names
        assert "X-Team" not in names


async def test_row_of_a_refused_request_has_its_http_status_as_its_state() -> None:
    async with refused("Authorization", "Bearer key-1") as at:
        await at.shows("✗ HTTP 401")
        assert "No response" not in text(at.app)
        assert "Not supported" not in text(at.app)


@pytest.mark.parametrize(
    ("typed", "words"), [("", "empty"), ("Bearer ", "empty"), ("Basic dXNlcg==", "x H"), ("a\x01b", "U+0001")]
)
def test_token_that_cannot_be_sent_is_an_error_without_its_value(typed: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        bearer_header(typed)
    assert words in f"{error.value} {error.value.hint}"
    assert "dXNlcg" not in f"{error.value} {error.value.hint}"


def test_token_that_is_pasted_with_its_scheme_is_sent_once() -> None:
    assert bearer_header(" bearer  abc ") == ("Authorization", "Bearer abc")
