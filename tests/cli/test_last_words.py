"""What is told of a server when a command failed."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.cli.exit_status import ExitStatus
from inspector.cli.last_words import tell_failure
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.errors import ConnectError
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact, Stderr


@pytest.fixture
def journal() -> Iterator[Journal]:
    made = start_capture(None)
    made.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("/bin/x", "y"), cwd="/"))
    made.fact(ProcessFact(ProcessEvent.SPAWN, 7))
    yield made
    made.close()


def _told(journal: Journal, why: str = "it is gone", **how: bool) -> tuple[dict[str, Any], str]:
    """What the failure's JSON has, and what a person reads without it."""
    said = [io.StringIO(), io.StringIO()]
    for as_json, stderr in enumerate(said):
        output = Output(World(None, {}, io.StringIO(), io.StringIO(), stderr), as_json=bool(as_json))
        status = tell_failure(output, ConnectError(why, hint="Look at it."), journal, **how)
        assert status is ExitStatus.UNREACHABLE
    told = json.loads(said[1].getvalue().rstrip().rpartition("\n")[2])["error"]
    return told, said[0].getvalue()


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
    assert (more["stderr"], more["diagnosis"]) == (["waiting for the tide"], [])
    assert "waiting for the tide" in said


def test_of_a_server_that_said_nothing_there_is_nothing(journal: Journal) -> None:
    more, said = _told(journal)
    assert (set(more), more["diagnosis"]) == ({"code", "message", "hint", "diagnosis"}, [])
    assert said == "✗ it is gone\n  → Look at it.\n"


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_reason_is_told_unless_the_command_tells_it_itself(journal: Journal, elsewhere: bool) -> None:
    journal.fact(Stderr(b"Error: ACME_TOKEN is required"))
    journal.fact(ProcessFact(ProcessEvent.EXIT, 7, code=1))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="it exited with code 1"))
    more, said = _told(journal, judged_elsewhere=elsewhere)
    assert [(each["id"], each["follows_from"]) for each in more["diagnosis"]] == [("P-10", None), ("P-04", "P-10")]
    assert ("✗ P-10  ACME_TOKEN is not in the environment" in said) is not elsewhere
    assert ("→ Give it with -e ACME_TOKEN=…" in said) is not elsewhere


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_reason_that_says_what_the_failure_says_is_told_once(elsewhere: bool) -> None:
    journal = start_capture(None)
    why = "`nosuch` is not on the PATH that the server gets; it looked in /bin"
    journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("nosuch",), cwd="/"))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why))
    more, said = _told(journal, why + ".", judged_elsewhere=elsewhere)
    journal.close()
    assert [each["id"] for each in more["diagnosis"]] == ["P-01"]
    assert more["message"] == why + "."
    assert said.count("not on the PATH") == (0 if elsewhere else 1)
    assert said.rpartition("✗ ")[2].startswith("no session came about: P-01" if elsewhere else "`nosuch`")
