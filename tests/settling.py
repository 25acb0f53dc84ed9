"""Waiting until an app has worked off a key or a click, by what is left to do.

Textual's pilot guesses it by the processor time that the process takes: at least 40 ms a key, and up to two seconds
while anything else works. Here it is what the event loop, the queue of keys and the screen still have before them.
Threads and other processes are not waited for: what comes from there a test awaits with `until`.

No terminal is there to be painted, so the app paints when its keys are worked off, not after each of its timers: half
of an app's processor time would go into pictures that no test looks at. What a test reads is rendered then.
"""

import asyncio
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from textual import events
from textual._compositor import Compositor
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.geometry import Offset
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import OutOfBounds, Pilot, _get_mouse_message_arguments
from textual.widget import Widget

from tests.waiting import PATIENCE_S, SLOWNESS

_parse, _say, _paint = Stylesheet._parse_rules, App.notify, Compositor.render_update
_parsed: dict[tuple[object, ...], Any] = {}
_CALM = 3
"""So many times in a row nothing must be ready to run: some things are done a turn later than they are asked for."""
_MOST_ROUNDS = 50
"""How often the screen is drawn anew at most: what moves by itself never settles."""
_paints = False
"""Whether what has changed is painted now."""


def install() -> None:
    """Have Textual's pilots wait this way from now on, and its apps share the style sheets that they have parsed."""
    App._press_keys = _press_keys  # type: ignore[method-assign]
    Pilot.pause = _pause  # type: ignore[method-assign]
    Pilot._wait_for_screen.__defaults__ = (PATIENCE_S,)
    Pilot._post_mouse_events = _post_mouse_events  # type: ignore[method-assign, assignment]
    App.notify = _notify  # type: ignore[method-assign]
    Stylesheet._parse_rules = _parsed_once  # type: ignore[method-assign]
    Compositor.render_update = _painted_if_wanted  # type: ignore[method-assign]


@contextmanager
def painting() -> Iterator[None]:
    """Paint at once whatever changes, as before a user."""
    global _paints
    before, _paints = _paints, True
    try:
        yield
    finally:
        _paints = before


async def settled(app: App[Any]) -> None:
    """Wait until all that a key or click has brought about in this event loop is done and drawn."""
    await _settled(app)
    if app.is_running and app.screen_stack and not app._batch_count and app.screen._compositor._dirty_regions:
        if (queue := getattr(app, "input_queue", None)) is not None:
            queue._rest_until_s = 0.0  # the test looks now
        with painting():
            app.screen._compositor_refresh()


async def _settled(app: App[Any]) -> None:
    await _worked_off(app)
    tick = getattr(app, "_tick", None)
    if tick is not None and app.is_running:
        await tick()
        await _worked_off(app)


async def click(app: App[Any], place: tuple[int, int]) -> None:
    """Press and release the left mouse button at a column and line of the screen.

    The events take the terminal driver's way through the app. `Pilot.click` goes round the app, and so round its queue
    of keys and clicks.
    """
    x, y = place
    for event in (events.MouseDown, events.MouseUp):
        app.post_message(event(None, x, y, 0, 0, 1, False, False, False, screen_x=x, screen_y=y))
    await settled(app)


async def _worked_off(app: App[Any]) -> None:
    for _ in range(_MOST_ROUNDS):
        await _nothing_ready()
        if not app.is_running or not app.screen_stack:
            return
        if app._resize_event is not None:
            app._check_resize()
            continue
        screen = app.screen
        if not (_has_to_draw(screen) or _has_keys(app)):
            return
        screen._on_timer_update()


async def _nothing_ready() -> None:
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # no public name says so
    calm = 0
    while calm < _CALM:
        await asyncio.sleep(0)
        calm = 0 if ready else calm + 1


def _has_to_draw(screen: Any) -> bool:
    dirty = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._dirty_widgets
    return bool(screen.is_current and (dirty or screen._recompose_required or screen._callbacks))


def _has_keys(app: Any) -> bool:
    queue = getattr(app, "input_queue", None)
    return queue is not None and not queue.is_idle


async def _press_keys(self: App[Any], keys: Iterable[str]) -> None:
    driver = self._driver
    assert driver is not None
    for key in keys:
        name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
        try:
            character: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
        except KeyError:
            character = name if len(name) == 1 else None
        event = events.Key(name, character)
        event.set_sender(self)
        driver.send_message(event)
        await _settled(self)
    await settled(self)


async def _pause(self: Pilot[Any], delay: float | None = None) -> None:
    await self._wait_for_screen()
    if delay is not None:
        await asyncio.sleep(delay)
    await settled(self.app)
    self.app.screen._on_timer_update()


async def _post_mouse_events(
    self: Pilot[Any],
    kinds: list[type[events.MouseEvent]],
    widget: Widget | type[Widget] | str | None = None,
    offset: tuple[int, int] = (0, 0),
    button: int = 0,
    shift: bool = False,
    meta: bool = False,
    control: bool = False,
    times: int = 1,
) -> bool:
    app, screen = self.app, self.app.screen
    await settled(app)
    target = screen if widget is None else widget if isinstance(widget, Widget) else screen.query_one(widget)
    held: dict[str, Any] = {"button": button, "shift": shift, "meta": meta, "control": control}
    arguments: dict[str, Any] = {}
    place = Offset()
    under = None
    for chain in range(1, times + 1):
        for kind in kinds:
            is_click = issubclass(kind, events.Click)
            if not is_click:  # a click comes at once with the button's way up: no time passes between them
                await settled(app)
            if under is None:  # as late as this: settling may have moved what is clicked
                arguments = _get_mouse_message_arguments(target, offset, **held)
                place = Offset(arguments["x"], arguments["y"])
                if not screen.size.region.contains_point(place):
                    raise OutOfBounds("Target offset is outside of currently-visible screen region.")
                under, _ = app.get_widget_at(*place)
            app.mouse_position = place
            screen._forward_event(kind(**(arguments | {"chain": chain} if is_click else arguments)))
    await settled(app)
    return widget is None or under is target


def _painted_if_wanted(self: Any, full: bool = False, *more: Any, **named: Any) -> Any:
    """Paint what has changed; where that is not wanted now, leave it marked as changed."""
    return _paint(self, full, *more, **named) if full or _paints else None


def _parsed_once(self: Any, *source: Any, **more: Any) -> Any:
    """Parse a source once for all apps with the same variables."""
    if self.__dict__.get("_kept_variables") is not self._variables:
        self._kept_variables, self._kept_key = self._variables, frozenset(self._variables.items())
    key = (self._kept_key, *source, *sorted(more.items()))
    if key not in _parsed:
        _parsed[key] = _parse(self, *source, **more)
    return _parsed[key]


def _notify(self: Any, message: str, *, timeout: float | None = None, **more: Any) -> None:
    """Have toasts stay longer on a slow machine: they would be gone before they were seen."""
    _say(self, message, timeout=(timeout or self.NOTIFICATION_TIMEOUT) * SLOWNESS, **more)
