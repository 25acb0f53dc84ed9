"""What a list has to say beside its items: what has changed, which pages there are, how old it is, what is wrong.

A few short lines stand above the list; the whole of it is a page of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import msgspec

from inspector.protocol.freshness import together
from inspector.protocol.list_changes import ListChanges
from inspector.protocol.tracking.catalogue import Listing
from inspector.viewmodels import signs, text
from inspector.viewmodels.freshness import age_line, text_of
from inspector.viewmodels.lines import Line
from inspector.viewmodels.list_changes import change_lines, in_short


class ListNews(msgspec.Struct, frozen=True):
    """One list, with what is known of its fetching."""

    kind: str
    listing: Listing
    changes: ListChanges
    stopped: str = ""
    """Why it was not fetched further; foreign text is in it."""
    fetching: bool = False


def news_lines(
    news: Sequence[ListNews],
    now_ns: int,
    clock: Callable[[int], str],
    *,
    changes_key: str,
    more_key: str,
    refresh_key: str,
) -> list[Line]:
    """The lines above the list, for several kinds together. `now_ns` is the journal's clock; `clock`: see `age_line`.

    They change when a list changes or goes stale, and not with time alone.
    """
    asked = [each for each in news if each.listing.asked]
    found: list[Line] = []
    if any(each.listing.outdated and not each.fetching for each in asked):
        found.append(((f"{signs.WARNING} changed since: {refresh_key} fetches", "warning"),))
    if changed := in_short(each.changes for each in asked):
        found.append(((changed, "warning"), (f": {changes_key} shows", "accent")))
    more = [each for each in asked if each.listing.next_cursor is not None and not each.fetching]
    found += [
        ((f"{_pages(each, alone=len(news) == 1)}, more: {more_key} fetches the next", "accent"),) for each in more
    ]
    wrong = [said for each in asked for said in (each.stopped, *each.listing.remarks) if said]
    if wrong:
        others = f" (and {len(wrong) - 1} more: {changes_key})" if len(wrong) > 1 else ""
        found.append(((f"{signs.WARNING} {text.visible(wrong[0], limit=300)}{others}", "warning"),))
    ages = [each.listing.freshness for each in asked if each.listing.freshness and each.listing.freshness.given]
    if ages:
        found.append(age_line(reduce(together, ages), now_ns, clock))
    return found


def _pages(news: ListNews, *, alone: bool) -> str:
    said = f"page {news.listing.pages}"
    return said if alone else f"{news.kind}: {said}"


def about_lines(news: Sequence[ListNews], now_ns: int) -> list[Line]:
    """All about some lists: how each was fetched, what is wrong with it, and what has changed."""
    found: list[Line] = []
    for each in news:
        if found:
            found.append(())
        found += _about(each, now_ns)
    return found


def _about(news: ListNews, now_ns: int) -> list[Line]:
    listing = news.listing
    if not listing.asked:
        return [((news.kind.capitalize(), "title"),), (("  never listed", "muted"),)]
    found: list[Line] = [((news.kind.capitalize(), "title"), (f"  {_size(listing)}", "muted"))]
    if listing.freshness is not None:
        found.append((("  ", "text"), *age_line(listing.freshness, now_ns)))
    if listing.outdated:
        found.append(((f"  {signs.WARNING} the server says that they have changed since", "warning"),))
    if listing.next_cursor is not None:
        cursor = text.visible(listing.next_cursor, limit=200)
        found.append(((f"  not fetched to the end: the next page's cursor is {cursor!r}", "muted"),))
    wrong = [said for said in (news.stopped, *listing.remarks) if said]
    found += [((f"  {signs.WARNING} {text.visible(said, limit=1000)}", "warning"),) for said in wrong]
    if listing.was is None:
        return [*found, (("  nothing has changed since they were first listed", "muted"),)]
    ago = text_of(now_ns - listing.was.noticed_ns)
    found += [(), ((f"  Changed, as seen {ago} ago:", "strong"),), ()]
    return found + [(("  ", "text"), *line) if line else () for line in change_lines(news.changes)]


def _size(listing: Listing) -> str:
    items, pages = len(listing.items), listing.pages
    return f"{items:,} item{'' if items == 1 else 's'} on {pages:,} page{'' if pages == 1 else 's'}"


def marks_of(news: Sequence[ListNews]) -> Mapping[str, str]:
    """By key, "new" or "changed"."""
    found: dict[str, str] = {}
    for each in news:
        found |= each.changes.marks()
    return found
