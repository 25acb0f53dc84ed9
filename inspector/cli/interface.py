"""Opening the interface on a target: the server first, the screen second, and nothing left behind.

The server starts first, then the engine that talks to it is imported, and the interface last: so that all three take
their time together. What is said to the server follows the first picture, which need not wait for it.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from inspector.cli.exit_status import ExitStatus
from inspector.cli.logs import held_log
from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.cli.signals import leaving_no_child, leaving_politely
from inspector.cli.sittings import Servers
from inspector.cli.world import World
from inspector.errors import UsageError

if TYPE_CHECKING:  # of the start screen; a named server does not wait for what finds servers
    from inspector.capture.compare.normal import Normal
    from inspector.config.servers import FoundServer
    from inspector.session.engine import Live
    from inspector.session.opened import Opened
    from inspector.viewmodels.start import Capture, OpenServer, Server, StartChoice
    from inspector.viewmodels.wanted import Wanted

_LONG = 8 * 1024 * 1024
"""Bytes of another program's file from which on somebody would wonder why there is no picture yet."""
Show: TypeAlias = "Callable[[Callable[..., Live], Live], ExitStatus]"
"""Shows the first live conversation, and others that the function begins, until the person leaves."""


def demand_terminal(world: World) -> None:
    """Raises: UsageError where no interface can be drawn."""
    if not world.has_terminal:
        raise UsageError(
            "the interface needs a terminal, and stdin or stdout is none (or TERM is dumb)",
            hint="Without a screen: mcp-inspect info, list, call, read or prompt.",
        )


def inspect(world: World, chosen: Chosen, show: "Show | None" = None) -> ExitStatus:
    """Open the interface on a target, and on what else is named beside it; return when the person leaves it.

    Raises: UsageError if a name stands for nothing.
    """
    demand_terminal(world)
    servers = Servers(world, chosen)
    others = _approved(servers.meant(chosen.also))
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            sittings = servers.add(chosen)
            first = sittings.begin(held=show is None)
            beside = [servers.open(each) for each in others]
            status = show(sittings.begin, first) if show else _show(sittings.begin, first, beside, servers)
    finally:
        servers.end()
    _say_where(Output(world), servers.captures)
    return status


def open_all(world: World, wishes: "Callable[[Servers], Sequence[Wanted]]", *, record: bool = True) -> ExitStatus:
    """Open the interface on several things, none of which comes before the others. Nothing approved: nothing opened.

    `wishes` names them. Raises: UsageError if one of them stands for nothing.
    """
    demand_terminal(world)
    servers = Servers(world, record=record)
    wanted = _approved(wishes(servers))
    if not wanted:
        return ExitStatus.OK
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            first, *beside = [servers.open(each) for each in wanted]
            status = _show_opened(first, beside, servers)
    finally:
        servers.end()
    _say_where(Output(world), servers.captures)
    return status


def _approved(wanted: "Sequence[Wanted]") -> "list[Wanted]":
    """What is left once the person was shown each server that a host's file describes, and asked."""
    if not wanted:
        return []
    from inspector.viewmodels.start import OpenServer

    asked = [each for each in wanted if isinstance(each, OpenServer)]
    answers = iter(approve([each.server for each in asked]) if asked else [])
    approved = [_with(each, next(answers)) if isinstance(each, OpenServer) else each for each in wanted]
    return [each for each in approved if each is not None]


def _with(wanted: "OpenServer", server: "Server | None") -> "OpenServer | None":
    from dataclasses import replace

    return replace(wanted, server=server) if server is not None else None


def approve(servers: "Sequence[Server]") -> "list[Server | None]":
    """Show each server that a host's file describes, and ask whether it may be started or dialled, and with what."""
    from inspector.tui.screens.approve import ApproveApp

    with held_log():
        return ApproveApp(servers).run() or [None] * len(servers)


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


def replay(world: World, path: Path, *others: Path) -> ExitStatus:
    """Open the interface on captures: nothing is connected to, nothing started, unless the person opens it."""
    from inspector.viewmodels.start import OpenCapture

    def wanted(servers: Servers) -> "list[Wanted]":
        for each in (path, *others):
            _look_into(world, each)
        return [*map(OpenCapture, (path, *others))]

    return open_all(world, wanted)


def _look_into(world: World, path: Path) -> None:
    """Read a long file of another program first, and say so. Raises: CaptureError if nothing comes of it."""
    if path.stat().st_size > _LONG:
        from inspector.capture.stand_ins import is_foreign, stand_in
        from inspector.viewmodels.text import human_size, visible

        if is_foreign(path):
            size = human_size(path.stat().st_size)
            Output(world).narrate(f"reading {visible(path.name, limit=100)}, {size} of another program")
            stand_in(path)


def compare_on_screen(
    world: World, before: Path, after: Path, normal: "Normal", only: Sequence[str] = ()
) -> ExitStatus:
    """Open the interface on two captures side by side.

    Raises: CaptureError if one of them is none.
    """
    from inspector.capture.load import Loading
    from inspector.tui.comparing import ComparingApp

    demand_terminal(world)
    for path in (before, after):
        Loading(path).journal.close()
    servers = Servers(world)
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            return _run(ComparingApp(before, after, normal, only, servers))
    finally:
        servers.end()


def show_live(begin: "Callable[..., Live]", first: "Live") -> ExitStatus:
    """Show one live conversation: what a `Show` does at last that has done something with it before."""
    return _show(begin, first)


def _show(
    begin: "Callable[..., Live]", first: "Live", beside: "Sequence[Opened]" = (), opener: Servers | None = None
) -> ExitStatus:
    from inspector.tui.app import InspectApp

    return _run(InspectApp(begin, first=first, beside=beside, opener=opener))


def _show_opened(first: "Opened", beside: "Sequence[Opened]", opener: Servers) -> ExitStatus:
    from inspector.tui.app import InspectApp

    return _run(
        InspectApp(
            first.begin,
            first=first.first,
            replay=first.capture,
            name=first.name,
            named=first.named,
            beside=beside,
            opener=opener,
        )
    )


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
