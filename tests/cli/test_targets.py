"""What was chosen at the start, as a target."""

from dataclasses import replace
from pathlib import Path

import pytest

from inspector.cli.targets import DEMO, demo_target, found_target, plainly
from inspector.config.servers import FoundServer
from inspector.config.targets import HttpTarget, StdioTarget
from inspector.errors import UsageError

_FILE = Path("/home/me/mcp.json")
_SERVER = FoundServer("s", "h", _FILE, approved=True)
_ENV = {"HOME": "/home/me", "SECRET": "s"}


def test_a_command_is_started_with_the_files_variables_and_few_of_ours() -> None:
    server = replace(_SERVER, argv=("x", "y"), cwd="/there", env=(("K", "a=b"),))
    target = found_target(server, _ENV)
    assert isinstance(target, StdioTarget)
    assert (target.argv, target.cwd) == (("x", "y"), "/there")
    assert target.environment.values == {"HOME": "/home/me", "K": "a=b"}


def test_a_directory_of_an_unknown_user_stays_as_it_is_written() -> None:
    target = found_target(replace(_SERVER, argv=("x",), cwd="~nosuchuser/a"), _ENV)
    assert isinstance(target, StdioTarget)
    assert target.cwd == str(Path.cwd() / "~nosuchuser/a")


@pytest.mark.parametrize("name", ["TOKEN ", " TOKEN", "TO\0KEN", ""])
def test_a_variable_with_an_unusable_name_is_rejected_without_its_value(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        found_target(replace(_SERVER, argv=("x",), env=((name, "hunter22"),)), _ENV)
    assert "hunter22" not in f"{refused.value} {refused.value.hint}"


def test_a_url_is_dialled_with_the_files_headers() -> None:
    server = replace(_SERVER, url="https://h/mcp", headers=(("A", "b"),))
    assert found_target(server, _ENV) == HttpTarget("https://h/mcp", headers=(("A", "b"),))


def test_broken_entry_is_refused_with_its_file() -> None:
    with pytest.raises(UsageError, match="s: it or empty") as refused:
        found_target(replace(_SERVER, problem="it or empty"), _ENV)
    assert str(_FILE) in refused.value.hint


def test_found_target_of_a_server_that_is_not_approved_raises() -> None:
    with pytest.raises(UsageError, match="not approved"):
        found_target(replace(_SERVER, argv=("x",), approved=False), _ENV)


def test_the_demo_is_found_from_anywhere_and_recorded_like_any_server() -> None:
    chosen = plainly(demo_target(_ENV), _ENV)
    assert isinstance(chosen.target, StdioTarget)
    assert chosen.target.argv == DEMO
    assert Path(chosen.target.environment.values["PYTHONPATH"], "inspector", "demo").is_dir()
    assert (chosen.record, chosen.capture, chosen.era) == (True, None, None)
