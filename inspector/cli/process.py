"""The log while a command runs, and the handling of SIGTERM, SIGHUP and SIGQUIT.

Records and tracebacks quote foreign text, so they are made safe like all other output.
"""

import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from inspector.cli.env import CliEnv
from inspector.text import visible
from inspector.transports.children import end_all_children

_FORMAT = "%(levelname)s %(name)s: %(message)s"
_HELD = 200
"""Maximum number of held records; the newest are kept."""

_LAST_SIGNAL_S = 3


class _Narrated(logging.Handler):
    def __init__(self, env: CliEnv) -> None:
        super().__init__(logging.WARNING)
        self._env = env
        self.setFormatter(logging.Formatter(_FORMAT))
        self.held: deque[str] | None = None
        """Held records; None while records are shown immediately."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a warning of ours as a sentence, and other records with their level and origin."""
        is_ours = record.levelno == logging.WARNING and record.name.startswith("inspector.")
        return f"! {record.getMessage()}" if is_ours else super().format(record)

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record, or hold it."""
        text = visible(self.format(record), newlines=True)
        if self.held is None:
            self._env.stderr.write(text + "\n")
        else:
            self.held.append(text)

    def let_go(self) -> None:
        """Show held records."""
        held, self.held = self.held or (), None
        self._env.stderr.writelines(f"{text}\n" for text in held)


@contextmanager
def narrated_log(env: CliEnv) -> Iterator[None]:
    """Show warnings and errors on stderr for the duration of the block."""
    handler = _Narrated(env)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


@contextmanager
def held_log() -> Iterator[None]:
    """Hold log records for the duration of the block, and show them afterwards."""
    narrated = [handler for handler in logging.getLogger().handlers if isinstance(handler, _Narrated)]
    for handler in narrated:
        handler.held = deque(maxlen=_HELD)
    try:
        yield
    finally:
        for handler in narrated:
            handler.let_go()


@contextmanager
def leaving_no_child(at_last: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Make SIGTERM, SIGHUP and SIGQUIT end child processes before they end this process, within the block.

    `at_last` is called in between.

    A normal exit ends child processes anyway. A second signal does not wait for `at_last`.
    """

    def on_signal(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        end_all_children()
        try:
            at_last()
        finally:
            os.kill(os.getpid(), number)

    with _on_signals(on_signal):
        yield


@contextmanager
def leaving_politely(leave: Callable[[], object]) -> Iterator[None]:
    """Make SIGTERM, SIGHUP and SIGQUIT end child processes and then `leave` the block.

    `leave` is called on a separate thread. The signal ends the process after the block, or after three seconds if
    the block does not end.
    """
    came: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        came.append(number)
        signal.alarm(_LAST_SIGNAL_S)
        end_all_children()
        threading.Thread(target=leave, daemon=True).start()

    with _on_signals(on_signal):
        yield
    if came:
        signal.alarm(0)
        os.kill(os.getpid(), came[0])


@contextmanager
def leaving_nothing_half_made() -> Iterator[None]:
    """Make SIGTERM, SIGHUP and SIGQUIT raise KeyboardInterrupt in the block before they end this process.

    For work on the main thread that creates a file. A second signal ends the process immediately.
    """
    came: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        came.append(number)
        raise KeyboardInterrupt

    try:
        with _on_signals(on_signal):
            yield
    except KeyboardInterrupt:
        if came:
            os.kill(os.getpid(), came[0])
        raise


@contextmanager
def _on_signals(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle termination signals for the duration of the block."""
    try:
        before = {number: signal.signal(number, handler) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)}
    except ValueError:  # not on the main thread: an embedding program has its own handlers
        before = {}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
