"""The four lists, at the edges: pages, what they were before they changed, and what is odd about them."""

import gc
from typing import Any

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.tracking.catalogue import Catalogue, Listing


def of(method: str) -> Exchange:
    return Exchange(1, Direction.TO_SERVER, 1, method, "", 1, 0)


def test_unlisted_kind_differs_from_an_empty_list() -> None:
    catalogue = Catalogue()
    assert [listing.asked for listing in catalogue.listings.values()] == [False] * 4
    catalogue.answered(of("tools/list"), None, {"tools": []})
    assert catalogue.listings["tools"].asked is True
    assert catalogue.listings["tools"].items == ()


def test_unknown_cursor_starts_a_new_list() -> None:
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


def tools(catalogue: Catalogue, *names: str, cursor: str | None = None, after: str | None = None, **more: Any) -> None:
    """Let a page of tools come, in answer to the cursor `after`."""
    found = {"tools": [{"name": name} for name in names]} | ({} if cursor is None else {"nextCursor": cursor}) | more
    catalogue.answered(of("tools/list"), None if after is None else {"cursor": after}, found)


def told(catalogue: Catalogue) -> tuple[list[str], list[str], int]:
    """Names added and removed, and how many have changed."""
    changes = catalogue.listings["tools"].changes("tools")
    return [raw["name"] for raw in changes.added], [raw["name"] for raw in changes.removed], len(changes.changed)


def test_a_list_that_has_changed_knows_what_it_was() -> None:
    catalogue = Catalogue()
    tools(catalogue, "a", "b")
    assert catalogue.listings["tools"].was is None
    tools(catalogue, "b", "c")
    assert told(catalogue) == (["c"], ["a"], 0)


def test_last_change_is_kept_while_unchanged() -> None:
    catalogue = Catalogue()
    for names in (["a"], ["a", "b"], ["a", "b"]):
        tools(catalogue, *names)
    assert told(catalogue) == (["b"], [], 0)
    tools(catalogue, "a", "b", "c")
    assert told(catalogue) == (["c"], [], 0)


def test_a_list_of_pages_is_compared_page_by_page_and_lacks_nothing_before_its_end() -> None:
    catalogue = Catalogue()
    tools(catalogue, "a", "b", cursor="2")
    tools(catalogue, "c", after="2")
    tools(catalogue, "a", "b", cursor="2")
    assert catalogue.listings["tools"].was is None
    tools(catalogue, "d", after="2")
    assert told(catalogue) == (["d"], ["c"], 0)


def test_a_list_that_was_fetched_in_part_is_still_compared_with_the_whole_one() -> None:
    catalogue = Catalogue()
    tools(catalogue, "a", "b", "c")
    tools(catalogue, "a", cursor="2")
    tools(catalogue, "a", "b", "c")
    assert catalogue.listings["tools"].was is None
    tools(catalogue, "z", cursor="2")
    assert told(catalogue) == (["z"], [], 0)


def test_freshness_of_pages_is_combined() -> None:
    catalogue = Catalogue()
    tools(catalogue, "a", cursor="2", ttlMs=5000, cacheScope="public")
    tools(catalogue, "b", after="2", ttlMs=1000, cacheScope="private")
    fresh = catalogue.listings["tools"].freshness
    assert fresh is not None
    assert (fresh.ttl_ms, fresh.flaws) == (1000, ("cacheScope is not the same on all pages",))


def test_odd_pages_are_remarked_on() -> None:
    catalogue = Catalogue()
    tools(catalogue, "a", cursor="2")
    tools(catalogue, cursor="3", after="2")
    tools(catalogue, "a", "b", "b", cursor="2", after="3")
    assert [*catalogue.listings["tools"].remarks] == [
        "page 2 is empty",
        "page 3 gave the cursor '2' a second time",
        "2 items come more than once: a, b",
    ]
    catalogue.answered(of("tools/list"), None, {"tools": 7, "nextCursor": 8})
    assert [*catalogue.listings["tools"].remarks] == [
        "page 1 has no array 'tools'",
        "nextCursor is a number, not a string",
    ]
    tools(catalogue)
    assert not catalogue.listings["tools"].remarks


def test_remarks_are_limited() -> None:
    catalogue = Catalogue()
    tools(catalogue, cursor="0")
    for number in range(9):
        tools(catalogue, cursor=str(number + 1), after=str(number))
    remarks = catalogue.listings["tools"].remarks
    assert (len(remarks), remarks[-1]) == (5, "6 remarks more")


class Counting(dict[str, Any]):
    """A tool that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counting.compared += 1
        return super().__eq__(other)

    __hash__ = None


def fetched(catalogue: Catalogue, pages: int) -> list[Listing]:
    """The listing after each page of one tool."""
    found = []
    for n in range(pages):
        more = {"nextCursor": str(n + 1)} if n + 1 < pages else {}
        result = {"tools": [Counting(name=f"tool {n}")], **more}
        catalogue.answered(of("tools/list"), {"cursor": str(n)} if n else None, result)
        found.append(catalogue.listings["tools"])
    return found


def test_pages_are_not_copied_when_others_follow() -> None:
    listings = fetched(Catalogue(), 200)
    assert [len(each.items) for each in listings] == [*range(1, 201)]
    holders = [each for each in gc.get_referrers(listings[0].items[0]) if isinstance(each, list | tuple)]
    assert len(holders) <= 2, "the items of the first page are held once, not once for each page"


def test_refetched_list_is_compared_once_per_page() -> None:
    catalogue = Catalogue()
    fetched(catalogue, 200)
    Counting.compared = 0
    assert fetched(catalogue, 200)[-1].was is None
    assert Counting.compared <= 200


def test_the_page_of_a_frame_is_found_while_it_is_listed() -> None:
    catalogue = Catalogue()
    one, other = Counting(name="a"), Counting(name="b")
    for frame, after, item in ((2, None, one), (4, "2", other)):
        exchange = of("tools/list")
        exchange.answer_frame = frame
        params = None if after is None else {"cursor": after}
        catalogue.answered(exchange, params, {"tools": [item], "nextCursor": "2"})
    items = catalogue.listings["tools"].items
    assert items.of_frame(2) == (one,)
    assert items.of_frame(4) == (other,)
    assert items.of_frame(3) is None
    fetched(catalogue, 1)
    assert catalogue.listings["tools"].items.of_frame(2) is None
    assert (items[-1], items[:1], items[5:]) == (other, (one,), ()), "and the older list is still what it was"
