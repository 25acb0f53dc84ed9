"""Where files belong, how they are made, what captures are called, and which of them are removed."""

import os
import stat
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.config.paths import create_private, new_capture, places, private_directory, prune, short_name
from inspector.errors import UsageError

_MOMENT = datetime(2026, 11, 21, 13, 5, 22)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def _careless_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _capture(directory: Path, name: str, age: int, size: int) -> Path:
    """Make a capture that was last written `age` seconds before all began."""
    path = directory / f"{name}.mcpcap"
    path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


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


def test_without_it_the_system_says_where(home: Path) -> None:
    found = places({"MCP_INSPECT_HOME": ""})
    for place in (found.state, found.config, found.data, found.cache):
        assert place.name == "mcp-inspect"
        assert place.is_relative_to(home)


def test_sockets_go_where_the_login_session_says_and_never_to_a_directory_of_everybody(home: Path) -> None:
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


def test_a_directory_that_cannot_be_made_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError) as caught:
            private_directory(path)
        assert "MCP_INSPECT_HOME" in caught.value.hint


def test_a_file_is_its_owners_alone_and_never_replaces_another(tmp_path: Path) -> None:
    path = tmp_path / "new"
    os.close(create_private(path))
    assert _mode(path) == 0o600
    with pytest.raises(FileExistsError):
        create_private(path)


def test_a_link_in_its_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_capture_is_named_for_its_moment_and_its_target(tmp_path: Path) -> None:
    path, descriptor = new_capture(tmp_path / "captures", _MOMENT, "everything")
    os.close(descriptor)
    assert path.name == "2026-11-21T13-05-22-everything.mcpcap"
    assert _mode(path.parent) == 0o700


def test_captures_that_begin_in_one_second_are_numbered(tmp_path: Path) -> None:
    made = [new_capture(tmp_path, _MOMENT, "memory") for _ in range(3)]
    for _, descriptor in made:
        os.close(descriptor)
    assert [path.stem.removeprefix("2026-11-21T13-05-22-") for path, _ in made] == ["memory", "memory-2", "memory-3"]


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


def test_the_oldest_captures_go_until_the_rest_fits(tmp_path: Path) -> None:
    new = _capture(tmp_path, "a-new", 1, 10)
    old = _capture(tmp_path, "b-old", 3, 10)
    middle = _capture(tmp_path, "c-middle", 2, 10)
    assert prune(tmp_path, budget_bytes=20) == [old]
    assert prune(tmp_path, budget_bytes=20) == []
    assert prune(tmp_path, budget_bytes=0) == [middle, new]


def test_a_capture_to_keep_counts_and_stays(tmp_path: Path) -> None:
    old = _capture(tmp_path, "old", 2, 10)
    new = _capture(tmp_path, "new", 1, 10)
    assert prune(tmp_path, budget_bytes=10, keep={old}) == [new]
    assert old.exists()


def test_a_capture_that_is_being_written_is_not_removed_by_anybody(tmp_path: Path) -> None:
    path, descriptor = new_capture(tmp_path, _MOMENT, "busy")
    os.write(descriptor, b"x" * 10)
    assert prune(tmp_path, budget_bytes=0) == []
    os.close(descriptor)
    assert prune(tmp_path, budget_bytes=0) == [path]


def test_what_is_no_capture_is_neither_counted_nor_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_bytes(b"x" * 100)
    (tmp_path / "link.mcpcap").symlink_to(precious)
    (tmp_path / "folder.mcpcap").mkdir()
    kept = _capture(tmp_path, "kept", 1, 10)
    assert prune(tmp_path, budget_bytes=10) == []
    assert kept.exists()
    assert prune(tmp_path, budget_bytes=0) == [kept]
    assert precious.exists()


def test_a_directory_that_is_not_there_has_nothing_to_remove(tmp_path: Path) -> None:
    assert prune(tmp_path / "nowhere", budget_bytes=0) == []
