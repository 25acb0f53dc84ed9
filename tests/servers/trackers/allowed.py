"""Peculiar and allowed servers over stdio: clients broke on them, or others reported them. They must not be accused."""

import json
import sys
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Run

_TOOLS: dict[str, Any] = {
    "tools": [
        {
            "name": "run",
            "description": "Runs a command.",
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The command."}}},
        }
    ]
}


def _stdio(**answers: Any) -> Run:
    return lambda: serve({"tools/list": _TOOLS} | {name.replace("_", "/"): each for name, each in answers.items()})


def _blank_lines(request: dict[str, Any]) -> None:
    say(b"")
    answer(request, _TOOLS)
    say(b"")


def _line_separators(request: dict[str, Any]) -> None:
    result = {"content": [{"type": "text", "text": "one\u2028two\u2029three\u0085four"}]}
    say(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}, ensure_ascii=False).encode())


def _escaped_pairs(request: dict[str, Any]) -> None:
    say(
        f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{{"content":[{{"type":"text","text":"\\ud83d\\ude00"}}]}}}}'.encode()
    )


def _pings() -> None:
    def hello(request: dict[str, Any]) -> None:
        say({"jsonrpc": "2.0", "id": "p1", "method": "ping"})
        answer(request, HELLO)

    serve({"initialize": hello, "tools/list": _TOOLS})


def _exits_at_discover() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") not in ("initialize", "notifications/initialized", "tools/list", "ping"):
            sys.stderr.write("expected initialize request\n")
            sys.exit(1)
        if "id" in message:
            answer(message, {"initialize": HELLO, "tools/list": _TOOLS}.get(message["method"], {}))


def _drops_what_it_does_not_know() -> None:
    known = {"initialize": HELLO, "tools/list": _TOOLS, "ping": {}}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and message["method"] in known:
            answer(message, known[message["method"]])


def _chatters() -> None:
    sys.stderr.write("ERROR: could not read ~/.acme.toml, using defaults\nTraceback (most recent call last):\n  ...\n")
    serve({"tools/list": _TOOLS})


SERVERS: dict[str, Run] = {
    "blank-lines-on-stdout": _stdio(tools_list=_blank_lines),
    "exits-at-discover": _exits_at_discover,
    "drops-unknown-requests": _drops_what_it_does_not_know,
    "line-separators-in-a-text": _stdio(tools_call=_line_separators),
    "emoji-as-escapes": _stdio(tools_call=_escaped_pairs),
    "pings-first": _pings,
    "errors-in-the-log": _chatters,
}
