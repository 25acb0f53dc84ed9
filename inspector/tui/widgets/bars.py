"""Lines of small items, some of which answer a click: what header and footer are made of.

One widget draws a whole line, because a line of stock widgets costs a tenth of a second at the start. A line never
wraps: what has no room is shortened or else left out, the least important first; an item is never cut in two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.events import Event
from textual.keys import key_to_character
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from inspector.present.spans import Role, Span, clip, spans_width
from inspector.text import cell_width, pad, visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage
from inspector.tui.theme import glyphs, grounds, role_styles, spans_to_text


class BarItem(msgspec.Struct, frozen=True):
    """Something on a line that belongs together."""

    spans: tuple[Span, ...]
    name: str = ""
    """What a click on it means; "" if nothing."""
    rank: int = 0
    """What goes first where room is short: the highest. 0 stays, and is cut if it must be."""
    chosen: bool = False
    """Whether it is on the ground of what is below the bar, as an open tab does."""
    short: tuple[Span, ...] = ()
    """What is in its place where room is short, before anything is left out; empty: nothing shorter."""
    shortest: tuple[Span, ...] = ()
    """What is there if all that could be shortened once has been and there is still no room; empty: nothing."""

    @property
    def width(self) -> int:
        """The cells it takes."""
        return spans_width(self.spans)


class BarLine(msgspec.Struct, frozen=True):
    """Items from the left edge on, and items up to the right edge."""

    left: tuple[BarItem, ...] = ()
    right: tuple[BarItem, ...] = ()
    gap: int = 2
    """Spaces between two items; twice as many at least between left and right."""
    inset: int = 0
    """Spaces at both edges."""
    grave: bool = False
    """Whether the line is a warning that lasts, on a ground of its own."""
    says_more: bool = False
    """Whether a sign stands for what was left out on the left."""

    def fitted(self, width: int) -> "BarLine":
        """Return the line without the items that have no room in `width` cells, and the first one cut if it must be."""
        line = _without_lesser_ones_on_the_right(self, width)
        while line.width > width and any(item.short for item in line.left):
            line = _shortened(line, _worst([item for item in line.left if item.short]))
        line = _shortened_again(line, width)
        while line.width > width and any(item.rank for item in line.items):
            line = _without_the_worst(line)
        excess = line.width - width
        if excess <= 0 or not line.left:
            return line
        first = line.left[0]
        cut = msgspec.structs.replace(first, spans=tuple(clip(first.spans, max(1, first.width - excess))))
        return msgspec.structs.replace(line, left=(cut, *line.left[1:]))

    @property
    def items(self) -> tuple[BarItem, ...]:
        """All items, from left to right."""
        return self.left + self.right

    @property
    def width(self) -> int:
        """The cells it takes at least."""
        between = self.gap * (max(0, len(self.left) - 1) + max(0, len(self.right) - 1))
        middle = 2 * self.gap if self.left and self.right else 0
        return sum(item.width for item in self.items) + between + middle + 2 * self.inset

    def placed(self, width: int) -> Iterator[tuple[int, BarItem]]:
        """Yield each item of a fitted line with the column where it begins."""
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


def _without_lesser_ones_on_the_right(line: BarLine, width: int) -> BarLine:
    """Return it without what matters less than everything on the left, where something there would be shortened."""
    if not any(item.short or item.shortest for item in line.left):
        return line
    least = max(item.rank for item in line.left)
    while line.width > width and any(item.rank > least for item in line.right):
        gone = _worst(line.right)
        line = msgspec.structs.replace(line, right=tuple(item for item in line.right if item is not gone))
    return line


def _shortened_again(line: BarLine, width: int) -> BarLine:
    """Return it with what can be shortened twice, the last first."""
    if not any(item.shortest for item in line.left):
        return line
    left = tuple(msgspec.structs.replace(item, short=item.shortest, shortest=()) for item in line.left)
    line = msgspec.structs.replace(line, left=left)
    while line.width > width and any(item.short for item in line.left):
        line = _shortened(line, [item for item in line.left if item.short][-1])
    return line


def _without_the_worst(line: BarLine) -> BarLine:
    gone = _worst(line.items)
    left = tuple(item for item in line.left if item is not gone)
    if line.says_more and len(left) < len(line.left) and _more() not in left:
        left = (*left, _more())
    return msgspec.structs.replace(line, left=left, right=tuple(item for item in line.right if item is not gone))


class ItemBar(Widget):
    """Some lines of items. Subclasses say which, and what a click on a named one does."""

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
        """Show other lines; repaints only if they differ, lays out again only if their number does."""
        if tuple(lines) == self._lines:
            return
        grown = len(lines) != len(self._lines)
        self._lines = tuple(lines)
        self.refresh(layout=grown)

    def pressed(self, name: str) -> None:
        """A named item was clicked."""

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return one row per line."""
        return max(1, len(self._lines))

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[y]
        paper = grounds(dark=self.app.current_theme.dark).grave if line.grave else self.rich_style
        segments: list[Segment] = []
        at = 0
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
        """Return what is at a cell; None for the ground."""
        if not 0 <= y < len(self._lines):
            return None
        return next((item for at, item in self._placed(y) if at <= x < at + item.width), None)

    def on_click(self, event: events.Click) -> None:
        """Do what the item under the mouse is for."""
        found = self.item_at(event.x, event.y)
        if found is not None and found.name:
            event.stop()
            self.pressed(found.name)


def _worst(items: Sequence[BarItem]) -> BarItem:
    """The last of those that matter least."""
    worst = max(item.rank for item in items)
    return next(item for item in reversed(items) if item.rank == worst)


def _more() -> BarItem:
    """What says that there is more than fits."""
    return BarItem(((glyphs().ellipsis, "faint"),))


# The footer: the keys that do something now, as the focus and the panels bind them.

_ORDER = {
    action.id: (action.id.startswith("menu."), action.where is keys.ActionScope.EVERYWHERE, place)
    for place, action in enumerate(keys.ACTIONS)
}
"""What belongs to a place before what works everywhere, and the menus last."""
_RIGHT = {"help": 0, "help.typing": 0, "palette": 100, "quit": 0}
"""What is on the right wherever one is, and when it is left out; see `Item.rank`."""
_SENDING = frozenset(
    (
        *("tools.send", "resources.send", "resources.subscribe", "prompts.send", "offered.more", "inbox.roots"),
        *("inbox.capabilities", "server.capabilities", "log.ask", "composer.send", "tasks.cancel", "tasks.fetch"),
        *("tasks.follow", "tasks.list", "skills.read", "skills.check", "skills.list", "skills.get"),
    )
)
"""What needs a server: of a recording it is not offered. Pressed all the same, it says why nothing is sent."""


class FooterBar(ItemBar):
    """One line of keys. A click on one does what the key does."""

    DEFAULT_CSS = """
    FooterBar { dock: bottom; height: 1; background: $footer-background; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id)
        self._offers: dict[str, ActiveBinding] = {}

    def on_mount(self) -> None:
        """Hear of every change of the keys."""
        self.screen.bindings_updated_signal.subscribe(self, self._renew)
        self.call_after_refresh(self._renew, self.screen)

    def _renew(self, screen: Screen[object]) -> None:
        if screen is not self.screen or not self.is_attached:
            return
        recorded = getattr(getattr(self.app, "subject", None), "stage", None) in (
            ConversationStage.LOADING,
            ConversationStage.RECORDED,
        )
        valid = {each.binding.id: each for each in valid_actions(screen)}
        untyped = [each for each in _untyped(screen) if each.binding.id not in _MENU_IDS or _has_entries(each, valid)]
        active = [each for each in _in_order(untyped) if not (recorded and each.binding.id in _SENDING)]
        if any(found.binding.id == "help" for found in active):  # one of the two is enough
            active = [found for found in active if found.binding.id != "help.typing"]
        left = [found for found in active if found.binding.id not in _RIGHT]
        right = [found for found in active if found.binding.id in _RIGHT]
        self._offers = {_name(found.binding): found for found in active}
        self.show([_line(left, right)])

    def pressed(self, name: str) -> None:
        """Do what was clicked; what can't be done now sounds the bell."""
        found = self._offers[name]
        if found.enabled:
            self.app.call_later(self.app.run_action, found.binding.action, found.node)
        else:
            self.app.bell()


def _untyped(screen: Screen[object]) -> Iterator[ActiveBinding]:
    """The keys that work now. Textual leaves some out that a field with the focus takes, but not all."""
    focused = screen.focused
    for key, found in screen.active_bindings.items():
        typed = focused is not None and found.node is not focused and keys.types(key, key_to_character(key))
        if not typed or focused is None or not focused.check_consume_key(key, "x"):
            yield found


def _in_order(active: Iterable[ActiveBinding]) -> list[ActiveBinding]:
    """Return the bindings to be shown, each action once: with the first of its keys that works now."""
    shown = sorted((found for found in active if found.binding.show), key=lambda found: -_turn(found.binding))
    once = {_name(found.binding): found for found in shown}
    return sorted(once.values(), key=lambda found: _ORDER.get(found.binding.id or "", (False, False, len(_ORDER))))


def _turn(binding: Binding) -> int:
    """Which of its action's keys a binding is: people are told the first."""
    known = next((action.keys for action in keys.ACTIONS if action.id == binding.id), ())
    return known.index(binding.key) if binding.key in known else 0


def _name(binding: Binding) -> str:
    return binding.id or binding.action


def _line(left: list[ActiveBinding], right: list[ActiveBinding]) -> BarLine:
    return BarLine(
        tuple(
            _item(found, _MENU_RANK if found.binding.id in _MENU_IDS else 2 * at) for at, found in enumerate(left, 1)
        ),
        tuple(_item(found, _RIGHT[found.binding.id or ""]) for found in right),
        inset=1,
        says_more=True,
    )


def _item(found: ActiveBinding, rank: int) -> BarItem:
    binding = found.binding
    return BarItem(
        (
            (visible(_key(binding)), "accent" if found.enabled else "faint"),
            (f" {visible(binding.description)}", "muted"),
        ),
        name=_name(binding),
        rank=rank,
    )


def _key(binding: Binding) -> str:
    """The key as this terminal can write it; one that the user chose has no name of its own."""
    known = [action for action in keys.ACTIONS if action.id == binding.id and binding.key_display]
    if not known:
        return binding.key_display or keys.key_name(binding.key)
    return keys.key_name(binding.key if binding.key in known[0].keys else known[0].keys[0])


# What is valid now, and the menus of it: a key opens one at the bottom edge, a second key acts.

_MENU_RANK = 5
"""The menus stay where room is short, beside the first two other keys."""
_MENU_IDS = {"menu.go": "g", "menu.view": "v", "menu.filter": "f", "menu.act": "x"}


def valid_actions(screen: Screen[object]) -> list[ActiveBinding]:
    """Return what can be done now, each action once, in the order of focus, screen and app."""
    found: dict[str, ActiveBinding] = {}
    for each in screen.active_bindings.values():
        name = each.binding.id  # without one it is Textual's own, such as Ctrl+Q
        if name and each.enabled and name not in found and _is_done_by_somebody(each, screen):
            found[name] = each
    return list(found.values())


def _is_done_by_somebody(found: ActiveBinding, screen: Screen[object]) -> bool:
    """Whether the widget that binds an action has it. A widget may bind a whole place, and do a part of it."""
    namespace, _, name = found.binding.action.partition("(")[0].rpartition(".")
    return bool(namespace) or found.node is screen.app or hasattr(found.node, f"action_{name}")


def _has_entries(menu: ActiveBinding, valid: Mapping[str | None, ActiveBinding]) -> bool:
    prefix = _MENU_IDS[menu.binding.id or ""] + " "
    return any(key.startswith(prefix) for name in valid for key in _keys_of(name))


def _keys_of(identifier: str | None) -> tuple[str, ...]:
    known = keys.known_action(identifier or "")
    return known.keys if known is not None else ()


class MenuBar(ItemBar):
    """The entries of a menu in columns, above its title. A click on one acts."""

    DEFAULT_CSS = """
    MenuBar { dock: bottom; height: auto; background: $panel; }
    """

    class Pressed(Message):
        """An entry was clicked, by its second key; "" for the title, which closes."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, title: str, entries: Mapping[str, ActiveBinding]) -> None:
        """`entries` by their second keys, in order."""
        super().__init__()
        self._title = title
        self._entries = entries

    def on_mount(self) -> None:
        """Arrange."""
        self._arrange(self.app.size.width)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        """As few rows as the width allows, read downwards."""
        names = [(key, keys.key_name(key), visible(each.binding.description)) for key, each in self._entries.items()]
        wide = max((cell_width(name) for _, name, _ in names), default=1)
        cell = max(wide + 1 + cell_width(label) for _, _, label in names) + 2
        columns = max(1, min(len(names), (width - 1) // cell))
        rows = -(-len(names) // columns)
        title = BarItem(((self._title, "title"), ("   Esc", "accent"), (" Close", "muted")), name=_CLOSE)
        lines = [BarLine((title,), inset=1)]
        for row in range(rows):
            items = [
                BarItem(((pad(name, wide), "accent"), (pad(f" {label}", cell - wide), "text")), name=key)
                for key, name, label in names[row::rows]
            ]
            lines.append(BarLine(tuple(items), gap=0, inset=1))
        self.show(lines)

    def pressed(self, name: str) -> None:
        """Report which entry was clicked."""
        self.post_message(self.Pressed("" if name == _CLOSE else name))


_CLOSE = "close"


class Menus:
    """The menu that is open, if one is: takes the next key or click of an app."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._bar: MenuBar | None = None
        self._entries: dict[str, ActiveBinding] = {}

    @property
    def is_open(self) -> bool:
        """Whether the next key belongs to a menu."""
        return self._bar is not None

    def action_menu(self, leader: str) -> None:
        """Open a menu, unless nothing in it is valid now."""
        self.close()
        self._entries = {}
        for found in sorted(valid_actions(self._app.screen), key=lambda each: _ORDER.get(each.binding.id or "", ())):
            for key in _keys_of(found.binding.id):
                if key.startswith(f"{leader} "):
                    self._entries.setdefault(key[2:], found)
        if not self._entries:
            self._app.bell()
            return
        self._bar = MenuBar(keys.MENUS[leader], self._entries)
        self._app.screen.mount(self._bar)

    def close(self) -> None:
        """Close the menu that is open."""
        if self._bar is not None:
            self._bar.remove()
            self._bar = None

    async def take(self, event: Event) -> bool:
        """Let the open menu take a key or a click; whether it did."""
        if self._bar is None:
            return False
        if isinstance(event, events.Key):
            key = event.character if event.is_printable and event.character != " " else event.key
            found = self._entries.get(key or "")
            self.close()
            if found is not None:
                await self._app.run_action(found.binding.action, found.node)
            return found is not None or event.is_printable or event.key == "escape"
        if isinstance(event, events.MouseDown) and not self._bar.region.contains_point(event.screen_offset):
            self.close()
            return True
        return False

    async def choose(self, key: str) -> None:
        """Do what was clicked."""
        found = self._entries.get(key)
        self.close()
        if found is not None:
            await self._app.run_action(found.binding.action, found.node)


# One line of tabs, one of which is open. A click or its owner opens another.


class TabLine(ItemBar):
    """Names from left to right, and something said at the right edge."""

    DEFAULT_CSS = """
    TabLine { height: 1; background: $surface; }
    """

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, control: "TabLine", name: str) -> None:
            super().__init__()
            self._control = control
            self.name = name

        @property
        def control(self) -> "TabLine":
            """The line it comes from."""
            return self._control

    def show_tabs(self, names: Sequence[str], chosen: str, right: Sequence[Span] = ()) -> None:
        """Show these tabs, one of them open; where room is short, the last ones are left out."""
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
        """Report which tab was clicked."""
        self.post_message(self.Chosen(self, name))


# Buttons side by side. Each names its key, and a click on one does what the key does.


class ButtonBar(ItemBar):
    """Actions as buttons, in as many lines as they need; on a low screen in one, the most important first."""

    DEFAULT_CSS = """
    ButtonBar { height: auto; background: $background; }
    """

    def __init__(self, *actions: str | tuple[str, str]) -> None:
        """`actions`: see `offer`."""
        super().__init__()
        self._items = _buttons(actions)

    def offer(self, *actions: str | tuple[str, str]) -> None:
        """Show buttons for actions by their ids, each with its own label or the one given with it."""
        self._items = _buttons(actions)
        if self.is_attached:
            self._arrange(self.size.width)

    def offer_beside(self, spans: Sequence[Span], *actions: str) -> None:
        """Show some words in one line, and the buttons at its right edge."""
        self._items = []
        self.show([BarLine((BarItem(tuple(spans)),), tuple(_buttons(actions)), gap=1, inset=1)])

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        if self._items:
            self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        lines: list[list[BarItem]] = [[]]
        for item in self._items:
            here = BarLine((*lines[-1], item), gap=1, inset=1)
            if lines[-1] and here.width > width and self.app.size.height >= _LOW:
                lines.append([])
            lines[-1].append(item)
        self.show([BarLine(tuple(line), gap=1, inset=1, says_more=True) for line in lines])

    def pressed(self, name: str) -> None:
        """Run the action of the nearest widget around this that has it, else of the app."""
        action = keys.action(name).action
        method = f"action_{action.partition('(')[0]}"
        owner = next((each for each in self.ancestors if hasattr(each, method)), self.app)
        self.app.call_later(self.app.run_action, action, owner)


_LOW = 20
"""Rows of a screen from which on buttons may take more than one line."""


def _buttons(actions: Iterable[str | tuple[str, str]]) -> list[BarItem]:
    pairs = [(each, "") if isinstance(each, str) else each for each in actions]
    return [_button(name, label, rank) for rank, (name, label) in enumerate(pairs)]


def _button(name: str, label: str, rank: int) -> BarItem:
    spans = button_spans(visible(label or keys.action(name).label), keys.shown_key(name))
    return BarItem(spans, name=name, rank=rank)


def button_spans(label: str, key: str, role: Role = "text") -> tuple[Span, ...]:
    """Return a button; `label` is our own words or has been made safe."""
    return ("[ ", "faint"), (label, role), (f" {key}", "accent"), (" ]", "faint")


def form_or_json(key: str, *, as_json: bool) -> tuple[Span, ...]:
    """Return the switch between form and JSON, with the one that is shown in brackets."""
    form: Span = ("Form ", "faint") if as_json else ("[Form]", "accent")
    json: Span = ("[JSON]", "accent") if as_json else (" JSON", "faint")
    return form, json, (f" {key}", "faint")


# One line with something at its left and something at its right. Draws itself, repaints only what has changed.


class StatusLine(Widget):
    """Two groups of spans; the left one is cut first."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; padding: 0 1; background: $background; color: $text-muted; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._shown: tuple[Sequence[Span], Sequence[Span]] = ((), ())

    def show(self, left: Sequence[Span], right: Sequence[Span] = ()) -> None:
        """Show other spans."""
        if (left, right) != self._shown:
            self._shown = (left, right)
            self.refresh()

    def render(self) -> Text:
        """Lay the groups out for the width there is."""
        left, right = self._shown
        width = self.content_size.width
        right = clip(right, width)
        room = max(0, width - spans_width(right) - 2) if right else width
        left = clip(left, room)
        gap = " " * max(0, width - spans_width(left) - spans_width(right))
        return spans_to_text([*left, (gap, "text"), *right], dark=self.app.current_theme.dark)
