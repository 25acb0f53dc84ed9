"""A span of time is written in seconds, or with its unit."""

import click
import pytest

from inspector.cli.durations import duration, lasting
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5), ("0.5", 0.5), ("5s", 5), ("500ms", 0.5), ("2m", 120), ("1.5 h", 5400), ("-3", -3)]
)
def test_a_number_and_a_unit_are_seconds(text: str, seconds: float) -> None:
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "five", "5 sec", "5d", "m", "1:30", "-5s"])
def test_anything_else_is_told_what_to_write(text: str) -> None:
    with pytest.raises(click.BadParameter, match="give seconds"):
        duration(text)


def test_a_span_that_must_not_be_empty_is_not() -> None:
    assert lasting("1ms") == 0.001
    for text in ("0", "0s", "-1", "nan"):
        with pytest.raises(click.BadParameter, match="not more than 0 seconds"):
            lasting(text)


def test_the_command_line_says_it_with_the_options_name() -> None:
    ran = inspect("info", "--timeout", "soon", "--", "server")
    assert ran.status == ExitStatus.USAGE
    assert "--timeout" in ran.stderr
    assert "give seconds (5), or 500ms, 5s, 2m, 1h" in ran.stderr
