"""What the bar of a recording says."""

import math

import pytest

from inspector.viewmodels import transport
from inspector.viewmodels.roles import Span
from inspector.viewmodels.transport import Transport


def said(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


WHOLE = Transport(9, 9, 9, True)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (WHOLE, "■ whole 9 entries  everything known, as at the end"),
        (Transport(9, 9, 9, True, grows=True), "■ whole 9 entries  followed at its end"),
        (Transport(9, 9, 9, True, reading=True), "■ whole 9 entries read so far"),
        (Transport(3, 1900, 1900, False), "■ at #3 of 1,900"),
        (Transport(3, 9, 3, False, playing=True, fronted=True), "► playing #3 of 9"),
        (Transport(3, 9, 3, False, fronted=True), "‖ paused #3 of 9"),
    ],
)
def test_it_says_where_one_stands_and_whether_it_is_played(state: Transport, expected: str) -> None:
    assert f"{said(transport.state_said(state))} {said(transport.place_said(state))}" == expected


def test_the_time_is_that_of_the_entry_and_since_the_start() -> None:
    assert said(transport.time_said((1_795_305_600_000_000_000, 1_500_000_000))).endswith("  +1.500 s")
    assert transport.time_said(None) == []


def test_a_pause_is_told_of_from_a_second_on() -> None:
    state = Transport(3, 9, 3, False, playing=True, left_ns=1_200_000_000, own_ns=3_000_000_000)
    assert said(transport.pause_said(state)) == "next in 1.20 s"
    cut = Transport(3, 9, 3, False, playing=True, own_ns=61_000_000_000, cut=True)
    assert said(transport.pause_said(cut)) == "a pause of 61.0 s is cut short"
    assert transport.pause_said(Transport(3, 9, 3, False, playing=True, own_ns=5)) == []
    assert said(transport.speed_said(Transport(3, 9, 3, False, speed=math.inf))) == "at once"
    assert said(transport.speed_said(Transport(3, 9, 3, False, speed=0.5))) == "×0.5"


@pytest.mark.parametrize(("at", "place"), [(0, 0), (1, 0), (50, 9), (100, 19)])
def test_the_knob_stands_where_one_stands_and_a_click_there_leads_there(at: int, place: int) -> None:
    cells = said(transport.track(Transport(at, 100, 100, False), 20))
    assert (cells.index("●"), len(cells)) == (place, 20)
    assert abs(transport.entry_at(place, 20, 100) - max(1, at)) <= 3
    assert transport.track(WHOLE, 2) == []
