"""Resources and templates as rows that say how it stands with watching them.

A template is marked by whatever it could have made: the expanded URIs are what is watched, not the template.
"""

from collections.abc import Callable

from inspector.protocol.templates import could_have_made, take_apart
from inspector.protocol.things import Template, Thing
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.viewmodels.offers import OfferList
from inspector.viewmodels.rows import RowView
from inspector.viewmodels.spans import spans_width
from inspector.viewmodels.watching import mark

_MOST_TRIED = 100
"""URIs for which is asked whether a template could have made them."""


class WatchedRows(OfferList):
    """The rows. `touch` has them built anew."""

    def __init__(self, titles: tuple[str, str, str], subscriptions: Callable[[], Subscriptions]) -> None:
        super().__init__(titles)
        self._subscriptions = subscriptions

    def touch(self) -> None:
        """What is watched, or was updated, has changed."""
        self._generation += 1

    def row(self, index: int, width: int) -> RowView:
        subscriptions, thing = self._subscriptions(), self.rows[index].thing
        if not subscriptions.changes:
            return super().row(index, width)
        marks = mark(subscriptions, uris_of(thing, subscriptions), short=width < 60)
        cells = spans_width(marks)
        if not marks or cells > width * 2 // 3:
            return super().row(index, width)
        return RowView([*super().row(index, width - cells).spans, *marks])


def uris_of(thing: Thing, subscriptions: Subscriptions) -> tuple[str, ...]:
    """The URIs that a row is about."""
    if not isinstance(thing, Template):
        return (thing.key,) if thing.key else ()
    template = take_apart(thing.uri_template)
    wanted = [uri for stream in subscriptions.open_streams for uri in stream.asked.uris]
    known = dict.fromkeys([*wanted, *list(subscriptions.subscribed), *list(subscriptions.updates)])
    return tuple(uri for uri in list(known)[:_MOST_TRIED] if could_have_made(template, uri))
