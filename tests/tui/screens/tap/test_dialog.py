"""The app attached to a running tap: what is held is seen, edited and released."""

import asyncio
import sys
from pathlib import Path

import pytest
from textual.widgets import TextArea

from inspector.features.tap import registry
from inspector.tui.app import InspectApp
from inspector.tui.screens.tap.dialog import HeldScreen
from inspector.tui.screens.tap.model import HeldRows, TapStatus
from tests.features.tap.tapping import tapped
from tests.waiting import until

SERVER = (
    "import json, sys\n"
    "for line in sys.stdin:\n"
    "    asked = json.loads(line)\n"
    "    if 'id' in asked:\n"
    "        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': asked['params']}), flush=True)\n"
)
HELD = {
    "held": 1,
    "method": "tools/call",
    "target": "create",
    "side": "request",
    "dir": "c2s",
    "releases_in_s": 7.0,
    "payload": "{}",
}
RULE = {"name": "r", "action": "hold", "when": "tool == x", "hits": 3, "enabled": True, "trouble": ""}


def test_rows_show_the_countdown_and_the_rules() -> None:
    rows = HeldRows()
    rows.show(TapStatus({"held": [HELD], "rules": [RULE]}))
    said = ["".join(text for text, _ in rows.row(index, 100).spans) for index in range(rows.count)]
    assert "tools/call create to server releases in 7 s" in said[0]
    assert said[1] == "[x] r  hold either tool == x  ×3"
    assert ("7 s", "error") in TapStatus({"held": [HELD]}).badge
    assert TapStatus().badge == []


async def test_a_held_call_is_edited_and_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "own"))
    with tapped(tmp_path, sys.executable, "-c", SERVER) as tap:
        await until(registry.live, "the tap is registered")
        app = InspectApp(replay=tap.capture, tap=registry.live()[0]["socket"])
        async with app.run_test(size=(120, 30)) as pilot:
            await pilot.press("g", "b")
            await until(lambda: isinstance(app.screen, HeldScreen), "the dialog is open")
            await pilot.press(*"tool", "space", "=", "=", "space", *"create", "enter")
            assert app.tap is not None
            status = app.tap
            await until(lambda: status.status.rules, "the rule is armed")
            tap.request(1, "tools/call", name="create", arguments={"repo": "prod"})
            editor = app.screen.query_one(TextArea)
            await until(lambda: "prod" in editor.text, "the held message is shown")
            assert app.header.badge
            editor.load_text(editor.text.replace("prod", "sandbox"))
            await pilot.press("ctrl+j")
            answer = await asyncio.to_thread(tap.line, 0)
            assert answer["result"]["arguments"] == {"repo": "sandbox"}
            await pilot.press("escape", "escape")
        await app.subject.end()
        tap.stdin.close()
        assert await asyncio.to_thread(tap.ends) == 0
