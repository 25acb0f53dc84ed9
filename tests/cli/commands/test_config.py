"""`mcp-inspect config`, and that settings take effect."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.config.paths import places
from inspector.config.remembered import StoredTheme
from tests.cli.running import inspect


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"MCP_INSPECT_HOME": str(tmp_path)}


def write(env: dict[str, str], text: str, name: str = "config.toml") -> None:
    directory = Path(env["MCP_INSPECT_HOME"], "config")
    directory.mkdir(exist_ok=True)
    (directory / name).write_text(text)


def test_the_path_is_printed(env: dict[str, str]) -> None:
    assert inspect("config", "path", env=env).stdout == f"{env['MCP_INSPECT_HOME']}/config/config.toml\n"


def test_check_names_mistakes_and_conflicting_keys(env: dict[str, str]) -> None:
    assert inspect("config", "check", env=env).status == 0
    write(env, "theme = 3\n")
    write(env, '"traffic.tree" = "q"\n', "keys.toml")
    ran = inspect("config", "check", "--json", env=env).exits(2)
    first, second = ran.data["problems"]
    assert "config.toml:1: theme must be" in first
    assert "keys.toml:1" in second
    assert "quit" in second


def test_config_show_has_the_origin_of_each_value(env: dict[str, str]) -> None:
    StoredTheme(Path(env["MCP_INSPECT_HOME"], "state")).keep("inspect-light")
    write(env, "timeout = 5\n")
    settings = inspect("config", "show", "--json", env={**env, "MCP_INSPECT_PAGES": "one"}).data["settings"]
    assert settings["timeout"] == {"value": 5.0, "origin": "config.toml"}
    assert settings["pages"] == {"value": "one", "origin": "$MCP_INSPECT_PAGES"}
    assert settings["theme"] == {"value": "light", "origin": "remembered"}
    assert settings["refresh"] == {"value": "auto", "origin": "default"}
    write(env, 'theme = "dark"\n')
    assert inspect("config", "show", "--json", env=env).data["settings"]["theme"]["origin"] == "config.toml"


def test_edit_opens_a_file_that_explains_everything_and_checks_it(env: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "edit.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write('nope = 1')")
    ran = inspect("config", "edit", env={**env, "VISUAL": "false", "MCP_INSPECT_EDITOR": f"{sys.executable} {script}"})
    assert ran.status == 2
    assert "unknown setting" in ran.stderr
    text = Path(env["MCP_INSPECT_HOME"], "config", "config.toml").read_text()
    assert "# theme = " in text
    assert "nope = 1" in text


def test_config_edit_without_editor_is_refused(env: dict[str, str]) -> None:
    inspect("config", "edit", env={**env, "VISUAL": "", "EDITOR": ""}).exits(2, "$EDITOR")


def test_a_default_timeout_applies_and_an_option_goes_before_it(env: dict[str, str]) -> None:
    write(env, 'timeout = "300ms"\n')
    silent = ("--era", "legacy", "--", sys.executable, "-c", "import time; time.sleep(600)")
    assert "0.3 s" in inspect("ping", *silent, env=env).stderr
    assert "0.4 s" in inspect("ping", "--timeout", "0.4", *silent, env=env).stderr


def test_a_broken_file_is_reported_and_the_command_still_runs(env: dict[str, str]) -> None:
    write(env, "theme = [\n")
    assert json.loads(inspect("revisions", "--json", env=env).exits(0, "config.toml").stdout)


def test_captures_are_found_in_the_configured_directory(env: dict[str, str], tmp_path: Path) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    (own / "kept.mcpcap").write_text("")
    write(env, f'[captures]\ndirectory = "{own}"\n')
    assert inspect("--json", env=env).data["captures"] == [str(own / "kept.mcpcap")]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["fifo", "device"])
@pytest.mark.parametrize("name", ["config.toml", "keys.toml", "targets.yaml"])
def test_settings_that_are_no_regular_file_are_one_line(name: str, make: Callable[[Path], None]) -> None:
    file = places().config / name
    file.parent.mkdir(parents=True)
    make(file)
    ran = inspect("config", "check") if name != "targets.yaml" else inspect("info", "no-such-target")
    assert ran.status != 0
    assert "Traceback" not in ran.stderr
    if name != "targets.yaml":
        assert "not a regular file" in ran.stdout + ran.stderr
