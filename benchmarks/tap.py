"""What the tap costs, as ratios to the same without it: python -m benchmarks.tap

Round trips are taken in turns, direct and through the tap, so that a busy machine slows both.
"""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

import httpx

from benchmarks.measure import environment
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.servers import real

TAP = [sys.executable, "-P", "-s", "-m", "inspector.features.tap"]
ECHO = [sys.executable, "-I", "-c", "import os\nwhile data := os.read(0, 65536): os.write(1, data)"]
READS_JSON = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": {}}), flush=True)
"""
SDK = """
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
import anyio
async def main():
    server = Server("bench")
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())
anyio.run(main)
"""
OPENING = (
    {"jsonrpc": "2.0", "id": 0, "method": "initialize"}
    | {"params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"pad": "x" * 140}}).encode() + b"\n"
RULES = "".join(f"- name: r{n}\n  action: hold\n  when: tool == never{n} and args.path ~ '^/x'\n" for n in range(10))
TURNS, TRIPS, SDK_TRIPS = 15, 400, 30


class _Party:
    def __init__(self, command: list[str], *, opens: bool = False) -> None:
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # noqa: TID251
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.into, self.out_of = self.child.stdin.fileno(), self.child.stdout.fileno()
        self.trips: list[float] = []
        if opens:
            os.write(self.into, b"".join(json.dumps(each).encode() + b"\n" for each in OPENING))
            self._read_line()
        self.trip()

    def trip(self) -> float:
        began = time.perf_counter()
        os.write(self.into, PING)
        self._read_line()
        return time.perf_counter() - began

    def _read_line(self) -> None:
        while not os.read(self.out_of, 65536).endswith(b"\n"):
            pass

    def measure(self, trips: int = TRIPS) -> None:
        self.trips += [self.trip() for _ in range(trips)]

    def end(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.close()
        self.child.wait()


def _status(pid: int, name: str) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{name}:")[1].split()[0])


def _cpu(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _flood(command: list[str], size: int, rate: float = 1e9, piece: bytes = PING * 300) -> float:
    """Seconds until so many bytes came back, sent at most at so many bytes a second."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)  # noqa: TID251
    assert child.stdin is not None
    assert child.stdout is not None
    into, out_of = child.stdin.fileno(), child.stdout.fileno()
    os.set_blocking(into, False)
    sent, got, began = 0, 0, time.perf_counter()
    while got < size:
        may_send = sent < min(size, (time.perf_counter() - began) * rate)
        ready, writable, _ = select.select([out_of], [into] if may_send else [], [], 0.001)
        if writable:
            with suppress(BlockingIOError):
                sent += os.write(into, memoryview(piece)[sent % len(PING) :])
        if ready:
            got += len(os.read(out_of, 1 << 20))
    took = time.perf_counter() - began
    child.stdin.close()
    child.stdout.close()
    child.wait()
    return took


async def _http() -> tuple[list[float], list[float]]:
    """Seconds of POSTs, direct and through the tap, in turns."""

    async def reply(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (("Content-Type", "application/json"),), request.body)

    direct, through = list[float](), list[float]()
    headers = {"Content-Type": "application/json"}
    async with Listener(reply) as server, httpx.AsyncClient() as client:
        words = ["-m", "inspector", "tap", "http", f"{server.url}/mcp", "--json"]
        tap = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=subprocess.PIPE)
        assert tap.stdout is not None
        tapped = json.loads(await tap.stdout.readline())["url"]
        for turn in range(2000):
            url, found = (tapped, through) if turn % 2 else (f"{server.url}/mcp", direct)
            began = time.perf_counter()
            await client.post(url, content=PING, headers=headers)
            found.append(time.perf_counter() - began)
        tap.send_signal(signal.SIGINT)
        await tap.wait()
    return direct, through


def _first_words(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print. With the argument `trips` only the round trips on stdio, with `http` only those of HTTP."""
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        os.environ["MCP_INSPECT_HOME"] = place
        if wanted != ["http"]:
            _round_trips(Path(place))
        if not wanted:
            _floods(Path(place))
        if wanted != ["trips"]:
            _print_http()
    if wanted:
        return
    true = ["/bin/true"]
    starts = [(_first_words([sys.executable, "-I", "-c", ""]), _first_words([*TAP, "--", *true])) for _ in range(9)]
    python, tap = (median(each) * 1000 for each in zip(*starts, strict=True))
    print(f"start and end around /bin/true: {tap:.0f} ms, an empty Python {python:.0f} ms")


def plain_trips(place: Path) -> tuple[float, float, float]:
    """MiB of a tap at rest, and seconds of a round trip of JSON: direct, and through a tap, in turns."""
    os.environ.update(environment(place))
    server = [sys.executable, "-I", "-c", READS_JSON]
    direct, tapped = _Party(server), _Party([*TAP, "--", *server])
    time.sleep(2)
    idle = _status(tapped.child.pid, "VmRSS") / 1024
    for _ in range(TURNS):
        direct.measure()
        tapped.measure()
    for party in (direct, tapped):
        party.end()
    return idle, median(direct.trips), median(tapped.trips)


def posts() -> tuple[float, float]:
    """Seconds of a POST: direct, and through a tap."""
    direct, through = asyncio.run(_http())
    return median(direct), median(through)


def _print_http() -> None:
    direct_http, through_http = asyncio.run(_http())
    added = (median(through_http) - median(direct_http)) * 1e3
    late = (quantiles(through_http, n=100)[98] - quantiles(direct_http, n=100)[98]) * 1e3
    ratio = median(through_http) / median(direct_http)
    print(
        f"POST by httpx, p50 {median(through_http) * 1e3:.2f} ms: +{added:.2f} ms ({ratio:.2f} x), p99 +{late:.2f} ms"
    )


def _round_trips(place: Path) -> None:
    """Idle cost, and round trips: direct, through a tap, with ten rules, with an attached interface."""
    rules = place / "rules.yaml"
    rules.write_text(RULES)
    parties = {
        "direct": _Party(ECHO),
        "tap": _Party([*TAP, "--label", "bench", "--", *ECHO]),
        "tap with 10 rules": _Party([*TAP, "--rules", str(rules), "--", *ECHO]),
    }
    time.sleep(1)
    pid = parties["tap"].child.pid
    before = _status(pid, "voluntary_ctxt_switches")
    time.sleep(2)
    wakes = _status(pid, "voluntary_ctxt_switches") - before
    print(f"idle: {_status(pid, 'VmRSS') / 1024:.1f} MiB, {wakes} wake-ups in 2 s")
    used = _cpu(pid)
    for _ in range(TURNS):
        for party in parties.values():
            party.measure()
    print(f"processor time of the tap for a round trip: {(_cpu(pid) - used) / (TURNS * TRIPS) * 1e6:.0f} µs")
    floor, alone = median(parties["direct"].trips), median(parties["tap"].trips)
    parties["tap"].trips.clear()
    follower = [sys.executable, "-m", "inspector", "attach", "bench", "--until", "tool == never"]
    with subprocess.Popen(follower, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as attached:  # noqa: TID251
        time.sleep(3)
        for _ in range(TURNS):
            parties["tap"].measure()
        print(f"round trip attached: p50 {median(parties['tap'].trips) / alone:.2f} x not attached")
        attached.kill()
    for name, party in parties.items():
        _print_trips(f"os.read and os.write, {name}", party, floor)
    _realistic(rules)


def _realistic(rules: Path) -> None:
    """Round trips of servers that read JSON: a loop of Python, and one of the SDK."""
    servers = {"json.loads and json.dumps": ([sys.executable, "-I", "-c", READS_JSON], TRIPS)}
    with suppress(real.NotInstalled):
        servers["ping of SDK 1.x"] = ([*real.argv("mcp1"), "-c", SDK], SDK_TRIPS)
    for name, (server, trips) in servers.items():
        opens = trips == SDK_TRIPS
        parties = {
            "direct": _Party(server, opens=opens),
            "tap": _Party([*TAP, "--", *server], opens=opens),
            "tap with 10 rules": _Party([*TAP, "--rules", str(rules), "--", *server], opens=opens),
        }
        for _ in range(TURNS):
            for party in parties.values():
                party.measure(trips)
        floor = median(parties["direct"].trips)
        for kind, party in parties.items():
            _print_trips(f"{name}, {kind}", party, floor)


def _print_trips(name: str, party: _Party, floor: float) -> None:
    middle, late = median(party.trips), quantiles(party.trips, n=100)[98]
    more = f"{middle / floor:.2f} x, {(middle - floor) * 1e6:+.0f} µs"
    print(f"round trip, {name}: p50 {middle * 1e6:.0f} µs ({more}), p99 {late * 1e6:.0f} µs")
    party.end()


def _floods(place: Path) -> None:
    """Messages as fast as they go, one large frame, and a steady rate that is recorded."""
    size = 40_000_000
    direct, through = _flood(ECHO, size), _flood([*TAP, "--", *ECHO], size)
    rate = size / len(PING) / through
    large, one = 100_000_000, b"x" * 1_000_000
    whole = _flood(ECHO, large, piece=one), _flood([*TAP, "--", *ECHO], large, piece=one)
    print(f"one frame of 100 MB: {whole[0] / whole[1]:.2f} x the speed of direct")
    print(f"flood: {rate:,.0f} messages/s each way, {through / direct:.2f} x direct")
    capture = place / "steady.mcpcap"
    wanted = 100_000
    seconds = _flood([*TAP, "--capture", str(capture), "--", *ECHO], 5 * wanted * len(PING), wanted * len(PING))
    frames = capture.read_bytes().count(b'{"r":"frame"')
    gap = "a gap" if b'"r":"gap"' in capture.read_bytes() else "no gap"
    print(f"{wanted:,} messages/s each way for {seconds:.1f} s: {frames:,} recorded, {gap}")


if __name__ == "__main__":
    main()
