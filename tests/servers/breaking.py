"""Fails in the given way and to the given extent: `python -S -m tests.servers.breaking HOW [N]`.

stderr N     writes N bytes to stderr before it lists its tools, in lines of 1000
stdout N     sends notifications of N bytes in all before that, in messages of 1000
line N       answers tools/list with one line of N bytes, and everything else as usual
endless N    writes N bytes without a line's end before it lists its tools
tools N      has N tools
schemas      has tools whose schemas go in circles, explode, or have patterns without end
dies N       is gone by SIGKILL at the N-th point of the session: a line read, a line about to be written, half of it
slow N       answers after N seconds
"""

import json
import os
import signal
import sys
import time
from typing import Any

from tests.servers.speaking import HELLO, TOOL, serve

HOW = sys.argv[1] if len(sys.argv) > 1 else ""
N = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 0
out, err = sys.stdout.buffer, sys.stderr.buffer


def exploding(depth: int = 26) -> dict[str, Any]:
    """A schema of a few hundred bytes that asks for 2 to the power of `depth` fields."""
    here = {"type": "object"}
    definitions = {
        f"d{n}": {**here, "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in ("left", "right")}}
        for n in range(depth)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{depth}": {"type": "string"}}}


def nested(depth: int) -> dict[str, Any]:
    """Objects within objects."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"in": schema}, "required": ["in"]}
    return schema


SCHEMAS: dict[str, Any] = {
    "circle": {"type": "object", "properties": {"again": {"$ref": "#"}}, "required": ["again"]},
    "snake": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
    "all_of_itself": {"allOf": [{"$ref": "#"}, {"$ref": "#"}], "type": "object"},
    "any_of_itself": {"anyOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}]},
    "exploding": exploding(),
    "any_of_exploding": {"anyOf": [exploding(20), exploding(20)]},
    "deep": nested(60),
    "wide": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(20_000)}},
    "choices": {"type": "object", "properties": {"one": {"enum": [f"value {n}" for n in range(50_000)]}}},
    "backtracking": {
        "type": "object",
        "properties": {
            "a": {"type": "string", "pattern": "^(a|a)*$"},
            "b": {"type": "string", "pattern": "^((a+)+)+$"},
            "c": {"type": "string", "pattern": "(x+x+)+y"},
            "d": {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"},
            "e": {"type": "string", "pattern": "(a{1000}){1000}"},
        },
        "patternProperties": {"^(b|b)*$": {"type": "string"}},
    },
}


def repeat(block: bytes, size: int) -> None:
    """So many bytes to stdout."""
    for _ in range(size // len(block)):
        out.write(block)
    out.write(block[: size % len(block)])


def listed(request: dict[str, Any]) -> Any:
    """The tools, after what it was told to do first."""
    if HOW == "stderr":
        for number in range(N // 1000):
            err.write(b"%09d %s\n" % (number, b"e" * 989))
        err.flush()
    if HOW == "stdout":
        head = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"'
        for number in range(N // 1000):
            out.write(head + b"%09d %s" % (number, b"o" * (1000 - len(head) - 14)) + b'"}}\n')
    if HOW == "endless":
        repeat(b"x" * 65536, N)
        out.write(b"\n")
    if HOW == "line":
        out.write(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[{"inputSchema":{},"name":"' % request["id"])
        repeat(b"x" * 65536, N - 100)
        out.write(b'"}]}}\n')
        return out.flush()
    if HOW == "tools":
        schema = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}
        about = "Finds what is asked for, in one of many places that this server knows of."
        return {"tools": [{"name": f"tool_{n}", "description": about, "inputSchema": schema} for n in range(N)]}
    if HOW == "schemas":
        return {"tools": [{"name": name, "inputSchema": schema} for name, schema in SCHEMAS.items()]}
    if HOW == "slow":
        time.sleep(N)
    return {"tools": [TOOL]}


def dying() -> None:
    """Serve, and count: each line read, each before it is written, and each with half of it written, is a point."""
    answers = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}, "tools/call": {"content": []}}
    points = iter(range(1, N + 1))

    def point() -> None:
        if next(points, N) == N:
            out.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    point()
    for line in sys.stdin.buffer:
        point()
        request = json.loads(line)
        if "id" in request:
            result = answers.get(request.get("method"))
            what = {"result": result} if result else {"error": {"code": -32601, "message": "no such method"}}
            reply = json.dumps({"jsonrpc": "2.0", "id": request["id"], **what}).encode() + b"\n"
            point()
            out.write(reply[: len(reply) // 2])
            point()
            out.write(reply[len(reply) // 2 :])
            out.flush()


if __name__ == "__main__":
    if HOW == "dies":
        dying()
    else:
        serve({"tools/list": listed, "tools/call": {"content": [], "structuredContent": {}}})
