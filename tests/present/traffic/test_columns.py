"""Which columns there are, and how they share a width."""

import pytest

from inspector.present.spans import plain
from inspector.present.traffic.columns import (
    CHOICES,
    PLAIN,
    Appearance,
    TimeMode,
    by_width,
    column,
    columns,
    lay_out,
    seconds,
    since,
    titles,
)
from inspector.present.traffic.log import LogModel
from inspector.text import cell_width
from tests.present.tape import Tape


def _names(width: int, *chosen: str) -> list[str]:
    return [each.name for each in columns(width, chosen)]


@pytest.mark.parametrize("width", [1, 20, 55, 56, 80, 100, 140, 150, 300])
def test_titles_have_the_requested_width(width: int) -> None:
    assert cell_width(plain(titles(width, columns(width)))) == width
    assert cell_width(plain(titles(width, columns(width, [each.name for each in CHOICES])))) == width


def test_more_width_shows_more() -> None:
    assert _names(50) == ["mark", "way", "what", "status", "took"]
    assert "number" in _names(100)
    assert "lane" not in _names(149)
    assert _names(150)[-1] == "lane"
    assert list(by_width(80)) == _names(80)


def test_a_choice_keeps_its_order() -> None:
    assert _names(120, "took", "what", "id") == ["took", "what", "id"]
    assert _names(120, "took", "took", "nonsense") == ["took", "what"]


def test_narrow_width_drops_rightmost_columns_but_the_method() -> None:
    everything = [each.name for each in CHOICES]
    shown = _names(80, *everything)
    assert "what" in shown
    assert shown == [name for name in everything if name in shown]
    assert "lane" not in shown
    assert _names(10, "number", "what") == ["what"]


def test_a_field_is_a_column_of_its_name() -> None:
    found = column("=args.q")
    assert found is not None
    assert (found.title, found.width) == ("args.q", 16)
    assert column("nonsense") is None


def test_right_columns_stay_in_place_without_status() -> None:
    shown = columns(100, ("what", "status", "took", "sent"))
    full = plain(lay_out({"what": [("x", "text")], "status": [("ok", "ok")], "sent": [("7 B", "muted")]}, 100, shown))
    bare = plain(lay_out({"what": [("x" * 200, "text")], "sent": [("7 B", "muted")]}, 100, shown))
    assert full.index("7 B") == bare.index("7 B")
    assert bare.count("x") > 80


def test_left_columns_stay_in_place() -> None:
    shown = columns(100, ("status", "what"))
    row = plain(lay_out({"what": [("x", "text")]}, 100, shown))
    assert row.index("x") == 18


def _times(tape: Tape, look: Appearance, width: int = 80) -> list[str]:
    model = LogModel(tape.journal, tape.clock, tree=False)
    model.look = look
    model.refresh()
    return [plain(model.row(index, width).spans)[:8].strip() for index in range(model.count)]


def _three(tape: Tape) -> None:
    for _ in range(3):
        tape.wait(1500).stderr(b"x")
    tape.wait(-500).stderr(b"the clock jumped")


def test_seconds_since_the_start(tape: Tape) -> None:
    _three(tape)
    look = Appearance(mode=TimeMode.START, started_ns=tape.journal.started_ns)
    assert _times(tape, look) == ["1.500", "3.000", "4.500", "4.000"]


def test_since_the_line_above(tape: Tape) -> None:
    _three(tape)
    assert _times(tape, Appearance(mode=TimeMode.ABOVE)) == ["", "+1.50s", "+1.50s", "-500ms"]


def test_since_the_line_that_was_set(tape: Tape) -> None:
    _three(tape)
    look = PLAIN.with_reference(2, tape.journal.store.time_ns(2))
    assert _times(tape, look) == ["-1.500", "◆ 0.000", "1.500", "1.000"]
    assert "From #2" in plain(look.titles(80))
    assert "From #2" in plain(look.titles(120))


def test_the_ways_to_tell_times_follow_one_another() -> None:
    look, seen = PLAIN, []
    for _ in range(4):
        seen.append(look.mode)
        look = look.next_mode()
    assert seen == [TimeMode.CLOCK, TimeMode.START, TimeMode.ABOVE, TimeMode.CLOCK]
    look = PLAIN.with_reference(7, 1)
    assert look.mode is TimeMode.REFERENCE
    assert look.next_mode().mode is TimeMode.CLOCK
    assert look.with_reference(0, 0).mode is TimeMode.CLOCK


def test_gap_has_one_column() -> None:
    assert "since" in [column.name for column in PLAIN.columns(160)]
    assert "since" not in [column.name for column in Appearance(mode=TimeMode.ABOVE).columns(160)]


@pytest.mark.parametrize(
    ("nanoseconds", "said"),
    [
        (0, "0.000"),
        (12_345_678_901, "12.346"),
        (-1, "0.000"),
        (-1_000_000, "-0.001"),
        (3_599_999_000_000, "3599.999"),
        (3_723_456_000_000, "1:02:03.456"),
        (-3_600_000_000_000, "-1:00:00.000"),
    ],
)
def test_seconds_have_three_places(nanoseconds: int, said: str) -> None:
    assert seconds(nanoseconds) == said


def test_a_gap_has_its_sign() -> None:
    assert [since(n) for n in (31_000_000, -2_000_000_000, 0)] == ["+31ms", "-2.00s", "+0µs"]
