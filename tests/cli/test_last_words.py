"""What is told of a server when a command failed."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.cli.last_words import show_last_words
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact, Stderr


@pytest.fixture
def journal() -> Iterator[Journal]:
    made = start_capture(None)
    made.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/bin/x", "y"), cwd="/"))
    made.fact(ProcessFact(ProcessEvent.SPAWN, 7))
    yield made
    made.close()


def _told(journal: Journal, **how: bool) -> tuple[dict[str, Any], str]:
    stderr = io.StringIO()
    output = Output(World(None, {}, io.StringIO(), io.StringIO(), stderr))
    return show_last_words(output, journal, **how), stderr.getvalue()


def test_of_a_server_that_died_there_is_a_card(journal: Journal) -> None:
    journal.fact(Stderr(b"ouch\x1b[2J"))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, signal="SIGSEGV"))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="it went away"))
    more, said = _told(journal)
    card = more["post_mortem"]
    assert isinstance(card, dict)
    assert (card["argv"], card["signal"], card["why"]) == (["/bin/x", "y"], "SIGSEGV", "it went away")
    assert "ouch␛[2J" in said
    assert "/bin/x y" in said


def test_of_a_server_that_lives_there_are_its_last_lines(journal: Journal) -> None:
    journal.fact(Stderr(b"waiting for the tide"))
    journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    more, said = _told(journal)
    assert more == {"stderr": ["waiting for the tide"]}
    assert "waiting for the tide" in said


def test_of_a_server_that_said_nothing_there_is_nothing(journal: Journal) -> None:
    assert _told(journal) == ({}, "")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_reason_is_told_unless_the_command_tells_it_itself(journal: Journal, elsewhere: bool) -> None:
    journal.fact(Stderr(b"Error: ACME_TOKEN is required"))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, code=1))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="it exited with code 1"))
    more, said = _told(journal, judged_elsewhere=elsewhere)
    assert [(each["id"], each["follows_from"]) for each in more["diagnosis"]] == [("P-10", None), ("P-04", "P-10")]
    assert ("✗ P-10  ACME_TOKEN is not in the environment" in said) is not elsewhere
    assert ("→ Give it with -e ACME_TOKEN=…" in said) is not elsewhere
