"""How a child ends, in words and in order. The ladder on real servers is in test_stdio.py."""

import signal
import sys
from pathlib import Path

import pytest

from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.transports.children import spawn
from inspector.transports.ending import Ending, Exit, Ladder, signal_name
from tests.transports.recording import child_env, server
from tests.waiting import until


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (Exit(1, "", 0.31), "the server exited with code 1 after 0.3 s"),
        (Exit(None, "SIGSEGV", 62), "the server was ended by SIGSEGV after 62.0 s"),
    ],
)
def test_an_end_is_told_in_one_sentence(how: Exit, sentence: str) -> None:
    assert how.sentence() == sentence


def test_every_signal_has_a_name() -> None:
    assert signal_name(signal.SIGTERM) == "SIGTERM"
    assert signal_name(40) == "signal 40"


async def test_the_exit_is_told_although_the_streams_never_end_and_everything_is_told_once(home: Path) -> None:
    child = spawn(sys.executable, server("ignores_sigterm"), child_env(), None)
    told: list[str] = []

    def report(fact: ProcessFact) -> None:
        told.append(fact.signal if fact.event is ProcessEvent.SIGNAL else str(fact.event))

    ending = Ending(
        child,
        Ladder(30, 30),
        report=report,
        is_drained=lambda: False,
        drain=lambda: None,
        on_exit=lambda how: told.append(f"on_exit {how.signal}"),
        on_gone=lambda: told.append("on_gone"),
    )
    assert ending.exit is None
    ending.begin()
    ending.begin()
    child.kill()
    await until(lambda: "on_gone" in told, "it is over")
    ending.kill()
    ending.begin()
    ending.look()
    assert told == ["exit", "on_exit SIGKILL", "on_gone"]
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe
        pipe.close()
