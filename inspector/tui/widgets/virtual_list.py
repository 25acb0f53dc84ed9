"""The virtual list: rows of a `RowSource`, with cursor, follow and freeze. The log and shorter lists use it.

The app's ticker calls `sync` thirty times a second, which repaints only if visible content has changed. Freezing
keeps the view still while the source grows; it never stops the recording.
"""

from collections.abc import Sequence

from textual import events
from textual.geometry import Region

from inspector.present.rows import RowSource, SpanRows
from inspector.present.spans import Span, clip, plain, spans_width
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.sent import Sent
from inspector.tui.widgets.viewport import Viewport
from inspector.tui.widgets.virtual_lines import MARGIN, VirtualLines

# How a list handles new rows: it follows them, lets them accumulate, or is frozen.


class Growth:
    """How many rows of a source a viewport shows, and how many the user has not seen."""

    def __init__(self, view: Viewport, *, grows: bool) -> None:
        self._view = view
        self.grows = grows
        """Whether rows are added on their own: only then can the list follow or freeze."""
        self._frozen_at: int | None = None
        self._seen = 0
        self._count = 0
        self._errors = self._errors_seen = 0
        self._waiting = (0, 0)
        view.following = grows

    @property
    def frozen(self) -> bool:
        """Whether the view is frozen while the source grows."""
        return self._frozen_at is not None

    @property
    def following(self) -> bool:
        """Whether the cursor stays on the newest row."""
        return self._view.following and not self.frozen

    @property
    def unseen(self) -> int:
        """Number of new rows since the newest row was last visible."""
        return self._below + self._waiting[0]

    @property
    def _below(self) -> int:
        """The part of them that the source has processed already."""
        return max(0, self._count - self._seen)

    @property
    def unseen_errors(self) -> int:
        """Number of errors among the unseen rows."""
        return max(0, self._errors - self._errors_seen) + self._waiting[1]

    def take(self, count: int, errors: int = 0, waiting: tuple[int, int] = (0, 0)) -> None:
        """Update the view to the source's rows; while frozen, to the rows that it had then.

        `errors` is the number of errors among all rows. `waiting` counts what the source has not processed yet: all,
        and errors.
        """
        self._count, self._errors, self._waiting = count, errors, waiting
        shown = count if self._frozen_at is None else min(self._frozen_at, count)
        if shown != self._view.count:
            self._view.set_count(shown)
        is_end_visible = not self.frozen and self._view.height > 0 and self._view.visible.stop == count
        if self.following or not self.grows or is_end_visible:
            self._seen, self._errors_seen = count, errors

    def freeze(self) -> None:
        self._frozen_at = self._count

    def thaw(self) -> None:
        """Show all rows again."""
        self._frozen_at = None
        self.take(self._count, self._errors, self._waiting)

    def restart(self, count: int) -> None:
        """Restart with other rows. The number of unseen rows is kept, because it is unknown for the new ones."""
        if self._frozen_at is not None:
            self._frozen_at = count
        self._seen = max(0, count - self._below)
        self.take(count, self._errors, self._waiting)

    def labels(self) -> list[list[Span]]:
        """Return labels for the state: the full one, then shorter ones; empty if there is nothing to show."""
        if self.following:
            return [[(f"{glyphs().follow} follow", "accent")]]
        if not self.frozen and not self.unseen:
            return []
        long, short = self._news()
        sign, word = (glyphs().frozen, " frozen") if self.frozen else (glyphs().follow, "")
        return [[(sign + word, "warning"), *long], [(sign, "warning"), *short], [(sign + word, "warning")]]

    def _news(self) -> tuple[list[Span], list[Span]]:
        """Return the number of unseen rows and errors: the full text, and a short one."""
        new, wrong = self.unseen, self.unseen_errors
        long: list[Span] = [(f" {new:,} new", "warning")] if new else []
        short: list[Span] = [(f" +{new:,}", "warning")] if new else []
        if wrong:
            long.append((f" {glyphs().error} {counted(wrong, 'error')}", "error"))
            short.append((f" {glyphs().error}{wrong:,}", "error"))
        return long, short


class VisibleRows:
    """The visible rows of a list: reports them to the source, and polls live rows."""

    def __init__(self, rows: "LogList") -> None:
        self._rows = rows
        self._looked_at: object = None
        self.generation = rows.source.generation
        """Generation of the source that the list shows."""
        self.live: dict[int, Sequence[Span]] = {}
        """Live rows, which change on their own, with the spans that are shown."""

    def look_around(self) -> None:
        """Report the visible rows to the source, because its rows may depend on them."""
        rows = self._rows
        now = rows.view.visible, rows.line_width, self.generation
        if now == self._looked_at and not self.live:
            return
        self._looked_at = now
        if rows.source.sees(rows.view.visible, rows.line_width):
            rows.forget()

    def ask_live_rows(self) -> None:
        """Repaint the live rows that have changed."""
        rows = self._rows
        for index, shown in list(self.live.items()):
            if index not in rows.view.visible:
                del self.live[index]
                rows.cache.drop(index)
            elif rows.cache.spans(index) != shown:
                rows.forget(index)


class LogList(VirtualLines):
    """Rows of a source, one line each."""

    BINDINGS = keys.bindings(keys.ActionScope.LIST)

    class Selected(Sent["LogList"]):
        """Another row is under the cursor: the user moved it, or the list followed."""

        def __init__(self, control: "LogList", index: int, key: int, *, by_reader: bool = False) -> None:
            super().__init__(control)
            self.by_reader = by_reader
            """Whether the user moved the cursor; otherwise rows were added or removed."""
            self.index = index
            """Its current index; -1 if the list is empty."""
            self.key = key
            """Its key in the source; -1 if the list is empty."""

    class Opened(Sent["LogList"]):
        """The user opens a row: Enter, or a click."""

        def __init__(self, control: "LogList", index: int, key: int) -> None:
            super().__init__(control)
            self.index = index
            self.key = key

    class FollowChanged(Sent["LogList"]):
        """Following or freezing was turned on or off; see `following` and `frozen`."""

    class TitlePressed(Sent["LogList"]):
        """The column titles were clicked."""

        def __init__(self, control: "LogList", x: int) -> None:
            super().__init__(control)
            self.x = x
            """Cell of the header, see `title_at`."""

    def __init__(
        self,
        source: RowSource | None = None,
        *,
        follow: bool = False,
        empty: Sequence[Sequence[Span]] = (),
        labelled: bool = True,
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """Show `source`; `follow` is for lists that grow: they start at the end and stay there.

        `labelled`: whether the head shows that it follows, and what is new; else see `growth_label`.
        """
        super().__init__(id=id, classes=classes)
        self._source: RowSource = source or SpanRows()
        self._growth = Growth(self.view, grows=follow)
        self._labelled = labelled
        self._visible_rows = VisibleRows(self)
        self._reported_row = (-1, -1)
        self._reported_state = (follow, False)
        self._head: Sequence[Span] = ()
        self.set_reactive(VirtualLines.empty, empty)
        self._growth.take(self._source.count)

    @property
    def source(self) -> RowSource:
        """The rows. Setting another source keeps the cursor on its row, if the new source has the same key."""
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
        """Whether the view is frozen while the source grows."""
        return self._growth.frozen

    @property
    def growth_label(self) -> Sequence[Span]:
        """Whether it follows, is frozen, or has unseen rows; empty for a list that does not grow."""
        labels = self._growth.labels() if self._growth.grows else []
        return labels[0] if labels else ()

    @property
    def cursor_key(self) -> int:
        """Key of the row under the cursor; -1 if there is none."""
        return self._source.key(self.view.cursor) if 0 <= self.view.cursor < self._source.count else -1

    def sync(self) -> None:
        """Apply changes of the source, and repaint visible rows that have changed."""
        if self._source.generation != self._visible_rows.generation:
            self._rebuild()
            return
        before = self.view.looks
        self._growth.take(self._source.count, self._source.errors, self._source.waiting)
        if self.view.looks != before:
            self.refresh()
            self._tell()
        else:
            self._visible_rows.ask_live_rows()
        self._visible_rows.look_around()
        head = self.header(self.line_width)
        if head != self._head:
            self._head = head
            self.refresh(Region(0, 0, self.size.width, 1))

    def _rebuild(self) -> None:
        """Find the row under the cursor again and build all rows again, because rows have moved or changed."""
        self._visible_rows.generation = self._source.generation
        self._growth.restart(self._source.count)
        if not self.view.following and self._reported_row[1] >= 0:
            self.view.go_to(self._source.index_of(self._reported_row[1]))
        self._visible_rows.live.clear()
        self._visible_rows.look_around()
        self.forget()
        self._tell()

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row's spans, and remember live rows."""
        self._visible_rows.live.pop(index, None)
        row = self._source.row(index, width)
        spans = clip(row.spans, width)
        if row.live:
            self._visible_rows.live[index] = spans
        return spans

    def header(self, width: int) -> Sequence[Span]:
        """Return the columns' titles and, for a labelled list that grows, whether it follows."""
        titles = self._source.header(width)
        if not self._growth.grows or not self._labelled:
            return titles
        return _with_label(titles, self._growth.labels(), width)

    def moved(self) -> None:
        """Show and report a move by the user."""
        self._visible_rows.look_around()
        super().moved()
        self._tell(by_reader=True)

    def identity(self, index: int) -> object:
        """Return the source's identifier of a row; -1 if the row no longer exists."""
        return self._source.identity(index) if index < self._source.count else -1

    def opened(self) -> None:
        """Report that the user opens the row. It stays under the cursor, so the list stops following."""
        if self.view.cursor >= 0:
            self.view.following = False
            self._tell()
            self.post_message(self.Opened(self, *self._reported_row))

    def _tell(self, *, by_reader: bool = False) -> None:
        """Post messages about changes since the last call."""
        row = (self.view.cursor, self.cursor_key)
        if row != self._reported_row:
            if self.is_attached and (row[0] < 0) is not (self._reported_row[0] < 0):
                self.refresh_bindings()
            self._reported_row = row
            self.post_message(self.Selected(self, *row, by_reader=by_reader))
        state = (self.following, self.frozen)
        if state != self._reported_state:
            self._reported_state = state
            self.post_message(self.FollowChanged(self))
            self.refresh(Region(0, 0, self.size.width, 1))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable opening with a row, follow and freeze in a list that grows, and folding if the source supports it."""
        if action == "open":
            return self._source.count > 0
        if action == "fold":
            return self._source.folds
        return self._growth.grows if action in ("follow", "freeze") else True

    def on_key(self, event: events.Key) -> None:
        """Say why Enter opens nothing: it may have been pressed before the rows have come."""
        if event.key in keys.action("list.open").keys and not self._source.count and self.empty:
            self.notify(f"Nothing to open: {visible(plain(self.empty[0]))}", timeout=3)

    def action_last(self) -> None:
        """Go to the newest row and follow."""
        self.view.go_last(follow=self._growth.grows)
        self.moved()

    def let_grow(self, grows: bool) -> None:
        """Start to follow new rows, or stop if no more will be added."""
        self._growth.grows = grows
        self._growth.thaw()
        if grows:
            self.action_last()
        else:
            self.view.following = False
            self.moved()

    def action_follow(self) -> None:
        """Follow, also from a frozen view; or stop following."""
        if self.following:
            self.view.following = False
            self.moved()
        else:
            self._growth.thaw()
            self.action_last()

    def action_fold(self) -> None:
        """Fold or unfold the children of the row; it stays under the cursor."""
        self.view.following = False
        self._tell()
        self._source.toggle_fold(self.view.cursor)
        self.sync()

    def action_freeze(self) -> None:
        """Freeze or unfreeze the view."""
        self._growth.thaw() if self.frozen else self._growth.freeze()
        self.moved()

    def on_click(self, event: events.Click) -> None:
        """Report a click on the titles; Textual then also calls the handler of the base class."""
        if event.y < self.header_height:
            self.post_message(self.TitlePressed(self, event.x - MARGIN))

    def on_mount(self) -> None:
        """Report the initial row."""
        self._tell()


def _with_label(titles: Sequence[Span], labels: Sequence[Sequence[Span]], width: int) -> Sequence[Span]:
    """Insert the first label that fits at the end of the widest gap between titles, so that it hides no title."""
    titles = [*titles, (" " * (width - spans_width(titles)), "muted")]
    gaps = [len(text) - len(text.rstrip()) for text, _ in titles]
    widest = gaps.index(max(gaps))
    text, role = titles[widest]
    for label in labels:
        room = gaps[widest] - spans_width(label) - 2
        if room >= 1:
            return [*titles[:widest], (text.rstrip() + " " * room, role), *label, ("  ", role), *titles[widest + 1 :]]
    return titles
