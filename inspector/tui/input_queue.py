"""Queue of keys and clicks: each is handled only after the previous one has had all its effects.

Textual passes a typed character to the field and continues. The field reports its value later, and a key that opens
a form moves the focus even later. A priority key such as `ctrl+j` would overtake both: it would send the previous
value, and text typed after it would go to the wrong widget. An event therefore waits until every widget between the
focus and the app has processed its messages, and until the focus has moved to where the screen has put it.

An event is never sent to a widget that is removed or hidden: such a widget consumes every key without any effect.

A widget that shows something new and moves the focus there without a key holds the queue (`hold_keys`) meanwhile:
text typed as soon as the new content is visible is meant for it.

A search or a list that waits for a pause in typing (`postpone`), or works on a thread (`settling`), is superseded
input: an event that acts is handled only after it, so that no action uses an earlier selection or filter. Enter in a
search acts, too: where it leads depends on what was found. If that is nothing, the keys typed ahead act nowhere else.

Keys typed ahead do not delay leaving. `ctrl+q` acts at once and drops the events before it. `q` may be part of a
text, so it waits for its turn. Of several screen changes in the queue, only the last one is carried out. What fails,
or asks first, drops the keys behind it (`drop_typed_ahead`).

Nothing is painted between a key and its last effect (`paint_in_turn`): the clock of Textual would paint the half of it,
and the rest again. Long effects are painted ten times a second.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from textual.app import App, ScreenStackError
from textual.errors import NoWidget
from textual.events import Click, Event, InputEvent, Key, MouseDown, MouseEvent, MouseUp, Paste
from textual.geometry import Offset
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from inspector.giving_way import ask_for_way, return_way
from inspector.text import counted

PATIENCE_S: Final = 2.0
"""Maximum wait of an event, in seconds: a handler that hangs must not lock the keyboard."""
_LONGEST_LOOK_S: Final = 0.05
"""Maximum time that one tick adds to the wait: on a busy machine, or while suspended, no handler hangs."""
_ROUNDS: Final = 2
"""Rounds from the focus to the app: one for the event, one for what its action has requested of the focused widget."""
_MOST_TURNS: Final = 20
"""Maximum number of waits per round for a widget that keeps receiving messages: keys continue during a flood."""

_UNPAINTED_S: Final = 0.1
"""Maximum time that effects of keys stay unpainted while others follow."""
_LONG_PAINT_S: Final = 0.015
_REST_AFTER_PAINT: Final = 2
_LONGEST_REST_S: Final = 0.2
"""A paint that takes long and is not for a key is followed by so many times its duration without one, except for a key:
in a flood, painting would use all the time, and each key would wait for a paint."""

FIRST_LOAD: Final = "first load"
"""Group of the work that gives a widget its first content: keys that move a cursor wait for it, too."""
_FINDS: Final = "search.done"
"""The action of a search that goes to what was found."""
_LEAVES: Final = "ctrl+q"
"""Textual's own key to quit: it is never text, and works wherever the focus is."""
_T = TypeVar("_T")


class Postponed:
    """Callbacks that wait for a pause in typing, one for each widget."""

    def __init__(self) -> None:
        self._waiting: dict[Widget, tuple[Timer, Callable[[], object]]] = {}

    def add(self, widget: Widget, seconds: float, callback: Callable[[], object]) -> None:
        """Replace the callback of a widget."""
        self.drop(widget)
        self._waiting[widget] = widget.set_timer(seconds, partial(self._call_due, widget)), callback

    def drop(self, widget: Widget) -> None:
        """Drop the callback of a widget."""
        if (found := self._waiting.pop(widget, None)) is not None:
            found[0].stop()

    def call_all(self) -> bool:
        """Call back without waiting; return whether anything was waiting."""
        widgets = list(self._waiting)
        for widget in widgets:
            self._call(widget)
        return bool(widgets)

    def _call_due(self, widget: Widget) -> None:
        """Call back after the pause. A key that is pressed now waits for the effects, as for those of a key."""
        self._call(widget)
        if (queue := _queue_of(widget)) is not None:
            queue.await_effects()

    def _call(self, widget: Widget) -> None:
        found = self._waiting.pop(widget, None)
        if found is None:
            return  # the timer was due, and the callback was called or dropped before it
        timer, callback = found
        timer.stop()
        if widget.is_attached:
            callback()


_postponed: "WeakKeyDictionary[App[None], Postponed]" = WeakKeyDictionary()
"""By app."""


def _postponed_of(app: App[None]) -> Postponed:
    return _postponed.setdefault(app, Postponed())


class InputQueue:
    """Input events of one app that wait for their turn."""

    def __init__(self, app: App[Any], refocus: Callable[[], None]) -> None:
        """`refocus` focuses a visible widget; it is called if the focus was on a hidden one."""
        self._app = app
        self._refocus = refocus
        self.update: Callable[[], None] = lambda: None
        """Brings what is visible up to date; called before the effects of a key are painted."""
        self._waiting: deque[tuple[Event, Callable[[Event], Awaitable[None]], bool]] = deque()
        """Events with how to handle them, and whether each arrived before the previous one was handled."""
        self._handled: Event | None = None
        """The event that is handled, or was handled last."""
        self.is_typed_ahead = False
        """Whether the event that is handled arrived before the previous one was handled."""
        self._pressed: tuple[Widget, Offset, Offset] | None = None
        self._walk = 0
        """Number of the current walk; callbacks of earlier walks are ignored."""
        self._is_busy = False
        """Whether an event is being processed, or the focus is about to move."""
        self._is_held = False
        self._postponed = _postponed_of(app)
        self._working: dict[tuple[Widget, str], object] = {}
        """What is settled by a worker, by its widget and group."""
        self._waited_s = self._looked_s = 0.0
        """How long it has been busy, and the monotonic time of the last tick."""
        self._painted_s = self._rest_until_s = 0.0
        """Monotonic time of the last paint, or of the first key since then; time until which only keys are painted."""
        self._is_unpainted = self._paints_key = False
        """Whether a paint was left out; whether what a key has changed is painted."""
        self._late: asyncio.TimerHandle | None = None
        """Paints what was left out."""

    @property
    def is_idle(self) -> bool:
        """Whether the next event is handled at once."""
        return not self._is_busy and not self._waiting

    @property
    def has_key(self) -> bool:
        """Whether the next event is a key that waits for its turn."""
        return bool(self._waiting) and isinstance(self._waiting[0][0], Key)

    @property
    def rests(self) -> bool:
        """Whether only keys are painted for a moment, because the last paint took long."""
        return time.monotonic() < self._rest_until_s

    def paint(self, paint: Callable[[], None]) -> None:
        """Paint, unless it is done after the last effect of a key, or after a rest."""
        start = time.monotonic()
        is_amid = self._is_busy and start - self._painted_s < _UNPAINTED_S
        self._is_unpainted = not self._paints_key and (is_amid or self.rests)
        if self._is_unpainted:
            self._paint_soon()
            return
        paint()
        self._painted_s = time.monotonic()
        if self._paints_key:  # what it has requested may come at once
            return
        took = self._painted_s - start
        rest = min(_REST_AFTER_PAINT * took, _LONGEST_REST_S) if took > _LONG_PAINT_S else 0.0
        self._rest_until_s = self._painted_s + rest

    def _paint_soon(self) -> None:
        """Paint what was left out, should no key do so before."""
        if self._late is None:
            wait = self._rest_until_s - time.monotonic() if self.rests else _UNPAINTED_S
            self._late = asyncio.get_running_loop().call_later(wait, self._paint_late)

    def _paint_late(self) -> None:
        self._late = None
        if self._is_unpainted:
            if self.rests:
                self._paint_soon()
            else:
                self._paint()

    @staticmethod
    def concerns(event: Event) -> bool:
        """Whether an event comes from the terminal and has not been forwarded to a widget yet."""
        return isinstance(event, InputEvent | Paste) and not event.is_forwarded

    async def take(self, event: Event, act: Callable[[Event], Awaitable[None]]) -> None:
        """Handle an event, now or when its turn comes. Call it only from the app's message loop."""
        if isinstance(event, Key) and event.key == _LEAVES:
            self._waiting.clear()
            await act(event)
            return
        self._waiting.append((event, act, not self.is_idle))
        await self._go_on()

    def drop(self) -> int:
        """Drop the events that wait, with a bell: they were meant for what was visible before. Return how many keys."""
        keys = sum(isinstance(event, Key) for event, _, _ in self._waiting)
        if self._waiting:
            self._waiting.clear()
            self._app.bell()
        return keys

    def take_keys(self) -> list[Key]:
        """Take the keys that wait, and drop the other events."""
        keys = [event for event, _, _ in self._waiting if isinstance(event, Key)]
        self._waiting.clear()
        return keys

    def take_repeats(self, most: int) -> int:
        """Take the next events, at most so many, that are the same key as the one that is handled; return how many."""
        key, count = getattr(self._handled, "key", None), 0
        while count < most and self._waiting and key is not None and getattr(self._waiting[0][0], "key", None) == key:
            self._waiting.popleft()
            count += 1
        return count

    async def look(self) -> None:
        """Stop waiting for a handler that hangs. Nearly free; called at each tick."""
        now = time.monotonic()
        since, self._looked_s = now - self._looked_s, now
        if self._is_busy or (self._working and self._waiting):
            self._waited_s += min(since, _LONGEST_LOOK_S)
            if self._waited_s > PATIENCE_S:
                self._is_busy = self._is_held = False
                self._working.clear()
        if self._waiting:
            await self._go_on()

    def await_effects(self) -> None:
        """Let events wait until what has just been called has had its effects."""
        self._begin(rounds=_ROUNDS)

    def hold(self) -> None:
        """Hold events until `release`: the focus is about to move to the widget that the next one is meant for."""
        self._is_held = True
        self._begin(rounds=_ROUNDS)

    def release(self) -> None:
        """Release held events, once the new focus has been requested."""
        if self._is_held:
            self._is_held = False
            self._begin(rounds=_ROUNDS)

    def settling(
        self, widget: Widget, group: str, work: Callable[[], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        """Let events that act wait from now on; return the work with what ends that. It replaces that of its group."""
        self._working[widget, group] = token = object()

        async def settle() -> None:
            try:
                await work()
            finally:
                if self._working.get((widget, group)) is token:
                    del self._working[widget, group]
                    self._begin(rounds=_ROUNDS)

        return settle

    def _is_settled(self) -> bool:
        """Whether an event may act now; otherwise what it waits for is started, and it is asked again afterwards."""
        if self._postponed.call_all():
            self._begin(rounds=_ROUNDS)
            return False
        return not self._working

    def _acts(self, event: Event) -> bool:
        """Whether an event may use what is selected: it neither edits a text, moves a cursor nor leaves."""
        if not isinstance(event, Key | MouseDown) or (isinstance(event, Key) and event.key == "escape"):
            return False
        if isinstance(event, MouseDown):
            return True
        try:
            focused, bound = self._app.focused, self._app.screen.active_bindings.get(event.key)
        except ScreenStackError:
            return False
        if isinstance(focused, Input) and (bound is None or bound.node is focused):
            return bound is not None and bound.binding.id == _FINDS
        if focused is not None and focused.check_consume_key(event.key, event.character):
            return False
        return bound is None or self._is_loading or not (bound.binding.id or "").startswith("move.")

    @property
    def _is_loading(self) -> bool:
        """Whether a visible widget has nothing yet to move in."""
        return any(group == FIRST_LOAD and is_displayed(widget) for widget, group in self._working)

    async def _go_on(self) -> None:
        while self._waiting and not self._is_busy:
            if lose_hidden_focus(self._app):
                _restore_focus(self._app, self._refocus)
                self._begin(rounds=1)  # the focus first, then the waiting key
                return
            if self._acts(self._waiting[0][0]) and not self._is_settled():
                return
            event, act, self.is_typed_ahead = self._waiting.popleft()
            while self._waiting and self._shows_screen(event) and self._shows_screen(self._waiting[0][0]):
                event, act, _ = self._waiting.popleft()
            if self.is_typed_ahead and self._is_behind_nothing(event):
                self._app.bell()
                continue
            self._handled = event
            if isinstance(event, MouseDown):
                self._pressed = self._pressed_at(event)
            moved = self._moved_click(event) if isinstance(event, MouseUp) else None
            await self._do(act, event)
            if moved is not None and moved.widget is not None:
                moved.widget.post_message(moved)
            if isinstance(event, Key | Paste | MouseDown | MouseUp):
                self._begin(self._under(event), rounds=_ROUNDS)

    async def _do(self, act: Callable[[Event], Awaitable[None]], event: Event) -> None:
        """Handle an event. A tick that comes while its action waits, as for a verdict, does not start the next one."""
        walk, self._is_busy, self._waited_s = self._walk, True, 0.0
        if not self._is_unpainted:
            self._painted_s = time.monotonic()
        if isinstance(event, Key):
            ask_for_way()
        try:
            await act(event)
        finally:
            if walk == self._walk:
                self._is_busy = False

    def _paint(self) -> None:
        """Paint what a key has changed. Textual would wait for the next tick of its clock.

        A dialog that opens paints itself once it is laid out.
        """
        screen = self._app.screen_stack[-1] if self._app.screen_stack else None
        if screen is None or not screen.is_running or not screen.size or getattr(screen, "_opening", False):
            return
        self._paints_key = True
        try:
            with screen._context():  # noqa: SLF001 - as the clock calls it
                screen._on_timer_update()  # noqa: SLF001
                if self._is_unpainted:
                    screen._compositor_refresh()  # noqa: SLF001
        finally:
            self._paints_key = False

    def _shows_screen(self, event: Event) -> bool:
        """Whether an event is a key that shows another screen and would not be typed into the focused widget."""
        if not isinstance(event, Key):
            return False
        try:
            focused, bound = self._app.focused, self._app.screen.active_bindings.get(event.key)
        except ScreenStackError:
            return False
        if bound is None or not bound.binding.action.startswith("app.show("):
            return False
        return focused is None or not focused.check_consume_key(event.key, event.character)

    def _is_behind_nothing(self, event: Event) -> bool:
        """Whether an event is a key for another widget than the focused search, which has found nothing."""
        try:
            focused = self._app.focused
            bound = self._app.screen.active_bindings.get(event.key) if isinstance(event, Key) else None
        except ScreenStackError:
            return False
        return bound is not None and bound.node is not focused and getattr(focused, "found_nothing", False)

    def _pressed_at(self, event: MouseDown) -> tuple[Widget, Offset, Offset] | None:
        """Return the widget under the pressed button, and the position in the widget and on the screen."""
        widget = self._under(event)
        if widget is None:
            return None
        return widget, event.screen_offset - self._app.screen.find_widget(widget).region.offset, event.screen_offset

    def _moved_click(self, event: MouseUp) -> Click | None:
        """Return a click on a widget that has moved since the button was pressed; None if Textual reports it itself.

        It does if the button is released on the same widget. A widget moves, for example, when another field folds on
        losing the focus.
        """
        pressed, self._pressed = self._pressed, None
        if pressed is None or pressed[2] != event.screen_offset:
            return None
        widget, (x, y), _ = pressed
        if self._under(event) is widget or not is_displayed(widget):
            return None
        held = event.button, event.shift, event.meta, event.ctrl
        return Click(widget, x, y, 0, 0, *held, screen_x=event.screen_x, screen_y=event.screen_y, chain=1)

    def _under(self, event: Event) -> Widget | None:
        """Return the widget under the mouse; None for a key."""
        if not isinstance(event, MouseEvent):
            return None
        try:
            return self._app.get_widget_at(*event.screen_offset)[0]
        except (NoWidget, ScreenStackError):
            return None

    def _begin(self, first: Widget | None = None, *, rounds: int) -> None:
        """Start `rounds` walks from the focus to the app; the next event follows."""
        self._is_busy, self._waited_s = True, 0.0
        self._walk += 1
        if not self._is_held:
            self._round(self._walk, rounds, first)

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

    def _round(self, walk: int, rounds: int, first: Widget | None) -> None:
        self._step(walk, rounds, iter(list(self._way(first))), first)

    def _step(self, walk: int, rounds: int, way: Iterator[MessagePump], first: Widget | None) -> None:
        """Wait for the next widget that still processes messages; the last one is the app itself."""
        for node in way:
            if node.call_later(self._passed, walk, rounds, way, first, node, 0):
                return
        self._app.call_later(self._arrived, walk, rounds - 1, first)

    def _passed(
        self, walk: int, rounds: int, way: Iterator[MessagePump], first: Widget | None, node: MessagePump, turns: int
    ) -> None:
        """Continue after the messages queued in a widget, including those added meanwhile."""
        if walk != self._walk:
            return
        again = partial(self._passed, walk, rounds, way, first, node, turns + 1)
        if turns < _MOST_TURNS:
            if _has_messages(node) and node.call_later(again):
                return
            # Textual has no public name for the callbacks that a panel has scheduled after a refresh, such as focusing
            # a field once it is laid out.
            if rounds == 1 and getattr(node, "_callbacks", None) and node.call_after_refresh(again):
                return
        self._step(walk, rounds, way, first)

    async def _arrived(self, walk: int, rounds: int, first: Widget | None) -> None:
        if walk != self._walk:
            return
        if not self._waiting:
            self.update()  # before the last round, too: a widget tells its screen only later that it is to be painted
        if rounds:
            self._round(walk, rounds, first)
            return
        self._is_busy = False
        if not self._waiting:
            self._paint()
            return_way()
        await self._go_on()


def paint_in_turn(screen: Screen[Any], paint: Callable[[], None]) -> None:
    """Paint the visible screen once for each key, not for each of its effects; one below others at once.

    The latter only tells the one above what has changed.
    """
    queue = _queue_of(screen)
    if queue is None or screen is not screen.app.screen:
        paint()
    else:
        queue.paint(paint)


class QueuedScreen(Screen[_T]):
    """A screen that is painted once for each key."""

    def _compositor_refresh(self) -> None:
        paint_in_turn(self, super()._compositor_refresh)


def hold_keys(widget: Widget) -> None:
    """Hold keys and clicks until `release_keys`: a widget is about to move the focus without a key.

    They are released after PATIENCE_S in any case.
    """
    if (queue := _queue_of(widget)) is not None:
        queue.hold()


def release_keys(widget: Widget) -> None:
    """Release keys and clicks; called once the new focus has been requested."""
    if (queue := _queue_of(widget)) is not None:
        queue.release()


def postpone(widget: Widget, seconds: float, callback: Callable[[], object]) -> None:
    """Call back after a pause, or before the next event that acts. Replaces the widget's previous callback."""
    _postponed_of(widget.app).add(widget, seconds, callback)


def forget_postponed(widget: Widget) -> None:
    """Drop the callback of a widget that waits for a pause."""
    _postponed_of(widget.app).drop(widget)


def is_typed_ahead(widget: Widget) -> bool:
    """Whether the key that is handled was pressed before the effect of the previous one was visible."""
    queue = _queue_of(widget)
    return queue is not None and queue.is_typed_ahead


def drop_typed_ahead(widget: Widget) -> None:
    """Drop keys that were typed ahead, and say so: what they were meant for has failed, or asks first."""
    queue = _queue_of(widget)
    if queue is not None and (count := queue.drop()):
        keys = counted(count, "key")
        widget.app.notify(f"Dropped {keys} typed ahead.", severity="warning")


def take_repeats(widget: Widget, most: int) -> int:
    """Take repeats of the key that is handled, at most so many; return how many. They are handled together with it."""
    queue = _queue_of(widget)
    return 0 if queue is None else queue.take_repeats(most)


def settling(widget: Widget, group: str, work: Callable[[], Awaitable[None]]) -> None:
    """Do what an action may need, such as a search, in a worker; events that act wait for it, up to PATIENCE_S.

    It replaces the worker of the same group.
    """
    queue = _queue_of(widget)
    settle = work if queue is None else queue.settling(widget, group, work)
    widget.run_worker(settle, group=group, exclusive=True)


def _queue_of(widget: Widget) -> InputQueue | None:
    queue = getattr(widget.app, "input_queue", None)
    return queue if isinstance(queue, InputQueue) else None


class FocusKeeper:
    """Restores the focus when it is on a hidden widget or Textual has dropped it."""

    def __init__(self, app: App[None], refocus: Callable[[], None]) -> None:
        self._app = app
        self._refocus = refocus
        self._had_focus = False
        """Whether a widget was focused at the last tick."""

    def tick(self) -> None:
        """Check the focus. Nearly free."""
        if not (stack := self._app.screen_stack):  # the app is ending
            return
        focused = stack[-1].focused
        lost = focused is None and self._had_focus and self._app.app_focus and len(stack) == 1
        self._had_focus = focused is not None
        if lost or has_hidden_focus(self._app):
            self._app.call_later(_restore_focus, self._app, self._refocus)


def _restore_focus(app: App[None], refocus: Callable[[], None], turns: int = 0) -> None:
    """Restore a lost focus after all that the app has been asked for: a focus that was requested meanwhile stays."""
    if turns < _MOST_TURNS and _has_messages(app) and app.call_later(_restore_focus, app, refocus, turns + 1):
        return
    if lose_hidden_focus(app) or app.screen.focused is None:
        refocus()
        app.call_later(lose_hidden_focus, app)  # keys act without a focus, but never on a hidden widget


def _has_messages(node: MessagePump) -> bool:
    """Whether messages wait. Textual has no public name for one that it has already taken from the queue."""
    return bool(node.message_queue_size or getattr(node, "_pending_message", None))


def has_hidden_focus(app: App[None]) -> bool:
    """Whether the focused widget is removed or not displayed. Nearly free."""
    try:
        focused = app.screen.focused
    except ScreenStackError:  # the app is ending
        return False
    return focused is not None and not is_displayed(focused)


def lose_hidden_focus(app: App[None]) -> bool:
    """Remove the focus from a widget that is removed or not displayed; return whether it was."""
    if not has_hidden_focus(app):
        return False
    app.screen.set_focus(None)
    return True


def is_displayed(widget: Widget) -> bool:
    """Whether a widget and all its ancestors are attached and displayed. It may be scrolled out of view."""
    return widget.is_attached and all(node.display for node in widget.ancestors_with_self)
