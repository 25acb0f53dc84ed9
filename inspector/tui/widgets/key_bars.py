"""Keys at the bottom edge: the footer with those that work now, and the menus, which a first key opens."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from textual import events
from textual.app import App
from textual.binding import ActiveBinding, Binding
from textual.events import Event
from textual.keys import key_to_character
from textual.message import Message
from textual.screen import Screen

from inspector.text import cell_width, pad, visible
from inspector.tui import keys
from inspector.tui.input_queue import drop_typed_ahead
from inspector.tui.widgets.bars import LOW, BarItem, BarLine, ItemBar
from inspector.tui.widgets.virtual_lines import VirtualLines
from inspector.tui.widgets.virtual_list import LogList

_ORDER = {
    action.id: (action.id.startswith("menu."), action.where == keys.ActionScope.EVERYWHERE, place)
    for place, action in enumerate(keys.ACTIONS)
}
"""Actions of a screen before those that work everywhere, and the menus last."""
_RIGHT = {"help": 0, "help.typing": 0, "palette": 100, "quit": 0}
"""Actions on the right of every screen, with their ranks; see `BarItem.rank`."""
_SENDING = frozenset(
    (
        *("tools.send", "resources.send", "resources.subscribe", "prompts.send", "offered.more", "inbox.roots"),
        *("inbox.capabilities", "server.capabilities", "log.ask", "composer.send", "tasks.cancel", "tasks.fetch"),
        *("tasks.follow", "tasks.list", "skills.read", "skills.check", "skills.list", "skills.get"),
    )
)
"""Actions that need a server. A capture does not offer them; if pressed all the same, they show why nothing is sent."""
_MENU_IDS = {"menu.go": "g", "menu.view": "v", "menu.filter": "f", "menu.act": "x"}
_ESCAPE_RANK, _MENU_RANK = 3, 5
"""Ranks where space is short: what Esc does stays along with the first other key, the menus with the first two."""
_CLOSE, _MORE = "close", "more rows"
_ROWS_KEPT, _ROWS_LOW = 8, 3
"""Rows of the screen that a menu leaves visible, and rows of a menu on a low screen."""


# The footer: the keys that work now, according to the focus and the panels.


class FooterBar(ItemBar):
    """One line of keys. A click on a key runs its action."""

    DEFAULT_CSS = """
    FooterBar { dock: bottom; height: 1; background: $footer-background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._offers: dict[str, ActiveBinding] = {}

    def on_mount(self) -> None:
        """Subscribe to changes of the key bindings."""
        self.screen.bindings_updated_signal.subscribe(self, self._renew)
        self.call_after_refresh(self._renew, self.screen)

    def _renew(self, screen: Screen[object]) -> None:
        if screen is not self.screen or not self.is_attached:
            return
        recorded = getattr(getattr(self.app, "conversation", None), "is_recorded", False)
        bindings = screen.active_bindings  # computed on each access
        valid = {each.binding.id: each for each in valid_actions(screen, bindings)}
        untyped = [
            each for each in _untyped(screen, bindings) if each.binding.id not in _MENU_IDS or _has_entries(each, valid)
        ]
        is_detail = isinstance(screen.focused, VirtualLines) and not isinstance(screen.focused, LogList)
        if not (screen.is_modal or is_detail):  # elsewhere, Back needs no hint
            untyped = [each for each in untyped if each.binding.id != "back"]
        active = [each for each in _in_order(untyped) if not (recorded and each.binding.id in _SENDING)]
        if any(found.binding.id == "help" for found in active):  # one of the two is enough
            active = [found for found in active if found.binding.id != "help.typing"]
        left = [found for found in active if found.binding.id not in _RIGHT]
        right = [found for found in active if found.binding.id in _RIGHT]
        self._offers = {_name(found.binding): found for found in active}
        self.show([_line(left, right)])

    def pressed(self, name: str) -> None:
        """Run the clicked action; a disabled one rings the bell."""
        found = self._offers[name]
        if found.enabled:
            self.app.call_later(self.app.run_action, found.binding.action, found.node)
        else:
            self.app.bell()


def _untyped(screen: Screen[object], bindings: Mapping[str, ActiveBinding]) -> Iterator[ActiveBinding]:
    """Yield the keys that work now. Textual leaves out some of the keys that a focused field consumes, but not all."""
    focused = screen.focused
    for key, found in bindings.items():
        first, _, second = key.partition(" ")  # "x e" begins with the key of a menu, which is the app's
        typed = bool(second or found.node is not focused) and keys.types(first, key_to_character(first))
        if not typed or focused is None or not focused.check_consume_key(first, "x"):
            yield found


def working_key(app: App[Any], identifier: str) -> str:
    """Return the name of the first key of an action that works now; "" if a focused field consumes all of them."""
    focused = app.focused
    found = keys.action(identifier).keys
    if focused is not None:
        begins = {each: each.partition(" ")[0] for each in found}  # "g t" begins with a letter
        found = tuple(
            each for each, first in begins.items() if len(first) > 1 or not focused.check_consume_key(first, first)
        )
    return keys.key_name(found[0]) if found else ""


def _in_order(active: Iterable[ActiveBinding]) -> list[ActiveBinding]:
    """Return the bindings to show, each action once, with the first of its keys that works now."""
    shown = sorted((found for found in active if found.binding.show), key=lambda found: -_turn(found.binding))
    once = {_name(found.binding): found for found in shown}
    return sorted(once.values(), key=lambda found: _ORDER.get(found.binding.id or "", (False, False, len(_ORDER))))


def _turn(binding: Binding) -> int:
    """Return the position of a binding among the keys of its action; the first key is preferred."""
    known = next((action.keys for action in keys.ACTIONS if action.id == binding.id), ())
    return known.index(binding.key) if binding.key in known else 0


def _name(binding: Binding) -> str:
    return binding.id or binding.action


def _line(left: list[ActiveBinding], right: list[ActiveBinding]) -> BarLine:
    return BarLine(
        tuple(_item(found, _rank(found.binding, at)) for at, found in enumerate(left, 1)),
        tuple(_item(found, _RIGHT[found.binding.id or ""]) for found in right),
        inset=1,
        says_more=True,
    )


def _rank(binding: Binding, at: int) -> int:
    return _ESCAPE_RANK if binding.key == "escape" else _MENU_RANK if binding.id in _MENU_IDS else 2 * at


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
    """Return the label of a key in this terminal; keys set by the user have no name in `ACTIONS`."""
    known = [action for action in keys.ACTIONS if action.id == binding.id and binding.key_display]
    if not known:
        return binding.key_display or keys.key_name(binding.key)
    return keys.key_name(binding.key if binding.key in known[0].keys else known[0].keys[0])


# The valid actions and their menus: one key opens a menu at the bottom edge, a second key runs an action.


def valid_actions(screen: Screen[object], bindings: Mapping[str, ActiveBinding] | None = None) -> list[ActiveBinding]:
    """Return the actions that are valid now, each once, in the order of focus, screen and app.

    `bindings`: the screen's active bindings if they are known.
    """
    found: dict[str, ActiveBinding] = {}
    for each in (screen.active_bindings if bindings is None else bindings).values():
        name = each.binding.id  # bindings without an id are Textual's own, such as Ctrl+Q
        if name and each.enabled and name not in found and _is_implemented(each, screen):
            found[name] = each
    return list(found.values())


def _is_implemented(found: ActiveBinding, screen: Screen[object]) -> bool:
    """Whether the binding node implements the action: a widget may bind a whole scope and implement a part."""
    namespace, _, name = found.binding.action.partition("(")[0].rpartition(".")
    return bool(namespace) or found.node is screen.app or hasattr(found.node, f"action_{name}")


def _has_entries(menu: ActiveBinding, valid: Mapping[str | None, ActiveBinding]) -> bool:
    prefix = _MENU_IDS[menu.binding.id or ""] + " "
    return any(key.startswith(prefix) for name in valid for key in _keys_of(name))


def _keys_of(identifier: str | None) -> tuple[str, ...]:
    known = keys.known_action(identifier or "")
    return known.keys if known is not None else ()


class MenuBar(ItemBar):
    """The entries of a menu in columns, above its title. A click on an entry runs it."""

    DEFAULT_CSS = """
    MenuBar { dock: bottom; height: auto; background: $panel; }
    """

    class Pressed(Message):
        """Reports a clicked entry by its second key; "" for the title, which closes the menu."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, title: str, entries: Mapping[str, ActiveBinding]) -> None:
        """`entries` maps the second keys to the bindings, in order."""
        super().__init__()
        self._title = title
        self._entries = entries
        self._top = 0
        """First visible row, if the menu is higher than the screen."""
        self._rows = self._room = 0

    def on_mount(self) -> None:
        self._arrange(self.app.size.width)

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size.width)

    def _arrange(self, width: int) -> None:
        """Use as few rows as the width allows; entries run down the columns."""
        names = [(key, keys.key_name(key), visible(each.binding.description)) for key, each in self._entries.items()]
        wide = max((cell_width(name) for _, name, _ in names), default=1)
        cell = max(wide + 1 + cell_width(label) for _, _, label in names) + 2
        columns = max(1, min(len(names), (width - 1) // cell))
        rows = self._rows = -(-len(names) // columns)
        height = self.app.size.height
        self._room = min(rows, height - _ROWS_KEPT if height >= LOW else _ROWS_LOW)
        self._top = max(0, min(self._top, rows - self._room))
        title = BarItem(((self._title, "title"), ("   Esc", "accent"), (" Close", "muted")), name=_CLOSE)
        seen = f" {self._top + 1}–{self._top + self._room} of {rows} rows"
        more = BarItem((("↑ ↓", "accent"), (seen, "muted")), name=_MORE)
        lines = [BarLine((title,), (more,) if self._room < rows else (), inset=1)]
        for row in range(self._top, self._top + self._room):
            items = [
                BarItem(((pad(name, wide), "accent"), (pad(f" {label}", cell - wide), "text")), name=key)
                for key, name, label in names[row::rows]
            ]
            lines.append(BarLine(tuple(items), gap=0, inset=1))
        self.show(lines)

    def scroll_rows(self, key: str) -> bool:
        """Scroll by a key or by the wheel; return whether it is a key that scrolls, and there is more to see."""
        by = {"up": -1, "down": 1, "pageup": -self._room, "pagedown": self._room}.get(key)
        if by is None or self._room >= self._rows:
            return False
        self._top += by
        self._arrange(self.size.width)
        return True

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows("up")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows("down")

    def pressed(self, name: str) -> None:
        """Report the clicked entry, or show the next rows; after the last, the first ones."""
        if name != _MORE:
            self.post_message(self.Pressed("" if name == _CLOSE else name))
        elif self._top + self._room >= self._rows:
            self._top = 0
            self._arrange(self.size.width)
        else:
            self.scroll_rows("pagedown")


class Menus:
    """The open menu, if any. It receives the next key or click of the app."""

    def __init__(self, app: App[Any], has_next_key: Callable[[], bool] = lambda: False) -> None:
        """`has_next_key` returns whether the next key has been typed already."""
        self._app = app
        self._has_next_key = has_next_key
        self.bar: MenuBar | None = None
        """The open menu."""
        self._entries: dict[str, ActiveBinding] = {}
        self._leader = ""
        """Key of the menu."""

    @property
    def is_open(self) -> bool:
        """Whether the next key belongs to a menu."""
        return self.bar is not None

    def action_menu(self, leader: str) -> None:
        """Open a menu; ring the bell if none of its actions is valid now."""
        self.close()
        self._entries, self._leader = {}, leader
        for found in sorted(valid_actions(self._app.screen), key=lambda each: _ORDER.get(each.binding.id or "", ())):
            for key in _keys_of(found.binding.id):
                if key.startswith(f"{leader} "):
                    self._entries.setdefault(key[2:], found)
        if not self._entries:
            self._refuse(keys.key_name(leader))
            return
        self.bar = MenuBar(keys.MENUS[leader], self._entries)
        self._app.call_later(self._show, self.bar)

    def _show(self, bar: MenuBar) -> None:
        """Show the menu, unless the key that closes it has been typed already: showing takes longer than typing."""
        if bar is self.bar and not self._has_next_key() and self._app.screen.is_attached:  # it is not once we leave
            self._app.screen.mount(bar)

    def _refuse(self, pressed: str) -> None:
        """Ring the bell and say that keys have no action; those typed ahead are dropped."""
        self._app.bell()
        self._app.notify(f"{pressed}: no action here.", timeout=3)
        drop_typed_ahead(self._app.screen)

    def close(self) -> None:
        """Close the open menu, if any."""
        if self.bar is not None:
            if self.bar.is_attached:
                self.bar.remove()
            self.bar = None

    async def take(self, event: Event) -> bool:
        """Pass a key or a click to the open menu, and return whether the menu has consumed it."""
        if self.bar is None:
            return False
        if isinstance(event, events.Key):
            key = event.character if event.is_printable and event.character != " " else event.key
            found = self._entries.get(key or "")
            if found is None and self.bar.is_attached and self.bar.scroll_rows(event.key):
                return True
            self.close()
            if found is not None:
                await self._app.run_action(found.binding.action, found.node)
            elif event.is_printable:
                self._refuse(f"{keys.key_name(self._leader)} {key}")
            return found is not None or event.is_printable or event.key == "escape"
        if isinstance(event, events.MouseDown) and not self.bar.region.contains_point(event.screen_offset):
            self.close()
            return True
        return False

    async def choose(self, key: str) -> None:
        """Close the menu and run the clicked entry."""
        found = self._entries.get(key)
        self.close()
        if found is not None:
            await self._app.run_action(found.binding.action, found.node)
