"""What `mcp-inspect bench` measures, against a loop written by hand: python -m benchmarks.load

Both call the same tool of the same process, in turn, so that a busy machine slows both. What counts is the ratio of the
medians: mcp-inspect's own cost in the latency that it reports. A server that is asked again sooner is still awake, and
responds sooner: therefore the loop by hand runs a second time with mcp-inspect's pause between two calls.

With --table: what servers of the registries sustain, as in docs/bench.md.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.features.bench.load import LevelPlan, Load, LoadClient, prepare
from inspector.features.bench.model import BenchCall, LoadModel
from inspector.protocol.revisions._shape import Era
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.transports.children import Child
from inspector.transports.stdio import StdioTransport
from tests.architecture.sources import ROOT
from tests.servers.real import PLACE, NotInstalled, argv

ROUNDS, CALLS = 15, 200
MOST_PAUSE_NS = 100_000
"""A longer pause is not mcp-inspect's work, but that of other processes on a busy machine."""


class _ByHand:
    """A client of a dozen lines, on the pipes of a server that was started and initialized already."""

    def __init__(self, child: Child) -> None:
        assert child.stdin is not None
        assert child.stdout is not None
        self._into, self._out_of = child.stdin.fileno(), child.stdout.fileno()
        self._id = 5_000_000

    def ask(self, method: str, params: dict[str, object]) -> int:
        """Nanoseconds from the write to the whole line of the response."""
        self._id += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode() + b"\n"
        began = time.monotonic_ns()
        os.write(self._into, line)
        data = b""
        while not data.endswith(b"\n") or json.loads(data.splitlines()[-1]).get("id") != self._id:
            data += os.read(self._out_of, 65536)
        return time.monotonic_ns() - began

    def ask_often(self, method: str, params: dict[str, object], pause_ns: float = 0) -> list[int]:
        """Ask with blocking pipes, as a loop by hand does, while the event loop rests."""
        for fd in (self._into, self._out_of):
            os.set_blocking(fd, True)
        found: list[int] = []
        try:
            for _ in range(CALLS):
                until = time.monotonic_ns() + pause_ns
                while time.monotonic_ns() < until:
                    pass
                found.append(self.ask(method, params))
            return found
        finally:
            for fd in (self._into, self._out_of):
                os.set_blocking(fd, False)


async def compare(command: tuple[str, ...], tool: str, arguments: dict[str, object]) -> tuple[float, float, float]:
    """The median of each in milliseconds: by hand, by hand at mcp-inspect's pace, and as mcp-inspect reports it."""
    params: dict[str, object] = {"name": tool, "arguments": arguments}
    target = StdioTarget(command, build_environment(os.environ, inherit_all=True), str(ROOT))
    journal = start_capture(None)
    theirs: list[int] = []
    paced: list[int] = []
    ours: list[int] = []
    try:
        async with open_session(target, journal, Settings(era=Era.LEGACY)) as session:
            client = LoadClient(journal)
            client.transport, session.observer = session.transport, client
            await session.connect()
            assert isinstance(session.transport, StdioTransport)
            assert session.transport._live is not None
            by_hand = _ByHand(session.transport._live.child)
            load = Load(client, [prepare(session, BenchCall("tools/call", params))])
            for turn in range(ROUNDS + 1):
                level = await load.run(LevelPlan(LoadModel.CLOSED, 1, 60, CALLS, 10, 10))
                times = level.times[tool]
                pause_ns = min(level.seconds * 1e9 / len(times) - mean(times), MOST_PAUSE_NS)
                loop, loop_at_pace = (by_hand.ask_often("tools/call", params, pause) for pause in (0, pause_ns))
                if turn:
                    ours += times
                    theirs += loop
                    paced += loop_at_pace
    finally:
        journal.close()
    return median(theirs) / 1e6, median(paced) / 1e6, median(ours) / 1e6


def servers() -> list[tuple[str, tuple[str, ...], str, dict[str, object]]]:
    """Servers that are here, with a tool and its arguments."""
    loaded = (sys.executable, str(ROOT / "tests" / "servers" / "loaded.py"))
    found: list[tuple[str, tuple[str, ...], str, dict[str, object]]] = [
        ("a Python server of 100 lines", loaded, "fast", {"text": "a"})
    ]
    harbour = str(ROOT / "tests" / "servers" / "real" / "harbour.py")
    real: list[tuple[str, tuple[str, ...], str, dict[str, object]]] = [
        ("everything", (), "echo", {"message": "hi"}),
        ("memory", (), "read_graph", {}),
        ("mcp1", (harbour, "stdio"), "chart", {}),
        ("fastmcp", (harbour, "stdio"), "chart", {}),
    ]
    for name, rest, tool, arguments in real:
        try:
            found.append((name, (*argv(name), *rest), tool, arguments))
        except NotInstalled:
            continue
    return found


def table(place: Path) -> None:
    """Print the table of docs/bench.md: calls a second, p95 and memory of each server that is here."""
    (place / "a.txt").write_text("hello\n")
    git = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "a.txt"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    python = {name: str(PLACE / name / "bin") for name in ("mcp1", "mcp2", "fastmcp")}
    harbour = (str(ROOT / "tests" / "servers" / "real" / "harbour.py"), "stdio")
    rows: list[tuple[str, str, tuple[str, ...]]] = [
        ("server-everything (npm)", "echo message=m{n}", argv("everything")),
        ("server-filesystem (npm)", f"read_text_file path={place}/a.txt", (*argv("filesystem"), str(place))),
        ("server-memory (npm)", "read_graph", argv("memory")),
        (
            "server-sequential-thinking (npm)",
            "sequentialthinking thought=t nextThoughtNeeded:=false thoughtNumber:=1 totalThoughts:=1",
            argv("sequential-thinking"),
        ),
        ("mcp-server-time (PyPI)", "get_current_time timezone=UTC", (f"{python['mcp2']}/mcp-server-time",)),
        ("mcp-server-git (PyPI)", f"git_log repo_path={place}", (f"{python['mcp2']}/mcp-server-git",)),
        (
            "mcp-server-sqlite (PyPI)",
            "read_query 'query=select {n}'",
            (f"{python['mcp1']}/mcp-server-sqlite", "--db-path", str(place / "a.db")),
        ),
        ("mcp-server-calculator (PyPI)", "calculate expression={n}+1", (f"{python['mcp1']}/mcp-server-calculator",)),
        *((f"a server with {name}", "chart", (f"{where}/python", *harbour)) for name, where in python.items()),
        ("mcp-inspect demo", "echo text=m{n}", (sys.executable, "-m", "inspector.demo")),
    ]
    print("| server | tool | per second at 1 | at 4 | at 16 | p95 ms at 16 | memory | verdicts |")
    print("|---|---|--:|--:|--:|--:|--:|---|")
    for name, call, command in rows:
        report = place / "report.json"
        options = ["--for", "4s", "--allow-destructive", "-o", str(report), "-t", call]
        bench = [sys.executable, "-m", "inspector", "bench", "-q", "-e", f"PYTHONPATH={ROOT}", *options]
        ran = subprocess.run([*bench, "--", *command], capture_output=True, text=True, check=False)
        if ran.returncode > 1:
            print(f"| {name} | not measured: {ran.stderr.strip().splitlines()[0]} |")
            continue
        found = json.loads(report.read_text())
        rates = " | ".join(f"{level['rate']:,.0f}" for level in found["levels"])
        p95 = found["levels"][-1]["tools"][0]["p95_ms"]
        memory = found["usage"]["rss"]["peak"] / 2**20
        verdicts = ", ".join(each["id"] for each in found["verdicts"]) or "none"
        print(f"| {name} | `{call.split()[0]}` | {rates} | {p95:.1f} | {memory:.0f} MiB | {verdicts} |", flush=True)


def main() -> None:
    """Print a line for each server, or the table."""
    if "--table" in sys.argv:
        with tempfile.TemporaryDirectory() as place:
            table(Path(place))
        return
    for name, command, tool, arguments in servers():
        loop, paced, reported = asyncio.run(compare(command, tool, arguments))
        print(
            f"{name:<30} by hand {loop:.4f} ms, at the same pace {paced:.4f} ms, mcp-inspect {reported:.4f} ms: "
            f"{reported / loop:.2f} and {reported / paced:.2f} times"
        )


if __name__ == "__main__":
    main()
