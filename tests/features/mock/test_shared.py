"""Faults, as they are ordered and as they happen."""

from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.errors import UsageError
from inspector.features.mock.script import Query
from inspector.features.mock.shared import (
    FaultKind,
    Faults,
    InjectedFault,
    MockSettings,
    MockShared,
    Serves,
    any_faults,
    read_fault,
)
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era
from tests.features.mock.making import HANDSHAKE, scripted


@pytest.mark.parametrize(
    ("text", "kind", "seconds", "code", "after", "times", "filtered"),
    [
        ("delay 2s on tools/call", FaultKind.DELAY, 2, -32603, 0, None, True),
        ("delay 150ms", FaultKind.DELAY, 0.15, -32603, 0, None, False),
        ("error", FaultKind.ERROR, 0, -32603, 0, None, False),
        ("error -32000 on tools/call echo 2 times", FaultKind.ERROR, 0, -32000, 0, 2, True),
        ("cut on resources/read after 3 1 time", FaultKind.CUT, 0, -32603, 3, 1, True),
        ('tool == "echo" and args.n > 3 => malformed', FaultKind.MALFORMED, 0, -32603, 0, None, True),
        ("m:tools/call => drop after 1", FaultKind.DROP, 0, -32603, 1, None, True),
    ],
)
def test_a_fault_is_read(
    text: str, kind: FaultKind, seconds: float, code: int, after: int, times: int | None, filtered: bool
) -> None:
    fault = read_fault(text)
    assert (fault.kind, fault.seconds, fault.code) == (kind, seconds, code)
    assert (fault.after, fault.times, fault.term is not None) == (after, times, filtered)


@pytest.mark.parametrize(
    "text",
    ["explode", "delay", "drop 2s", "error 2s", "error 1.5", "tool == => drop", "=> drop", "m:x => drop on tools/call"],
)
def test_invalid_fault_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="--fault") as caught:
        read_fault(text)
    assert "delay 2s on tools/call" in caught.value.hint


def test_a_fault_spares_the_first_and_happens_so_often() -> None:
    faults = Faults([InjectedFault(FaultKind.DROP, after=1, times=2)])
    assert [faults.next_fault(lambda term: True) is not None for _ in range(5)] == [False, True, True, False, False]


def test_first_matching_fault_applies() -> None:
    faults = Faults([read_fault("drop on tools/call"), read_fault("error")])
    found = faults.next_fault(lambda term: False)
    assert found is not None
    assert found.kind is FaultKind.ERROR


@pytest.fixture
def told() -> list[str]:
    """What the shared says."""
    return []


def _shared(place: Path, told: list[str], settings: MockSettings) -> MockShared:
    return MockShared(scripted(place / "c.mcpcap", *HANDSHAKE), settings, tell=told.append)


def test_differing_response_is_counted_and_reported_if_strict(tmp_path: Path, told: list[str]) -> None:
    query = Query("elicitation/create", Part(b"{}"), answer=Part(b'{"action":"accept","_meta":{"x":1}}'))
    strict = _shared(tmp_path, told, MockSettings(strict=True))
    strict.compare(query, Part(b'{"action":"accept"}'))
    assert (strict.differences, told) == (0, [])
    strict.compare(query, Part(b'{"action":"decline"}'))
    strict.compare(query, Part(b'{"code":-1}'), failed=True)
    assert strict.differences == 2
    assert told[0] == 'elicitation/create was answered with {"action":"decline"}; recorded is {"action":"accept"}'
    assert "answered with error -1" in told[1]


def test_without_strictness_it_is_counted_only(tmp_path: Path, told: list[str]) -> None:
    shared = _shared(tmp_path, told, MockSettings())
    shared.differs("something")
    assert (shared.differences, told) == (1, [])


def test_a_fault_with_a_filter_is_held_against_the_request_on_the_tape(tmp_path: Path, told: list[str]) -> None:
    fault = read_fault('tool == "echo" and args.n > 3 => drop')
    assert any_faults((fault,))
    assert not any_faults((read_fault("drop"),))
    tape = start_capture(None, mode="mock")
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE)
    shared = MockShared(script, MockSettings(faults=(fault,)), tell=told.append, tape=tape)
    struck = []
    for n in (3, 4):
        payload = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d}}}' % n
        tape.frame(Direction.TO_SERVER, Channel.STDIN, payload)
        struck.append(shared.next_fault(tape.count))
    assert struck[0] is None
    assert struck[1] is not None
    assert struck[1].kind is FaultKind.DROP


def test_only_whom_it_serves_is_not_refused(tmp_path: Path, told: list[str]) -> None:
    refused = {serves: _shared(tmp_path / serves, told, MockSettings(serves=serves)) for serves in _made(tmp_path)}
    assert [bool(refused[serves].refusal_of(Era.LEGACY)) for serves in Serves] == [False, False, False, True]
    assert [bool(refused[serves].refusal_of(Era.MODERN)) for serves in Serves] == [False, False, True, False]


def _made(place: Path) -> list[Serves]:
    for serves in Serves:
        (place / serves).mkdir()
    return list(Serves)


def test_client_of_another_era_is_reported_once(tmp_path: Path, told: list[str]) -> None:
    shared = _shared(tmp_path, told, MockSettings())
    for _ in range(2):
        shared.meets(Era.LEGACY)
        shared.meets(Era.MODERN)
    assert told == ["a modern client is served from a capture of a legacy conversation"]
