"""Which columns there are, and how they share a width."""

import pytest

from inspector.viewmodels.columns import CHOICES, by_width, column, columns, lay_out, titles
from inspector.viewmodels.lines import plain
from inspector.viewmodels.text import cell_width


def _names(width: int, *chosen: str) -> list[str]:
    return [each.name for each in columns(width, chosen)]


@pytest.mark.parametrize("width", [1, 20, 55, 56, 80, 100, 140, 150, 300])
def test_titles_are_as_wide_as_was_asked_for(width: int) -> None:
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


def test_where_room_is_short_the_rightmost_give_way_and_the_method_never() -> None:
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


def test_what_stands_right_keeps_its_place_where_status_and_time_are_missing() -> None:
    shown = columns(100, ("what", "status", "took", "sent"))
    full = plain(lay_out({"what": [("x", "text")], "status": [("ok", "ok")], "sent": [("7 B", "muted")]}, 100, shown))
    bare = plain(lay_out({"what": [("x" * 200, "text")], "sent": [("7 B", "muted")]}, 100, shown))
    assert full.index("7 B") == bare.index("7 B")
    assert bare.count("x") > 80


def test_what_stands_left_of_the_method_keeps_its_place_too() -> None:
    shown = columns(100, ("status", "what"))
    row = plain(lay_out({"what": [("x", "text")]}, 100, shown))
    assert row.index("x") == 15
