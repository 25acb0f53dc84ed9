"""Handshakes that go wrong, and what is asked or promised in them."""

import json
import sys
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Fault, Run

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


def _is_silent(message: Message) -> None:
    return None


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


def _hangs(request: Message) -> None:
    return None


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


def _greets(**members: Any) -> Run:
    """Its answer to initialize has these members; None takes one out."""
    hello = {name: value for name, value in (HELLO | members).items() if value is not None}
    return lambda: serve({"initialize": hello} | _LIST)


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


FAULTS = (
    Fault(
        "counts-from-zero",
        "The response has an id that the server counts itself: it works in clients that count from 0.",
        "modelcontextprotocol/typescript-sdk, whose client counts from 0",
        ("response-id-counted",),
        ("counts from 0", "request 1"),
        lambda: _counts(0),
        exit=0,
    ),
    Fault(
        "waits-for-initialized-and-refuses",
        "It waits for “initialized”; the notification is called “notifications/initialized”.",
        "servers written by an early draft of the protocol",
        ("rejected-as-uninitialized",),
        ("notifications/initialized was sent", "waiting for"),
        _waits_for_initialized(_refuses_before),
        options="--timeout 3",
    ),
    Fault(
        "waits-for-initialized-and-logs",
        "The same, and only its log says so.",
        "servers written by an early draft of the protocol",
        ("silent-after-handshake",),
        ("initialized", "waiting|wait"),
        _waits_for_initialized(_says_unknown),
        options="--timeout 3",
    ),
    Fault(
        "waits-for-initialized-in-silence",
        "The same, and nothing says so: initialize is answered, and nothing after it.",
        "servers written by an early draft of the protocol",
        ("silent-after-handshake",),
        ("initialize", "nothing|tools/list"),
        _waits_for_initialized(_is_silent),
        options="--timeout 3",
    ),
    Fault(
        "roots-not-offered",
        "tools/list never ends in clients without roots: the server asks for them while it makes the list.",
        "cjo4m06/mcp-shrimp-task-manager#84",
        ("client-capability-not-declared",),
        ("roots",),
        _roots(_hangs),
        options="--no-capability all --timeout 3",
    ),
    Fault(
        "roots-refused-is-fatal",
        "MCP error: List roots not supported; in clients without roots the server ends.",
        "punkpeye/fastmcp#37",
        ("client-capability-not-declared", "exit-during-session"),
        ("roots",),
        _roots(_throws),
        options="--no-capability all --timeout 3",
    ),
    Fault(
        "roots-of-undefined",
        "Cannot read properties of undefined (reading 'roots').",
        "modelcontextprotocol/servers#2818",
        ("list-failed",),
        ("tools/list", "reading 'roots'"),
        lambda: serve(
            {
                "tools/list": lambda request: _refuse(
                    request, -32603, "Cannot read properties of undefined (reading 'roots')"
                )
            }
        ),
    ),
    Fault(
        "nothing-declared",
        "The tools never show: the server declares no capabilities.",
        "DeusData/codebase-memory-mcp#1185",
        ("no-server-capabilities",),
        ("tools", "declare"),
        _greets(capabilities={}),
    ),
    Fault(
        "declared-and-not-there",
        "Prompts are declared whether there are any or not, and the method fails.",
        "modelcontextprotocol/go-sdk#56",
        ("capability-not-implemented", "capability-not-implemented", "list-failed"),
        ("prompts",),
        lambda: serve({"initialize": HELLO | {"capabilities": {"tools": {}, "prompts": {}}}} | _LIST),
    ),
    Fault(
        "refuses-what-a-client-declares",
        "initialize fails for one host alone: it can't decode that host's capabilities.",
        "Epistates/MCPSafari#87",
        ("handshake-rejected",),
        ("initialize", "correct format"),
        lambda: serve(
            {
                "initialize": lambda request: _refuse(
                    request, -32603, "The data couldn’t be read because it isn’t in the correct format."
                )
            }
        ),
        exit=4,
    ),
    Fault(
        "error-data-names-the-cause",
        "Internal error, says the host; what failed stands in data.",
        "FastMCP and Java servers",
        ("handshake-rejected",),
        ("ACME_URL|licence",),
        lambda: serve(
            {
                "initialize": lambda request: _refuse(
                    request, -32603, "Internal error", {"detail": "the licence has expired"}
                )
            }
        ),
        exit=4,
    ),
    Fault(
        "no-version",
        "The answer to initialize has no protocolVersion.",
        "servers written without an SDK",
        ("initialize-result-invalid",),
        ("protocolVersion",),
        _greets(protocolVersion=None),
    ),
    Fault(
        "no-server-info",
        "The answer to initialize has no serverInfo.",
        "servers written without an SDK",
        ("initialize-result-invalid",),
        ("serverInfo",),
        _greets(serverInfo=None),
    ),
    Fault(
        "version-one",
        "It answers with its own version in the place of the protocol's.",
        "servers written without an SDK",
        ("unknown-protocol-version", "no-common-version"),
        (r"1\.0", "version|revision|protocol"),
        _greets(protocolVersion="1.0"),
    ),
    Fault(
        "capabilities-are-a-list",
        "PHP writes an empty array in the place of an empty object.",
        "logiscape/mcp-sdk-php#1",
        ("initialize-result-invalid", "capability-not-object"),
        ("capabilities", "array|list|object"),
        _greets(capabilities=[]),
    ),
    Fault(
        "capability-is-true",
        'capabilities: {"tools": true}.',
        "servers written without an SDK",
        ("capability-not-object", "initialize-result-invalid"),
        ("tools", "object|true"),
        _greets(capabilities={"tools": True}),
    ),
    Fault(
        "one-shot",
        "It answers the handshake and ends.",
        "scripts that answer one message",
        ("exit-during-session",),
        ("ended|exited", "code 0|initialize|handshake"),
        _one_shot,
    ),
    Fault(
        "reads-once",
        "It reads one line, and is never ready again.",
        "servers in Go and C++",
        ("silent-after-handshake",),
        ("tools/list|initialize", "nothing|not answered"),
        _reads_once,
        options="--timeout 3",
    ),
    Fault(
        "cursor-null",
        "The last page has nextCursor: null, and strict clients refuse the list.",
        "servers in C# and Kotlin",
        ("null-optional-member", "cursor-not-string"),
        ("nextCursor", "null"),
        lambda: serve({"tools/list": {"tools": [_TOOL], "nextCursor": None}}),
    ),
    Fault(
        "success-for-everything",
        "Unknown methods are answered with {}: clients of the new revision take it for one of theirs.",
        "servers written without an SDK",
        ("incomplete-modern-support",),
        ("server/discover",),
        _knows_everything({}),
    ),
    Fault(
        "one-answer-for-all",
        "Every request is answered as if it were initialize; the host shows no tools.",
        "servers written without an SDK",
        ("result-not-object", "tool-incomplete"),
        ("tools",),
        _one_answer_for_all,
    ),
)
