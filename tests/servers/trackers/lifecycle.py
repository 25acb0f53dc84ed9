"""Handshakes that go wrong, and what is asked or promised in them."""

import json
import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Run

Message = dict[str, Any]
_TOOL = TOOL | {"description": "Says what it is given."}
_LIST = {"tools/list": {"tools": [_TOOL]}}


def _refuse(request: Message, code: int, message: str, data: Any = None) -> None:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


def _waits_for_initialized(how: Callable[[Message], None]) -> Run:
    """Waits for a notification called “initialized”; `how` is what it does to requests before that."""

    def run() -> None:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            method = message.get("method")
            if method == "initialize":
                answer(message, HELLO)
            elif method == "server/discover":
                _refuse(message, -32601, "Method not found")
            else:
                how(message)

    return run


def _refuses_before(message: Message) -> None:
    if "id" in message:
        _refuse(message, -32002, "Server not initialized: waiting for the initialized notification")


def _says_unknown(message: Message) -> None:
    if "id" in message:
        return
    sys.stderr.write(f"WARN unknown notification {message['method']}, still waiting for initialized\n")
    sys.stderr.flush()


def _roots(then: Callable[[Message], None]) -> Run:
    """Asks for roots while it makes its list; `then` is what it does when it is refused."""

    def run() -> None:
        waiting: list[Message] = []
        for line in sys.stdin.buffer:
            message = json.loads(line)
            method = message.get("method")
            if method == "initialize":
                answer(message, HELLO)
            elif method == "tools/list":
                waiting.append(message)
                say({"jsonrpc": "2.0", "id": 0, "method": "roots/list"})
            elif method is None and waiting:
                then(waiting.pop())
            elif "id" in message and method is not None:
                _refuse(message, -32601, "Method not found")

    return run


def _throws(request: Message) -> None:
    sys.stderr.write("Error: MCP error -32601: List roots not supported\n    at Server.listRoots (index.js:40:11)\n")
    sys.stderr.flush()
    sys.exit(1)


def _one_shot() -> None:
    answer(_first(), HELLO)


def _first() -> Message:
    """The first request that is initialize; others are unknown."""
    for line in sys.stdin.buffer:
        message: Message = json.loads(line)
        if message.get("method") == "initialize":
            return message
        if "id" in message:
            _refuse(message, -32601, "Method not found")
    sys.exit(0)


def _reads_once() -> None:
    answer(_first(), HELLO)
    time.sleep(30)


def _knows_everything(result: Any) -> Run:
    def run() -> None:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "id" in message:
                known = {"initialize": HELLO} | _LIST
                answer(message, known.get(message["method"], result))

    return run


def _one_answer_for_all() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == "server/discover":
            _refuse(message, -32601, "Method not found")
        elif "id" in message:
            answer(message, HELLO)


def _counts(first: int) -> None:
    """Numbers its responses itself."""
    numbers = count(first)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message:
            continue
        results = {"initialize": HELLO, "tools/list": _LIST["tools/list"]}
        method, given = message["method"], {"jsonrpc": "2.0", "id": next(numbers)}
        if method in results:
            say(given | {"result": results[method]})
        else:
            say(given | {"error": {"code": -32601, "message": "Method not found"}})


SERVERS: dict[str, Run] = {
    "counts-from-zero": lambda: _counts(0),
    "waits-for-initialized-and-refuses": _waits_for_initialized(_refuses_before),
    "waits-for-initialized-and-logs": _waits_for_initialized(_says_unknown),
    "waits-for-initialized-in-silence": _waits_for_initialized(lambda message: None),
    "roots-not-offered": _roots(lambda message: None),
    "roots-refused-is-fatal": _roots(_throws),
    "roots-of-undefined": lambda: serve(
        {
            "tools/list": lambda request: _refuse(
                request, -32603, "Cannot read properties of undefined (reading 'roots')"
            )
        }
    ),
    "refuses-what-a-client-declares": lambda: serve(
        {
            "initialize": lambda request: _refuse(
                request, -32603, "The data couldn’t be read because it isn’t in the correct format."
            )
        }
    ),
    "error-data-names-the-cause": lambda: serve(
        {
            "initialize": lambda request: _refuse(
                request, -32603, "Internal error", {"detail": "the licence has expired"}
            )
        }
    ),
    "one-shot": _one_shot,
    "reads-once": _reads_once,
    "success-for-everything": _knows_everything({}),
    "one-answer-for-all": _one_answer_for_all,
}
