"""What somebody has noted about a recording, as rows: marks with their colours and comments, and saved views."""

from collections.abc import Sequence

from inspector.capture.journal import Journal
from inspector.capture.notes import COLOURS, Mark, Notes, View
from inspector.capture.store import EntryKind
from inspector.viewmodels import signs, text, words
from inspector.viewmodels.lines import lay
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowSource, RowView

_ROLES: dict[str, Role] = {
    "yellow": "warning", "red": "error", "green": "ok", "blue": "target", "violet": "from_server",
}  # fmt: skip
_SHORT = 40


def role_of(color: str) -> Role:
    """How a colour is shown."""
    return _ROLES.get(color, "warning")


def mark_spans(mark: Mark) -> list[Span]:
    """A mark before what a row says: the sign, the first letter of its colour, the beginning of its comment."""
    comment = f"{text.visible(mark.text, limit=_SHORT)} {signs.NOTE} " if mark.text else ""
    return [(f"{signs.MARK}{mark.color[:1]} {comment}", role_of(mark.color))]


def next_colour(color: str) -> str:
    """The colour after that one; after the last comes the first."""
    return COLOURS[(COLOURS.index(color) + 1) % len(COLOURS)] if color in COLOURS else COLOURS[0]


class NotedRows(RowSource):
    """The marks in the order of entries, then the views by name."""

    def __init__(self, journal: Journal, notes: Notes) -> None:
        self._journal = journal
        self._generation = 0
        self.show(notes)

    def show(self, notes: Notes) -> None:
        """Show others."""
        self._items: Sequence[Mark | View] = [*notes.marks.values(), *sorted(notes.views, key=lambda view: view.name)]
        self._reference = notes.reference
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._items)

    @property
    def generation(self) -> int:
        return self._generation

    def item(self, index: int) -> Mark | View | None:
        """What a row stands for."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def row(self, index: int, width: int) -> RowView:
        item = self._items[index]
        return RowView(lay(self._mark(item) if isinstance(item, Mark) else _view(item), width))

    def _mark(self, mark: Mark) -> list[Span]:
        role = role_of(mark.color)
        spans: list[Span] = [(f" {signs.MARK} {mark.color:<7}", role), (f"{f'#{mark.n}':>9}  ", "faint")]
        if not mark.n <= self._journal.count:
            return [*spans, ("the capture has no such entry", "muted"), (f"  {_comment(mark)}", "text")]
        spans.append((f"{text.clock(self._journal.store.wall_ns(mark.n))}  ", "muted"))
        if mark.n == self._reference:
            spans.append((f"{signs.EVENT} times count from here  ", "accent"))
        if mark.text:
            spans.append((f"{_comment(mark)}  ", "text"))
        return [*spans, *self._named(mark.n)]

    def _named(self, n: int) -> list[Span]:
        store = self._journal.store
        if store.kind(n) is not EntryKind.FRAME:
            return [(store.kind(n).name.lower(), "muted")]
        number = store.exchange(n)
        exchange = self._journal.conversation.exchanges[number - 1] if number else None
        method = store.method(n) or (exchange.method if exchange is not None else store.message_kind(n).name.lower())
        named: list[Span] = [(text.visible(method, limit=80), "method")]
        if exchange is not None:
            named.append((f" {text.visible(exchange.target, limit=60)}  ", "target"))
            named.append(words.status(exchange, live=self._journal.live))
        return named


def _comment(mark: Mark) -> str:
    return text.visible(mark.text, limit=200)


def _view(view: View) -> list[Span]:
    shown = "tree" if view.tree else "order of the wire"
    columns = f", {len(view.columns)} columns" if view.columns else ""
    return [
        (" view     ", "accent"),
        (text.visible(view.name, limit=60), "strong"),
        (f"  {text.visible(view.filter, limit=200) or 'no filter'}", "text"),
        (f"  {shown}{columns}", "faint"),
    ]
