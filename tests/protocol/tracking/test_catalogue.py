"""The four lists, at the edges."""

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.tracking.catalogue import Catalogue


def of(method: str) -> Exchange:
    return Exchange(1, Direction.TO_SERVER, 1, method, "", 1, 0)


def test_a_list_never_asked_for_is_not_an_empty_list() -> None:
    catalogue = Catalogue()
    assert [listing.asked for listing in catalogue.listings.values()] == [False] * 4
    catalogue.answered(of("tools/list"), None, {"tools": []})
    assert catalogue.listings["tools"].asked is True
    assert catalogue.listings["tools"].items == ()


def test_a_page_with_a_cursor_nobody_gave_begins_the_list_anew() -> None:
    catalogue = Catalogue()
    catalogue.answered(of("prompts/list"), None, {"prompts": [{"name": "a"}], "nextCursor": "x"})
    catalogue.answered(of("prompts/list"), {"cursor": "other"}, {"prompts": [{"name": "b"}]})
    assert [prompt.name for prompt in catalogue.prompts] == ["b"]


def test_a_listing_is_replaced_and_never_changed() -> None:
    catalogue = Catalogue()
    catalogue.answered(of("resources/list"), None, {"resources": [{"uri": "a", "name": "a"}], "nextCursor": "2"})
    before = catalogue.listings["resources"]
    catalogue.answered(of("resources/list"), {"cursor": "2"}, {"resources": [{"uri": "b", "name": "b"}]})
    assert len(before.items) == 1
    assert [resource.uri for resource in catalogue.resources] == ["a", "b"]


def test_other_results_are_no_page() -> None:
    assert Catalogue().answered(of("tools/call"), None, {"tools": []}) is None


def test_templates_are_listed_under_their_own_member() -> None:
    catalogue = Catalogue()
    catalogue.answered(
        of("resources/templates/list"), None, {"resourceTemplates": [{"uriTemplate": "a{b}", "name": "t"}]}
    )
    assert [template.uri_template for template in catalogue.templates] == ["a{b}"]
