"""The app attached to a running tap: what is held is seen, edited and released."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.widgets import TextArea

from inspector.features.tap import registry
from inspector.tui.app import InspectApp
from inspector.tui.panels import HasEntry
from inspector.tui.screens.inbox.panel import InboxPanel
from inspector.tui.screens.tap.dialog import HeldScreen
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.schema_form.form import SchemaForm
from inspector.tui.widgets.virtual_list import LogList
from tests.features.tap.tapping import TapProcess, tapped
from tests.tui.screen_text import press, shows, text
from tests.waiting import until

SERVER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    if 'id' in asked:\n"
    "        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': asked['params']}), flush=True)\n"
)


def footer(app: InspectApp) -> str:
    return text(app).splitlines()[-1]


async def test_a_held_call_is_edited_and_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    with tapped(tmp_path, sys.executable, "-c", SERVER) as tap:
        await until(lambda: registry.live() and tap.records(), "the tap is registered and records")
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.press("g", "b")
            await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
            await until(lambda: "Esc Back" in footer(app), "the keys")
            assert [word for word in ("Confirm", "Respond", "Form/JSON", "Drop") if word in footer(app)] == []
            await pilot.press(*"tool", "space", "=", "=", "space", *"create", "enter")
            assert app.tap is not None
            status = app.tap
            await until(lambda: status.status.rules, "the rule is armed")
            await until(lambda: "Switch" in footer(app), "the key of the rule")
            assert "Respond" not in footer(app)
            tap.request(1, "tools/call", name="create", arguments={"repo": "prod"})
            editor = app.screen.query_one(TextArea)
            await until(lambda: "prod" in editor.text, "the held message is shown")
            await until(lambda: "^j Confirm  ! Respond" in footer(app), "the keys of a held call")
            await until(lambda: app.header.badge, "the header counts what is held")
            editor.load_text(editor.text.replace("prod", "sandbox"))
            await pilot.press("ctrl+j")
            answer = await asyncio.to_thread(tap.line, 0)
            assert answer["result"]["arguments"] == {"repo": "sandbox"}
            await pilot.press("escape", "escape")
        await app.conversation.end()
        tap.stdin.close()
        assert await asyncio.to_thread(tap.ends) == 0


async def test_held_message_that_is_edited_to_invalid_json_is_released_only_after_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    with tapped(tmp_path, sys.executable, "-uc", "import sys\nfor line in sys.stdin: print(line.upper())") as tap:
        await until(lambda: registry.live() and tap.records(), "the tap is registered and records")
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("g", "b")
            await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
            await pilot.press(*"tool", "space", "=", "=", "space", *"create", "enter")
            assert app.tap is not None
            status = app.tap
            await until(lambda: status.status.rules, "the rule is armed")
            tap.request(1, "tools/call", name="create", arguments={})
            editor = app.screen.query_one(TextArea)
            await until(lambda: "create" in editor.text, "the held message is shown")
            editor.load_text("{broken,\n}")
            for key in ("ctrl+j", "escape"):
                await pilot.press(key)
                await until(lambda key=key: ("not valid JSON" in text(app)) is (key == "ctrl+j"), "the question")  # type: ignore[misc]
            assert len(status.status.held) == 1
            await pilot.press("ctrl+j")
            await until(lambda: isinstance(app.screen, ConfirmScreen), "the question again")
            below = app.screen_stack[-2].query_one(LogList)
            row = Region(0, 0, below.size.width, 1)
            before = below.render_lines(row)[0].text
            await until(
                lambda: "releases" in before != below.render_lines(row)[0].text, "the countdown goes on below it"
            )
            await pilot.press("f5")
            await asyncio.to_thread(tap.read, lambda: b"\n" in tap.stdout, "the server has got it")
            assert tap.stdout.split() == [b"{BROKEN,", b"}"]
        await app.conversation.end()
        tap.stdin.close()
        await asyncio.to_thread(tap.ends)


INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "my-client", "version": "1.4.0"},
    "serverInfo": {"name": "echoing", "version": "3"},
}
"""The server of these tests returns params as its result."""


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_live_tap_names_both_sides_and_its_next_message_is_held_by_key_or_palette(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    with tapped(tmp_path, sys.executable, "-c", SERVER) as tap:
        await until(lambda: registry.live() and tap.records(), "the tap is registered and records")
        tap.request(1, "initialize", **INITIALIZE)
        await asyncio.to_thread(tap.line, 0)
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=size) as pilot:
            shown = await shows(app, "● Live tap", "▼ follow", "Held g b", "Hold next x b", "my-client", "echoing")
            assert [word for word in ("growing", "Play", "Start server") if word in shown] == []
            for word in ("hold", "breakpoint", "intercept"):
                await press(pilot, "ctrl+p", *word, shows="Hold next  ")
                await press(pilot, "escape", shows="Hold next x b")
            await pilot.press("2", "x", "b")
            await until(lambda: isinstance(app.screen, HeldScreen), "a rule is proposed on any screen")
            assert "tools/call" in app.screen.query_one(TextArea).text
            await pilot.press("ctrl+j", "escape", "escape")
            tap.request(2, "tools/call", name="create", arguments={})
            await until(lambda: "Held 1 g b" in text(app), "the bar counts what is held")
            await press(pilot, "1", shows="■ Held")
        await app.conversation.end()
        tap.stdin.close()
        assert await asyncio.to_thread(tap.ends) == 0


LISTS = (
    "import json, sys\n"
    "schema = {'type': 'object', 'properties': {'total': {'type': 'integer'}}, 'required': ['total']}\n"
    "tool = {'name': 'create', 'inputSchema': {'type': 'object'}, 'outputSchema': schema}\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    result = {'tools': [tool]} if asked['method'] == 'tools/list' else {'content': [], 'n': asked['id']}\n"
    "    print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': result}), flush=True)\n"
)


@asynccontextmanager
async def attached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[TapProcess, InspectApp, Any]]:
    """An app on a tap whose client has listed the tools and called one."""
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    with tapped(tmp_path, sys.executable, "-c", LISTS) as tap:
        await until(lambda: registry.live() and tap.records(), "the tap is registered and records")
        tap.request(1, "tools/list")
        tap.request(2, "tools/call", name="create", arguments={})
        await asyncio.to_thread(tap.line, 1)
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=(120, 30)) as pilot:
            await until(lambda: len(app.conversation.journal.conversation.exchanges) == 2, "the capture is read")
            assert app.tap is not None
            yield tap, app, pilot
        await app.conversation.end()
        tap.stdin.close()
        assert await asyncio.to_thread(tap.ends) == 0


def chosen(app: InspectApp) -> int:
    """The entry under the cursor."""
    assert isinstance(app.panel, HasEntry)
    return app.panel.chosen_entry


async def test_a_row_makes_a_rule_and_the_held_call_gets_a_recorded_response(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attached(tmp_path, monkeypatch) as (tap, app, pilot):
        assert app.tap is not None
        held = app.tap
        await until(lambda: chosen(app), "a row is selected")
        await pilot.press("G", "x", "b")
        await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
        editor = app.screen.query_one(TextArea)
        await until(lambda: '"action": "hold"' in editor.text, "a rule is proposed")
        editor.load_text(editor.text.replace('"response"', '"request"'))
        await pilot.press("ctrl+j")
        await until(lambda: held.status.rules, "the rule is armed")
        await until(lambda: isinstance(app.focused, LogList), "what is held can be chosen")
        tap.request(3, "tools/call", name="create", arguments={})
        await until(lambda: held.status.held and '"id": 3' in editor.text, "the call is shown")
        await pilot.press("!")
        await until(lambda: '"n": 2' in editor.text, "the recorded response is offered")
        await pilot.press("ctrl+j")
        assert (await asyncio.to_thread(tap.line, 2))["result"] == {"content": [], "n": 2}
        file = tmp_path / "response.json"
        file.write_text('{"content": [], "from": "file"}')
        tap.request(4, "tools/call", name="create", arguments={})
        await until(lambda: held.status.held and '"id": 4' in editor.text, "the next call is shown")
        await pilot.press("!")
        editor.load_text(f"@{file}")
        await pilot.press("ctrl+j")
        assert (await asyncio.to_thread(tap.line, 3))["result"] == {"content": [], "from": "file"}


async def test_a_held_call_is_answered_by_the_form_of_its_output_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attached(tmp_path, monkeypatch) as (tap, app, pilot):
        assert app.tap is not None
        held = app.tap
        rule = {"name": "h", "action": "hold", "side": "request", "when": "tool == create"}
        assert await held.ask("set_rule", rule=rule)
        tap.request(3, "tools/call", name="create", arguments={})
        await until(lambda: held.status.held, "the call is held")
        await pilot.press("5")
        await until(lambda: isinstance(app.panel, InboxPanel), "the Inbox is shown")
        shown = app.panel.query_one(".inbox--held")
        await until(lambda: shown.display, "it is in the Inbox")
        shown.focus()
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
        editor = app.screen.query_one(TextArea)
        await until(lambda: '"create"' in editor.text, "the call is in the editor")
        await pilot.press("!", "ctrl+o")
        form = app.screen.query_one(SchemaForm)
        await until(lambda: form.has_focus_within, "the form is loaded and has the focus")
        await form.take({"total": 7})
        await pilot.press("ctrl+j")
        result = (await asyncio.to_thread(tap.line, 2))["result"]
        assert result == {"content": [{"type": "text", "text": '{"total": 7}'}], "structuredContent": {"total": 7}}


async def test_a_request_of_ones_own_is_sent_and_rules_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attached(tmp_path, monkeypatch) as (tap, app, pilot):
        assert app.tap is not None
        held = app.tap
        await until(lambda: chosen(app), "a row is selected")
        await pilot.press("x", "s")
        await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
        await pilot.press("ctrl+j")
        await until(lambda: len(app.conversation.journal.conversation.exchanges) == 3, "the request is in the traffic")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, HeldScreen), "the dialog is closed")
        assert await held.ask("set_rule", rule={"name": "r", "action": "log", "text": "seen"})
        await pilot.press("v", "b")
        await until(lambda: isinstance(app.screen, HeldScreen), "the rules are open")
        editor = app.screen.query_one(TextArea)
        await until(lambda: '"name": "r"' in editor.text, "the rule is shown")
        await pilot.press("space")
        await until(lambda: not held.status.rules[0]["enabled"], "it is switched off")
        await pilot.press("x", "d")
        await until(lambda: not held.status.rules, "it is removed")
    assert tap.stdout.count(b"\n") == 2
