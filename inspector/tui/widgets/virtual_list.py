"""The virtual list: rows of a `RowSource`, with a cursor, follow and freeze. The log is one; so are shorter lists.

`sync` is called by the app's ticker, thirty times a second: it repaints only if what is visible has changed.
Freeze holds the view still while the source grows; nothing here can stop the recording.
"""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message

from inspector.present.rows import RowSource, SpanRows
from inspector.present.spans import Span, clip, spans_width
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.viewport import Viewport
from inspector.tui.widgets.virtual_lines import VirtualLines

# How a list takes new rows: followed, left to accumulate, or paused.


class Growth:
    """How many of a source's rows a viewport shows, and how many its reader has not seen."""

    def __init__(self, view: Viewport, *, grows: bool) -> None:
        self._view = view
        self.grows = grows
        """Whether rows come by themselves: only then is there anything to follow or to freeze."""
        self._frozen_at: int | None = None
        self._seen = 0
        self._count = 0
        self._errors = self._errors_seen = 0
        self._waiting = (0, 0)
        view.following = grows

    @property
    def frozen(self) -> bool:
        """Whether the view is paused while the source grows."""
        return self._frozen_at is not None

    @property
    def following(self) -> bool:
        """Whether the cursor stays on the newest row."""
        return self._view.following and not self.frozen

    @property
    def unseen(self) -> int:
        """Rows that have come since the newest was last visible."""
        return self._below + self._waiting[0]

    @property
    def _below(self) -> int:
        """Those among them that are rows."""
        return max(0, self._count - self._seen)

    @property
    def unseen_errors(self) -> int:
        """How many of what has come since then show that something went wrong."""
        return max(0, self._errors - self._errors_seen) + self._waiting[1]

    def take(self, count: int, errors: int = 0, waiting: tuple[int, int] = (0, 0)) -> None:
        """Let the view have the source's rows, or as many as it had when it was frozen.

        `errors`: how many of all that has come; `waiting`: what the source has not taken in, and the errors therein.
        """
        self._count, self._errors, self._waiting = count, errors, waiting
        shown = count if self._frozen_at is None else min(self._frozen_at, count)
        if shown != self._view.count:
            self._view.set_count(shown)
        if self.following or not self.grows:
            self._seen, self._errors_seen = count, errors

    def freeze(self) -> None:
        """Pause the view."""
        self._frozen_at = self._count

    def thaw(self) -> None:
        """Let the view have all rows again."""
        self._frozen_at = None
        self.take(self._count, self._errors, self._waiting)

    def restart(self, count: int) -> None:
        """Begin again with other rows: what is unseen of them nobody can tell."""
        if self._frozen_at is not None:
            self._frozen_at = count
        self._seen = max(0, count - self._below)
        self.take(count, self._errors, self._waiting)

    def labels(self) -> list[list[Span]]:
        """The state in words, with its sign: at length, then in fewer cells; nothing while there is nothing to say."""
        if self.following:
            return [[(f"{glyphs().follow} follow", "accent")]]
        if not self.frozen and not self.unseen:
            return []
        long, short = self._news()
        sign, word = (glyphs().frozen, " frozen") if self.frozen else (glyphs().follow, "")
        return [[(sign + word, "warning"), *long], [(sign, "warning"), *short], [(sign + word, "warning")]]

    def _news(self) -> tuple[list[Span], list[Span]]:
        """What has come unseen, in words and in figures."""
        new, wrong = self.unseen, self.unseen_errors
        long: list[Span] = [(f" {new:,} new", "warning")] if new else []
        short: list[Span] = [(f" +{new:,}", "warning")] if new else []
        if wrong:
            long.append((f" {glyphs().error} {wrong:,} error{'s' if wrong > 1 else ''}", "error"))
            short.append((f" {glyphs().error}{wrong:,}", "error"))
        return long, short


class Sight:
    """The rows of a list that are visible: the source gets to know them, and live ones are asked for again."""

    def __init__(self, rows: "LogList") -> None:
        self._rows = rows
        self._looked_at: object = None
        self.generation = rows.source.generation
        """The generation of the source that the list shows."""
        self.live: dict[int, Sequence[Span]] = {}
        """Rows that change by themselves, as they are shown."""

    def look_around(self) -> None:
        """Tell the source what is visible, where that may matter to how its rows look."""
        rows = self._rows
        now = rows.view.visible, rows.line_width, self.generation
        if now == self._looked_at and not self.live:
            return
        self._looked_at = now
        if rows.source.sees(rows.view.visible, rows.line_width):
            rows.forget()

    def ask_live_rows(self) -> None:
        """Paint live rows again that look different now."""
        rows = self._rows
        for index, shown in list(self.live.items()):
            if index not in rows.view.visible:
                del self.live[index]
                rows.cache.drop(index)
            elif rows.cache.spans(index) != shown:
                rows.forget(index)


class LogList(VirtualLines):
    """Rows of a source, one line each."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.LIST)

    class Selected(Message):
        """Another row is under the cursor: the reader moved, or the list followed."""

        def __init__(self, control: "LogList", index: int, key: int, *, by_reader: bool = False) -> None:
            super().__init__()
            self._control = control
            self.by_reader = by_reader
            """Whether somebody moved there; else rows have come or gone."""
            self.index = index
            """Its place at this moment; -1 if the list has become empty."""
            self.key = key
            """What the source calls it; -1 likewise."""

        @property
        def control(self) -> "LogList":
            """The list it comes from."""
            return self._control

    class Opened(Message):
        """The reader wants all of a row: Enter, or a double click."""

        def __init__(self, control: "LogList", index: int, key: int) -> None:
            super().__init__()
            self._control = control
            self.index = index
            self.key = key

        @property
        def control(self) -> "LogList":
            """The list it comes from."""
            return self._control

    class FollowChanged(Message):
        """The list began or ceased to follow or to be frozen; see `following` and `frozen`."""

        def __init__(self, control: "LogList") -> None:
            super().__init__()
            self._control = control

        @property
        def control(self) -> "LogList":
            """The list it comes from."""
            return self._control

    def __init__(
        self,
        source: RowSource | None = None,
        *,
        follow: bool = False,
        empty: Sequence[Sequence[Span]] = (),
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """Show `source`; `follow` is for lists that grow: they start at the end and stay there."""
        super().__init__(id=id, classes=classes)
        self._source: RowSource = source or SpanRows()
        self._growth = Growth(self.view, grows=follow)
        self._sight = Sight(self)
        self._told_row = (-1, -1)
        self._told_state = (follow, False)
        self._head: Sequence[Span] = ()
        self.empty = empty
        self._growth.take(self._source.count)

    @property
    def source(self) -> RowSource:
        """The rows. Setting another source shows it from where the old one was, if it knows the chosen key."""
        return self._source

    @source.setter
    def source(self, source: RowSource) -> None:
        self._source = source
        self._rebuild()

    @property
    def following(self) -> bool:
        """Whether the cursor stays on the newest row."""
        return self._growth.following

    @property
    def frozen(self) -> bool:
        """Whether the view is paused while the source grows."""
        return self._growth.frozen

    @property
    def cursor_key(self) -> int:
        """What the source calls the row under the cursor; -1 if there is none."""
        return self._source.key(self.view.cursor) if 0 <= self.view.cursor < self._source.count else -1

    def sync(self) -> None:
        """Take over what has changed in the source; repaint what is visible and has changed."""
        if self._source.generation != self._sight.generation:
            self._rebuild()
            return
        before = self.view.looks
        self._growth.take(self._source.count, self._source.errors, self._source.waiting)
        if self.view.looks != before:
            self.refresh()
            self._tell()
        else:
            self._sight.ask_live_rows()
        self._sight.look_around()
        self._renew_header()

    def _renew_header(self) -> None:
        head = self.header(self.line_width)
        if head != self._head:
            self._head = head
            self.refresh(Region(0, 0, self.size.width, 1))

    def _rebuild(self) -> None:
        """Rows have moved or changed: find the chosen one again, and build all again."""
        self._sight.generation = self._source.generation
        self._growth.restart(self._source.count)
        if not self.view.following and self._told_row[1] >= 0:
            self.view.go_to(self._source.index_of(self._told_row[1]))
        self._sight.live.clear()
        self._sight.look_around()
        self.forget()
        self._tell()

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row's spans, and remember whether it must be asked for again."""
        self._sight.live.pop(index, None)
        row = self._source.row(index, width)
        spans = clip(row.spans, width)
        if row.live:
            self._sight.live[index] = spans
        return spans

    def header(self, width: int) -> Sequence[Span]:
        """Return the columns' titles and, for a list that grows, whether it follows."""
        titles = self._source.header(width)
        if not self._growth.grows:
            return titles
        return _with_label(titles, self._growth.labels(), width)

    def moved(self) -> None:
        """Show and tell where the reader went."""
        self._sight.look_around()
        super().moved()
        self._tell(by_reader=True)

    def identity(self, index: int) -> object:
        """What the source knows the row by; -1 for a row that has gone."""
        return self._source.identity(index) if index < self._source.count else -1

    def opened(self) -> None:
        """Report that the reader wants the row; it stays chosen, so the list stops following."""
        if self.view.cursor >= 0:
            self.view.following = False
            self._tell()
            self.post_message(self.Opened(self, *self._told_row))

    def _tell(self, *, by_reader: bool = False) -> None:
        """Post what has changed since the last time."""
        row = (self.view.cursor, self.cursor_key)
        if row != self._told_row:
            self._told_row = row
            self.post_message(self.Selected(self, *row, by_reader=by_reader))
        state = (self.following, self.frozen)
        if state != self._told_state:
            self._told_state = state
            self.post_message(self.FollowChanged(self))
            self._renew_header()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer follow and freeze only where rows come by themselves, and to fold where something does."""
        if action == "fold":
            return self._source.folds
        return self._growth.grows if action in ("follow", "freeze") else True

    def action_last(self) -> None:
        """Go to the newest row and stay there."""
        self.view.go_last(follow=self._growth.grows)
        self.moved()

    def let_grow(self, grows: bool) -> None:
        """Rows come by themselves from now on, and the newest is stayed on; or they do not any more."""
        self._growth.grows = grows
        self._growth.thaw()
        if grows:
            self.action_last()
        else:
            self.view.following = False
            self.moved()

    def action_follow(self) -> None:
        """Follow, resuming a paused view; or stop following."""
        if self.following:
            self.view.following = False
            self.moved()
        else:
            self._growth.thaw()
            self.action_last()

    def action_fold(self) -> None:
        """Fold away what is under the row, or show it again; the row stays chosen."""
        self.view.following = False
        self._tell()
        self._source.toggle_fold(self.view.cursor)
        self.sync()

    def action_freeze(self) -> None:
        """Pause the view, or release it."""
        self._growth.thaw() if self.frozen else self._growth.freeze()
        self.moved()

    def on_mount(self) -> None:
        """Report what is chosen at first."""
        self._tell()


def _with_label(titles: Sequence[Span], labels: Sequence[Sequence[Span]], width: int) -> Sequence[Span]:
    """Put the first of some labels that fits at the end of the widest gap between titles, so that it hides none."""
    titles = [*titles, (" " * (width - spans_width(titles)), "muted")]
    gaps = [len(text) - len(text.rstrip()) for text, _ in titles]
    widest = gaps.index(max(gaps))
    text, role = titles[widest]
    for label in labels:
        room = gaps[widest] - spans_width(label) - 2
        if room >= 1:
            return [*titles[:widest], (text.rstrip() + " " * room, role), *label, ("  ", role), *titles[widest + 1 :]]
    return titles
