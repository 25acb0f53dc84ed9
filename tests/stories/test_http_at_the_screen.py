"""A user inspects a server with a URL: failures, recovery, and every exchange."""

from pathlib import Path

from inspector.config.targets import HttpTarget
from tests.servers.http_fixtures import serving
from tests.servers.streams import DONE, cut, legacy, modern, tools
from tests.stories.persons import at_a_replay, at_the_screen
from tests.stories.test_streams_that_break import GONE, Forgetful, asked


async def test_a_call_that_was_cut_is_made_again_at_a_key_and_both_exchanges_stand_there(tmp_path: Path) -> None:
    capture = tmp_path / "cut.mcpcap"
    async with serving(modern(tools(), tools_call=cut(1, DONE))) as site:
        async with at_the_screen(HttpTarget(site.url), capture, (160, 45)) as person:
            await person.sees("● Connected", "tools/list")
            await person.press("2", "ctrl+j", shows=("may have run it.", "only if twice does no harm."))
            assert len(asked(site, "tools/call")) == 1
            await person.press("escape", "x", "r", shows=("✓ OK", "done"))
            await person.press("g", "h", "G", "k")
            await person.sees("the server broke the connection off", "TTFB", ": one moment")
    first, second = asked(site, "tools/call")
    assert first != second
    async with at_a_replay(capture, (160, 45)) as person:
        await person.press("g", "h", "G", "k", shows=("tools/call work", "the server broke the connection off", "TTFB"))


async def test_a_session_that_the_server_has_forgotten_is_a_line_in_the_traffic(tmp_path: Path) -> None:
    server = Forgetful(GONE)
    handler = legacy(tools(), initialize=server.initialize, tools_call=server.call, GET=server.get)
    async with serving(handler) as site, at_the_screen(HttpTarget(site.url), None, (160, 45)) as person:
        await person.sees("● Connected", "tools/list")
        await person.press("2", "ctrl+j", shows=("✓ OK", "done"))
        await person.press("1", shows="session lost: the server has answered 404")
        await person.press("g", "h", shows=("404", "initialize"))
