"""The live conversations of one run of the interface: those with one server, one after the other; and all servers.

Each server has an engine of its own: what floods or blocks one leaves the others alone.
"""

from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.config.targets import StdioTarget
from inspector.errors import ConnectError
from inspector.transports.children import Started, abandon, end_all_children, start

if TYPE_CHECKING:  # whatever needs an event loop is imported while the first server starts
    from inspector.config.servers import FoundServer
    from inspector.config.targets import Target
    from inspector.session.engine import Engine, Live
    from inspector.session.opened import Opened
    from inspector.viewmodels.start import Capture
    from inspector.viewmodels.wanted import Wanted

_PATIENCE_S = 15.0
"""How long the end of a session may take: longer than the ladder that ends a stubborn server."""

_SILENT_S = 0.7
"""How long it may take before somebody is told."""


class Sittings:
    """The live conversations with one server, one after the other, and the engine they run on."""

    def __init__(self, chosen: Chosen, world: World, *, is_first: bool = True) -> None:
        """`is_first`: its is the file that was named for recording; the others get a number behind its name."""
        self._chosen = chosen
        self._world = world
        self._is_first = is_first
        self._engine: Engine | None = None
        self._ended = False
        self.lives: list[Live] = []

    def begin(self, offers: frozenset[str] | None = None, *, held: bool = False) -> "Live":
        """Connect anew, with a journal of its own; `offers` in the place of what the command line offers.

        `held`: the server starts, and nothing is sent to it before `Live.begin`.

        Raises: UsageError if the journal's file can't be made.
        """
        with ExitStack() as undo:
            started = self._head_start()
            if started is not None:
                undo.callback(abandon, started)
            live = self._connected(offers, started, held=held)
            undo.pop_all()
        return live

    def _head_start(self) -> Started | None:
        """Start the first server before what talks to it is imported, so that both take their time together.

        Not where a file was named for recording: if that can't be made, nothing is to be started. A command that can't
        be started is left to the transport, which reports it.
        """
        target = self._chosen.target
        if self.lives or not self._is_first or self._chosen.capture is not None or not isinstance(target, StdioTarget):
            return None
        try:
            return start(target.argv, target.environment.values, target.cwd)
        except ConnectError:
            return None

    def _connected(self, offers: frozenset[str] | None, started: Started | None, *, held: bool) -> "Live":
        from inspector.cli.launch import kept_journal, numbered, settings_for
        from inspector.session.engine import Engine, Live

        if self._engine is None:
            self._engine = Engine()
        chosen = self._chosen
        if chosen.capture is not None and (self.lives or not self._is_first):
            chosen = replace(chosen, capture=numbered(chosen.capture))
        journal = kept_journal(chosen, self._world)
        settings = settings_for(chosen, self._world, has_person=True)
        settings = replace(settings, started=started, offers=settings.offers if offers is None else offers)
        live = Live(self._engine, chosen.target, journal, settings, held=held)
        self.lives.append(live)
        return live

    def end(self) -> None:
        """End them all, their servers and the engine, and say so if it takes long."""
        self._finish(Output(self._world))
        end_all_children()

    def close(self) -> None:
        """End them all and the engine, silently: others go on, and the screen is theirs."""
        self._finish(None)

    def ask_to_end(self) -> None:
        """Begin to end them; `end` waits for that."""
        if not self._ended:
            for live in self.lives:
                live.end()

    def _finish(self, output: Output | None) -> None:
        if self._ended:
            return
        for live in self.lives:
            ending = live.end()
            with suppress(TimeoutError):
                ending.result(_SILENT_S)
            if not ending.done() and output is not None:
                output.narrate("waiting for the server to stop; Ctrl+C stops it at once")
            with suppress(TimeoutError, CancelledError, KeyboardInterrupt):
                ending.result(_PATIENCE_S)
        self._ended = True
        if self._engine is not None:
            self._engine.stop()


class Servers:
    """All servers of one run; the interface has further ones opened by it."""

    def __init__(self, world: World, chosen: Chosen | None = None, *, record: bool = True) -> None:
        """`chosen`: what was asked for the first; what of it is not about that server alone holds for all."""
        self._world = world
        self._chosen = chosen
        self._record = record
        self.sittings: list[Sittings] = []

    @property
    def captures(self) -> list[Path | None]:
        """Where each of all conversations is recorded."""
        return [live.journal.capture_path for each in self.sittings for live in each.lives]

    def add(self, chosen: Chosen) -> Sittings:
        """Take in another server. Nothing begins."""
        self.sittings.append(Sittings(chosen, self._world, is_first=not self.sittings))
        return self.sittings[-1]

    def end(self) -> None:
        """End them all, at the same time."""
        for each in self.sittings:
            each.ask_to_end()
        for each in self.sittings:
            each.end()

    def found(self) -> "tuple[Sequence[FoundServer], Sequence[Capture]]":
        """The servers that hosts on this machine know, and recent captures."""
        from inspector.cli.shelf import recent
        from inspector.config.servers import found_servers

        return found_servers(self._world.env, Path.cwd()), [*recent(self._world.env)]

    def meant(self, words: Sequence[str]) -> "list[Wanted]":
        """What words of the command line stand for. Raises: UsageError for one that stands for nothing."""
        if not words:
            return []
        from inspector.viewmodels.wanted import wanted

        servers, _ = self.found()
        return [wanted(word, servers) for word in words]

    def open(self, wanted: "Wanted") -> "Opened":
        """Begin a conversation, or name a capture.

        Raises: InspectError if it can't be begun at all.
        """
        from inspector.cli.choices import demo_target, found_target, typed_target
        from inspector.config.servers import FoundServer
        from inspector.session.opened import Opened
        from inspector.viewmodels.start import OpenCapture, OpenDemo, OpenServer
        from inspector.viewmodels.wanted import OpenTyped

        env = self._world.env
        match wanted:
            case OpenCapture():
                return Opened(wanted.path.stem, capture=wanted.path)
            case OpenDemo():
                return self._begun(demo_target(env), "demo")
            case OpenServer():
                assert isinstance(wanted.server, FoundServer), "what was shown is what was found"
                return self._begun(found_target(wanted.server, env), wanted.server.name)
            case OpenTyped():
                target = typed_target(wanted.argv, wanted.url, env)
                return self._begun(target, target.label, named=False)
            case _:
                assert_never(wanted)

    def share(self, capture: Path, out: Path, *, notes: bool, overwrite: bool) -> list[str]:
        """Copy a capture without secrets; what was done, in lines. Raises: InspectError."""
        from inspector.cli.copying import shared

        return shared(capture, out, self._world.env, notes=notes, overwrite=overwrite)

    def _begun(self, target: "Target", name: str, *, named: bool = True) -> "Opened":
        from inspector.session.opened import Opened

        sittings = self.add(self._like(target))
        return Opened(name, sittings.begin, sittings.begin(), close=sittings.close, named=named)

    def _like(self, target: "Target") -> Chosen:
        """What holds for a server that was named beside another one."""
        from inspector.cli.choices import plainly

        plain = plainly(target)
        if self._chosen is None:
            return replace(plain, record=self._record)
        shared = ("capture", "record", "answers", "extensions", "lists", "retry_cut", "keep_secrets")
        return replace(plain, **{name: getattr(self._chosen, name) for name in shared})
