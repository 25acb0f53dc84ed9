"""Rows of resources that are watched, at every width."""

from inspector.protocol.things import Resource, Template
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.viewmodels.lines import plain
from inspector.viewmodels.resources import resource_offers
from inspector.viewmodels.text import cell_width
from inspector.viewmodels.watched_rows import WatchedRows, uris_of
from tests.protocol.tracking.test_subscriptions import known, subscribed, updated
from tests.protocol.wire import Wire

RESOURCE = Resource({"uri": "a:b", "name": "b", "title": "Bee", "mimeType": "text/plain"})
TEMPLATE = Template({"uriTemplate": "a:{x}", "name": "t"})


def rows(wire: Wire) -> WatchedRows:
    found = WatchedRows(("resource", "uri", "type"), lambda: known(wire))
    found.replace(resource_offers([RESOURCE], [TEMPLATE]))
    return found


def test_a_row_is_marked_and_stays_in_its_width() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    for width in (30, 40, 60, 120):
        shown = plain(rows(wire).row(0, width).spans)
        assert shown.endswith("● watched ◆ updated" if width >= 60 else "◆ updated")
        assert shown.startswith("Bee")
        assert cell_width(shown) <= width


def test_where_there_is_no_room_the_name_comes_first() -> None:
    assert plain(rows(subscribed("a:b")).row(0, 12).spans).startswith("Bee")


def test_without_anything_watched_rows_are_as_they_were() -> None:
    assert plain(rows(Wire()).row(0, 40).spans).split() == ["Bee", "text/plain"]


def test_a_template_is_marked_by_what_it_made() -> None:
    wire = subscribed("a:z", "q:z")
    assert uris_of(TEMPLATE, known(wire)) == ("a:z",)
    assert plain(rows(wire).row(1, 60).spans).endswith("● watched")
    assert "watched" not in plain(rows(wire).row(0, 60).spans)
    assert uris_of(Resource({"name": "lost"}), Subscriptions()) == ()


def test_touched_rows_are_asked_for_anew() -> None:
    found = rows(Wire())
    before = found.generation
    found.touch()
    assert found.generation > before
