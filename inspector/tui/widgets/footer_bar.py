"""The footer: the keys that do something now, as the focus and the panels bind them.

What belongs to the place in sight stands on the left in the order of `keys.ACTIONS`; what works everywhere stands on
the right. Where room is short the last of the left go first, and a sign says that there is more in the help.
"""

from collections.abc import Iterable, Iterator

from textual.binding import ActiveBinding, Binding
from textual.keys import key_to_character
from textual.screen import Screen

from inspector.tui import keys
from inspector.tui.subject import Stage
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.text import visible

_ORDER = {action.id: (action.where is keys.Where.EVERYWHERE, place) for place, action in enumerate(keys.ACTIONS)}
"""What belongs to a place before what works everywhere."""
_RIGHT = {"help": 0, "help.typing": 0, "palette": 100, "quit": 0}
"""What stands on the right wherever one is, and when it is left out; see `Item.rank`."""
_SENDING = frozenset(
    (
        *("tools.send", "resources.send", "resources.watch", "prompts.send", "offered.more", "inbox.roots"),
        *("inbox.offers", "server.offers", "log.ask", "raw.send", "tasks.cancel", "tasks.fetch", "tasks.follow"),
        *("tasks.list", "skills.read", "skills.check", "skills.list", "skills.get"),
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
        recorded = getattr(getattr(self.app, "subject", None), "stage", None) in (Stage.LOADING, Stage.RECORDED)
        active = [each for each in _in_order(_untyped(screen)) if not (recorded and each.binding.id in _SENDING)]
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
    return sorted(once.values(), key=lambda found: _ORDER.get(found.binding.id or "", (False, len(_ORDER))))


def _turn(binding: Binding) -> int:
    """Which of its action's keys a binding is: people are told the first."""
    known = next((action.keys for action in keys.ACTIONS if action.id == binding.id), ())
    return known.index(binding.key) if binding.key in known else 0


def _name(binding: Binding) -> str:
    return binding.id or binding.action


def _line(left: list[ActiveBinding], right: list[ActiveBinding]) -> Line:
    return Line(
        tuple(_item(found, rank) for rank, found in enumerate(left, 1)),
        tuple(_item(found, _RIGHT[found.binding.id or ""]) for found in right),
        inset=1,
        says_more=True,
    )


def _item(found: ActiveBinding, rank: int) -> Item:
    binding = found.binding
    return Item(
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
