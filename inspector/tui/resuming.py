"""What happens when the process goes on after it was stopped.

Whoever stopped it may have used the terminal since, so it is set up again and drawn anew. Textual does that as well,
but where the stop did not ask before (SIGSTOP, or a SIGCONT out of nowhere) it begins a second pair of threads beside
the first: keys are then read by two, and the program can't end. Here the first pair is ended before.
"""

import asyncio
import signal
from typing import Any

from textual.app import App


def install(app: App[Any]) -> None:
    """Resume in good order; once, when `app` runs. Nothing happens where there is no terminal."""
    driver = app._driver  # noqa: SLF001 - Textual has no public way; a test in a real terminal pins it
    if driver is None or not hasattr(driver, "_sigcont_application"):
        return
    loop = asyncio.get_running_loop()
    # On the loop, for a handler runs in the midst of anything, with whatever lock is held there.
    signal.signal(signal.SIGCONT, lambda *_: loop.call_soon_threadsafe(resume, driver))


def resume(driver: Any) -> None:
    """Set the terminal up again."""
    reader = driver._key_thread  # noqa: SLF001
    if driver._auto_restart and reader is not None and reader.is_alive():  # noqa: SLF001
        driver.suspend_application_mode()
        driver._must_signal_resume = True  # noqa: SLF001 - that is what has everything drawn
    driver._sigcont_application()  # noqa: SLF001
