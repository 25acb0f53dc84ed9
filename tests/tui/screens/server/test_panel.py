"""Screen 6 shows the server and its state, and updates only when something has changed."""

from collections.abc import Iterator

import pytest
from textual.app import App
from textual.pilot import Pilot

from inspector.config.environment import Environment
from inspector.present.spans import Section
from inspector.tui.conversation import About, ConversationStage
from inspector.tui.post_mortem import PostMortemCard
from inspector.tui.screens.server.panel import ServerPanel
from inspector.tui.theme import DARK_NAME, LIGHT_NAME
from inspector.tui.widgets.section_card import SectionCard
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing

TALL, WIDE, SMALL = (80, 90), (160, 60), (80, 24)
ENVIRONMENT = Environment({"PATH": "/bin", "API_TOKEN": "s3cr3t"}, {"PATH": "minimal set", "API_TOKEN": "-e"})


@pytest.fixture
def subject(tape: Tape) -> Staged:
    """A server on stdio that has said much about itself."""
    tape.started().initialized(
        "2025-06-18",
        server={"name": "lighthouse", "title": "The Lighthouse", "version": "1.2.3"},
        capabilities={"tools": {"listChanged": True}, "logging": {}, "odd": [1, 2]},
        instructions="Ask for the lamp first.\n\nThen for the horn [/].",
    )
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": [{"name": "lamp"}]})
    tape.stderr(b"warming up")
    found = Staged(tape)
    found.about = About("lighthouse", environment=ENVIRONMENT)
    return found


async def look(pilot: Pilot[None], panel: ServerPanel) -> str:
    """What stands on the screen after as many looks as it takes."""
    for _ in range(6):
        panel.sync()
    await pilot.pause()
    await pilot.pause()
    return text(pilot.app)


async def shown(subject: Staged, size: tuple[int, int] = TALL, theme: str = DARK_NAME) -> str:
    async with Showing((panel := ServerPanel(subject)), theme=theme).run_test(size=size) as pilot:
        return await look(pilot, panel)


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
@pytest.mark.parametrize("size", [TALL, WIDE])
async def test_server_screen_shows_all_facts(subject: Staged, size: tuple[int, int], theme: str) -> None:
    screen = await shown(subject, size, theme)
    of_the_server = ("lighthouse", "The Lighthouse", "1.2.3", "2025-06-18", "legacy", "✓ tools", "listChanged", "✓ odd")
    of_both = ("[1,2]", "✓ roots", "Ask for the lamp first.", "Then for the horn [/].", "Recording")
    for told in (*of_the_server, *of_both, "python server.py --verbose", "/srv", "4711", "API_TOKEN", "warming up"):
        assert told in screen, told


async def test_wide_terminals_show_two_columns_and_narrow_ones_one(subject: Staged) -> None:
    wide = await shown(subject, WIDE)
    assert any("─ Server ─" in row and "─ Process ─" in row for row in wide.split("\n"))
    narrow = await shown(subject, TALL)
    assert not any("─ Server ─" in row and "─ Process ─" in row for row in narrow.split("\n"))


async def test_values_are_masked_until_z_reveals_them(subject: Staged) -> None:
    async with Showing(panel := ServerPanel(subject)).run_test(size=TALL) as pilot:
        assert "••••••  · -e" in await look(pilot, panel)
        assert "s3cr3t" not in text(pilot.app)
        panel.take_focus()
        await pilot.press("v r")
        assert "s3cr3t  · -e" in await look(pilot, panel)
        await pilot.press("v r")
        assert "s3cr3t" not in await look(pilot, panel)


async def test_new_lines_on_stderr_come_in(subject: Staged) -> None:
    async with Showing(panel := ServerPanel(subject)).run_test(size=TALL) as pilot:
        await look(pilot, panel)
        subject.tape.stderr(b"the lamp is lit")
        assert "the lamp is lit" in await look(pilot, panel)


async def test_nothing_is_looked_at_while_nothing_has_changed(subject: Staged, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Showing(panel := ServerPanel(subject)).run_test(size=TALL) as pilot:
        await look(pilot, panel)
        looked: list[int] = []

        def nothing() -> Iterator[Section]:
            looked.append(1)
            return iter(())

        monkeypatch.setattr(panel, "_sections", nothing)
        for _ in range(60):
            panel.sync()
        assert looked == []
        subject.tape.stderr(b"x")
        for _ in range(60):
            panel.sync()
        assert looked == [1]


async def test_cards_come_in_their_order_however_late(tape: Tape) -> None:
    subject = Staged(tape, stage=ConversationStage.CONNECTING)
    async with Showing(panel := ServerPanel(subject)).run_test(size=WIDE) as pilot:
        await look(pilot, panel)
        tape.stderr(b"hello")
        await look(pilot, panel)
        tape.started()
        await look(pilot, panel)
        titles = [card.section.title for card in panel.query("#server-right SectionCard").results(SectionCard)]
    assert titles == ["Process", "Environment", "Traffic", "Recording", "stderr"]


async def test_a_dead_server_has_its_card_above_all(subject: Staged) -> None:
    async with Showing(panel := ServerPanel(subject)).run_test(size=WIDE) as pilot:
        await look(pilot, panel)
        assert not panel.query(PostMortemCard)
        subject.tape.died(code=3)
        subject.now_stage, subject.now_why = ConversationStage.CLOSED, "the server ended"
        screen = await look(pilot, panel)
        assert "The server exited with code 3" in screen.split("\n")[1]
        assert len(panel.query(PostMortemCard)) == 1


async def test_requested_end_has_no_post_mortem(subject: Staged) -> None:
    subject.now_stage = ConversationStage.CLOSED
    assert "Post-mortem" not in await shown(subject)


async def test_a_recorded_death_has_its_card_too(subject: Staged) -> None:
    subject.tape.died(code=3)
    subject.now_stage = ConversationStage.RECORDED
    assert "The server exited with code 3" in await shown(subject)


async def test_another_conversation_takes_the_place_of_the_first(subject: Staged) -> None:
    subject.tape.died(code=3)
    subject.now_stage, subject.now_why = ConversationStage.FAILED, "the server ended"
    async with Showing(panel := ServerPanel(subject)).run_test(size=TALL) as pilot:
        await look(pilot, panel)
        fresh = Tape()
        panel.rebind(Staged(fresh, stage=ConversationStage.CONNECTING))
        screen = await look(pilot, panel)
        fresh.journal.close()
    assert "Post-mortem" not in screen
    assert "lighthouse" not in screen
    assert "warming up" not in screen
    assert "Recording" in screen


async def test_y_copies_the_card_with_the_focus_or_all_of_them(
    subject: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr(App, "copy_to_clipboard", lambda self, text: copied.append(text))
    async with Showing(panel := ServerPanel(subject)).run_test(size=SMALL) as pilot:
        await look(pilot, panel)
        panel.take_focus()
        await pilot.press("y", "tab", "y")
    everything, one = copied
    assert "lighthouse" in everything
    assert "warming up" in everything
    assert "s3cr3t" not in everything
    assert one.startswith("Server\n")
    assert "warming up" not in one


async def test_a_small_terminal_reads_to_the_end(subject: Staged) -> None:
    async with Showing(panel := ServerPanel(subject)).run_test(size=SMALL) as pilot:
        await look(pilot, panel)
        panel.take_focus()
        await pilot.press("G")
        assert "warming up" in await look(pilot, panel)


async def test_url_is_shown_and_session_masked(tape: Tape) -> None:
    tape.connected("https://example.test/mcp?token=abc").posted(1, headers=(("Mcp-Session-Id", "1234567890"),))
    screen = await shown(Staged(tape))
    assert "https://example.test/mcp?token=••••••" in screen
    assert "1234567890" not in screen
    assert "Process" not in screen


async def test_hostile_words_do_nothing(tape: Tape) -> None:
    tape.started(argv=("\x1b[2J", "[/]")).initialized(
        "2025-06-18",
        server={"name": "[@click=app.quit]x[/]", "\x1b": "\x07"},
        capabilities={"[bold]": {"\u202e": True}},
        instructions="\x1b]52;c;eA==\x07",
    )
    tape.stderr(b"\x9b31m[/nope]\xff")
    screen = await shown(Staged(tape))
    for told in ("[@click=app.quit]x[/]", "[bold]", "‹U+202E›", "␛]52;c;eA==␇", "[/nope]"):
        assert told in screen, told
