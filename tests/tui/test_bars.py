"""The header: the line of servers, the tabs of the screens, and the state of the connection."""

import os
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.present.waiting import Programs
from inspector.protocol.facts import GIVEN_UP_HERE, ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, Stderr
from inspector.protocol.server_requests import RequestKind, ServerRequest, declined
from inspector.session.inbox import Proposal, Ticket
from inspector.text import clock
from inspector.tui import bars
from inspector.tui.bars import HeaderBar, WaitingBar, state_of
from inspector.tui.conversation import (
    About,
    ConversationStage,
    InboxView,
    OpenConversation,
    ReplayedConversation,
    past_of,
)
from inspector.tui.notice_bar import NoticeBar
from inspector.tui.tabs import Tab
from inspector.tui.theme import DARK_NAME, LIGHT_NAME
from inspector.tui.widgets.dialogs import ConfirmScreen
from tests.present.errands import begun, polled
from tests.present.tape import Tape
from tests.tui.screen_text import lines as screen_text_lines
from tests.tui.screen_text import text
from tests.tui.screens.asking import Asking
from tests.tui.several import aboard
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def test_each_state_has_a_sign_of_its_own() -> None:
    staged = Staged(handshake(Tape()))
    signs = {}
    for stage in set(ConversationStage) - {ConversationStage.LOADING}:
        staged.now_stage = stage
        signs[stage] = state_of(Tab(1, staged)).sign[0]
    assert len(set(signs.values())) == len(signs)


def test_failed_calls_are_counted() -> None:
    tape = handshake(Tape())
    tape.call(7, "dig")
    tape.error(7, -32603, "too hard")
    tape.call(8, "dig")
    tape.answer(8, {"content": [], "isError": True})
    assert state_of(Tab(1, Staged(tape))).failed == 2


async def test_narrow_tab_line_keeps_the_current_tab() -> None:
    names = ("the first of the servers", "the second of them all", "the third of the servers", "fourth")
    async with aboard(*names[:1], size=(60, 20)) as (app, pilot, fleet):
        for name in names[1:]:
            await app.navigation.add_tab(fleet.demo(name))
        await pilot.press("g tab", "g tab")
        await until(lambda: app.tab.number == 3 and "the third" in screen_text_lines(app)[0], "the third is in sight")
        assert "…" in screen_text_lines(app)[0]
        assert len(screen_text_lines(app)[0]) == 60


async def test_a_click_on_a_tab_shows_it() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        at = screen_text_lines(app)[0].index("quay")
        await pilot.click(offset=(at, 0))
        await until(lambda: app.tab.name == "quay", "the tab that was clicked")
        await pilot.click(offset=(1, 0))
        await until(lambda: app.tabs.shows_timeline, "the timeline")


async def lines(header: HeaderBar, width: int = 120, theme: str = DARK_NAME) -> list[str]:
    async with (app := Showing(header, theme=theme)).run_test(size=(width, 6)) as pilot:
        await pilot.pause()
        return app.rows()


async def look(pilot: Pilot[None], header: HeaderBar, times: int = 3) -> list[str]:
    for _ in range(times):
        header.sync()
    await pilot.pause()
    app = pilot.app
    assert isinstance(app, Showing)
    return app.rows()


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
async def test_header_has_server_revision_and_state(tape: Tape, theme: str) -> None:
    tape.started().initialized("2025-06-18")
    first, second, *_ = await lines(HeaderBar(Staged(tape)), theme=theme)
    for told in ("lighthouse 1.2.3", "stdio", "2025-06-18", "legacy", "● Connected"):
        assert told in first
    assert "1 Traffic 5" in second
    assert "9 Server" in second


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160])
async def test_header_keeps_name_and_state_at_any_width(tape: Tape, width: int) -> None:
    tape.started().initialized("2025-06-18")
    rows = await lines(HeaderBar(Staged(tape)), width)
    assert "lighthouse" in rows[0]
    assert "● Connected" in rows[0]
    assert rows[2] == ""
    assert all(f"{digit}" in rows[1] for digit in range(1, 10))
    assert "[1 Traffic" in rows[1]


@pytest.mark.parametrize(("width", "tabs"), [(40, False), (80, True)])
async def test_tabs_that_have_no_room_are_left_out_but_the_open_one(tape: Tape, width: int, tabs: bool) -> None:
    tape.initialized("2025-06-18")
    tape.request(1, "resources/list")
    tape.answer(1, {"resources": [{"uri": "x://a"}, 7]})
    tape.request(2, "resources/templates/list")
    tape.answer(2, {"resourceTemplates": [{"uriTemplate": "x://{a}"}]})
    row = (await lines(HeaderBar(Staged(tape), shown="traffic"), width))[1]
    assert ("4 Prompts" in row) is tabs
    assert "[3 Res]" in (await lines(HeaderBar(Staged(tape), shown="resources"), width))[1]


async def test_header_at_80_columns_has_every_screen_key(tape: Tape) -> None:
    tape.started().initialized("2025-06-18")
    for at, (kind, method) in enumerate((("tools", "tools"), ("resources", "resources"), ("prompts", "prompts")), 1):
        tape.request(at, f"{method}/list")
        tape.answer(at, {kind: [{"name": f"n{each}", "uri": f"x://{each}"} for each in range(30)]})
    tape.from_server(b"no message")
    tape.stderr(b"a word")
    subject = Staged(tape)
    subject.checks.catch_up()
    row = (await lines(HeaderBar(subject, shown="traffic"), 80))[1]
    for tab in ("[1 Traffic", "2 Tools✗1", "3 Res", "4 Prompts", "5 Inbox", "6", "7", "✗3 9"):
        assert tab in row
    assert "…" not in row
    assert "3 Resources 30" in (await lines(HeaderBar(subject, shown="traffic"), 120))[1]


async def test_a_name_longer_than_the_line_is_cut_and_the_state_is_not(tape: Tape) -> None:
    tape.initialized("2025-06-18", server={"name": "n" * 300, "version": "v" * 300})
    rows = await lines(HeaderBar(Staged(tape)), 40)
    assert "nnn…" in rows[0]
    assert "● Connected" in rows[0]


@pytest.mark.parametrize(
    ("stage", "why", "said"),
    [
        (ConversationStage.CONNECTING, "", "⋯ Connecting 1.20 s"),
        (ConversationStage.CONNECTING, "", "staged"),
        (ConversationStage.OPEN, "", "● Connected"),
        (ConversationStage.CLOSED, "it died", "○ Disconnected"),
        (ConversationStage.FAILED, "no such file", "✗ Not connected"),
        (ConversationStage.LOADING, "", "⋯ Reading"),
        (ConversationStage.RECORDED, "", "▸ Capture"),
    ],
)
async def test_every_state_has_a_sign_and_a_word(tape: Tape, stage: ConversationStage, why: str, said: str) -> None:
    tape.wait(1234)
    assert said in (await lines(HeaderBar(Staged(tape, stage=stage, why=why))))[0]


async def test_the_open_tab_is_marked_and_a_click_asks_for_another(tape: Tape) -> None:
    chosen: list[str] = []

    class Listening(Showing):
        def on_header_bar_screen_chosen(self, message: HeaderBar.ScreenChosen) -> None:
            chosen.append(message.name)

    async with (app := Listening(header := HeaderBar(Staged(tape)))).run_test(size=(100, 6)) as pilot:
        await pilot.pause()
        assert app.rows()[1].startswith("[1 Traffic")
        for label in ("Traffic", "Tools", "Server"):
            await pilot.click(header, offset=(app.rows()[1].index(label), 1))
        await pilot.pause()
    assert chosen == ["traffic", "tools", "server"]


async def test_header_updates_with_the_conversation(tape: Tape) -> None:
    subject = Staged(tape, stage=ConversationStage.CONNECTING)
    async with Showing(header := HeaderBar(subject)).run_test(size=(100, 6)) as pilot:
        tape.wait(300)
        assert "Connecting 300 ms" in (await look(pilot, header))[0]
        handshake(tape)
        subject.now_stage = ConversationStage.OPEN
        rows = await look(pilot, header, times=1)
        assert "● Connected" in rows[0]
        assert "shop" in rows[0]
        assert "2 Tools 2" in rows[1]
        tape.stderr(b"x")
        assert "1 Traffic 6" in (await look(pilot, header))[1]


async def test_figures_are_painted_at_every_third_look_and_states_at_once(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Showing(header := HeaderBar(subject := Staged(handshake(tape)))).run_test(size=(100, 6)) as pilot:
        await pilot.pause()
        painted: list[object] = []
        monkeypatch.setattr(header, "show", painted.append)
        for _ in range(10):
            header.sync()
        assert painted == []
        for _ in range(9):
            tape.stderr(b"x")
            header.sync()
        assert len(painted) == 3
        subject.now_stage = ConversationStage.CLOSED
        header.sync()
        assert len(painted) == 4


async def test_a_version_that_the_server_countered_is_named(tape: Tape) -> None:
    tape.request(1, "initialize", {"protocolVersion": "2024-11-05", "capabilities": {}})
    tape.answer(1, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "shop"}})
    assert "2025-11-25 (legacy) (2024-11-05 was offered)" in (await lines(HeaderBar(Staged(tape))))[0]


async def test_the_recording_is_named_and_its_absence_too(tmp_path: Path, tape: Tape) -> None:
    journal = start_capture(tmp_path / "shop.mcpcap")
    rows = await lines(HeaderBar(OpenConversation(journal, About("shop"))))
    journal.close()
    assert rows[0].endswith("● Recording")
    assert (await lines(HeaderBar(Staged(tape))))[0].endswith("○ Not recorded")


async def test_a_warning_lasts_on_a_line_of_its_own(tape: Tape) -> None:
    subject = Staged(tape)
    subject.about = About("shop", insecure=True)
    async with (app := Showing(header := HeaderBar(subject))).run_test(size=(100, 6)) as pilot:
        await pilot.pause()
        assert app.rows()[2] == f" ▲ {bars.INSECURE}"
        tape.journal.note("the disk is full")
        rows = await look(pilot, header)
        assert rows[2].endswith("1 more on screen 9")
        assert header.region.height == 3


@pytest.mark.parametrize("width", [80, 60])
async def test_a_warning_longer_than_the_line_is_shown_to_its_end(tape: Tape, width: int) -> None:
    tape.journal.note(
        "The capture can't be written: No space left on device. Traffic continues; so far nothing is lost."
    )
    rows = await lines(HeaderBar(Staged(tape)), width)
    assert [rows[2].split()[0], rows[3][:3], rows[3].rstrip()[-5:]] == ["▲", "   ", "lost."]
    tape.journal.note("another one")
    assert (await lines(HeaderBar(Staged(tape)), width))[3].endswith("1 more on screen 9")


async def test_insecure_tls_is_shown_for_captures(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "shop.mcpcap")
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url="https://shop.test/mcp", insecure=True))
    journal.close()
    again = load(tmp_path / "shop.mcpcap")
    try:
        rows = await lines(HeaderBar(OpenConversation(again, About("shop"))))
    finally:
        again.close()
    assert rows[2].strip() == f"▲ {bars.INSECURE}"


async def test_failed_connection_marks_the_server_tab(tape: Tape) -> None:
    rows = await lines(HeaderBar(Staged(tape, stage=ConversationStage.FAILED)))
    assert "9 Server ✗" in rows[1]


async def test_another_conversation_takes_the_place_of_the_first(tape: Tape) -> None:
    async with (app := Showing(header := HeaderBar(Staged(handshake(tape))))).run_test(size=(100, 6)) as pilot:
        fresh = Tape()
        fresh.journal.fact(Stderr(b"x"))
        header.rebind(Staged(fresh, stage=ConversationStage.CONNECTING))
        await pilot.pause()
        fresh.journal.close()
        assert "shop" not in app.rows()[0]
        assert "1 Traffic 1" in app.rows()[1]


async def test_a_hostile_name_does_nothing(tape: Tape) -> None:
    tape.initialized("2025-06-18", server={"name": "\x1b[2J[/][@click=app.quit]x", "version": "\u202e1"})
    first = (await lines(HeaderBar(Staged(tape))))[0]
    assert "␛[2J[/][@click=app.quit]x ‹U+202E›1" in first


async def test_all_nine_screens_are_always_in_the_bar_and_a_further_one_while_it_is_shown(tape: Tape) -> None:
    names = ("Traffic", "Tools", "Resources", "Prompts", "Inbox", "Tasks", "Log", "Findings", "Server")
    row = (await lines(HeaderBar(Staged(tape)), 130))[1]
    assert all(f"{digit} {name}" in row for digit, name in enumerate(names, 1))
    assert "Captures" not in row
    assert "[g u Captures]" in (await lines(HeaderBar(Staged(tape), shown="sessions"), 130))[1]


async def test_failed_requests_are_counted_beside_traffic(tape: Tape) -> None:
    tape.initialized("2025-11-25")
    tape.request(5, "tools/call", {"name": "x"})
    tape.error(5, -32602, "no")
    assert "[1 Traffic 5 ✗1]" in (await lines(HeaderBar(Staged(tape)), 130))[1]


async def test_the_tab_of_tasks_has_the_number_of_those_that_run(tape: Tape) -> None:
    subject = Staged(tape.initialized("2025-11-25"))
    begun(tape)
    assert "6 Tasks ⋯1" in (await lines(HeaderBar(subject)))[1]
    polled(tape, 11, state="completed")
    row = (await lines(HeaderBar(subject)))[1]
    assert "6 Tasks" in row
    assert "⋯" not in row


async def test_past_moment_is_in_the_header(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=ConversationStage.RECORDED)
    tape.call(3, "buy")
    asked = tape.server_request("q", "elicitation/create", {"message": "How many?"})
    tape.client_answer("q", {"action": "decline"})
    first, second, *_ = await lines(HeaderBar(ReplayedConversation(whole, past_of(whole).at(asked))))
    assert f"▸ Replay at #{asked}" in first
    assert "5 Inbox ◆1" in second
    assert "Inbox ◆" not in (await lines(HeaderBar(ReplayedConversation(whole, past_of(whole).at(asked + 1)))))[1]


async def test_a_server_that_refuses_connections_is_not_called_connected(tape: Tape) -> None:
    tape.connected("http://x/mcp").initialized("2025-06-18")
    async with Showing(header := HeaderBar(Staged(tape))).run_test(size=(120, 6)) as pilot:
        assert "● Connected" in (await look(pilot, header))[0]
        tape.fact(HttpFact(HttpEvent.REQUEST, 7, method="POST", target="http://x/mcp"))
        tape.fact(HttpFact(HttpEvent.ERROR, 7, why=GIVEN_UP_HERE))
        assert "● Connected" in (await look(pilot, header))[0]
        for http in (8, 9):
            tape.fact(HttpFact(HttpEvent.REQUEST, http, method="POST", target="http://x/mcp"))
            tape.fact(HttpFact(HttpEvent.ERROR, http, why="connection refused"))
        first = tape.journal.connection_facts.unreachable
        assert first is not None
        shown = (await look(pilot, header))[0]
        assert "Connected" not in shown
        assert f"✗ No response since {clock(first.wall_ns)[:8]}" in shown
        tape.posted(10)
        assert "● Connected" in (await look(pilot, header))[0]


class Notice(Showing):
    def __init__(self, subject: Asking) -> None:
        self.bar = NoticeBar(subject)
        super().__init__(self.bar)
        self.done: list[str] = []

    def action_show(self, name: str) -> None:
        self.done.append(name)

    def action_answer_here(self) -> None:
        self.done.append("here")


def shows(app: Notice) -> bool:
    return bool(app.bar.display)


def _oldest(app: Notice) -> Ticket | None:
    return app.bar.oldest


async def test_notice_bar_follows_waiting_requests() -> None:
    async with (app := Notice(subject := Asking())).run_test(size=(100, 5)) as pilot:
        assert app.bar.sync(shown="traffic") == ""
        assert not shows(app)
        ticket = subject.ask_city("Which\x1b city?")
        subject.ask_model()
        assert app.bar.sync(shown="traffic") == "harbour asks: Which␛ city? (and 1 more)"
        assert app.bar.sync(shown="traffic") == ""
        await pilot.pause()
        shown = text(app)
        assert "harbour asks in book: Which␛ city?" in shown
        assert "2 wait" in shown
        assert "5 Inbox" in shown
        assert "! here" in shown
        assert _oldest(app) is ticket
        await subject.inbox.answer(ticket, declined())
        await subject.inbox.answer(subject.inbox.tickets[1], declined())
        assert app.bar.sync(shown="traffic") == ""
        assert _oldest(app) is None
        assert not shows(app)


async def test_header_below_a_dialog_names_no_key_that_the_dialog_takes() -> None:
    subject = Asking()
    subject.ask_city()
    async with (app := Showing(header := HeaderBar(subject))).run_test(size=(100, 5)) as pilot:
        assert "1 waiting !" in (await look(pilot, header))[0]
        await app.push_screen(ConfirmScreen("Quit", [[("Quit?", "text")]], "", ("Back", "Quit")))
        header.sync()
        assert "1 waiting  " in header.render_lines(Region(0, 0, 100, 1))[0].text
        await app.pop_screen()
        assert "1 waiting !" in (await look(pilot, header))[0]


async def test_notice_bar_is_hidden_on_the_inbox() -> None:
    subject = Asking()
    subject.ask_city()
    async with (app := Notice(subject)).run_test(size=(100, 5)):
        app.bar.sync(shown="inbox")
        assert not shows(app)
        app.bar.sync(shown="tools")
        assert shows(app)


async def test_notice_bar_has_an_age_and_clicks() -> None:
    subject = Asking()
    subject.ask_city()
    async with (app := Notice(subject)).run_test(size=(100, 5)) as pilot:
        app.bar.sync(shown="traffic")
        subject.tape.wait(3000)
        app.bar.sync(shown="traffic")
        await pilot.pause()
        line = next(row for row in app.rows() if "harbour" in row)
        assert "3.00 s" in line
        await pilot.click(NoticeBar, offset=(line.index("Inbox"), 0))
        await pilot.click(NoticeBar, offset=(line.index("here"), 0))
        await pilot.pause()
    assert app.done == ["inbox", "here"]


async def test_narrow_notice_bar_keeps_message_and_keys() -> None:
    subject = Asking()
    subject.ask_city("Which of the many cities on this river do you mean, and why?")
    for width, shown in ((100, "harbour asks in book: Which of the many"), (58, "◆ asked: Which of the many")):
        async with (app := Notice(subject)).run_test(size=(width, 5)) as pilot:
            app.bar.sync(shown="traffic")
            await pilot.pause()
            (line,) = [row.strip() for row in app.rows() if "asked" in row or "asks" in row]
        assert shown in line
        assert "…" in line
        assert line.endswith("5 Inbox  ! here")


async def test_notice_bar_offers_usable_keys_only() -> None:
    subject = Asking()
    subject.ask_city()
    bar, field = NoticeBar(subject), Input()
    async with (app := Showing(field, bar)).run_test(size=(100, 5)) as pilot:
        field.focus()
        await pilot.pause()
        bar.sync(shown="tools")
        await pilot.pause()
        assert "^t here" in text(app)
        assert "!" not in text(app)
        assert "5 Inbox" not in text(app)
        app.set_focus(None)
        bar.sync(shown="tools")
        await pilot.pause()
        assert "5 Inbox  ! here" in text(app)


async def test_request_before_the_notice_bar_is_announced_later() -> None:
    subject = Asking()
    subject.ask_city("Which city?")
    async with (app := Showing()).run_test(size=(100, 5)) as pilot:
        bar = NoticeBar(subject)
        assert bar.sync(shown="traffic") == ""
        await app.mount(bar)
        assert bar.sync(shown="traffic") == "harbour asks: Which city?"
        await pilot.pause()
        assert "Which city?" in text(app)


class Asked(InboxView):
    tickets: tuple[Ticket, ...] = ()


class Busy(Staged):
    """Can act, and has questions."""

    can_act = True

    def __init__(self, tape: Tape, **more: Any) -> None:
        super().__init__(tape, **more)
        self.inbox: Asked = Asked()


async def test_waiting_bar_appears_for_waiting_requests_only(tape: Tape) -> None:
    subject, bar = Busy(handshake(tape.started())), WaitingBar()
    async with (app := Showing(bar)).run_test(size=(80, 10)) as pilot:

        async def seen() -> str:
            bar.sync(subject)
            await pilot.pause()
            return text(app)

        assert "buy" not in await seen()
        tape.call(7, "buy \x1b[2J")
        tape.wait(5000)
        said = await seen()
        assert "⋯ tools/call buy ␛[2J 5 s · waiting for the server" in said
        assert "[ Cancel ^c ]" in said
        assert "silent for 5 s" in said
        server_request = ServerRequest(RequestKind.ELICITATION, {"message": "Which?"}, 99, 1, tape.now)
        ticket = Ticket(1, server_request)
        subject.inbox.tickets = (ticket,)
        tape.wait(3000)
        said = await seen()
        assert "waits for you" in said
        assert "! answer here" not in said, "the line that tells of the question has its key"
        assert "silent" not in said
        ticket.proposal = Proposal("model", 0)
        assert "waits for the model" in await seen()
        bar.sync(None)
        await pilot.pause()
        assert "tools/call" not in text(app)
        subject.can_act = False
        assert "tools/call" not in await seen()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
def test_programs_are_looked_at_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    programs = Programs()
    assert programs.of(0) == ((), None, ())
    running, busy, _ = programs.of(os.getpid())
    assert (running[0].pid, busy) == (os.getpid(), None)
    now[0] += 0.5
    assert programs.of(os.getpid())[0] is running
    now[0] += 1
    again, busy, _ = programs.of(os.getpid())
    assert again is not running
    assert busy is not None
    programs.forget()
    assert programs.of(os.getpid())[1] is None
