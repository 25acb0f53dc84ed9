"""Servers over stdio of the tenth round that do more than answer by a table."""

import os
import signal
import sys
import threading
import time
from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Run

_DONE = {"content": [{"type": "text", "text": "done"}]}
_READS = TOOL | {"description": "Is good.", "annotations": {"readOnlyHint": True}}


def _reports(*steps: dict[str, Any]) -> Run:
    """A call with these steps of progress."""

    def call(request: dict[str, Any]) -> dict[str, Any]:
        token = request["params"].get("_meta", {}).get("progressToken")
        for each in steps if token is not None else ():
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token} | each})
        return _DONE

    return lambda: serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


def _completes() -> None:
    hello = HELLO | {"capabilities": {"prompts": {}, "completions": {}}}
    prompt = {"name": "launch", "description": "A launch.", "arguments": [{"name": "id", "required": True}]}
    values = [f"a{each}" for each in range(101)]
    serve(
        {
            "initialize": hello,
            "prompts/list": {"prompts": [prompt]},
            "completion/complete": {"completion": {"values": values, "total": 101, "hasMore": False}},
        }
    )


def _works_once() -> None:
    turns = count()
    closed = "Error executing tool good: Cannot send a request, as the client has been closed."

    def call(_: dict[str, Any]) -> dict[str, Any]:
        return {"isError": True, "content": [{"type": "text", "text": closed}]} if next(turns) else _DONE

    serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


def _answers_once() -> None:
    turns = count()
    serve({"tools/list": {"tools": [_READS]}, "tools/call": lambda _: None if next(turns) else _DONE})


def _mixes() -> None:
    waiting: list[dict[str, Any]] = []

    def call(request: dict[str, Any]) -> None:
        waiting.append(request)
        threading.Timer(0.01, flush).start()

    def flush() -> None:
        held = waiting[:]
        waiting.clear()
        for request, other in zip(held, held[1:] + held[:1], strict=True):
            given = str(other["params"].get("arguments", {}).get("a", ""))
            answer(request, {"content": [{"type": "text", "text": f"you said {given}"}]})

    serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


_NULL = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in range(3)]


def _sleeps(**options: Any) -> int:
    """Start a child that does nothing for 20 s."""
    return os.posix_spawnp("sleep", ["sleep", "20"], os.environ, file_actions=_NULL, **options)


def _starts(each: int, **options: Any) -> Run:
    """Start a child in each so-many-th call."""

    def run() -> None:
        turns = count()

        def call(_: dict[str, Any]) -> dict[str, Any]:
            if next(turns) % each == 0:
                _sleeps(**options)
            return _DONE

        serve({"tools/list": {"tools": [_READS]}, "tools/call": call})

    return run


def _spins() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve({"tools/list": {"tools": [_READS]}, "tools/call": _DONE})
    ends = time.monotonic() + 30
    while time.monotonic() < ends:
        sys.stdin.buffer.readline()
        time.sleep(0.01)


def _is_forked() -> None:
    def call(request: dict[str, Any]) -> dict[str, Any]:
        answer(request, _DONE)
        return _DONE

    serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


def _has_a_helper() -> None:
    helper = _sleeps(setsid=True)
    serve({"tools/list": {"tools": [_READS]}, "tools/call": _DONE})
    os.kill(helper, signal.SIGTERM)
    os.waitpid(helper, 0)


def _fails_on_the_second_page() -> None:
    def listed(request: dict[str, Any]) -> dict[str, Any] | None:
        if "cursor" not in request.get("params", {}):
            return {"tools": [_READS], "nextCursor": "1"}
        say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "list index out of range"}})
        return None

    serve({"tools/list": listed})


def _closes_its_loop() -> None:
    turns, error = count(), {"code": -32603, "message": "Event loop is closed"}

    def call(request: dict[str, Any]) -> dict[str, Any] | None:
        if next(turns) == 0:
            return _DONE
        say({"jsonrpc": "2.0", "id": request["id"], "error": error})
        return None

    serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


def _keeps_all() -> None:
    kept = list[bytes]()

    def call(_: dict[str, Any]) -> dict[str, Any]:
        kept.append(os.urandom(1 << 16))
        return _DONE

    serve({"tools/list": {"tools": [_READS]}, "tools/call": call})


def _is_killed() -> None:
    serve({"tools/list": {"tools": [_READS]}, "tools/call": lambda _: os.kill(os.getpid(), signal.SIGSEGV)})


_WHOLE = {
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "public",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "portal", "version": "1"}},
}


def _stateless(call: Any) -> Run:
    """A server of 2026-07-28 over stdio that changes nothing."""
    answers = {
        "server/discover": _WHOLE | {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": _WHOLE | {"tools": [_READS]},
        "tools/call": call,
    }
    return lambda: serve(answers)


def _samples(_: dict[str, Any]) -> None:
    asked = {"role": "user", "content": {"type": "text", "text": "Which one?"}}
    params = {"messages": [asked], "maxTokens": 10}
    say({"jsonrpc": "2.0", "id": "s-1", "method": "sampling/createMessage", "params": params})


def _has_odd_cursors() -> None:
    cursors = ["", 'a="ö&?\\', "\u2028 2"]

    def listed(request: dict[str, Any]) -> dict[str, Any]:
        given = request.get("params", {}).get("cursor", "")
        at = cursors.index(given)
        page: dict[str, Any] = {
            "tools": [{"name": f"tool-{at}", "description": f"Is {at}.", "inputSchema": {"type": "object"}}]
        }
        return page | ({"nextCursor": cursors[at + 1]} if at < 2 else {})

    serve({"tools/list": listed})


SERVERS: dict[str, Run] = {
    "second-page-fails": _fails_on_the_second_page,
    "progress-is-a-text": _reports({"progress": "50%", "total": "100%"}),
    "loop-is-closed": _closes_its_loop,
    "memory-is-kept": _keeps_all,
    "segmentation-fault-in-a-call": _is_killed,
    "samples-in-the-stateless-version": _stateless(_samples),
    "cursors-of-all-characters": _has_odd_cursors,
    "stateless-and-quiet": _stateless({key: value for key, value in _WHOLE.items() if key[0] in "r_"} | _DONE),
    "progress-goes-back": _reports({"progress": 10, "total": 20}, {"progress": 5, "total": 20}),
    "completes-a-hundred-and-more": _completes,
    "client-is-closed-after-one-call": _works_once,
    "second-call-waits": _answers_once,
    "results-are-given-to-others": _mixes,
    "child-for-each-call": _starts(20),
    "child-outlives-its-server": _starts(1, setsid=True),
    "end-of-stdin-is-no-end": _spins,
    "two-processes-answer": _is_forked,
    "halves-of-a-progress": _reports(
        {"progress": 0.25, "total": 1, "message": "begun"}, {"progress": 0.5, "total": 1, "message": "half"}
    ),
    "child-ends-with-its-server": _has_a_helper,
}
