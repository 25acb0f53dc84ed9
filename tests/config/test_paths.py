"""Where files belong, and what a target is called."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.atomic_write import private_directory
from inspector.config.paths import places, short_name
from inspector.errors import UsageError


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def _careless_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_one_variable_is_above_all_directories(tmp_path: Path) -> None:
    found = places({"MCP_INSPECT_HOME": str(tmp_path)})
    every = (found.state, found.config, found.data, found.cache, found.runtime)
    assert {place.parent for place in every} == {tmp_path}
    assert len(set(every)) == 5
    assert found.captures == found.state / "captures"
    assert list(tmp_path.glob("state")) == []


def test_the_variable_may_be_relative_or_start_at_home(home: Path) -> None:
    assert places({"MCP_INSPECT_HOME": "~/here"}).state == home / "here" / "state"
    assert places({"MCP_INSPECT_HOME": "here"}).state == Path.cwd() / "here" / "state"


def test_places_default_to_the_system_directories(home: Path) -> None:
    found = places({"MCP_INSPECT_HOME": ""})
    for place in (found.state, found.config, found.data, found.cache):
        assert place.name == "mcp-inspect"
        assert place.is_relative_to(home)


def test_runtime_directory_is_never_shared(home: Path) -> None:
    assert places({"XDG_RUNTIME_DIR": "/run/user/7"}).runtime == Path("/run/user/7/mcp-inspect")
    for unfit in ({}, {"XDG_RUNTIME_DIR": ""}, {"XDG_RUNTIME_DIR": "relative"}):
        assert places(unfit).runtime.is_relative_to(home)


def test_a_directory_and_what_is_missing_above_it_is_its_owners_alone(tmp_path: Path) -> None:
    made = private_directory(tmp_path / "a" / "b")
    assert (_mode(made), _mode(made.parent)) == (0o700, 0o700)


def test_a_directory_that_others_could_read_is_tightened_and_its_parent_left(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "ours").mkdir(parents=True)
    assert _mode(private_directory(shared / "ours")) == 0o700
    assert _mode(shared) == 0o777


def test_impossible_directory_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError) as caught:
            private_directory(path)
        assert "MCP_INSPECT_HOME" in caught.value.hint


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (["npx", "-y", "@modelcontextprotocol/server-everything"], "everything"),
        (["npx", "-y", "@modelcontextprotocol/server-everything@1.2.3", "stdio"], "everything"),
        (["/usr/local/bin/mcp-server-memory"], "memory"),
        (["uvx", "mcp-server-git", "--repository", "."], "git"),
        (["python3.12", "-m", "weather_mcp"], "weather"),
        (["uv", "run", "server.py"], "server"),
        (["env", "KEY=value", "node", "build/index.js"], "index"),
        (["node", "/x/node_modules/@modelcontextprotocol/server-everything/dist/index.js"], "everything"),
        (["env", "KEY=value", "node", "../weather/build/index.js"], "weather"),
        (["node", "--import", "tsx", "~/src/tides/src/index.ts", "--port", "1"], "tides"),
        (["uv", "--directory", "/home/me/harbour", "run", "server.py"], "harbour"),
        (["uvx", "--from", "git+https://x.org/y", "mcp-server-time"], "time"),
        (["docker", "run", "-i", "--rm", "-e", "TOKEN", "mcp/time:latest"], "time-latest"),
        (["python", "-m", "tides.server"], "tides"),
        (["python", "-m", "inspector.demo"], "demo"),
        (["python", "main.py"], "main"),
        (["python"], "python"),
        (["./my server; rm -rf"], "my-server-rm--rf"),
        (["../../.."], "server"),
        ([], "server"),
        ("https://user:secret@mcp.example.org:8443/mcp?key=secret", "mcp.example.org"),
        ("http://[::1]:3000/mcp", "1"),
        ("http://[broken", "server"),
    ],
)
def test_a_target_gets_the_name_a_person_would_give_it(target: str | list[str], name: str) -> None:
    assert short_name(target) == name


@given(st.one_of(st.text(), st.lists(st.text())))
def test_any_target_gets_a_name_that_is_fit_for_a_file(target: str | list[str]) -> None:
    name = short_name(target)
    assert 0 < len(name) <= 40
    assert name[0] not in ".-"
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
