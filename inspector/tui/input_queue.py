"""Keys and clicks, one at a time: each acts only when the one before it has had all its effects.

Textual passes a typed character to the field and continues. The field reports its value later, and a key that opens a
form moves the focus later still. A priority key such as `ctrl+j` would overtake both: it would send the value from
before, and what is typed behind it would go to the wrong widget. So an event waits until every widget between the
focus and the app has worked off its messages, and until the focus is where the screen has put it.

An event never goes to a widget that is gone or hidden: such a widget takes every key and answers none.

A widget that shows something new and moves the focus there by itself holds the queue (`hold_keys`) meanwhile: what is
typed as soon as the new thing is seen is meant for it.

Keys typed ahead do not delay leaving. `ctrl+q` acts at once, and drops what waits before it. `q` may be a letter of a
text, so it keeps its turn; of several screens that were asked for before it only the last is shown.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Final

from textual.app import App, ScreenStackError
from textual.errors import NoWidget
from textual.events import Click, Event, InputEvent, Key, MouseDown, MouseEvent, MouseUp, Paste
from textual.geometry import Offset
from textual.message_pump import MessagePump
from textual.widget import Widget

PATIENCE_S: Final = 2.0
"""Seconds after which the next event no longer waits: a handler that hangs must not lock the keyboard."""
_LONGEST_LOOK_S: Final = 0.2
"""What one look adds to them at most: while the whole process stands still, no handler hangs."""
_ROUNDS: Final = 2
"""From the focus to the app: once with the event itself, once with what its action has asked of the focused widget."""
_MOST_TURNS: Final = 20
"""How often a widget that keeps getting messages is waited for in one round: in a flood keys go on."""

_LEAVES: Final = "ctrl+q"
"""Textual's own key for leaving: it is never text, and acts wherever the focus is."""


class InputQueue:
    """The events of one app that wait for their turn."""

    def __init__(self, app: App[None], refocus: Callable[[], None]) -> None:
        """`refocus` puts the focus on what is visible; it is called when the focus was on something else."""
        self._app = app
        self._refocus = refocus
        self._waiting: deque[tuple[Event, Callable[[Event], Awaitable[None]]]] = deque()
        self._pressed: tuple[Widget, Offset, Offset] | None = None
        self._walk = 0
        """The number of the walk that is on its way; what is left of earlier ones is ignored."""
        self._is_busy = False
        """Whether an event is being worked off, or the focus is on its way."""
        self._is_held = False
        self._waited_s = self._looked_s = 0.0
        """For how long it is busy, and the monotonic time of the last look."""

    @property
    def is_idle(self) -> bool:
        """Whether the next event acts at once."""
        return not self._is_busy and not self._waiting

    @staticmethod
    def concerns(event: Event) -> bool:
        """Whether an event comes from the terminal and has not been given to a widget yet."""
        return isinstance(event, InputEvent | Paste) and not event.is_forwarded

    async def take(self, event: Event, act: Callable[[Event], Awaitable[None]]) -> None:
        """Let an event act, now or when its turn comes. Only to be called by the app's message loop."""
        if isinstance(event, Key) and event.key == _LEAVES:
            self._waiting.clear()
            await act(event)
            return
        self._waiting.append((event, act))
        await self._go_on()

    async def look(self) -> None:
        """Give up waiting for a handler that hangs. Nearly free; to be called now and then."""
        now = time.monotonic()
        since, self._looked_s = now - self._looked_s, now
        if self._is_busy:
            self._waited_s += min(since, _LONGEST_LOOK_S)
            if self._waited_s > PATIENCE_S:
                self._is_busy = self._is_held = False
        if self._waiting:
            await self._go_on()

    def hold(self) -> None:
        """Let events wait until `release`: the focus is on its way to where the next one belongs."""
        self._is_held = True
        self._begin(rounds=_ROUNDS)

    def release(self) -> None:
        """Let events act again, once the focus is where it was asked to be."""
        if self._is_held:
            self._is_held = False
            self._begin(rounds=_ROUNDS)

    async def _go_on(self) -> None:
        while self._waiting and not self._is_busy:
            if lose_hidden_focus(self._app):
                self._refocus()
                self._begin(rounds=1)  # the focus comes first, then the key that waits
                return
            event, act = self._waiting.popleft()
            while self._waiting and self._shows_screen(event) and self._shows_screen(self._waiting[0][0]):
                event, act = self._waiting.popleft()
            if isinstance(event, MouseDown):
                self._pressed = self._pressed_at(event)
            moved = self._moved_click(event) if isinstance(event, MouseUp) else None
            await act(event)
            if moved is not None and moved.widget is not None:
                moved.widget.post_message(moved)
            if isinstance(event, Key | Paste | MouseDown | MouseUp):
                self._begin(self._under(event), rounds=_ROUNDS)

    def _shows_screen(self, event: Event) -> bool:
        """Whether an event is a key that shows another screen, and is not text where the focus is."""
        if not isinstance(event, Key):
            return False
        try:
            focused, bound = self._app.focused, self._app.screen.active_bindings.get(event.key)
        except ScreenStackError:
            return False
        if bound is None or not bound.binding.action.startswith("app.show("):
            return False
        return focused is None or not focused.check_consume_key(event.key, event.character)

    def _pressed_at(self, event: MouseDown) -> tuple[Widget, Offset, Offset] | None:
        """What a button is pressed on: the widget, where in it, and where on the screen."""
        widget = self._under(event)
        if widget is None:
            return None
        return widget, event.screen_offset - widget.screen.find_widget(widget).region.offset, event.screen_offset

    def _moved_click(self, event: MouseUp) -> Click | None:
        """A click on what was pressed and has moved away meanwhile, as when a field folds that loses the focus by it.

        Textual reports a click only where the button is let go on the same widget. None where it does.
        """
        pressed, self._pressed = self._pressed, None
        if pressed is None or pressed[2] != event.screen_offset:
            return None
        widget, (x, y), _ = pressed
        if self._under(event) is widget or not is_in_sight(widget):
            return None
        held = event.button, event.shift, event.meta, event.ctrl
        return Click(widget, x, y, 0, 0, *held, screen_x=event.screen_x, screen_y=event.screen_y, chain=1)

    def _under(self, event: Event) -> Widget | None:
        """The widget under the mouse; None for a key."""
        if not isinstance(event, MouseEvent):
            return None
        try:
            return self._app.get_widget_at(*event.screen_offset)[0]
        except (NoWidget, ScreenStackError):
            return None

    def _begin(self, first: Widget | None = None, *, rounds: int) -> None:
        """Go from the focus to the app, in `rounds`; the next event follows."""
        self._is_busy, self._waited_s = True, 0.0
        self._walk += 1
        if not self._is_held:
            self._round(self._walk, rounds, first)

    def _round(self, walk: int, rounds: int, first: Widget | None) -> None:
        self._step(walk, rounds, iter(list(self._way(first))), first)

    def _way(self, first: Widget | None) -> Iterator[MessagePump]:
        seen: set[MessagePump] = set()
        try:
            starts = (first, self._app.focused or self._app.screen)
        except ScreenStackError:
            return
        for start in starts:
            for node in () if start is None else start.ancestors_with_self:
                if node not in seen and node is not self._app:
                    seen.add(node)
                    yield node

    def _step(self, walk: int, rounds: int, way: Iterator[MessagePump], first: Widget | None) -> None:
        """Pass the next widget that still works off messages; behind the last one comes the app itself."""
        for node in way:
            if node.call_later(self._passed, walk, rounds, way, first, node, 0):
                return
        self._app.call_later(self._arrived, walk, rounds - 1, first)

    def _passed(
        self, walk: int, rounds: int, way: Iterator[MessagePump], first: Widget | None, node: MessagePump, turns: int
    ) -> None:
        """What was before this in a widget's queue is done; what it has put behind is done first, too."""
        if walk != self._walk:
            return
        again = partial(self._passed, walk, rounds, way, first, node, turns + 1)
        if turns < _MOST_TURNS:
            # Textual has no public name for the message that it has taken out of the queue to look at it, and for what
            # a panel has asked to be called after a refresh, such as a focus, once the field is laid out.
            if (node.message_queue_size or getattr(node, "_pending_message", None)) and node.call_later(again):
                return
            if rounds == 1 and getattr(node, "_callbacks", None) and node.call_after_refresh(again):
                return
        self._step(walk, rounds, way, first)

    async def _arrived(self, walk: int, rounds: int, first: Widget | None) -> None:
        if walk != self._walk:
            return
        if rounds:
            self._round(walk, rounds, first)
        else:
            self._is_busy = False
            await self._go_on()


def hold_keys(widget: Widget) -> None:
    """Let keys and clicks wait until `release_keys`: a widget is about to move the focus, though no key asked for it.

    They go on after PATIENCE_S in any case.
    """
    if (queue := _queue_of(widget)) is not None:
        queue.hold()


def release_keys(widget: Widget) -> None:
    """Let keys and clicks act again; to be called once the focus was asked for."""
    if (queue := _queue_of(widget)) is not None:
        queue.release()


def _queue_of(widget: Widget) -> InputQueue | None:
    queue = getattr(widget.app, "input_queue", None)
    return queue if isinstance(queue, InputQueue) else None


class FocusKeeper:
    """Puts the focus on what is visible, once it is on something else or Textual has dropped it."""

    def __init__(self, app: App[None], refocus: Callable[[], None]) -> None:
        self._app = app
        self._refocus = refocus
        self._had_focus = False
        """Whether anything had the focus at the last look."""

    def tick(self) -> None:
        """Look where the focus is. Nearly free."""
        if not (stack := self._app.screen_stack):  # it is ending
            return
        focused = stack[-1].focused
        lost = focused is None and self._had_focus and self._app.app_focus and len(stack) == 1
        self._had_focus = focused is not None
        if lost or has_hidden_focus(self._app):
            self._app.call_later(self._mend)  # a focus that was asked for before this comes first

    def _mend(self) -> None:
        if lose_hidden_focus(self._app) or self._app.screen.focused is None:
            self._refocus()


def has_hidden_focus(app: App[None]) -> bool:
    """Whether the focus is on a widget that is gone or not displayed. Nearly free."""
    try:
        focused = app.screen.focused
    except ScreenStackError:  # it is ending
        return False
    return focused is not None and not is_in_sight(focused)


def lose_hidden_focus(app: App[None]) -> bool:
    """Take the focus from a widget that is gone or not displayed; whether it was taken."""
    if not has_hidden_focus(app):
        return False
    app.screen.set_focus(None)
    return True


def is_in_sight(widget: Widget) -> bool:
    """Whether a widget is there and displayed, and so is all that it is in. It may be scrolled away."""
    return widget.is_attached and all(node.display for node in widget.ancestors_with_self)
