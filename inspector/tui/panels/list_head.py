"""The lines above a list of things: what has changed, which pages there are, how old it is, what is wrong.

They take room only where there is something to say.
"""

from rich.text import Text
from textual.widgets import Static

from inspector.tui import keys
from inspector.tui.styles import spans_to_text
from inspector.tui.subject import Subject
from inspector.viewmodels.list_news import ListNews, news_lines
from inspector.viewmodels.text import clock


def news_of(subject: Subject, kinds: tuple[str, ...]) -> list[ListNews]:
    """What lists of a subject have to say. As costly as the lists are long."""
    listings = subject.journal.conversation.catalogue.listings
    return [
        ListNews(kind, listings[kind], listings[kind].changes(kind), subject.stopped(kind), subject.listing == kind)
        for kind in kinds
    ]


class ListHead(Static):
    """Asks a subject, and shows what has changed since the last time."""

    DEFAULT_CSS = """
    ListHead { height: auto; max-height: 6; padding: 0 1; display: none; }
    ListHead.-said { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._seen: tuple[object, ...] = ()
        self.known: list[ListNews] = []
        """What there is to say, by kind."""
        self._told: object = None

    @property
    def has_more(self) -> bool:
        """Whether there is another page to be fetched."""
        return any(each.listing.next_cursor is not None for each in self.known)

    def sync(self, subject: Subject, kinds: tuple[str, ...]) -> None:
        """Look again. Nearly free while nothing has changed."""
        listings = subject.journal.conversation.catalogue.listings
        shown = tuple(id(listings[kind]) for kind in kinds)
        seen = (shown, tuple(subject.stopped(kind) for kind in kinds), subject.listing in kinds, subject.memory)
        if seen != self._seen:
            self._seen = seen
            self.known = news_of(subject, kinds)
        now_ns, checks = subject.now_ns, subject.checks_so_far
        known = (each.listing.freshness for each in self.known)
        ends = (each.stale_from_ns if each is not None else None for each in known)
        stale = tuple(end is not None and end <= now_ns for end in ends)
        told = (seen, stale, checks.changes if checks is not None else 0)
        if told == self._told:
            return
        self._told = told
        self._show(subject, kinds)

    def _show(self, subject: Subject, kinds: tuple[str, ...]) -> None:
        changes_key, head = keys.key_name(keys.action("offered.changes").keys[0]), subject.journal.head
        found = news_lines(
            self.known,
            subject.now_ns,
            lambda ns: clock(ns + head.tw - head.tm)[:8],
            changes_key=changes_key,
            refresh_key=keys.key_name(keys.action("refresh").keys[0]),
            more_key=keys.key_name(keys.action("offered.more").keys[0]),
        )
        if subject.memory is not None and subject.memory.alarms:
            from inspector.viewmodels.since_seen import head_lines

            found = [*head_lines(subject.memory, kinds, changes_key=changes_key), *found]
        checks = subject.checks_so_far
        if checks is not None and checks.has_things:
            from inspector.viewmodels.thing_findings import shared_lines

            evidence_key = keys.key_name(keys.action("screen.findings").keys[0])
            found = [*found, *map(tuple, shared_lines(checks, kinds, evidence_key))]
        self.set_class(bool(found), "-said")
        dark = self.app.current_theme.dark
        lines = [spans_to_text(list(line), dark=dark) for line in found]
        text = Text("\n").join(lines)
        text.no_wrap, text.overflow = False, "fold"
        self.update(text)
