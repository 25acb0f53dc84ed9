"""The switches for extensions, as far as the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.cli.extensions import read
from inspector.protocol.extensions import APP_TYPE, SKILLS, UI
from tests.cli.running import MODERN, demo, inspect, scripted

DISCOVERED = {"resultType": "complete", "supportedVersions": [MODERN], "capabilities": {}}


def test_a_stateless_server_is_told_of_skills_unless_that_is_switched_off(tmp_path: Path) -> None:
    log, other = tmp_path / "log", tmp_path / "other"
    words = ("info", "--era", "modern", "--no-offer", "tasks", "--json")
    inspect(*words, *scripted({"server/discover": {"error": {"code": -1, "message": "x"}}}, f"log={log}"))
    assert f'"extensions":{{"{SKILLS}":{{}}}}' in log.read_text()
    inspect(*words, "--no-extension", "skills", *scripted({}, f"log={other}"))
    assert "clientCapabilities" in other.read_text()
    assert "extensions" not in other.read_text()


def test_apps_are_advertised_in_the_handshake_if_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("info", "--era", "legacy", "--json")
    inspect(*words, *scripted({}, f"log={log}"))
    assert "extensions" not in log.read_text()
    inspect(*words, "--extension", "ui", *scripted({}, f"log={log}"))
    assert f'"extensions":{{"{UI}":{{"mimeTypes":["{APP_TYPE}"]}}}}' in log.read_text()


def test_wrong_settings_are_refused_before_anything_is_started() -> None:
    ran = inspect("info", "--extension", "ui={", *demo())
    assert ran.status == ExitStatus.USAGE
    assert "--extension ui" in ran.stderr


@pytest.mark.parametrize("options", [{}, {"extension": (), "no_extension": ()}])
def test_without_switches_it_is_what_is_supported(options: dict[str, Any]) -> None:
    assert list(read(options).supported) == [SKILLS]


def test_info_says_which_extensions_both_sides_declare(demo_url: str) -> None:
    ran = inspect("info", "--era", "modern", demo_url)
    assert f'{SKILLS}  both sides: server {{"directoryRead":true}}' in ran.stdout
    alone = inspect("info", "--era", "modern", "--no-extension", "skills", demo_url)
    assert f"{SKILLS}  the server only" in alone.stdout
    both = inspect("info", "--era", "legacy", "--extension", "ui", demo_url)
    assert f'{UI}  we only: we {{"mimeTypes":["{APP_TYPE}"]}}' in both.stdout


def test_info_lists_the_apps_of_the_tools() -> None:
    assert inspect("info", "--json", *demo()).data["apps"] == [
        {"tool": "tide_chart", "uri": "ui://gull-rock/tide", "visibility": ["model", "app"]}
    ]
    assert "tide_chart  App: ui://gull-rock/tide" in inspect("info", *demo()).stdout


@pytest.mark.parametrize("switch", ["tasks", "all", "io.modelcontextprotocol/tasks"])
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_without_the_extension_no_task_is_offered(tmp_path: Path, switch: str, era: str) -> None:
    log = tmp_path / "log"
    server = (*scripted({"server/discover": {"result": DISCOVERED}}), f"log={log}")
    words = ("info", "--era", era, "--offer", "all")
    inspect(*words, *server)
    assert "tasks" in log.read_text()
    log.unlink()
    inspect(*words, "--no-extension", switch, *server)
    sent = json.loads(log.read_text().splitlines()[0])["params"]
    assert "tasks" not in json.dumps(sent)
    log.unlink()
    inspect(*words, "--no-extension", switch, "--extension", "tasks", *server)
    assert "tasks" in log.read_text()
