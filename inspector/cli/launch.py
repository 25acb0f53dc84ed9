"""From a chosen target to a running session: the journal, what is remembered, the end of every child.

The engine starts before anything of the interface is imported, so that the server is already starting meanwhile.
"""

import atexit
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import FrameType

from inspector.capture.journal import Journal, start_capture
from inspector.cli.options import Chosen
from inspector.errors import InspectError
from inspector.protocol.revisions.openings import Opening
from inspector.session.open import Settings


def settings_for(chosen: Chosen) -> Settings:
    """How to talk to a target: what was asked for, and what is remembered of it."""
    from inspector.config.eras import Eras
    from inspector.config.paths import places

    eras = Eras(places().state)

    def remember(opening: Opening) -> None:
        if chosen.era is None and not chosen.revision:
            eras.remember(chosen.target.key, opening.era)

    return Settings(
        era=chosen.era,
        revision=chosen.revision,
        clocks=chosen.clocks,
        remembered=eras.get(chosen.target.key),
        remember=remember,
    )


def journal_for(chosen: Chosen, *, by_default: bool) -> Journal:
    """A journal that records where it was told to; `by_default` into the state directory, otherwise into nothing.

    A default that can't be written is no reason not to inspect: the journal says so and records into nothing.
    """
    if chosen.capture is not None:
        return start_capture(chosen.capture)
    if not by_default:
        return start_capture(None)
    try:
        return start_capture(_default_capture(chosen.target.label))
    except (InspectError, OSError) as error:
        journal = start_capture(None)
        journal.note(f"this session is not recorded: {error}")
        return journal


def _default_capture(label: str) -> Path:
    from inspector.config.paths import free_capture, places, private_directory, prune

    captures = places().captures
    private_directory(captures)
    prune(captures)
    return free_capture(captures, datetime.now().astimezone(), label)


def leave_no_child() -> None:
    """Make sure that whatever ends us ends what we started: a normal exit, SIGTERM, SIGHUP, a closed terminal."""
    from inspector.transports.children import end_all_children

    atexit.register(end_all_children)

    def on_signal(number: int, frame: FrameType | None) -> None:
        end_all_children()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        with suppress(ValueError):  # not on the main thread: somebody embeds us and has handlers of his own
            signal.signal(number, on_signal)


Begin = Callable[[], Journal]
