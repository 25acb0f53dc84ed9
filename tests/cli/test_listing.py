"""The options about lists."""

import pytest

from inspector.cli.listing import Extent, extent, wishes
from inspector.errors import UsageError
from inspector.session.wishes import ListWishes


def test_lists_come_whole_and_by_themselves_unless_somebody_wants_it_otherwise() -> None:
    assert wishes({}) == wishes({"refresh": "auto", "pages": "all"}) == ListWishes()
    assert wishes({"refresh": "manual", "pages": "one"}) == ListWishes(by_itself=False, page_by_page=True)


def test_pages_are_counted_from_anywhere() -> None:
    assert extent("tools", page_by_page=False, cursor=None, limit=None) == Extent()
    assert extent("tools", page_by_page=True, cursor="", limit=None) == Extent("", 1)
    assert extent("all", page_by_page=False, cursor=None, limit=3) == Extent(None, 3)


@pytest.mark.parametrize(
    ("kind", "page_by_page", "cursor", "limit", "says"),
    [
        ("tools", False, None, 0, "no number of pages"),
        ("tools", True, None, 2, "both --page-by-page and --limit"),
        ("all", False, "2", None, "--cursor belongs to one list"),
    ],
)
def test_what_makes_no_sense_is_refused(
    kind: str, page_by_page: bool, cursor: str | None, limit: int | None, says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        extent(kind, page_by_page=page_by_page, cursor=cursor, limit=limit)
