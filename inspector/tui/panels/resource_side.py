"""The list of resources: which are watched, which were updated since they were read, and what the server has granted.

A storm of updates is counted by the fold; here it is looked at a few times a second, and only rows in sight are made
anew.
"""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.protocol.things import Thing
from inspector.protocol.tracking.subscriptions import Subscriptions
from inspector.tui.panels.offer_kind import OfferKind
from inspector.tui.panels.offer_list import OfferSide
from inspector.tui.styles import spans_to_text
from inspector.tui.subject import Subject
from inspector.viewmodels.lines import Line
from inspector.viewmodels.watched_rows import WatchedRows, uris_of
from inspector.viewmodels.watching import about, stream_lines

_EVERY = 6
"""Of thirty looks a second, those at which marks are renewed."""


class ResourceSide(OfferSide):
    """Resources and templates, with their marks, and below them what is watched."""

    DEFAULT_CSS = """
    ResourceSide > .resources--watching { display: none; height: auto; max-height: 8; padding: 0 1; }
    ResourceSide.-watching > .resources--watching { display: block; }
    """

    def __init__(self, subject: Subject, kind: OfferKind) -> None:
        self._marked = WatchedRows(kind.titles, lambda: self.subscriptions)
        super().__init__(subject, kind, self._marked)
        self._said = Static("", classes="resources--watching")
        self._said_lines: Sequence[Line] = ()
        self._shown: tuple[Subscriptions, int, Thing | None] | None = None
        self._looks = 0

    @property
    def subscriptions(self) -> Subscriptions:
        """All that is known of watching."""
        return self._subject.journal.conversation.subscriptions

    def compose(self) -> ComposeResult:
        """The list, and below it what is watched."""
        yield from super().compose()
        yield self._said

    def sync(self) -> None:
        """Take over a list that has changed, and now and then what is watched and was updated."""
        super().sync()
        self._looks += 1
        state = self.subscriptions, self.subscriptions.changes, self.chosen
        same_thing = self._shown is not None and self._shown[2] is state[2]
        if state == self._shown or (same_thing and self._looks % _EVERY):
            return
        if self._shown is None or state[:2] != self._shown[:2]:
            self._marked.touch()
            self._list.sync()
        self._shown = state
        self._say_watching()

    def _say_watching(self) -> None:
        lines: Sequence[Line] = stream_lines(self.subscriptions)
        if one := self._of_chosen():
            lines = [one, *lines]
        if lines == self._said_lines:
            return
        self._said_lines = lines
        self.set_class(bool(lines), "-watching")
        shown = Text("\n").join(spans_to_text(line, dark=self.app.current_theme.dark) for line in lines)
        shown.no_wrap, shown.overflow = False, "fold"
        self._said.update(shown)

    def _of_chosen(self) -> Line:
        """How it stands with the thing under the cursor, or the newest thing that its template made."""
        thing, subscriptions, store = self.chosen, self.subscriptions, self._subject.journal.store
        uris = uris_of(thing, subscriptions) if thing is not None else ()
        return about(subscriptions, uris[-1], store.wall_ns) if uris else ()
