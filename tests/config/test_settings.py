"""`config.toml`: its values, their precedence, and messages about mistakes."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from inspector.config.settings import (
    COLUMNS,
    SETTINGS,
    TIME_FORMATS,
    UserConfig,
    captures_directory,
    json_schema,
    keys_file,
    template,
    user_config,
)
from inspector.present.traffic.columns import CHOICES, TimeMode
from tests.architecture.sources import ROOT


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "config").mkdir()
    return {"MCP_INSPECT_HOME": str(tmp_path)}


def write(env: dict[str, str], text: str | bytes) -> None:
    file = Path(env["MCP_INSPECT_HOME"], "config", "config.toml")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def example_of_all() -> str:
    """The template with every setting in use."""
    lines = template().splitlines()
    return "\n".join(line.removeprefix("# ") for line in lines if " = " in line or line.startswith("["))


def test_without_a_file_everything_has_its_default(env: dict[str, str]) -> None:
    assert user_config(env) == UserConfig()
    assert captures_directory(env) == Path(env["MCP_INSPECT_HOME"], "state", "captures")
    assert keys_file(env) == Path(env["MCP_INSPECT_HOME"], "config", "keys.toml")


def test_every_setting_is_read(env: dict[str, str]) -> None:
    write(env, example_of_all())
    found = user_config(env)
    assert found.problems == ()
    assert set(found.origins) == {each.field for each in SETTINGS}
    changed = {each.field for each in SETTINGS if getattr(found, each.field) != getattr(UserConfig(), each.field)}
    assert changed >= {each.field for each in SETTINGS} - {"captures_limit"}
    assert (found.timeout, found.max_total, found.captures_limit) == (30.0, 600.0, 2 << 30)


def test_a_variable_goes_before_the_file(env: dict[str, str]) -> None:
    write(env, 'theme = "light"\ntimeout = 5\n')
    found = user_config({**env, "MCP_INSPECT_TIMEOUT": "2m", "MCP_INSPECT_CAPTURES_LIMIT": "1 MB"})
    assert (found.theme, found.timeout, found.captures_limit) == ("light", 120.0, 1_000_000)
    assert found.origins["timeout"] == "$MCP_INSPECT_TIMEOUT"


def test_a_changed_file_is_read_again(env: dict[str, str]) -> None:
    write(env, 'theme = "light"')
    assert user_config(env).theme == "light"
    write(env, 'theme = "dark" # now')
    assert user_config(env).theme == "dark"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("theme = 1\n", "config.toml:1: theme must be one of dark, light, not 1. The default is used."),
        ("\ntehme = 'dark'\n", "config.toml:2: unknown setting 'tehme' (did you mean theme?). It is ignored."),
        ("timeout = true", ":1: timeout must be seconds"),
        ("timeout = 'soon'", "not 'soon'"),
        ("timeout = -1", "not -1"),
        ("timeout = nan", "not nan"),
        ("columns = ['what', 'nope']", "not ['what', 'nope']"),
        ("columns = []", "columns must be a list"),
        ("captures = 3", ":1: unknown setting 'captures'"),
        ("[captures]\nlimit = 0", ":2: captures.limit must be bytes"),
        ("[captures]\ndirectory = ' '", ":2: captures.directory must be the path"),
        ("theme = = 1", "config.toml:1: "),
        (b"\xff\xfe", "not UTF-8 at byte 0. Defaults are used."),
        ("a = " + "[" * 5000, "Defaults are used."),
        ("theme = '\x1b[2J'", "config.toml"),
    ],
)
def test_a_mistake_is_named_and_the_default_is_used(env: dict[str, str], text: str | bytes, said: str) -> None:
    write(env, text)
    found = user_config(env)
    assert len(found.problems) == 1
    assert said in found.problems[0]
    assert found.problems[0].isprintable()
    assert UserConfig(problems=found.problems) == found


def test_one_mistake_does_not_touch_the_other_settings(env: dict[str, str]) -> None:
    write(env, 'theme = "pink"\ntimeout = 7\n')
    found = user_config(env)
    assert (found.theme, found.timeout, len(found.problems)) == ("", 7.0, 1)


def test_the_names_are_those_of_the_traffic_list() -> None:
    assert [each.name for each in CHOICES] == [*COLUMNS]
    assert {*TIME_FORMATS} == {each.value for each in TimeMode} - {"reference"}


def test_the_schema_describes_what_is_read() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema)
    assert valid.is_valid(tomllib.loads(example_of_all()))
    wrong: list[dict[str, Any]] = [{"theme": 1}, {"tehme": "dark"}, {"columns": ["nope"]}, {"captures": {"x": 1}}]
    assert not any(map(valid.is_valid, wrong))
    file = ROOT / "docs" / "config.schema.json"
    assert json.loads(file.read_text()) == schema, "run: mcp-inspect config schema > docs/config.schema.json"


def test_the_page_names_every_setting_and_its_variable() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    for each in SETTINGS:
        assert f"`{each.name}`" in page, each.name
        assert f"`{each.variable}`" in page, each.variable
