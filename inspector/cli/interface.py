"""Opening the interface on a target: the server first, the screen second, and nothing left behind.

The engine starts before anything of the interface is imported, so that the server starts meanwhile.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from inspector.cli.exit_status import ExitStatus
from inspector.cli.launch import kept_journal, leaving_no_child, leaving_politely, numbered, settings_for
from inspector.cli.logs import held_log
from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.errors import UsageError
from inspector.session.engine import Engine, Live
from inspector.transports.children import end_all_children

if TYPE_CHECKING:  # of the start screen; a named server does not wait for what finds servers
    from inspector.config.servers import FoundServer
    from inspector.viewmodels.start import Capture, StartChoice

_PATIENCE_S = 15.0
"""How long the end of a session may take: longer than the ladder that ends a stubborn server."""

_SILENT_S = 0.7
"""How long it may take before somebody is told."""

Show = Callable[[Callable[..., Live], Live], ExitStatus]
"""Shows the first live conversation, and others that the function begins, until the person leaves."""


class Sittings:
    """The live conversations of one run of the interface, one after the other, and the engine they run on."""

    def __init__(self, chosen: Chosen, world: World) -> None:
        self._chosen = chosen
        self._world = world
        self._engine = Engine()
        self.lives: list[Live] = []

    def begin(self, offers: frozenset[str] | None = None) -> Live:
        """Connect anew, with a journal of its own; `offers` in the place of what the command line offers.

        Raises: UsageError if the journal's file can't be made.
        """
        chosen = self._chosen
        if self.lives and chosen.capture is not None:
            chosen = replace(chosen, capture=numbered(chosen.capture))
        journal = kept_journal(chosen, self._world)
        settings = settings_for(chosen, self._world, has_person=True)
        if offers is not None:
            settings = replace(settings, offers=offers)
        live = Live(self._engine, chosen.target, journal, settings)
        self.lives.append(live)
        return live

    def end(self) -> None:
        """End them all, their servers and the engine."""
        for live in self.lives:
            ending = live.end()
            with suppress(TimeoutError):
                ending.result(_SILENT_S)
            if not ending.done():
                Output(self._world).narrate("waiting for the server to stop; Ctrl+C stops it at once")
            with suppress(TimeoutError, CancelledError, KeyboardInterrupt):
                ending.result(_PATIENCE_S)
        self._engine.stop()
        end_all_children()


def demand_terminal(world: World) -> None:
    """Raises: UsageError where no interface can be drawn."""
    if not world.has_terminal:
        raise UsageError(
            "the interface needs a terminal, and stdin or stdout is none (or TERM is dumb)",
            hint="Without a screen: mcp-inspect info, list, call, read or prompt.",
        )


def inspect(world: World, chosen: Chosen, show: Show | None = None) -> ExitStatus:
    """Open the interface on a target and return when the person leaves it."""
    demand_terminal(world)
    sittings = Sittings(chosen, world)
    try:
        with _brisk(), leaving_no_child(sittings.end), held_log():
            first = sittings.begin()
            status = (show or _show)(sittings.begin, first)
    finally:
        sittings.end()
    _say_where(Output(world), [live.journal.capture_path for live in sittings.lives])
    return status


@contextmanager
def _brisk() -> Iterator[None]:
    """Let the first picture come soon; from then on the interface has it its own way.

    Nothing is collected until then, because imports make many objects and no garbage. And whoever waits for the
    interpreter, as the writer of that picture does, gets it after one millisecond instead of five.
    """
    interval = sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(0.001)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.enable()


def choose_at_start(servers: "Sequence[FoundServer]", recent: "Sequence[Capture]") -> "StartChoice | None":
    """Show what there is and return what was chosen; None if the person left."""
    from inspector.tui.screens.start import StartApp

    with held_log():
        return StartApp(servers, recent).run()


def replay(world: World, path: Path) -> ExitStatus:
    """Open the interface on a capture: nothing is connected to, nothing started."""
    demand_terminal(world)
    with _brisk(), held_log():
        from inspector.tui.app import InspectApp

        return _run(InspectApp(None, replay=path))


def _show(begin: Callable[..., Live], first: Live) -> ExitStatus:
    from inspector.tui.app import InspectApp

    return _run(InspectApp(begin, first=first))


class _App(Protocol):
    """What is asked of the interface."""

    @property
    def return_code(self) -> int | None:
        """0 or None if it went well."""

    def run(self) -> Any:
        """Take the terminal until the person leaves."""

    def exit(self) -> Any:
        """Leave. On the thread that runs it."""

    def call_from_thread(self, callback: Callable[[], Any]) -> Any:
        """Do something on that thread, from another one."""


def _run(app: _App) -> ExitStatus:
    with leaving_politely(lambda: app.call_from_thread(app.exit)):
        app.run()
    return ExitStatus.MISTAKE if app.return_code else ExitStatus.OK


def _say_where(output: Output, captures: list[Path | None]) -> None:
    import shlex

    for path in captures:
        if path is not None and path.exists():
            output.narrate(f"recorded in {path}; open it with: mcp-inspect replay {shlex.quote(str(path))}")
