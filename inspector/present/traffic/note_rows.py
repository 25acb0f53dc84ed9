"""Marks with their colours and comments, and saved views, as rows."""

from collections.abc import Sequence

from inspector import text
from inspector.capture.format.notes import COLOURS, Mark, Notes, View
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay

_ROLES: dict[str, Role] = {
    "yellow": "warning", "red": "error", "green": "ok", "blue": "target", "violet": "from_server",
}  # fmt: skip
_MAX_NOTE_CHARS = 40


def mark_role(color: str) -> Role:
    """Return the role that displays a colour of marks."""
    return _ROLES.get(color, "warning")


def mark_spans(mark: Mark) -> list[Span]:
    """Return the mark at the start of a row: sign, first letter of the colour, start of the comment."""
    comment = f"{text.visible(mark.text, limit=_MAX_NOTE_CHARS)} {signs.NOTE} " if mark.text else ""
    return [(f"{signs.MARK}{mark.color[:1]} {comment}", mark_role(mark.color))]


def next_colour(color: str) -> str:
    """Return the next colour; the first one after the last."""
    return COLOURS[(COLOURS.index(color) + 1) % len(COLOURS)] if color in COLOURS else COLOURS[0]


class NoteRows(RowSource):
    """The marks in the order of entries, then the views by name."""

    def __init__(self, journal: Journal, notes: Notes) -> None:
        self._journal = journal
        self.show(notes)

    def show(self, notes: Notes) -> None:
        """Replace the rows."""
        self._items: Sequence[Mark | View] = [*notes.marks.values(), *sorted(notes.views, key=lambda view: view.name)]
        self._reference = notes.reference
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._items)

    def item(self, index: int) -> Mark | View | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def row(self, index: int, width: int) -> RowView:
        item = self._items[index]
        return RowView(lay(self._mark(item) if isinstance(item, Mark) else _view(item), width))

    def _mark(self, mark: Mark) -> list[Span]:
        role = mark_role(mark.color)
        spans: list[Span] = [(f" {signs.MARK} {mark.color:<7}", role), (f"{f'#{mark.n}':>9}  ", "faint")]
        if not mark.n <= self._journal.count:
            return [*spans, ("no such entry in the capture", "muted"), (f"  {_comment(mark)}", "text")]
        spans.append((f"{text.clock(self._journal.store.wall_ns(mark.n))}  ", "muted"))
        if mark.n == self._reference:
            spans.append((f"{signs.EVENT} time reference  ", "accent"))
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
            named.append(words.status_in(self._journal, exchange))
        return named


def _comment(mark: Mark) -> str:
    return text.visible(mark.text, limit=200)


def _view(view: View) -> list[Span]:
    shown = "tree" if view.tree else "wire order"
    columns = f", {len(view.columns)} columns" if view.columns else ""
    return [
        (" view     ", "accent"),
        (text.visible(view.name, limit=60), "strong"),
        (f"  {text.visible(view.filter, limit=200) or 'no filter'}", "text"),
        (f"  {shown}{columns}", "faint"),
    ]
