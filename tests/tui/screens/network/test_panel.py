"""The HTTP exchanges screen."""

from inspector.capture.format.records import Entry
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.tui.screens.network.panel import NetworkPanel, NetworkRows
from tests.present.tape import Tape
from tests.tui.screen_text import shown
from tests.tui.screens.network.test_model import HEADERS, RESULT, answered, asked, came, ended
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing

WIDE, NARROW = (160, 45), (80, 24)


def two() -> Tape:
    tape = Tape(http=True)
    for number, secret in ((1, "s3cret"), (2, "hush")):
        asked(tape, number, *HEADERS, ("Authorization", f"Bearer {secret}"))
        answered(tape.wait(10), number)
        came(tape, number, RESULT)
        ended(tape, number)
    return tape


async def test_a_wide_screen_shows_the_list_beside_the_exchange() -> None:
    async with Showing(panel := NetworkPanel(Staged(two()))).run_test(size=WIDE) as pilot:
        panel.take_focus()
        screen = await shown(pilot, panel)
        assert "tools/call buy" in screen
        assert "Authorization" in screen
        assert "Bearer ••••••" in screen
        assert "hush" not in screen
        await pilot.press("v r")
        assert "hush" in await shown(pilot, panel), "the newest is the one in sight"
        await pilot.press("k")
        assert "s3cret" in await shown(pilot, panel)


async def test_a_narrow_screen_shows_one_at_a_time() -> None:
    async with Showing(panel := NetworkPanel(Staged(two()))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        assert "Authorization" not in await shown(pilot, panel)
        await pilot.press("enter")
        assert "Authorization" in await shown(pilot, panel)
        assert panel.go_back()
        assert "Authorization" not in await shown(pilot, panel)
        assert not panel.go_back()


async def test_a_request_is_copied_as_curl_without_its_secrets() -> None:
    async with Showing(panel := NetworkPanel(Staged(two()))).run_test(size=WIDE) as pilot:
        await shown(pilot, panel)
        panel.copy()
        copied = pilot.app.clipboard
    assert copied.startswith("curl ")
    assert "hush" not in copied
    assert '"$MCP_SECRET_AUTHORIZATION"' in copied
    assert '"method":"tools/call"' in copied.replace(" ", "").replace("\\\n", "")


async def test_the_request_is_shown_in_the_traffic_by_its_message() -> None:
    async with (app := Showing(panel := NetworkPanel(Staged(two())))).run_test(size=WIDE) as pilot:
        panel.take_focus()
        await shown(pilot, panel)
        await pilot.press("g g", "o")
    assert app.entries_wanted == [2]


async def test_ended_exchange_is_updated() -> None:
    tape = Tape(http=True)
    asked(tape, 1, *HEADERS)
    async with Showing(panel := NetworkPanel(Staged(tape))).run_test(size=WIDE) as pilot:
        assert "…" in await shown(pilot, panel)
        answered(tape.wait(10), 1, 404)
        ended(tape, 1)
        assert "404" in await shown(pilot, panel)


async def test_network_screen_without_http_explains_itself() -> None:
    async with Showing(panel := NetworkPanel(Staged(Tape()))).run_test(size=NARROW) as pilot:
        assert "No HTTP exchanges." in await shown(pilot, panel)
        panel.copy()
        panel.action_entry()
        panel.rebind(Staged(two()))
        assert "tools/call buy" in await shown(pilot, panel)


def test_visible_exchanges_only_are_read() -> None:
    tape = Tape(http=True)
    for number in range(1, 10_001):
        tape.journal.fact(HttpFact(HttpEvent.REQUEST, number, "GET", "https://h/mcp"))
    read: list[int] = []
    entry = tape.journal.store.entry

    def noted(n: int) -> Entry:
        read.append(n)
        return entry(n)

    tape.journal.store.entry = noted  # type: ignore[method-assign]
    rows = NetworkRows(Staged(tape))
    assert rows.count == 10_000
    assert read == []
    rows.row(9_999, 80)
    assert len(read) < 10
