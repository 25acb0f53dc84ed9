"""An app that continues after an internal error: in a handler, in painting, at a tick, in a worker or on a thread.

Textual ends the app at any exception. Here it is logged with its traceback, a toast says so, and the screen is
repainted whole. What failed is left out: a widget that can't be drawn is blank. Only while the app starts, or once it
ends, does an error end it, in order. In a test, it still fails the test.
"""

import asyncio
import errno
import logging
import os
import select
import selectors
import signal
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from encodings.utf_8 import IncrementalDecoder
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import textual.screen
from rich.text import Text
from textual import constants
from textual._callback import invoke
from textual._compositor import Compositor
from textual._context import active_app
from textual.app import App
from textual.box_model import BoxModel
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.errors import NoWidget
from textual.events import Event, Paste, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import WorkerFailed, active_worker

from inspector.atomic_write import private_directory
from inspector.config.paths import places
from inspector.config.terminal import terminal
from inspector.errors import UsageError
from inspector.text import visible
from inspector.tui.threads import end_turns

_T = TypeVar("_T")
_log = logging.getLogger(__name__)
_REPAINT_AGAIN_S = 1.0
"""Minimum time between two repaints: what fails in every repaint must not repaint forever."""
_TOAST_S = 12
_BRIEF_S, _BRIEF_FOR_S = 0.02, 0.3
"""Seconds of each wait for the keyboard, and for how long after input: the input may end the app."""

_LAYOUT_S = 1 / 120
"""Maximum wait of a layout for the clock of its screen. Textual waits for twice as long, which a dialog shows."""
_LONGEST = 1_000_000
"""Bytes after which the file is begun again."""


class ErrorLog:
    """Internal errors of one run, in a file of the user's: each with its traceback once, then with a count."""

    def __init__(self, path: Path, noted: Callable[[str], object]) -> None:
        """`noted` is called after each error, with a sentence for the user if the error is new, otherwise ""."""
        self.path = path
        self._noted = noted
        self._counts: Counter[tuple[str, str]] = Counter()
        self._unwritten = False

    def exception(self, error: BaseException) -> None:
        if isinstance(error, WorkerFailed):
            error = error.error
        key = type(error).__name__, _place(error)
        self._counts[key] += 1
        count, message = self._counts[key], ""
        if count == 1:
            self._write("".join(traceback.format_exception(error)))
            where = "its traceback is shown after quitting" if self._unwritten else f"traceback: {_short(self.path)}"
            message = f"Internal error ({key[0]} in {key[1]}); the program and its recording continue; {where}"
        elif str(count).strip("0") == "1":
            self._write(f"{key[0]} in {key[1]}: {count:,} times by now\n")
        self._noted(message)

    def close(self) -> None:
        """Mention the errors of this run in the log of the program."""
        if self._counts and not self._unwritten:
            total, kinds = sum(self._counts.values()), ", ".join(f"{name} in {place}" for name, place in self._counts)
            _log.error("internal errors: %d (%s); please report %s", total, kinds, self.path)

    def _write(self, text: str) -> None:
        """Append to the file; if that is impossible, to the log of the program, which is shown at the end."""
        message = visible(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}", newlines=True)
        try:
            private_directory(self.path.parent)
            is_long = self.path.exists() and self.path.stat().st_size > _LONGEST
            with open(self.path, "w" if is_long else "a", encoding="utf-8", opener=_private) as file:
                file.write(message)
        except (OSError, UsageError):
            self._unwritten = True
            _log.error("internal error: %s", message)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)


def _place(error: BaseException) -> str:
    """Return file and line of the last frame; the same error at the same place is one kind."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "no frame"


def _short(path: Path) -> str:
    with suppress(ValueError, RuntimeError):
        return f"~/{path.relative_to(Path.home())}"
    return str(path)


class LastingApp(App[_T]):
    """An app that continues after an internal error."""

    def __init__(self) -> None:
        setattr(constants, "ESCAPE_DELAY", terminal().escape_wait_s)  # noqa: B010 - read at each Escape
        setattr(textual.screen, "UPDATE_PERIOD", _LAYOUT_S)  # noqa: B010 - read by each new screen
        if "TEXTUAL_COLOR_SYSTEM" not in os.environ and (colors := terminal().color_system):
            setattr(constants, "COLOR_SYSTEM", colors)  # noqa: B010 - as that variable sets it
        super().__init__()
        _install_borders()
        self.error_log = ErrorLog(places().state / "errors.log", self._noted)
        self._lasts = False
        """Whether the message loop runs, in a terminal."""
        self._repainted = float("-inf")

    @property
    def lasts(self) -> bool:
        """Whether an internal error does not end the app now."""
        return self._lasts

    def notify(self, message: str, *, title: str = "", markup: bool = False, **options: Any) -> None:
        """Show a message, also of a server: at most 400 characters, readable ones, never read as `markup`."""
        super().notify(visible(message, limit=400), title=visible(title, limit=400), markup=False, **options)

    async def run_async(self, *, mouse: bool = True, **options: Any) -> _T | None:
        """Run the app; without the mouse in a terminal that cannot report it without harm."""
        return await super().run_async(mouse=mouse and terminal().has_mouse, **options)

    async def on_event(self, event: Event) -> None:
        """Pass an event on; report that a field of one line keeps only the first line of a pasted text.

        The handler of a signal may be interrupted by the next one, and reports its older size last: it is read again.
        A terminal that has the size of the picture again has moved its lines meanwhile: all of it is repainted.
        """
        if isinstance(event, Resize) and event.pixel_size is None and isinstance(self._driver, LinuxDriver):
            size = Size(*self._driver._get_terminal_size())  # noqa: SLF001
            event = Resize(size, size)
        if isinstance(event, Resize) and any(each._compositor.size == event.size for each in self.screen_stack[-1:]):  # noqa: SLF001
            self.repaint()
        if (
            isinstance(event, Paste)
            and isinstance(self.focused, Input)
            and not getattr(self.focused, "takes_lines", False)
            and (more := len(event.text.splitlines()) - 1) > 0
        ):
            left_out = f"{more:,} more were" if more > 1 else "another was"
            self.notify(f"The field has one line: the first one was pasted, {left_out} left out.")
        await super().on_event(event)

    async def _process_messages_loop(self) -> None:
        """Process messages; meanwhile no error ends the app."""
        if self.is_headless:  # in a test
            await super()._process_messages_loop()
            return
        hook, threading.excepthook = threading.excepthook, lambda args: self._note_on_thread(args.exc_value)
        asyncio.get_running_loop().set_exception_handler(lambda _, found: self._note_on_thread(found.get("exception")))
        self._lasts = True
        try:
            await super()._process_messages_loop()
        except Exception:
            self._lasts = False
            raise
        finally:
            threading.excepthook = hook

    async def _shutdown(self) -> None:
        """Remove all widgets; what fails there does not turn leaving into a failure."""
        if not self.is_headless:
            end_turns()
        await super()._shutdown()
        self.error_log.close()

    def _note_on_thread(self, error: BaseException | None) -> None:
        if isinstance(error, OSError) and error.errno == errno.EIO:
            _hang_up()
        elif isinstance(error, Exception):
            self._handle_exception(error)

    def _handle_exception(self, error: Exception) -> None:
        """Log an error and go on. While the app starts or ends, and in a test: end.

        A worker that looks for parts of a widget that is gone is over, as if it had been cancelled in time.
        """
        if (
            isinstance(error, WorkerFailed)
            and isinstance(error.error, NoMatches)
            and _is_gone(active_worker.get().node)
        ):
            return
        if self._lasts:
            self.error_log.exception(error)
        else:
            super()._handle_exception(error)

    def _noted(self, message: str) -> None:
        """Show a sentence, and repaint. It may be called on any thread."""
        if message:
            self.call_later(partial(self.notify, message, severity="error", timeout=_TOAST_S))
        if time.monotonic() - self._repainted > _REPAINT_AGAIN_S:
            self._repainted = time.monotonic()
            self.call_later(self.repaint)

    def repaint(self) -> None:
        """Lay out and paint all that is visible."""
        for screen in self.screen_stack:
            screen.refresh(layout=True)

    def _fatal_error(self) -> None:
        """Exit with a plain traceback after an internal error.

        Textual's own traceback shows the values of variables: raw text of the server, possibly confidential.
        """
        self.bell()
        self._exit_renderables.append(Text(visible(traceback.format_exc(), newlines=True)))
        self._close_messages_no_wait()


def _is_gone(node: DOMNode) -> bool:
    """Whether a node has left the screen, or the app ends."""
    return not (node.is_attached and node.is_running and node.app.is_running) or node._pruning  # noqa: SLF001


@contextmanager
def border(app: App[Any] | None = None) -> Iterator[None]:
    """Let no error of the block past it, if the app continues after errors. `app` is needed on another thread."""
    try:
        yield
    except Exception as error:  # the border of the app: an internal error is logged, and what failed is left out
        app = app or active_app.get(None)
        if not isinstance(app, LastingApp) or not app.lasts:
            raise
        app.error_log.exception(error)


# Where Textual runs our code without going on after an error. See docs/textual.md.


_textual_dispatch = MessagePump._dispatch_message  # noqa: SLF001
_textual_box_model = Widget._get_box_model  # noqa: SLF001


def _install_borders() -> None:
    for owner, name, ours in (
        (MessagePump, "_dispatch_message", _dispatch_message),
        (MessagePump, "_flush_next_callbacks", _flush_next_callbacks),
        (Compositor, "_get_renders", _get_renders),
        (Widget, "_get_box_model", _get_box_model),
        (Compositor, "get_widget_at", _widget_at),
        (LinuxDriver, "_run_input_thread", _run_input_thread),
        (linux_driver, "getincrementaldecoder", lambda _: KeyboardDecoder),
        (linux_driver, "selectors", SimpleNamespace(SelectSelector=KeyboardSelector, EVENT_READ=selectors.EVENT_READ)),
    ):
        setattr(owner, name, ours)


async def _dispatch_message(pump: MessagePump, message: Message) -> None:
    """Handle a message. After an error Textual would leave the loop, and the widget would never handle another one."""
    with border():
        await _textual_dispatch(pump, message)


async def _flush_next_callbacks(pump: MessagePump) -> None:
    """Call what was to be called later. After an error Textual would drop the callbacks behind it."""
    callbacks = pump._next_callbacks.copy()  # noqa: SLF001
    pump._next_callbacks.clear()  # noqa: SLF001
    for callback in callbacks:
        with border(), pump.prevent(*callback._prevent):  # noqa: SLF001
            await invoke(callback.callback)


def _get_renders(compositor: Compositor, crop: Region | None = None) -> Iterator[tuple[Region, Region, list[Strip]]]:
    """Yield the visible widgets' regions and lines like Textual; a widget that can't be drawn is blank."""
    for widget, (region, clip) in compositor.visible_widgets.items():
        seen = region.intersection(clip)
        if seen.size and (crop is None or crop.overlaps(clip)):
            strips = [Strip.blank(seen.width)] * seen.height
            if widget.parent is not None:  # else it was removed since the last layout, with its styles
                with border():
                    strips = widget.render_lines(seen.translate(-region.offset))
            yield region, clip, strips


def _get_box_model(widget: Widget, container: Size, *args: Any, **options: Any) -> BoxModel:
    """Return the size of a widget; one that can't be measured gets a line, and the others their places."""
    found: list[BoxModel] = []
    with border():
        found.append(_textual_box_model(widget, container, *args, **options))
    a_line = BoxModel(Fraction(container.width), Fraction(min(1, container.height)), widget.styles.margin)
    return found[0] if found else a_line


def _widget_at(compositor: Compositor, x: int, y: int) -> tuple[Widget, Region]:
    """Return the widget at a place and its region. One that was removed since the last layout can't take a click."""
    for widget, region in compositor.get_widgets_at(x, int(y)):
        if widget.parent is not None:
            return widget, region
    raise NoWidget(f"no widget at {x}, {y}")


class KeyboardDecoder(IncrementalDecoder):
    """Decodes the keyboard's bytes, of which it replaces invalid ones; Textual's would end the app.

    Enter that was typed before the terminal was raw comes as a newline, which is Ctrl+J: it is made Enter again.
    """

    def __init__(self, keyboard: int = 0) -> None:
        from inspector.transports.pipes import unread_bytes  # not needed for the first paint

        super().__init__("replace")
        self._ahead = unread_bytes(keyboard)

    def decode(self, data: Any, final: bool = False) -> str:
        ahead, self._ahead = data[: self._ahead], max(0, self._ahead - len(data))
        return super().decode(ahead.replace(b"\n", b"\r") + data[len(ahead) :], final)


class KeyboardSelector(selectors.SelectSelector):
    """Waits for the keyboard, after input no longer than a sequence that has begun may take, and then for short times.

    Textual waits for a tenth of a second each time, and only then looks whether an Escape is a key by itself, or
    whether the app ends; at the end it waits once more for nothing.
    """

    _has_read, _brief_until = False, 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait, and return what can be read. Raises: OSError if the terminal is gone, whose end can always be read."""
        if not self.get_map():
            return []
        soon = constants.ESCAPE_DELAY if self._has_read else _BRIEF_S if time.monotonic() < self._brief_until else None
        found = super().select(timeout if timeout is None or soon is None else min(timeout, soon))
        self._has_read = bool(found)
        if found:
            (state := select.poll()).register(next(iter(self.get_map())), 0)
            if state.poll(0):
                raise OSError(errno.EIO, "the terminal is gone")
            self._brief_until = time.monotonic() + _BRIEF_FOR_S
        return found


def _run_input_thread(driver: LinuxDriver) -> None:
    """Read the keyboard. After bytes that can't be parsed go on with those behind them: Textual would end the app."""
    while not driver.exit_event.is_set():
        with border(driver._app):  # noqa: SLF001
            try:
                driver.run_input_thread()
            except OSError:
                _hang_up()
            return


def _hang_up() -> None:
    """End as by SIGHUP: the terminal is gone. The signal itself may have gone to a shell only, which ignores it."""
    os.kill(os.getpid(), signal.SIGHUP)
