"""What `tail` prints of a journal, and which wishes it refuses."""

import io
import json

import pytest

from inspector.cli.env import CliEnv
from inspector.cli.filtering import Tail, read_tail_options
from inspector.cli.output import Output
from inspector.errors import UsageError
from tests.present.tape import Tape


def output(env: dict[str, str] | None = None) -> Output:
    return Output(CliEnv(None, env or {}, io.StringIO(), io.StringIO(), io.StringIO()))


def printed(out: Output) -> list[str]:
    found = out.env.stdout
    assert isinstance(found, io.StringIO)
    return found.getvalue().splitlines()


def test_tail_prints_each_match_once_in_order() -> None:
    tape, out = Tape(), output()
    for number in range(1, 4):
        tape.call(number, "echo")
    tail = Tail(tape.journal, out, read_tail_options("n != 2", (), named={}, as_jsonl=True))
    tail.print_new()
    tail.print_new()
    tape.stderr(b"x")
    tail.print_new()
    assert [json.loads(line)["n"] for line in printed(out)] == [1, 3, 4]


@pytest.mark.parametrize(("text", "numbers"), [("", [4, 5]), ("n < 4", [2, 3])])
def test_the_last_ones_are_those_that_match(text: str, numbers: list[int]) -> None:
    tape, out = Tape(), output()
    for number in range(1, 6):
        tape.call(number, "echo")
    Tail(tape.journal, out, read_tail_options(text, (), named={}, as_jsonl=True, last=2)).print_new()
    assert [json.loads(line)["n"] for line in printed(out)] == numbers


def test_the_first_rule_that_holds_gives_the_colour() -> None:
    tape, out = Tape(), output({"FORCE_COLOR": "1"})
    tape.call(1, "a")
    tape.call(2, "b")
    wish = read_tail_options("", ("red when t:a", "yellow when is:request"), named={})
    Tail(tape.journal, out, wish).print_new()
    first, second = printed(out)
    assert first.startswith("\x1b[31m")
    assert second.startswith("\x1b[33m")


def test_a_name_can_be_used() -> None:
    assert (
        read_tail_options("@slow", (), named={"slow": "dur > 1s"}).term
        == read_tail_options("dur > 1s", (), named={}).term
    )


@pytest.mark.parametrize(
    ("text", "rules", "said"),
    [
        ("tool == a and tol == b", (), "tool == a and tol == b\n                ^"),
        ("", ("purple when x",), "invalid --color"),
        ("", ("red",), "invalid --color"),
        ("", ("red when tol == b",), "did you mean `tool`"),
        ("", ("red when @x",), "unknown named filter"),
    ],
)
def test_wrong_tail_option_is_refused(text: str, rules: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_tail_options(text, rules, named={})
    assert said in str(caught.value)


def test_slow_pattern_of_tail_is_reported() -> None:
    tape, out = Tape(), output()
    tape.stderr(b"a" * 40 + b"b")
    tail = Tail(tape.journal, out, read_tail_options('text ~ "(a|a)*$"', (), named={}))
    tail.print_new()
    assert printed(out) == []
    assert "took too long" in tail.trouble
