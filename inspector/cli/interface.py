"""Opens the terminal interface on a target: the server is started first, the screen last.

The server process starts first, then the engine is imported, and the interface last, so that they start in parallel.
The first frame is drawn without waiting for messages to the server.
"""

import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from msgspec.structs import replace

from inspector.capture.automatic import captures
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.process import held_log, leaving_no_child, leaving_politely
from inspector.cli.targets import TargetOptions, demo_target, found_target, head_start, plainly, typed_target
from inspector.config.paths import places
from inspector.config.settings import captures_directory
from inspector.config.targets import (
    Capture,
    LiveTap,
    OpenCapture,
    OpenDemo,
    OpenServer,
    OpenTap,
    OpenTyped,
    StartChoice,
    Target,
)
from inspector.errors import CaptureIncomplete, InspectError, UsageError
from inspector.protocol.facts import Headers
from inspector.text import human_size, visible
from inspector.transports.children import Started, abandon, end_all_children

if TYPE_CHECKING:
    from inspector.capture.compare.normal import Normal
    from inspector.config.servers import FoundServer
    from inspector.features.watch.watcher import Watcher
    from inspector.session.engine import Engine, Live, OpenedSession


_PATIENCE_S = 15.0
"""Maximum duration of ending a session; longer than the signals for an unresponsive server take."""

_SILENT_S = 0.7
"""Seconds before the message that ending takes long."""

_LONG = 8 * 1024 * 1024
"""Minimum size in bytes of another program's file for which a message is printed."""

_MOST_NAMED = 5
"""Maximum number of captures listed at the end. A session that was restarted often has many."""

_MAX_RECENT = 10


class ServerRuns:
    """Consecutive connections to one server, and the engine that runs them."""

    def __init__(self, chosen: TargetOptions, env: CliEnv, *, is_first: bool = True) -> None:
        """Create the runs. Only the first server records to the named file; others get a number after its name."""
        self._chosen = chosen
        self._env = env
        self._is_first = is_first
        self._engine: Engine | None = None
        self._ended = False
        self._remembered = False
        self._over: list[Path | None] = []
        """Captures of ended connections. Nothing else of them is kept, so that restarts do not accumulate memory."""
        self.lives: list[Live] = []
        """Connections that have not ended, the newest last."""

    def begin(
        self, offers: frozenset[str] | None = None, *, headers: Headers | None = None, held: bool = False
    ) -> "Live":
        """Connect again with a separate journal.

        `offers` replaces the capabilities of the command line, `headers` those of a URL, also for later connections.
        `held`: the server is started, but nothing is sent to it before `Live.begin`.

        Raises: UsageError if the journal's file can't be created.
        """
        self._forget_what_is_over()
        if headers is not None:
            self._chosen = replace(self._chosen, target=replace(self._chosen.target, headers=headers))
        with ExitStack() as undo:
            is_first = self._engine is None and self._is_first
            started = head_start(self._chosen) if is_first else None
            if started is not None:
                undo.callback(abandon, started)
            live = self._connected(offers, started, held=held)
            undo.pop_all()
        return live

    def _connected(self, offers: frozenset[str] | None, started: Started | None, *, held: bool) -> "Live":
        from inspector.cli.launch import export_live, kept_journal, numbered, settings_for
        from inspector.session.engine import Engine, Live

        is_again = self._engine is not None
        if self._engine is None:
            self._engine = Engine()
        chosen = self._chosen
        if chosen.capture is not None and (is_again or not self._is_first):
            chosen = replace(chosen, capture=numbered(chosen.capture))
        journal = kept_journal(chosen, self._env)
        export_live(journal, chosen, self._env.environ)
        settings = settings_for(chosen, self._env, has_person=True)
        settings = replace(settings, started=started, offers=settings.offers if offers is None else offers)
        live = Live(self._engine, chosen.target, journal, settings, held=held)
        self.lives.append(live)
        return live

    @property
    def captures(self) -> list[Path | None]:
        """Path of each connection's capture, in order."""
        return [*self._over, *(live.journal.capture_path for live in self.lives)]

    def _forget_what_is_over(self) -> None:
        over = [live for live in self.lives[:-1] if live.is_over]
        self._over += [live.journal.capture_path for live in over]
        self.lives = [live for live in self.lives if live not in over]

    def end(self) -> None:
        """End all connections, their servers and the engine, with a message if it takes long."""
        self._finish(Output(self._env))
        end_all_children()

    def close(self) -> None:
        """End all connections and the engine silently, because other sessions still use the screen."""
        self._finish(None)

    def ask_to_end(self) -> None:
        """Start ending all connections; `end` waits for it."""
        if not self._ended:
            self._remember()
            for live in self.lives:
                live.journal.is_left = True
                live.end()

    def _remember(self) -> None:
        """Save the outcome of the last connection for the start screen, before its end is requested."""
        if self._remembered or not self.lives or self._chosen.is_demo:
            return
        self._remembered = True
        from inspector.cli.launch import keep_outcome

        keep_outcome(self._chosen, self.lives[-1], self._env.environ)

    def _finish(self, output: Output | None) -> None:
        if self._ended:
            return
        from inspector.cli.launch import keep_names

        self._remember()
        for live in self.lives:
            ending = live.end()
            with suppress(TimeoutError):
                ending.result(_SILENT_S)
            if not ending.done() and output is not None:
                output.narrate("waiting for the server to stop; Ctrl+C stops it at once")
            with suppress(TimeoutError, CancelledError, KeyboardInterrupt):
                ending.result(_PATIENCE_S)
            if self._chosen.record:
                keep_names(self._chosen.target, live.journal, self._env.environ)
        self._ended = True
        if self._engine is not None:
            self._engine.stop()


class Servers:
    """All servers of one run; the interface can open more."""

    def __init__(self, env: CliEnv, chosen: TargetOptions | None = None, *, record: bool = True) -> None:
        """Create the list.

        `chosen`: the options of the first server; those that are not specific to it apply to all.
        """
        self._env = env
        self._chosen = chosen
        self._record = record
        self.runs: list[ServerRuns] = []

    @property
    def captures(self) -> list[Path | None]:
        """Paths of the captures of all connections."""
        return [path for each in self.runs for path in each.captures]

    def add(self, chosen: TargetOptions) -> ServerRuns:
        """Add a server without connecting to it."""
        self.runs.append(ServerRuns(chosen, self._env, is_first=not self.runs))
        return self.runs[-1]

    def end(self) -> None:
        """End all servers in parallel."""
        for each in self.runs:
            each.ask_to_end()
        for each in self.runs:
            each.end()

    def found(self) -> "tuple[Sequence[FoundServer], Sequence[Capture]]":
        """Return the servers in client config files, and recent captures."""
        from inspector.config.servers import found_servers

        return found_servers(self._env.environ, Path.cwd()), [*recent(self._env.environ)]

    def named_targets(self, words: Sequence[str]) -> list[StartChoice]:
        """Return the targets named on the command line. Raises: UsageError for an unknown one."""
        if not words:
            return []
        from inspector.config.known_targets import known_targets
        from inspector.present.start import wanted

        servers, _ = self.found()
        own = places(self._env.environ)
        known, _ = known_targets(own.config, own.state)
        return [wanted(word, servers, known) for word in words]

    def open(self, wanted: StartChoice) -> "OpenedSession":
        """Connect to a server, or return a session for a capture.

        Raises: InspectError if the session can't be created.
        """
        from inspector.session.engine import OpenedSession

        env = self._env.environ
        match wanted:
            case OpenCapture():
                return OpenedSession(wanted.path.stem, capture=wanted.path)
            case OpenTap(tap):
                return OpenedSession(tap.name, capture=tap.capture)
            case OpenDemo():
                return self._begun(demo_target(env), "demo")
            case OpenServer():
                return self._begun(found_target(wanted.server, env), wanted.server.name)
            case OpenTyped():
                target = typed_target(wanted, env)
                return self._begun(target, wanted.name or target.label, named=bool(wanted.name), era=wanted.era)
            case _:
                assert_never(wanted)

    def share(self, capture: Path, out: Path, *, notes: bool, overwrite: bool) -> list[str]:
        """Copy a capture without secrets and return the report as lines. Raises: InspectError."""
        from inspector.cli.sharing import shared

        return shared(capture, out, self._env.environ, notes=notes, overwrite=overwrite)

    def _begun(self, target: Target, name: str, *, named: bool = True, era: str = "auto") -> "OpenedSession":
        from inspector.session.engine import OpenedSession

        runs = self.add(self._like(target, era))
        return OpenedSession(name, runs.begin, runs.begin(), close=runs.close, named=named)

    def _like(self, target: Target, era: str = "auto") -> TargetOptions:
        """Return the options for an additional server."""
        plain = plainly(target, self._env.environ, era)
        if self._chosen is None:
            return replace(plain, record=self._record)
        shared = ("capture", "record", "responses", "extensions", "lists", "retry_calls", "keep_secrets")
        return replace(plain, **{name: getattr(self._chosen, name) for name in shared})


Show: TypeAlias = "Callable[[Callable[..., Live], Live], ExitStatus]"
"""Shows the first connection, and others that the function begins, until the user leaves."""


def demand_terminal(env: CliEnv) -> None:
    """Check that an interface can be drawn. Raises: UsageError."""
    if not env.has_terminal:
        if env.stdin.isatty() and env.stdout.isatty() and not env.environ.get("TERM"):
            raise UsageError(
                "TERM is not set, so the terminal's control sequences are unknown",
                hint="Most terminals work with TERM=xterm-256color.",
            )
        raise UsageError(
            "the terminal interface needs a terminal on stdin and stdout, and TERM other than dumb",
            hint="Commands without an interface: mcp-inspect info, list, call, read, prompt.",
        )


def inspect(env: CliEnv, chosen: TargetOptions, show: "Show | None" = None) -> ExitStatus:
    """Open the interface on a target and on additional targets; return when the user leaves it.

    Raises: UsageError for an unknown name.
    """
    demand_terminal(env)
    servers = Servers(env, chosen)
    others = _approved(servers.named_targets(chosen.others))
    watch = None
    if chosen.watch:
        from inspector.cli.watching import watchers_for

        watch = watchers_for(chosen.target, chosen.watch)
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            runs = servers.add(chosen)
            first = runs.begin(held=show is None)
            beside = [servers.open(each) for each in others]
            status = show(runs.begin, first) if show else show_live(runs.begin, first, beside, servers, watch)
    finally:
        servers.end()
    return _print_capture_paths(Output(env), servers) or status


def open_all(
    env: CliEnv, read_wanted: "Callable[[Servers], Sequence[StartChoice]]", *, record: bool = True, tap: str = ""
) -> ExitStatus:
    """Open the interface on several targets. Without approval nothing is opened.

    `read_wanted` returns the targets. Raises: UsageError for an unknown name.
    """
    demand_terminal(env)
    servers = Servers(env, record=record)
    wanted = _approved(read_wanted(servers))
    if not wanted:
        return ExitStatus.OK
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            first, *beside = [servers.open(each) for each in wanted]
            status = _show_opened(first, beside, servers, tap)
    finally:
        servers.end()
    return _print_capture_paths(Output(env), servers) or status


def _approved(wanted: Sequence[StartChoice]) -> list[StartChoice]:
    """Return the targets that remain after the user approved each server of a project's file, and entered values."""
    if not wanted:
        return []
    from inspector.present.start import needs_review

    asked = [
        each for each in wanted if isinstance(each, OpenServer) and (needs_review(each.server) or each.server.inputs)
    ]
    answers = iter(approve([each.server for each in asked]) if asked else [])
    approved = [
        _with(each, next(answers)) if isinstance(each, OpenServer) and each in asked else each for each in wanted
    ]
    return [each for each in approved if each is not None]


def _with(wanted: OpenServer, server: "FoundServer | None") -> OpenServer | None:
    return replace(wanted, server=server) if server is not None else None


def approve(servers: "Sequence[FoundServer]") -> "list[FoundServer | None]":
    """Show each server that is not approved, and ask for confirmation; ask for the inputs of all."""
    from inspector.tui.screens.start.start import ApproveApp

    with held_log():
        return ApproveApp(servers).run() or [None] * len(servers)


@contextmanager
def _brisk() -> Iterator[None]:
    """Speed up the first frame by changing interpreter settings until the block ends.

    Garbage collection is disabled, because imports create many objects but no garbage. The thread switch interval is
    reduced to one millisecond for the thread that writes the frame.
    """
    interval = sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(0.001)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.enable()


def choose_at_start(
    servers: "Sequence[FoundServer]",
    recent: Sequence[Capture],
    taps: Sequence[LiveTap],
    open_choice: Callable[[StartChoice], ExitStatus],
) -> ExitStatus:
    """Show the start screen and open what the user chooses; if that fails, show it again with what was typed."""
    from inspector.tui.start_app import StartApp

    typed = problem = ""
    while True:
        app = StartApp(servers, recent, taps, typed=typed, problem=problem)
        with held_log():
            choice = app.run()
        if choice is None:
            return ExitStatus.OK
        try:
            return open_choice(choice)
        except InspectError as error:
            typed, problem = app.typed, error.full_text


def replay(env: CliEnv, path: Path, *others: Path) -> ExitStatus:
    """Open the interface on captures. Nothing is connected or started unless the user opens it."""

    def wanted(servers: Servers) -> list[StartChoice]:
        for each in (path, *others):
            _read_ahead(env, each)
        return [*map(OpenCapture, (path, *others))]

    return open_all(env, wanted)


def attach(env: CliEnv, capture: Path, socket: str) -> ExitStatus:
    """Open the interface on the capture of a running tap, to decide on held messages."""
    return open_all(env, lambda servers: [OpenCapture(capture)], tap=socket)


def _read_ahead(env: CliEnv, path: Path) -> None:
    """Read a long file of another program in advance, with a message. Raises: CaptureError if it can't be read."""
    if path.stat().st_size > _LONG:
        from inspector.capture.foreign_files import is_foreign, stand_in

        if is_foreign(path):
            size = human_size(path.stat().st_size)
            Output(env).narrate(f"reading {visible(path.name, limit=100)}, {size} of another program")
            stand_in(path)


def compare_on_screen(env: CliEnv, before: Path, after: Path, normal: "Normal", only: Sequence[str] = ()) -> ExitStatus:
    """Open the interface on two captures side by side. Raises: CaptureError if one of them is not a capture."""
    from inspector.capture.store.load import Loading
    from inspector.session.engine import OpenedSession
    from inspector.tui.app import InspectApp
    from inspector.tui.screens.sessions.compare import of_files

    demand_terminal(env)
    for path in (before, after):
        Loading(path).journal.close()
    servers = Servers(env)
    try:
        with _brisk(), leaving_no_child(servers.end), held_log():
            return _run(
                InspectApp(
                    replay=before,
                    name=before.stem,
                    beside=[OpenedSession(after.stem, capture=after)],
                    opener=servers,
                    over=of_files(before, after, normal, only),
                )
            )
    finally:
        servers.end()


def show_live(
    begin: "Callable[..., Live]",
    first: "Live",
    beside: "Sequence[OpenedSession]" = (),
    opener: Servers | None = None,
    watch: "Callable[[Target], Watcher | None] | None" = None,
) -> ExitStatus:
    """Show a live connection, and others beside it, until the user leaves."""
    from inspector.tui.app import InspectApp

    return _run(InspectApp(begin, first=first, beside=beside, opener=opener, watch=watch))


def _show_opened(
    first: "OpenedSession", beside: "Sequence[OpenedSession]", opener: Servers, tap: str = ""
) -> ExitStatus:
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
            tap=tap,
        )
    )


def _run(app: Any) -> ExitStatus:
    with leaving_politely(lambda: app.call_from_thread(app.exit)):
        app.run()
    return ExitStatus.MISTAKE if app.return_code else ExitStatus.OK


def _print_capture_paths(output: Output, servers: Servers) -> ExitStatus:
    """Print where the sessions are recorded, and which one is incomplete. Return OK, or CAPTURE."""
    import shlex

    kept = [path for path in servers.captures if path is not None and path.exists()]
    if len(kept) > _MOST_NAMED:
        output.narrate(f"recorded {len(kept):,} sessions in {kept[0].parent}; the last {_MOST_NAMED}:")
    for path in kept[-_MOST_NAMED:]:
        output.narrate(f"recorded; open it with: mcp-inspect replay {shlex.quote(str(path))}")
    status = ExitStatus.OK
    for live in (live for each in servers.runs for live in each.lives):
        if (own := live.journal.capture_path) is not None and not own.exists():
            output.warn(f"{own} was deleted during the session: nothing of it is left")
        try:
            live.journal.demand_complete()
        except CaptureIncomplete as error:
            status = output.failure(error)
    return status


def recent(env: Mapping[str, str]) -> Iterator[Capture]:
    """Yield recent captures, newest first."""
    for path in captures(captures_directory(env))[:_MAX_RECENT]:
        facts = path.stat()
        yield Capture(path, max(0.0, time.time() - facts.st_mtime), facts.st_size)
