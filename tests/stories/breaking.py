"""The program with mistakes in it: `python -m tests.stories.breaking`. Each `x` brings the next one.

Most stay once they are made: the others come on top of them.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any

from textual.events import Event, Key

from inspector.__main__ import main
from inspector.tui.app import InspectApp
from inspector.tui.pacing import Painted
from inspector.tui.widgets.key_bars import FooterBar, MenuBar


class Mistake:
    """Fails, with an error of its own."""

    def __init__(self, name: str) -> None:
        self.error = type(name, (LookupError,), {})

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise self.error("made \x1b]0;STOLEN\x07 by the test")


def _at(owner: Any, name: str) -> Callable[[InspectApp, Mistake], object]:
    """Return what makes a method fail from now on."""
    return lambda app, fail: setattr(owner, name, lambda *args: fail())


def _once_at(owner: Any, name: str) -> Callable[[InspectApp, Mistake], object]:
    """Return what makes a method fail the next time."""

    def break_it(app: InspectApp, fail: Mistake) -> None:
        real = getattr(owner, name)

        def broken(*args: Any) -> Any:
            setattr(owner, name, real)
            fail()

        setattr(owner, name, broken)

    return break_it


def _work(app: InspectApp, fail: Mistake) -> None:
    async def work() -> None:
        fail()

    app.run_worker(work())


def _no_memory(app: InspectApp, fail: Mistake) -> None:
    raise MemoryError


def _no_end(app: InspectApp, fail: Mistake) -> None:
    _no_end(app, fail)


MISTAKES: dict[str, Callable[[InspectApp, Mistake], object]] = {
    "Handler": lambda app, fail: fail(),
    "MemoryError": _no_memory,
    "RecursionError": _no_end,
    "PaintingOnce": _once_at(Painted, "difference"),
    "MountingOnce": _once_at(MenuBar, "on_mount"),
    "Later": lambda app, fail: app.call_later(fail),
    "Next": lambda app, fail: app.call_next(fail),
    "Refresh": lambda app, fail: app.call_after_refresh(fail),
    "OfWidget": lambda app, fail: app.panel.call_later(fail),
    "Worker": _work,
    "ThreadWorker": lambda app, fail: app.run_worker(fail, thread=True),
    "Thread": lambda app, fail: threading.Thread(target=fail).start(),
    "Measuring": _at(MenuBar, "get_content_height"),
    "Painting": _at(FooterBar, "render_lines"),
    "Tick": lambda app, fail: setattr(app.parts[0], "tick", fail),
    "Timer": lambda app, fail: app.set_interval(0.01, fail),
}
"""Name of the error → what brings it about."""


def _break_at_each_x() -> None:
    act, mistakes = InspectApp.on_event, iter(MISTAKES.items())

    async def on_event(app: InspectApp, event: Event) -> None:
        is_typed = isinstance(event, Key) and event.key == "x" and app.input_queue.concerns(event)
        await act(app, event)
        if is_typed:
            name, mistake = next(mistakes)
            mistake(app, Mistake(name))

    InspectApp.on_event = on_event  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    if "start" in sys.argv:
        sys.argv.remove("start")
        InspectApp.compose = Mistake("Start")  # type: ignore[method-assign]
    else:
        _break_at_each_x()
    main()
