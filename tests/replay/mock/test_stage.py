"""What all clients of a mock share: differences, faults by filter, who is served."""

from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era
from inspector.replay.mock.faults import Kind, read_fault
from inspector.replay.mock.script import Query
from inspector.replay.mock.stage import Serves, Settings, Stage, any_faults
from tests.replay.mock.making import HANDSHAKE, scripted


@pytest.fixture
def told() -> list[str]:
    """What the stage says."""
    return []


def _stage(place: Path, told: list[str], settings: Settings) -> Stage:
    return Stage(scripted(place / "c.mcpcap", *HANDSHAKE), settings, tell=told.append)


def test_an_answer_that_differs_is_counted_and_told_if_that_is_wanted(tmp_path: Path, told: list[str]) -> None:
    query = Query("elicitation/create", Part(b"{}"), answer=Part(b'{"action":"accept","_meta":{"x":1}}'))
    strict = _stage(tmp_path, told, Settings(strict=True))
    strict.compare(query, Part(b'{"action":"accept"}'))
    assert (strict.differences, told) == (0, [])
    strict.compare(query, Part(b'{"action":"decline"}'))
    strict.compare(query, Part(b'{"code":-1}'), failed=True)
    assert strict.differences == 2
    assert told[0] == 'elicitation/create was answered with {"action":"decline"}; recorded is {"action":"accept"}'
    assert "answered with error -1" in told[1]


def test_without_strictness_it_is_counted_only(tmp_path: Path, told: list[str]) -> None:
    stage = _stage(tmp_path, told, Settings())
    stage.differs("something")
    assert (stage.differences, told) == (1, [])


def test_a_fault_with_a_filter_is_held_against_the_request_on_the_tape(tmp_path: Path, told: list[str]) -> None:
    fault = read_fault('tool == "echo" and args.n > 3 => drop')
    assert any_faults((fault,))
    assert not any_faults((read_fault("drop"),))
    tape = start_capture(None, mode="mock")
    try:
        script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE)
        stage = Stage(script, Settings(faults=(fault,)), tell=told.append, tape=tape)
        struck = []
        for n in (3, 4):
            payload = (
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d}}}' % n
            )
            tape.frame(Direction.TO_SERVER, Channel.STDIN, payload)
            struck.append(stage.strike(tape.count))
        assert struck[0] is None
        assert struck[1] is not None
        assert struck[1].kind is Kind.DROP
    finally:
        tape.close()


def test_only_whom_it_serves_is_not_refused(tmp_path: Path, told: list[str]) -> None:
    refused = {serves: _stage(tmp_path / serves, told, Settings(serves=serves)) for serves in _made(tmp_path)}
    assert [bool(refused[serves].refusal_of(Era.LEGACY)) for serves in Serves] == [False, False, False, True]
    assert [bool(refused[serves].refusal_of(Era.MODERN)) for serves in Serves] == [False, False, True, False]


def _made(place: Path) -> list[Serves]:
    for serves in Serves:
        (place / serves).mkdir()
    return list(Serves)


def test_a_client_of_the_other_era_is_told_of_once(tmp_path: Path, told: list[str]) -> None:
    stage = _stage(tmp_path, told, Settings())
    for _ in range(2):
        stage.meets(Era.LEGACY)
        stage.meets(Era.MODERN)
    assert told == ["a modern client is served from a capture of a legacy conversation"]
