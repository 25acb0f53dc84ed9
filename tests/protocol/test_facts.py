"""Facts can't be changed, and say "nothing" by default."""

from typing import get_args

import pytest

from inspector.protocol.facts import ConnectionFact, Fact, ProcessEvent, ProcessFact, lacks_program


def test_an_exit_by_signal_has_a_name_and_no_code() -> None:
    fact = ProcessFact(ProcessEvent.EXIT, 7, signal="SIGSEGV")
    assert (fact.code, fact.signal) == (None, "SIGSEGV")


def test_no_fact_can_be_changed_afterwards() -> None:
    fact = ProcessFact(ProcessEvent.SPAWN, 7)
    with pytest.raises(AttributeError):
        fact.pid = 8  # type: ignore[misc]


def test_every_kind_of_fact_is_in_the_union_once() -> None:
    assert ConnectionFact in get_args(Fact)
    assert len(get_args(Fact)) == len(set(get_args(Fact))) == 5


@pytest.mark.parametrize(
    ("command", "lacks"),
    [
        ("python3", True),
        ("/usr/bin/python3.12 -u -", True),
        ("node --inspect", True),
        ("python -m server", False),
        ("python -um server", False),
        ("node server.js", False),
        ("node --eval=1", False),
        ("uvx server", False),
    ],
)
def test_an_interpreter_without_a_program_is_known_by_its_command(command: str, lacks: bool) -> None:
    assert lacks_program(command.split()) is lacks
