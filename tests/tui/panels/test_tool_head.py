"""What a tool says of itself."""

from inspector.protocol.things import Tool
from inspector.tui.panels.tool_head import ToolHead
from tests.tui.panels.schemas import CLEAR, ECHO
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing


async def shown(raw: object, *, full: bool = False) -> str:
    app = Showing(ToolHead())
    async with app.run_test(size=(90, 40)) as pilot:
        head = app.query_one(ToolHead)
        head.show(Tool(raw))
        if full:
            head.toggle()
        await pilot.pause()
        return text(app)


async def test_claims_are_labelled_as_the_servers() -> None:
    assert "claimed by server: read-only" in await shown(ECHO)
    assert "destructive" in await shown(CLEAR)


async def test_the_cost_is_counted_in_bytes_and_guessed_in_tokens() -> None:
    said = await shown(ECHO)
    assert "B in the list" in said
    assert "tokens (estimate)" in said


async def test_a_long_description_shows_its_beginning_until_all_is_asked_for() -> None:
    raw = {**ECHO, "description": "\n".join(f"line {number}" for number in range(12))}
    beginning, everything = await shown(raw), await shown(raw, full=True)
    assert "line 2" in beginning
    assert "line 11" not in beginning
    assert "i shows all" in beginning
    assert "line 11" in everything


async def test_a_flaw_is_said() -> None:
    assert "▲ its inputSchema is missing" in await shown({"name": "bare"})


async def test_hostile_words_are_only_words() -> None:
    said = await shown({**ECHO, "title": "[@click=app.quit]x[/]", "description": "\x1b[2Jgone \u202ebackwards"})
    assert "[@click=app.quit]x[/]" in said
    assert "␛[2Jgone ‹U+202E›backwards" in said


async def test_the_star_of_what_is_required_is_explained_where_there_is_one() -> None:
    head = ToolHead()
    app = Showing(head)
    async with app.run_test(size=(80, 12)) as pilot:
        head.show(Tool(ECHO))
        await pilot.pause()
        assert "* required" in text(app)
        head.show(Tool(CLEAR))
        await pilot.pause()
        assert "* required" not in text(app)


async def test_what_hosts_make_of_it_is_said_where_it_is_known() -> None:
    said = await shown({**ECHO, "inputSchema": {"anyOf": []}})
    assert "Gemini CLI (SDK 1.23.0, 2026-08-21) loses every tool" in said
    assert "shows all" in said
    assert "shows all" not in await shown(ECHO)
