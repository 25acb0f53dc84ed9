"""Two clients, and a player that plays them to a planted server in this process."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.capture.journal import Journal
from inspector.config.environment import Environment
from inspector.config.targets import StdioTarget
from inspector.features.blame.play import ScriptPlayer, ScriptRun
from inspector.features.blame.script import ClientScript, Outcome, Step
from inspector.features.blame.search import Blame, Search
from inspector.protocol.facts import InheritedState, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction, Eol
from tests.features.blame.planted import PlantedServer

PLANTED = Path(__file__).parent / "planted.py"
FAILED: Outcome = {"initialize": "result", "tools/list": "error -32000"}
_ENDS = {Eol.LF: b"\n", Eol.CRLF: b"\r\n", Eol.NONE: b""}


class MemoryPlayer(ScriptPlayer):
    """Plays to a planted server without a process, and without waiting."""

    def __init__(self, reasons: str) -> None:
        super().__init__(StdioTarget((), Environment({}, {}), ""), {}, 10)
        self.reasons = reasons

    def run(self, script: ClientScript, journal: Journal) -> ScriptRun:
        return _MemoryRun(self, script, journal, self.reasons)


class _MemoryRun(ScriptRun):
    def __init__(self, player: ScriptPlayer, script: ClientScript, journal: Journal, reasons: str) -> None:
        super().__init__(player, script, journal)
        state = script.inherited or InheritedState()
        here: dict[str, Any] = {
            "umask": state.umask,
            "blocked": state.blocked,
            "ignored": state.ignored,
            "files": state.files,
        }
        here |= {"env": script.environment or (), "cwd": script.cwd, "argv": script.argv, "terminal": state.terminal}
        self._server = PlantedServer(reasons, here)

    async def pause(self, seconds: float) -> None:
        """Let no time pass."""

    async def _ends(self) -> None:
        self.is_over = True

    async def send(self, step: Step) -> None:
        self.journal.frame(Direction.TO_SERVER, Channel.STDIN, step.payload, eol=step.eol)
        pause = step.pause_s if self.player.keeps_pauses else 0.0
        for answer in self._server.take(step.payload + _ENDS[step.eol], pause, overlaps=step.waiting > 0):
            self.journal.frame(Direction.FROM_SERVER, Channel.STDOUT, answer, eol=Eol.LF)
        self.is_over = self._server.exit is not None
        if self._server.exit:
            self.journal.fact(ProcessFact(ProcessEvent.EXIT, 1, self._server.exit))

    async def _until(self, count: int) -> None:
        """Wait for nothing: the server has answered at once, or does not."""


def step(message: dict[str, Any], **more: Any) -> Step:
    target = message.get("params", {}).get("name") if isinstance(message.get("params"), dict) else None
    key = f"{message['method']} {target}" if target else message["method"]
    return Step(key, json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode(), **more)


def client(ids: tuple[Any, Any], opening: dict[str, Any], listing: dict[str, Any], **more: Any) -> ClientScript:
    first = {"jsonrpc": "2.0", "id": ids[0], "method": "initialize", "params": opening}
    second = {"jsonrpc": "2.0", "id": ids[1], "method": "tools/list"} | listing
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    return ClientScript((step(first), step(initialized), step(second)), **more)


def works(**more: Any) -> ClientScript:
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "works", "version": "1"},
    }
    values: dict[str, Any] = {"environment": ("PATH", "PLANTED_TOKEN"), "argv": ("planted",)} | more
    return client((1, 2), opening, {"params": {}}, **values)


def fails(listing: dict[str, Any] | None = None, **more: Any) -> ClientScript:
    opening = {
        "protocolVersion": "2025-03-26",
        "capabilities": {"sampling": {}},
        "clientInfo": {"name": "fails", "version": "2", "title": "Failing"},
    }
    values: dict[str, Any] = {"environment": ("PATH",), "argv": ("planted",)} | more
    return client(("a", "b"), opening, listing or {}, **values)


def changed(script: ClientScript, key: str, **values: Any) -> ClientScript:
    return replace(script, steps=tuple(replace(each, **values) if each.key == key else each for each in script.steps))


def processes(reasons: str) -> ScriptPlayer:
    """Return a player that starts planted servers."""
    values = {"PATH": os.environ["PATH"], "PLANTED_TOKEN": "x", "PLANTED_DEBUG": "1"}
    target = StdioTarget((sys.executable, "-S", str(PLANTED), reasons), Environment(values, {}), str(PLANTED.parent))
    return ScriptPlayer(target, {}, 10)


async def blamed(
    player: ScriptPlayer,
    first: ClientScript,
    second: ClientScript,
    recorded: Outcome | None = None,
    most_runs: int = 100,
) -> Blame:
    """Find what makes the first client fail. `recorded`: what its capture shows; None if that is what happens."""
    outcome = (await player.play(first)).outcome if recorded is None else recorded
    return await Search(player, most_runs).blame(first, second, outcome)
