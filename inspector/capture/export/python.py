"""A Python script that makes the calls of a capture again, with the official SDK (`mcp`, 1.x and 2.x).

It holds data and one fixed program: whatever was recorded stands in it as literals in ASCII, never as code. What the
server asked is answered as it was then. Requests that only make sense once (pages by a cursor, tasks, answers to
`input_required`) are not made; the script says so.
"""

import re
from collections.abc import Iterator
from pprint import pformat
from typing import Any

from inspector.capture.export.python_program import PROGRAM
from inspector.capture.export.selection import Selection
from inspector.capture.redact import is_masked
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, Request, read
from inspector.protocol.revisions._shape import Era

_CALLED = frozenset(
    {
        *("tools/call", "tools/list", "resources/list", "resources/templates/list", "prompts/list"),
        *("resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get"),
        *("completion/complete", "logging/setLevel", "ping"),
    }
)
_OPENING = frozenset({"initialize", "server/discover"})
_ASKED = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
_CARRIED = re.compile(
    r"mcp-.*|accept.*|content-.*|host|user-agent|connection|transfer-encoding|last-event-id", re.IGNORECASE
)
"""Headers that the SDK writes itself."""


Call = tuple[int, str, Any, bool]
"""Entry, method, params, and whether it failed when it was recorded."""


def script(selection: Selection) -> Iterator[bytes]:
    """The script, in two pieces: data, then the program."""
    calls, unmade = _calls(selection)
    yield _data(selection, calls, unmade).encode("ascii", "backslashreplace")
    yield PROGRAM.encode()


def _data(selection: Selection, calls: list[Call], unmade: list[tuple[int, str]]) -> str:
    connection, opening = selection.connection, selection.journal.conversation.opening
    parts = {
        "COMMAND": list(connection.argv) if connection is not None else [],
        "DIRECTORY": connection.cwd if connection is not None else "",
        "VARIABLES": list(connection.env_names) if connection is not None else [],
        "URL": connection.url if connection is not None and not connection.argv else "",
        "HEADERS": _headers(selection),
        "STATELESS": opening is not None and opening.era is Era.MODERN,
        "CALLS": calls,
        "ANSWERS": _answers(selection),
        "NOT_MADE": unmade,
    }
    lines = [f"{name} = {_literal(value)}\n" for name, value in parts.items()]
    return _HEAD + "\nnan, inf = float('nan'), float('inf')\n" + "".join(lines) + "\n"


_HEAD = '''\
"""The calls of a recorded MCP session, made again with the official SDK.

    pip install mcp
    python THIS_FILE                        the server that was recorded
    python THIS_FILE -- node server.js      another one
    python THIS_FILE https://example.com/mcp

It starts a server and calls its tools: look at CALLS before you run it. Exit status 1: a call failed that had not.
"""
'''


def _literal(value: Any) -> str:
    """A value as Python, of characters that every editor shows."""
    return ascii_of(pformat(value, width=110, sort_dicts=False))


def ascii_of(source: str) -> str:
    """Python source without other characters than ASCII: those stand in strings only, where escapes mean the same."""
    return "".join(char if char.isascii() else _escaped(ord(char)) for char in source)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _calls(selection: Selection) -> tuple[list[Call], list[tuple[int, str]]]:
    """The requests of the client that can be made again, and those that can't."""
    calls: list[Call] = []
    unmade: list[tuple[int, str]] = []
    for exchange, request in _requests(selection, Direction.TO_SERVER):
        params = {key: value for key, value in peek.mapping(request.params).items() if key != "_meta"}
        if request.method in _OPENING:
            continue
        if request.method not in _CALLED:
            unmade.append((exchange.request_frame, request.method))
        elif {"cursor", "inputResponses", "requestState", "task"} & params.keys():
            unmade.append((exchange.request_frame, f"{request.method} that goes on with an earlier one"))
        else:
            failed = exchange.state is not ExchangeState.ANSWERED
            calls.append((exchange.request_frame, request.method, params, failed))
    return calls, unmade


def _answers(selection: Selection) -> dict[str, list[Any]]:
    """What the client answered to the server's questions, by method, in their order."""
    found: dict[str, list[Any]] = {}
    for exchange, request in _requests(selection, Direction.FROM_SERVER):
        if request.method in _ASKED and exchange.answer_frame is not None:
            what = selection.journal.store.entry(exchange.answer_frame).what
            for message in read(what.payload) if isinstance(what, Frame) else ():
                if isinstance(message, Answer) and message.id == exchange.id:
                    found.setdefault(request.method, []).append(message.result)
    return found


def _requests(selection: Selection, sender: Direction) -> Iterator[tuple[Exchange, Request]]:
    exchanges, store = selection.journal.conversation.exchanges, selection.journal.store
    for frame in selection.frames():
        number = store.exchange(frame.n)
        if frame.direction is not sender or not number:
            continue
        exchange = exchanges[number - 1]
        for message in read(frame.payload):
            if isinstance(message, Request) and exchange.request_frame == frame.n and message.id == exchange.id:
                yield exchange, message


def _headers(selection: Selection) -> dict[str, str | None]:
    """The headers that somebody added; None for what gives access, which the script takes from the environment."""
    for each in selection.carried():
        fact = selection.http_fact(each.request)
        if fact is not None and fact.method == "POST":
            own = [(name, value) for name, value in fact.headers if not _CARRIED.fullmatch(name)]
            return {name: None if is_masked(value) else value for name, value in own}
    return {}
