"""Faults, as they are ordered and as they happen."""

import pytest

from inspector.errors import UsageError
from inspector.replay.mock.faults import Fault, Faults, Kind, read_fault


@pytest.mark.parametrize(
    ("text", "kind", "seconds", "code", "after", "times", "filtered"),
    [
        ("delay 2s on tools/call", Kind.DELAY, 2, -32603, 0, None, True),
        ("delay 150ms", Kind.DELAY, 0.15, -32603, 0, None, False),
        ("error", Kind.ERROR, 0, -32603, 0, None, False),
        ("error -32000 on tools/call echo 2 times", Kind.ERROR, 0, -32000, 0, 2, True),
        ("cut on resources/read after 3 1 time", Kind.CUT, 0, -32603, 3, 1, True),
        ('tool == "echo" and args.n > 3 => malformed', Kind.MALFORMED, 0, -32603, 0, None, True),
        ("m:tools/call => drop after 1", Kind.DROP, 0, -32603, 1, None, True),
    ],
)
def test_a_fault_is_read(
    text: str, kind: Kind, seconds: float, code: int, after: int, times: int | None, filtered: bool
) -> None:
    fault = read_fault(text)
    assert (fault.kind, fault.seconds, fault.code) == (kind, seconds, code)
    assert (fault.after, fault.times, fault.term is not None) == (after, times, filtered)


@pytest.mark.parametrize(
    "text",
    ["explode", "delay", "drop 2s", "error 2s", "error 1.5", "tool == => drop", "=> drop", "m:x => drop on tools/call"],
)
def test_what_is_no_fault_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(UsageError, match="--fault") as caught:
        read_fault(text)
    assert "delay 2s on tools/call" in caught.value.hint


def test_a_fault_spares_the_first_and_happens_so_often() -> None:
    faults = Faults([Fault(Kind.DROP, after=1, times=2)])
    assert [faults.strike(lambda term: True) is not None for _ in range(5)] == [False, True, True, False, False]


def test_of_several_the_first_that_fits_happens() -> None:
    faults = Faults([read_fault("drop on tools/call"), read_fault("error")])
    found = faults.strike(lambda term: False)
    assert found is not None
    assert found.kind is Kind.ERROR
