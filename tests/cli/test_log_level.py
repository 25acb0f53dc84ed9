"""Log messages on request, in both eras."""

import click
import pytest

from inspector.cli.log_level import log_level_option
from inspector.protocol.log_levels import LEVELS
from tests.cli.running import demo, inspect, scripted


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_messages_from_the_level_on_are_told(flag: str) -> None:
    ran = inspect("call", "night_watch", "--log-level", "error", "--json", *demo(flag))
    assert ran.status == 0
    told = [line.partition(":")[0] for line in ran.stderr.splitlines() if ": night_watch: " in line]
    assert told == list(LEVELS[LEVELS.index("error") :])


def test_without_it_none_is_told_and_none_is_asked_for() -> None:
    ran = inspect("call", "night_watch", "--json", *demo())
    assert ": night_watch: " not in ran.stderr
    assert ran.data["rounds"] == 1


def test_a_server_that_sets_no_level_is_called_all_the_same() -> None:
    ran = inspect("call", "t", "--log-level", "info", "--json", *scripted({"tools/call": {"result": {"content": []}}}))
    assert (ran.status, ran.data["result"]) == (0, {"content": []})
    assert "! the server sets no log level: " in ran.stderr


def test_a_level_that_is_none_is_refused_before_anything_is_started() -> None:
    ran = inspect("call", "t", "--log-level", "loud", "--", "no-such-program")
    assert ran.status == 2
    assert "'loud' is not one of" in ran.stderr


def test_the_option_takes_the_eight_levels_and_no_other() -> None:
    @click.command()
    @log_level_option
    def command(log_level: str | None) -> None:
        """Do nothing."""

    (option,) = command.params
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == LEVELS
