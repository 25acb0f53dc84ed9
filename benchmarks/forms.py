"""Forms of large schemas: from the key that selects a tool to its fields on the screen, and the memory that they take.

Run by itself it prints its part of the table: `python -m benchmarks.forms`.
"""

import json
import re
import sys
import tempfile
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import psutil

from benchmarks.measure import await_quiet, environment, inspector
from benchmarks.terminal import Terminal
from inspector.forms.read_schema import read_schema

_ROUNDS = 7
_DOWN, _UP = b"\x1b[B", b"\x1b[A"
_WHOLE = {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}


class DrawnForm(msgspec.Struct, frozen=True):
    """How a form came to the screen."""

    name: str
    median_s: float
    """From the key to the fields that fit on the screen."""
    cpu_s: float
    """Processor time of the program for that and for what follows: the verdict, the scroll bar."""
    more_mb: float
    """Memory that the first drawing took."""


def _fields(name: str, count: int) -> dict[str, Any]:
    return {"type": "object", "properties": {f"{name}_{n}": _WHOLE for n in range(count)}}


def unions(count: int = 400, branches: int = 30) -> dict[str, Any]:
    """Return a schema of a megabyte: unions of each other."""
    named: dict[str, Any] = {}
    for n in range(count):
        others = [{"$ref": f"#/$defs/N{(n * 7 + step) % count}"} for step in range(branches)]
        own = {"type": "object", "description": "x" * 1_500, "properties": {"kind": {"const": n}}}
        named[f"N{n}"] = {"anyOf": [*others, own]}
    return {"type": "object", "$defs": named, "properties": {"union_0": {"$ref": "#/$defs/N0"}}}


def tree(count: int = 1_000) -> dict[str, Any]:
    """Return a schema of a megabyte: objects with lists of each other."""
    named = {
        f"T{n}": {
            "type": "object",
            "description": "y" * 900,
            "properties": {
                "name": {"type": "string"},
                "parts": {"type": "array", "items": {"$ref": f"#/$defs/T{(n + 1) % count}"}},
            },
        }
        for n in range(count)
    }
    return {"type": "object", "$defs": named, "properties": {"tree_0": {"$ref": "#/$defs/T0"}}}


SERVER: Final = """
import json, sys
TOOLS = json.load(open(sys.argv[1]))
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    reply = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        reply["result"] = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
                           "serverInfo": {"name": "forms", "version": "1"}}
    elif m["method"] == "tools/list":
        reply["result"] = {"tools": TOOLS}
    else:
        reply["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(reply), flush=True)
"""
_TOOLS: Final = (
    ("few", _fields("few", 2), b"few_1"),
    ("sixty", _fields("sixty", 60), b"sixty_20"),
    ("many", _fields("many", 500), b"many_20"),
    ("unions", unions(), b"union_0"),
    ("tree", tree(), b"tree_0"),
)
"""Name, schema, and what is on the screen once it is drawn at 120×36."""


def drawn(env: Mapping[str, str], home: Path) -> list[DrawnForm]:
    """Select each tool in a terminal and the one before it again, some times."""
    definitions = home / "tools.json"
    definitions.write_text(json.dumps([{"name": name, "inputSchema": schema} for name, schema, _ in _TOOLS]))
    argv = inspector("stdio", "--", sys.executable, "-c", SERVER, str(definitions))
    found = []
    with Terminal(argv, env=env, columns=120, lines=36) as terminal:
        process = psutil.Process(terminal.pid)
        terminal.until(re.compile(rb"Tools 5"))
        terminal.rest(1.0)
        terminal.press(b"2")
        terminal.until(_TOOLS[0][2])
        terminal.rest(1.0)
        for (_, _, before), (name, _, seen) in pairwise(_TOOLS):
            times, spent, size = [], [], process.memory_info().rss
            more = 0.0
            for _ in range(_ROUNDS):
                await_quiet()
                began = _cpu_s(process)
                times.append(terminal.answer(_DOWN, seen))
                terminal.rest(0.5)
                spent.append(_cpu_s(process) - began)
                more = more or (process.memory_info().rss - size) / 1e6
                terminal.answer(_UP, before)
                terminal.rest(0.3)
            terminal.answer(_DOWN, seen)
            terminal.rest(0.3)
            found.append(DrawnForm(name, median(times), median(spent), more))
        terminal.press(b"qq")
        terminal.rest(0.2)
    return found


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def read_s() -> float:
    """Read unions of each other: the median of some rounds."""
    schema = unions()
    times = []
    for _ in range(_ROUNDS):
        began = time.process_time()
        read_schema(schema)
        times.append(time.process_time() - began)
    return median(times)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as home:
        for form in drawn(environment(Path(home)), Path(home)):
            print(
                f"{form.name:8} {form.median_s * 1000:6.0f} ms to the fields, {form.cpu_s * 1000:6.0f} ms of CPU,"
                f" {form.more_mb:+.1f} MB"
            )
    print(f"unions   {read_s() * 1000:6.0f} ms of CPU to read the schema")


if __name__ == "__main__":
    main()
