"""Where log records go: to stderr as narration, or held back while an interface has the terminal.

Records quote foreign text, tracebacks with it, so they are made visible like everything else.
"""

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.cli.world import World

_FORMAT = "%(levelname)s %(name)s: %(message)s"
_HELD = 200
"""Records kept while they can't be shown: the newest."""


class _Narrated(logging.Handler):
    def __init__(self, world: World) -> None:
        super().__init__(logging.WARNING)
        self._world = world
        self.setFormatter(logging.Formatter(_FORMAT))
        self.held: deque[str] | None = None
        """Where records wait; None while they may be shown."""

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record, or hold it."""
        from inspector.viewmodels.text import visible

        text = visible(self.format(record), newlines=True)
        if self.held is None:
            self._world.stderr.write(text + "\n")
        else:
            self.held.append(text)

    def let_go(self) -> None:
        """Show what was held."""
        held, self.held = self.held or (), None
        self._world.stderr.writelines(f"{text}\n" for text in held)


@contextmanager
def narrated_log(world: World) -> Iterator[None]:
    """Show warnings and worse on stderr for the time of the block."""
    handler = _Narrated(world)
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


@contextmanager
def held_log() -> Iterator[None]:
    """Hold the log back for the time of the block, and show it after."""
    narrated = [handler for handler in logging.getLogger().handlers if isinstance(handler, _Narrated)]
    for handler in narrated:
        handler.held = deque(maxlen=_HELD)
    try:
        yield
    finally:
        for handler in narrated:
            handler.let_go()
