"""Apps of others in a headless Chromium: from npm, and of fastmcp."""

from pathlib import Path

import pytest

from tests.cli.running import inspect
from tests.servers.apps.document import HERE
from tests.servers.real import PLACE

pytestmark = pytest.mark.real


def _npm(name: str) -> tuple[str, ...]:
    return ("node", str(PLACE / f"apps/node_modules/@modelcontextprotocol/server-{name}/dist/index.js"), "--stdio")


@pytest.mark.parametrize(
    ("tool", "server", "selector", "shows"),
    [
        ("get-system-info", _npm("system-monitor"), "canvas", "CPU USAGE"),
        ("play_video", _npm("video-resource"), "body", "video"),
        ("berths", (str(PLACE / "fastmcp/bin/python"), str(HERE / "berths.py")), "button", "Three are free."),
    ],
)
def test_app_is_shown_and_nothing_of_it_is_blocked(
    tool: str, server: tuple[str, ...], selector: str, shows: str, tmp_path: Path
) -> None:
    capture = tmp_path / "app.mcpcap"
    options = ("--headless", "--json", "--wait-for", selector, "--capture", str(capture), "--timeout", "60")
    ran = inspect("app", tool, *options, "-e", "PREFAB_BUNDLED_RENDERER=1", "--", *server).exits(0)
    assert (ran.data["ready"], ran.data["found"], ran.data["errors"]) == (True, True, [])
    assert shows in ran.data["text"]
    sent = inspect("tail", str(capture), "channel == view and method == ui/notifications/tool-result").stdout
    assert "tool-result" in sent
