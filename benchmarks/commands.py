"""Every command that reads a capture, on ten shapes of captures of two sizes: python -m benchmarks.commands

It prints the processor's seconds of each command on the larger capture, and the cost of an entry there as a multiple of
that in the smaller one, without what the command costs on an empty capture. A row over a limit is marked. Words behind
it choose commands and shapes: `python -m benchmarks.commands diff calls`.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from inspector.capture.journal import Journal, start_capture
from inspector.features.export.formats import FORMATS
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, Eol

FEW, MANY, SIZE = 5_000, 40_000, 24_000_000
"""Entries of the two captures, and bytes of the larger one."""
MOST_S, MOST_GROWTH = 5.0, 1.3
_TO, _FROM = Direction.TO_SERVER, Direction.FROM_SERVER


class _Talk:
    """Writes one capture."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.pad = "x" * (SIZE // MANY - 420)
        self.request(0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=_named("client"))
        self.result(0, protocolVersion="2025-06-18", capabilities={"tools": {}}, serverInfo=_named("server"))
        self.put(_TO, method="notifications/initialized")

    def put(self, to: Direction, **members: object) -> None:
        """Record a message."""
        channel = Channel.STDIN if to is _TO else Channel.STDOUT
        payload = json.dumps({"jsonrpc": "2.0", **members}).encode()
        self._journal.frame(to, channel, payload, eol=Eol.LF)

    def request(self, id_: object, method: str, **params: object) -> None:
        """Record a request of the client."""
        self.put(_TO, id=id_, method=method, params=params)

    def result(self, id_: object, **result: object) -> None:
        """Record a response of the server."""
        self.put(_FROM, id=id_, result=result)

    def call(self, n: int, name: str = "add", **meta: object) -> None:
        """Record a call."""
        self.request(
            n, "tools/call", name=name, arguments={"n": n, "text": self.pad}, **({"_meta": meta} if meta else {})
        )

    def fact(self, fact: HttpFact) -> None:
        """Record a step of an HTTP exchange."""
        self._journal.fact(fact)


def _named(name: str) -> dict[str, str]:
    return {"name": name, "version": "1"}


def _calls(talk: _Talk, count: int) -> None:
    for n in range(1, count // 2):
        talk.call(n)
        talk.result(n, content=[{"type": "text", "text": talk.pad}])


def _open_calls(talk: _Talk, count: int) -> None:
    for n in range(1, count):
        talk.call(n)


def _open_sampling(talk: _Talk, count: int) -> None:
    for n in range(1, count // 2):
        talk.call(n)
        message = {"role": "user", "content": {"type": "text", "text": talk.pad}}
        talk.put(_FROM, id=n, method="sampling/createMessage", params={"maxTokens": 1, "messages": [message]})


def _pages(talk: _Talk, count: int) -> None:
    for n in range(1, count // 2):
        talk.request(n, "tools/list", **({"cursor": f"c{n}"} if n > 1 else {}))
        tool = {"name": f"tool_{n}", "description": talk.pad * 2, "inputSchema": {"type": "object"}}
        talk.result(n, tools=[tool], **({"nextCursor": f"c{n + 1}"} if n < count // 2 - 1 else {}))


def _progress(talk: _Talk, count: int) -> None:
    talk.call(1, progressToken="t")
    for n in range(1, count):
        said = {"progressToken": "t", "progress": n, "message": talk.pad}
        talk.put(_FROM, method="notifications/progress", params=said)
    talk.result(1, content=[])


def _logs(talk: _Talk, count: int) -> None:
    for n in range(1, count // 3):
        talk.call(n)
        talk.put(_FROM, method="notifications/message", params={"level": "info", "data": f"{n} {talk.pad}"})
        talk.result(n, content=[{"type": "text", "text": talk.pad}])


def _errors(talk: _Talk, count: int) -> None:
    for n in range(1, count // 2):
        talk.call(n, name=f"tool_{n % 100}")
        talk.put(_FROM, id=n, error={"code": -32000 - n % 9, "message": f"failed: {talk.pad}"})


def _no_json(talk: _Talk, count: int) -> None:
    for n in range(1, count):
        talk._journal.frame(_FROM, Channel.STDOUT, f"line {n} {talk.pad}".encode(), eol=Eol.LF)


def _late(talk: _Talk, count: int) -> None:
    for n in range(1, count // 3):
        talk.call(n)
        talk.put(_TO, method="notifications/cancelled", params={"requestId": n, "reason": "timeout"})
    for n in range(1, count // 3):
        talk.result(n, content=[{"type": "text", "text": talk.pad}])


def _http(talk: _Talk, count: int) -> None:
    for n in range(1, count // 5):
        talk.fact(HttpFact(HttpEvent.REQUEST, n, "POST", "https://example.com/mcp"))
        payload = {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": "t", "arguments": {"a": talk.pad * 2}},
        }
        talk._journal.frame(_TO, Channel.POST, json.dumps(payload).encode(), http=n)
        talk.fact(HttpFact(HttpEvent.RESPONSE, n, status=200, headers=(("Content-Type", "application/json"),)))
        reply = {"jsonrpc": "2.0", "id": n, "result": {"content": [{"type": "text", "text": talk.pad * 2}]}}
        talk._journal.frame(_FROM, Channel.REPLY, json.dumps(reply).encode(), http=n)
        talk.fact(HttpFact(HttpEvent.END, n, body_bytes=9))


SHAPES: dict[str, Callable[[_Talk, int], None]] = {
    "calls": _calls, "open calls": _open_calls, "open sampling": _open_sampling, "pages": _pages,
    "progress": _progress, "logs": _logs, "errors": _errors, "no json": _no_json, "late": _late, "http": _http,
}  # fmt: skip

COMMANDS: dict[str, tuple[str, ...]] = {
    "tail": ("tail", "FILE"),
    "tail with a filter": ("tail", "FILE", "tool == add and args.n > 5"),
    "check": ("check", "FILE"),
    "stats": ("stats", "FILE"),
    "stats by": ("stats", "FILE", "--by", "args.n"),
    "verify": ("verify", "FILE"),
    "recover": ("recover", "FILE", "-o", "OUT"),
    "diff": ("diff", "FILE", "FILE"),
    "diff --edits": ("diff", "--edits", "FILE"),
    "trace": ("trace", "FILE", "4"),
    "share": ("share", "FILE", "-o", "OUT"),
    "cost": ("cost", "FILE"),
    "compat": ("compat", "FILE"),
    "lock": ("lock", "FILE", "-o", "OUT"),
    **{f"export {name}": ("export", "FILE", "--to", name, "-o", "OUT") for name in FORMATS},
}


def record(path: Path, shape: str, count: int) -> None:
    """Record a capture of a shape with about so many entries."""
    journal = start_capture(path)
    SHAPES[shape](_Talk(journal), count)
    journal.close()


def _seconds(words: tuple[str, ...], capture: Path, out: Path) -> tuple[float, int]:
    """Seconds of the processor, and the exit status."""
    out.unlink(missing_ok=True)
    argv = [{"FILE": str(capture), "OUT": str(out)}.get(word, word) for word in words]
    nowhere = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "inspector", *argv],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2)],
    )
    os.close(nowhere)
    _, status, used = os.wait4(pid, 0)
    return used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)


def _fewest(words: tuple[str, ...], capture: Path, out: Path) -> float:
    """The least of three: a short run is disturbed easily."""
    return min(_seconds(words, capture, out)[0] for _ in range(3))


def main() -> None:
    """Measure and print."""
    wanted = sys.argv[1:]
    commands = {name: words for name, words in COMMANDS.items() if name in wanted} or COMMANDS
    shapes = [shape for shape in SHAPES if shape in wanted] or [*SHAPES]
    over = 0
    with tempfile.TemporaryDirectory() as place:
        os.environ["MCP_INSPECT_HOME"] = place
        for shape in shapes:
            captures = {count: Path(place) / f"{count}.mcpcap" for count in (9, FEW, MANY)}
            for count, path in captures.items():
                path.unlink(missing_ok=True)
                record(path, shape, count)
            for name, words in commands.items():
                out = Path(place) / "out"
                empty, few = _fewest(words, captures[9], out), _fewest(words, captures[FEW], out)
                many, status = _seconds(words, captures[MANY], out)
                growth = (many - empty) / MANY / max((few - empty) / FEW, 2e-6)
                bad = many > MOST_S or growth > MOST_GROWTH or status < 0
                over += bad
                mark = "  OVER" if bad else ""
                print(f"{shape:<14} {name:<20} {many:6.2f} s  {growth:5.2f} x  exit {status}{mark}", flush=True)
    print(f"{over} over a limit")


if __name__ == "__main__":
    main()
