"""Bars of small items, some of them clickable: the base of header and footer.

One widget draws a whole line, because a line of stock widgets adds a tenth of a second to the start. A line never
wraps: items that do not fit are shortened or left out, the least important first. An item is never split.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from inspector.present.spans import Role, Span, clip, spans_width
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs, grounds, role_styles, spans_to_text
from inspector.tui.widgets.sent import Sent

LOW = 20
"""Minimum height of the screen, in rows, for buttons on more than one line."""


class BarItem(msgspec.Struct, frozen=True):
    spans: tuple[Span, ...]
    name: str = ""
    """Name that a click reports; "" if the item is not clickable."""
    rank: int = 0
    """Order of removal where space is short: the highest rank first. Rank 0 stays, and is cut if necessary."""
    chosen: bool = False
    """Whether it has the background of the area below the bar, like an open tab."""
    short: tuple[Span, ...] = ()
    """Shorter form, used before any item is left out; empty if there is none."""
    shortest: tuple[Span, ...] = ()
    """Shortest form, used if the line is too long with all shorter forms; empty if there is none."""

    @property
    def width(self) -> int:
        """Width in cells."""
        return spans_width(self.spans)


class BarLine(msgspec.Struct, frozen=True):
    """Items that start at the left edge, and items that end at the right edge."""

    left: tuple[BarItem, ...] = ()
    right: tuple[BarItem, ...] = ()
    gap: int = 2
    """Spaces between two items; between left and right, at least twice as many."""
    inset: int = 0
    """Spaces at both edges."""
    grave: bool = False
    """Whether the line is a permanent warning, which has its own background."""
    says_more: bool = False
    """Whether a sign marks items that were left out on the left."""

    def fitted(self, width: int) -> "BarLine":
        """Return the line without the items that do not fit into `width` cells; texts are cut at last, then buttons."""
        line = _without_low_ranks_right(self, width)
        while line.width > width and any(item.short for item in line.left):
            long = [item for item in line.left if item.short]
            line = _shortened(line, _worst([item for item in long if not item.chosen] or long))
        line = _shortened_again(line, width)
        while line.width > width and any(item.rank for item in line.items):
            line = _without_lowest_rank(line)
        left = list(line.left)
        for item in sorted(left, key=lambda each: bool(each.name)):
            excess = msgspec.structs.replace(line, left=tuple(left)).width - width
            if excess > 0:
                cut = tuple(clip(item.spans, max(1, item.width - excess)))
                left[left.index(item)] = msgspec.structs.replace(item, spans=cut)
        return msgspec.structs.replace(line, left=tuple(left))

    @property
    def items(self) -> tuple[BarItem, ...]:
        """All items, from left to right."""
        return self.left + self.right

    @property
    def width(self) -> int:
        """Minimum width in cells."""
        between = self.gap * (max(0, len(self.left) - 1) + max(0, len(self.right) - 1))
        middle = 2 * self.gap if self.left and self.right else 0
        return sum(item.width for item in self.items) + between + middle + 2 * self.inset

    def placed(self, width: int) -> Iterator[tuple[int, BarItem]]:
        """Yield each item of a fitted line with its first column."""
        x = self.inset
        for item in self.left:
            yield x, item
            x += item.width + self.gap
        x = max(x, width - self.inset + self.gap - sum(item.width + self.gap for item in self.right))
        for item in self.right:
            yield x, item
            x += item.width + self.gap


def _shortened(line: BarLine, long: BarItem) -> BarLine:
    shorter = msgspec.structs.replace(long, spans=long.short, short=())
    return msgspec.structs.replace(line, left=tuple(shorter if item is long else item for item in line.left))


def _without_low_ranks_right(line: BarLine, width: int) -> BarLine:
    """Drop items on the right with a higher rank than all on the left, before anything on the left is shortened."""
    if not any(item.short or item.shortest for item in line.left):
        return line
    least = max(item.rank for item in line.left)
    while line.width > width and any(item.rank > least for item in line.right):
        gone = _worst(line.right)
        line = msgspec.structs.replace(line, right=tuple(item for item in line.right if item is not gone))
    return line


def _shortened_again(line: BarLine, width: int) -> BarLine:
    """Use the shortest forms until the line fits, beginning with the last item."""
    if not any(item.shortest for item in line.left):
        return line
    left = tuple(msgspec.structs.replace(item, short=item.shortest, shortest=()) for item in line.left)
    line = msgspec.structs.replace(line, left=left)
    while line.width > width and any(item.short for item in line.left):
        line = _shortened(line, [item for item in line.left if item.short][-1])
    return line


def _without_lowest_rank(line: BarLine) -> BarLine:
    gone = _worst(line.items)
    left = tuple(item for item in line.left if item is not gone)
    more = BarItem(((glyphs().ellipsis, "faint"),))
    if line.says_more and len(left) < len(line.left) and more not in left:
        left = (*left, more)
    return msgspec.structs.replace(line, left=left, right=tuple(item for item in line.right if item is not gone))


class ItemBar(Widget):
    """One or more lines of items. Subclasses define the items and the effect of a click on a named one."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ItemBar {
        height: auto;
        background: $panel;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._lines: tuple[BarLine, ...] = ()

    def show(self, lines: Sequence[BarLine]) -> None:
        """Show other lines. Repaints only if they differ, and lays out again only if their number changes."""
        if tuple(lines) == self._lines:
            return
        grown = len(lines) != len(self._lines)
        self._lines = tuple(lines)
        self.refresh(layout=grown)

    def pressed(self, name: str) -> None:
        """Handle a click on a named item."""

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, len(self._lines))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[y]
        paper = grounds(dark=self.app.current_theme.dark).grave if line.grave else self.rich_style
        mark = Segment(glyphs().cursor, paper + role_styles(dark=self.app.current_theme.dark)["accent"])
        segments, at = ([mark], 1) if self.has_focus and line.items else ([], 0)
        for x, item in self._placed(y):
            segments += [Segment(" " * (x - at), paper), *self._segments(item, paper, width - x)]
            at = x + item.width
        return Strip(segments).adjust_cell_length(width, paper)

    def _segments(self, item: BarItem, paper: Style, room: int) -> list[Segment]:
        dark = self.app.current_theme.dark
        inks = role_styles(dark=dark)
        ground = grounds(dark=dark).chosen if item.chosen else paper
        below = Style(bgcolor=ground.bgcolor)
        return [Segment(visible(text), below + inks[role]) for text, role in clip(item.spans, max(0, room))]

    def _placed(self, y: int) -> Iterator[tuple[int, BarItem]]:
        width = self.size.width
        return self._lines[y].fitted(width).placed(width)

    def item_at(self, x: int, y: int) -> BarItem | None:
        """Return the item at a cell; None for the background."""
        if not 0 <= y < len(self._lines):
            return None
        return next((item for at, item in self._placed(y) if at <= x < at + item.width), None)

    def on_click(self, event: events.Click) -> None:
        """Report the item under the mouse to `pressed`."""
        found = self.item_at(event.x, event.y)
        if found is not None and found.name:
            event.stop()
            self.pressed(found.name)


def _worst(items: Sequence[BarItem]) -> BarItem:
    """Return the item with the highest rank; of equal ones, the last."""
    worst = max(item.rank for item in items)
    return next(item for item in reversed(items) if item.rank == worst)


class PressBar(ItemBar, can_focus=True):
    """Bar of actions. Enter runs the first one."""

    DEFAULT_CSS = """
    PressBar { height: 1; width: 1fr; }
    PressBar:focus { background: $block-cursor-background; }
    """
    first = ""
    """Action of Enter."""

    class Pressed(Message):
        """Reports an action."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def pressed(self, name: str) -> None:
        self.post_message(self.Pressed(name))

    def action_press(self) -> None:
        self.post_message(self.Pressed(self.first))

    def on_focus(self, event: events.Focus) -> None:
        """Redraw: Enter acts here now."""
        self.refresh()

    def on_blur(self, event: events.Blur) -> None:
        self.refresh()


# One line of tabs, one of which is active. A click or its owner activates another.


class TabLine(ItemBar):
    """Tab names from left to right, and text at the right edge."""

    DEFAULT_CSS = """
    TabLine { height: 1; background: $surface; }
    """

    class Chosen(Sent["TabLine"]):
        """Reports a clicked tab."""

        def __init__(self, control: "TabLine", name: str) -> None:
            super().__init__(control)
            self.name = name

    def show_tabs(self, names: Sequence[str], chosen: str, right: Sequence[Span] = ()) -> None:
        """Show these tabs, one of them active; where space is short, the last ones are left out."""
        tabs = tuple(
            BarItem(
                ((f" {name} ", "title" if name == chosen else "muted"),),
                name=name,
                chosen=name == chosen,
                rank=0 if name == chosen else at,
            )
            for at, name in enumerate(names, 2)
        )
        hint = (BarItem(tuple(right), rank=len(names) + 2),) if right else ()
        self.show([BarLine(left=tabs, right=hint, gap=0, inset=0, says_more=True)])

    def pressed(self, name: str) -> None:
        self.post_message(self.Chosen(self, name))


# Buttons side by side. Each shows its key, and a click runs the action of that key.


class ButtonBar(ItemBar):
    """Actions as buttons, on as many lines as needed; on a low screen on one line, the most important first."""

    DEFAULT_CSS = """
    ButtonBar { height: auto; background: $background; }
    """

    def __init__(self, *actions: str | tuple[str, str], has_primary: bool = False) -> None:
        """`actions`: see `offer`. `has_primary`: whether the first button is filled."""
        super().__init__()
        self._items = _buttons(actions, has_primary=has_primary)

    def offer(self, *actions: str | tuple[str, str]) -> None:
        """Show buttons for actions, given by their ids; an id with a label replaces the action's own label."""
        self._items = _buttons(actions)
        if self.is_attached and self.size.width:  # not laid out yet: the first size arranges them
            self._arrange(self.size.width)

    def offer_beside(self, spans: Sequence[Span], *actions: str) -> None:
        """Show text on one line, with the buttons at its right edge."""
        self._items = []
        self.show([BarLine((BarItem(tuple(spans)),), tuple(_buttons(actions)), gap=1, inset=1)])

    def on_resize(self, event: events.Resize) -> None:
        if self._items:
            self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        lines: list[list[BarItem]] = [[]]
        for item in self._items:
            here = BarLine((*lines[-1], item), gap=1, inset=1)
            if lines[-1] and here.width > width and self.app.size.height >= LOW:
                lines.append([])
            lines[-1].append(item)
        self.show([BarLine(tuple(line), gap=1, inset=1, says_more=True) for line in lines])

    def pressed(self, name: str) -> None:
        """Run the action on the nearest ancestor that implements it, else on the app."""
        action = keys.action(name).action
        method = f"action_{action.partition('(')[0]}"
        owner = next((each for each in self.ancestors if hasattr(each, method)), self.app)
        self.app.call_later(self.app.run_action, action, owner)


def _buttons(actions: Iterable[str | tuple[str, str]], *, has_primary: bool = False) -> list[BarItem]:
    pairs = [(each, "") if isinstance(each, str) else each for each in actions]
    roles: list[Role] = ["button" if has_primary and not rank else "text" for rank in range(len(pairs))]
    return [_button(name, label, rank, roles[rank]) for rank, (name, label) in enumerate(pairs)]


def _button(name: str, label: str, rank: int, role: Role) -> BarItem:
    spans = button_spans(visible(label or keys.action(name).label), keys.shown_key(name), role)
    return BarItem(spans, name=name, rank=rank)


def button_spans(label: str, key: str, role: Role = "text") -> tuple[Span, ...]:
    """Return a button; `label` is trusted text or has been made safe. With the role `button` it is filled."""
    if role == "button":
        return ((f"[ {label}{f' {key}' if key else ''} ]", role),)
    return ("[ ", "faint"), (label, role), (f" {key}" if key else "", "accent"), (" ]", "faint")


def form_or_json(key: str, *, as_json: bool) -> tuple[Span, ...]:
    """Return the switch between form and JSON, with the current one in brackets."""
    form: Span = ("Form ", "faint") if as_json else ("[Form]", "accent")
    json: Span = ("[JSON]", "accent") if as_json else (" JSON", "faint")
    return form, json, (f" {key}", "faint")


# One line with text on the left and on the right. It draws itself, and repaints only on changes.


class StatusLine(Widget):
    """Two groups of spans; the left one is cut first."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; padding: 0 1; background: $background; color: $text-muted; }
    StatusLine.-focused { background: $block-cursor-background; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._shown: tuple[Sequence[Span], Sequence[Span]] = ((), ())

    def show(self, left: Sequence[Span], right: Sequence[Span] = ()) -> None:
        if (left, right) != self._shown:
            self._shown = (left, right)
            self.refresh()

    def render(self) -> Text:
        left, right = self._shown
        width = self.content_size.width
        right = clip(right, width)
        room = max(0, width - spans_width(right) - 2) if right else width
        left = clip(left, room)
        gap = " " * max(0, width - spans_width(left) - spans_width(right))
        return spans_to_text([*left, (gap, "text"), *right], dark=self.app.current_theme.dark)
