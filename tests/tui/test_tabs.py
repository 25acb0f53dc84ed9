"""What the app asks of its opener: the command line's own is one."""

import io
import os
import signal
from pathlib import Path

from msgspec.structs import replace
from textual.widgets import Input

from inspector.auth.guide import Guide, WaitingForLogin
from inspector.cli.env import CliEnv
from inspector.cli.interface import Servers
from inspector.config.targets import OpenTyped
from inspector.protocol.frames import Frame
from inspector.session.options import SessionState
from inspector.tui.conversation import ConversationStage, LoginView
from inspector.tui.navigation import Opener
from inspector.tui.screens.start.start import OpenScreen
from inspector.tui.tabs import Tab, TabState, tab_label
from inspector.tui.widgets.dialogs import ConfirmScreen
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import lines, press, shows, text
from tests.tui.several import aboard, stages
from tests.tui.staging import Staged, handshake
from tests.waiting import until


def test_the_command_lines_servers_open_what_the_app_asks_for(home: object) -> None:
    opener: Opener = Servers(CliEnv(None, {"HOME": "/nowhere"}, io.StringIO(), io.StringIO(), io.StringIO()))
    servers, _ = opener.found()
    assert isinstance(servers, tuple)


def _sent(tab: Tab) -> bytes:
    """All that went to a tab's server."""
    entries = map(tab.conversation.journal.store.entry, range(1, tab.conversation.journal.count + 1))
    return b"\n".join(each.what.payload for each in entries if isinstance(each.what, Frame))


async def test_one_conversation_has_no_line_of_tabs_and_keys_for_tabs_say_why() -> None:
    async with aboard("pier") as (app, pilot, _):
        assert app.tabs.bar is None
        assert "g Tab" not in text(app)
        for key in ("g tab", "g a", "ctrl+w"):
            await pilot.press(key)
        await until(lambda: "g O opens another" in text(app) and "the only tab" in text(app), "why there is nothing")
        assert not app.tabs.shows_timeline


async def test_keys_go_round_the_tabs_and_each_keeps_its_screen_and_what_is_chosen() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await shows(app, "● pier", "● quay")
        await press(pilot, "2", shows="complex_form")
        tools = app.panel
        await pilot.press("g tab")
        await until(lambda: app.tab.name == "quay" and "tools/list" in text(app), "the second, on its own screen")
        await pilot.press("g shift+tab")
        await until(lambda: app.panel is tools and tools.display, "the first, as it was left")
        await pilot.press("g shift+tab")
        await until(lambda: app.tabs.shows_timeline, "the timeline, which is one of them")
        await pilot.press("escape")
        await until(lambda: app.panel is tools, "back where one was")


async def test_call_goes_to_the_current_server_only() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        await pilot.press("g tab", "x p")
        await until(lambda: "pong" in text(app) or "answered" in text(app) or "ms" in text(app), "the ping's time")
        first, second = app.tabs
        before = first.conversation.journal.count
        await second.conversation.call("tools/call", {"name": "image_result", "arguments": {}}, lambda exchange: None)
        assert b"image_result" in _sent(second)
        assert b'"tools/call"' not in _sent(first)
        assert first.conversation.journal.count == before


async def test_a_new_connection_is_made_for_the_tab_in_sight_alone() -> None:
    async with aboard("pier", "quay") as (app, pilot, fleet):
        old = [tab.conversation for tab in app.tabs]
        await pilot.press("g tab", "ctrl+r")
        await until(lambda: app.tabs[1].conversation is not old[1], "another conversation")
        await until(lambda: stages(app) == [ConversationStage.OPEN, ConversationStage.OPEN], "connected")
        assert app.tabs[0].conversation is old[0]
        assert len(fleet.lives) == 3


async def test_server_exit_in_another_tab_is_shown() -> None:
    async with aboard("pier", "quay") as (app, _, fleet):
        os.kill(fleet.lives[1].session.transport.pid, signal.SIGKILL)  # type: ignore[union-attr]
        await until(lambda: app.tabs[1].conversation.stage is ConversationStage.CLOSED, "the second is gone")
        await until(lambda: "quay: closed: " in text(app), "that it is told of")
        assert app.conversation.stage is ConversationStage.OPEN
        await until(lambda: "○ quay" in text(app), "the sign in its tab")


async def test_server_request_in_another_tab_is_announced() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        second = app.tabs[1]
        await pilot.press("2")
        call = {"name": "elicit_url", "arguments": {}}
        app.run_worker(second.conversation.call("tools/call", call, lambda exchange: None))
        await until(lambda: bool(second.conversation.inbox.tickets), "the question")
        await until(lambda: "quay: " in text(app) and "asks" in text(app), "the notice with the tab's name")
        await until(lambda: "◆ 1" in text(app).splitlines()[0], "the counter in the tab")
        await pilot.press("g tab")
        await until(lambda: "here" in text(app).splitlines()[-2], "the line of the question, in its own tab")


async def test_closing_a_tab_ends_its_server_and_leaves_the_others() -> None:
    async with aboard("pier", "quay") as (app, pilot, fleet):
        await pilot.press("g tab", "ctrl+w")
        await until(lambda: len(app.tabs) == 1 and app.tabs.bar is None, "one is left, without a line of tabs")
        await until(lambda: fleet.closed == ["quay"], "what it ran on was ended")
        assert fleet.lives[1].session.transport.exit is not None  # type: ignore[union-attr]
        assert stages(app) == [ConversationStage.OPEN]
        assert app.tab.name == "pier"


async def test_closing_asks_first_while_something_runs() -> None:
    async with aboard("pier", "quay") as (app, pilot, fleet):
        call = {"name": "long_running", "arguments": {"steps": 100, "seconds_per_step": 60}}
        app.run_worker(app.conversation.call("tools/call", call, lambda exchange: None), exit_on_error=False)
        await until(lambda: bool(app.tab.running), "a call runs")
        await pilot.press("ctrl+w")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question")
        await shows(app, "Close pier and disconnect its server?", "tools/call is waiting for a response")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, ConfirmScreen), "no")
        assert len(app.tabs) == 2
        await pilot.press("ctrl+w")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question again")
        await pilot.press("f5")
        await until(lambda: app.tab.name == "quay" and app.panel.display, "the other in sight")
        await until(lambda: fleet.lives[0].state is SessionState.CLOSED, "its server has ended")
        assert stages(app) == [ConversationStage.OPEN]


async def test_typed_command_opens_in_a_tab() -> None:
    async with aboard("pier") as (app, pilot, fleet):
        await pilot.press("g O")
        await until(lambda: isinstance(app.screen, OpenScreen), "what can be opened")
        await pilot.press("slash")
        app.screen.query_one(Input).value = "node broken.js"
        await press(pilot, "enter", shows="it is broken. Mend it.")
        await pilot.press("O")
        await until(lambda: isinstance(app.screen, OpenScreen), "what can be opened")
        await pilot.press("slash")
        app.screen.query_one(Input).value = "node 'a b.js'"
        await pilot.press("enter")
        await until(lambda: len(app.tabs) == 2 and app.tab.name == "typed", "the new tab in sight")
        assert fleet.wanted[1] == OpenTyped(argv=("node", "a b.js"))
        await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")


async def test_a_capture_is_opened_beside_a_live_server(tmp_path: Path) -> None:
    from inspector.config.targets import OpenCapture

    async with aboard("pier") as (app, _, _):
        await app.navigation.open_tab(OpenCapture(sample("harbour")))
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture")
        assert [tab.name for tab in app.tabs] == ["pier", "harbour"]
        await app.navigation.open_tab(OpenCapture(sample("harbour")))
        await until(lambda: app.tab.name == "harbour 2", "the second has a name of its own")
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture once more")
        assert not app.tab.running
        broken = tmp_path / "x.mcpcap"
        broken.write_text("nonsense")
        await app.navigation.open_tab(OpenCapture(broken))
        await until(lambda: "x.mcpcap" in text(app), "that this is no capture")
        assert len(app.tabs) == 3


async def test_running_requests_are_listed_before_closing() -> None:
    tape = handshake(Tape())
    staged = Staged(tape)
    tab = Tab(1, staged)
    tape.call(9, "dig")
    assert tab.running == []  # what is only shown can't be lost
    staged.can_act = True
    assert tab.running == ["tools/call is waiting for a response"]
    staged.now_stage = ConversationStage.CLOSED
    assert tab.running == []


def test_wanted_login_is_announced_once() -> None:
    asked = Guide()

    class Guarded(LoginView):
        """Its server wants a login."""

        guide = asked

    staged = Staged(handshake(Tape()))
    staged.login = Guarded()
    tab = Tab(1, staged)
    assert tab.take_login_notice() == ""
    asked.waiting = WaitingForLogin("https://example.com/login", "http://127.0.0.1:9/callback", 9)
    assert "login required" in tab.take_login_notice()
    assert tab.take_login_notice() == ""


async def test_foreign_file_opens_in_a_tab_with_losses(tmp_path: Path) -> None:
    path = tmp_path / "browser.har"
    path.write_bytes((ROOT / "tests" / "captures" / "foreign" / "browser.har").read_bytes())
    async with aboard("north", size=(120, 30)) as (app, pilot, _):
        await pilot.press("g O", "slash")
        await until(lambda: bool(app.screen.query(Input)), "the line to type into")
        app.screen.query_one(Input).value = str(path)
        await press(pilot, "enter", shows=("Read from browser.har, a HAR file", "tools/call pick"))


async def test_unnamed_tab_takes_the_server_name() -> None:
    async with aboard("pier") as (app, pilot, fleet):
        await app.navigation.add_tab(replace(fleet.demo("index"), named=False))
        await until(lambda: "● gull-rock-lighthouse" in lines(app)[0], "the server's own name")
        assert "● pier" in lines(app)[0]
        assert app.tabs[1].conversation.journal.name == "gull-rock-lighthouse"
        await app.navigation.add_tab(replace(fleet.demo("index"), named=False))
        await until(lambda: app.tabs[2].name == "gull-rock-lighthouse 2", "one that no other has")
        await pilot.press("g shift+tab")
        await until(lambda: app.tabs.shows_timeline, "the timeline")
        await until(lambda: any("gull-rock" in line for line in lines(app)[2:]), "its rows", 10)


def _label(state: TabState, *, here: bool = False) -> str:
    return "".join(text for text, _ in tab_label(state, here=here))


def test_tab_label_counts_waiting_and_failed() -> None:
    assert _label(TabState("memory", ("●", "ok"))) == " ● memory "
    told = _label(TabState("memory", ("●", "ok"), failed=1200, waiting=2))
    assert "2" in told
    assert "1,200" in told


def test_current_tab_label_has_its_role_and_is_safe() -> None:
    state = TabState("a\x1b[2J very long name of a server", ("●", "ok"))
    assert ("title" in [role for _, role in tab_label(state, here=True)]) is True
    assert "title" not in [role for _, role in tab_label(state, here=False)]
    assert "\x1b" not in _label(state)
    assert len(_label(state)) <= 30
