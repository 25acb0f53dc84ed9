"""Offers as rows: how they are found, laid out, and what their servers claim."""

from inspector.protocol.things import Prompt, Resource, Thing
from inspector.viewmodels.lines import plain
from inspector.viewmodels.offers import (
    COMMON,
    Offer,
    OfferList,
    claims,
    described,
    found,
    head_lines,
    row_spans,
    unknown_members,
)
from inspector.viewmodels.text import cell_width
from inspector.viewmodels.thing_facts import MOST_ICONS


def offer(title: str, uri: str = "", about: str = "", flaw: str = "") -> Offer:
    thing = Resource({"name": title, "uri": uri, "description": about})
    return Offer(thing, title, uri, "text/plain 9 B", flaw)


OFFERS = [offer("Tide chart", "x://chart.png"), offer("Chart room", about="dry"), offer("Notes", "x://n", "a chart")]


def test_places_stand_below_one_another_whatever_stands_at_the_right() -> None:
    rows = OfferList(("resource", "uri", "type, size"))
    rows.replace(OFFERS)
    lines = [plain(rows.header(80)), *(plain(rows.row(at, 80).spans) for at in range(len(OFFERS)))]
    assert lines[0].index("uri") == 34
    assert {line.index("x://") for line in lines[1:] if "x://" in line} == {34}


def test_a_search_puts_the_nearest_first() -> None:
    assert [each.label for each in found(OFFERS, "chart")] == ["Chart room", "Tide chart", "Notes"]
    assert [each.label for each in found(OFFERS, ".PNG")] == ["Tide chart"]
    assert [each.label for each in found(OFFERS, "ntes")] == ["Notes"]
    assert found(OFFERS, " ") == OFFERS
    assert found(OFFERS, "nobody") == []


def test_a_row_is_exactly_as_wide_as_asked_and_wide_ones_tell_the_place() -> None:
    for width in (10, 39, 60, 120):
        assert cell_width(plain(row_spans(OFFERS[0], width))) == width
    assert "x://chart.png" in plain(row_spans(OFFERS[0], 80))
    assert plain(row_spans(OFFERS[0], 39)).endswith("text/plain 9 B")


def test_a_flaw_stands_in_the_row() -> None:
    assert "it has no uri" in plain(row_spans(offer("Lost", flaw="it has no uri"), 60))


def test_the_list_shows_what_was_found() -> None:
    rows = OfferList(("resource", "uri", "type"))
    before = rows.generation
    rows.replace(OFFERS, "notes")
    assert (rows.count, rows.thing(0).name) == (1, "Notes")
    assert rows.generation != before
    assert plain(rows.header(80)).startswith("resource")
    assert "Notes" in plain(rows.row(0, 40).spans)


def test_title_and_name_stand_beside_each_other_if_they_differ() -> None:
    assert plain(head_lines(Prompt({"name": "hail", "title": "Hail"}))[0]) == "Hail  hail"
    assert plain(head_lines(Prompt({"name": "hail"}))[0]) == "hail"
    assert plain(head_lines(Thing(7))[0]) == "(no name)"


def test_claims_are_shown_whatever_they_are_and_icons_are_facts() -> None:
    raw = {
        "annotations": {"audience": ["user", 7], "priority": 0.5, "lastModified": "2026-01-01", "\x1b[31m": {}},
        "icons": [{"src": "data:image/png;base64," + "A" * 500, "sizes": ["16x16", 3], "theme": "dark"}, None] * 9,
        "_meta": {"a/b": 1},
    }
    facts = {fact.key: fact.value for fact in claims(raw)}
    assert facts["audience"] == "user, 7  (neither user nor assistant)"
    assert facts["priority"] == "0.5"
    assert "␛[31m" in facts
    assert facts["icons"] == f"{18 - MOST_ICONS} more"
    assert facts["_meta"] == "a/b"
    icon = next(fact for fact in claims(raw) if fact.key == "icon")
    assert icon.value.endswith("16x16 dark theme")
    assert len(icon.value) < 120
    assert claims("no object") == []


def test_members_that_nobody_knows_are_named() -> None:
    assert [fact.value for fact in unknown_members({"name": 1, "zeal": 2}, COMMON)] == ["zeal"]
    assert unknown_members({"name": 1}, COMMON) == []


def test_a_description_is_shown_line_by_line_and_safe() -> None:
    assert [plain(line) for line in described(Thing({"description": "a\n\x1b[2Jb"}))] == ["a", "␛[2Jb"]
