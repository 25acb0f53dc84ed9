"""Export to a Python script that repeats the calls with the official SDK (`mcp`, 1.x and 2.x).

The script consists of data and one fixed program. Recorded data is embedded as ASCII literals, never as code. Server
requests are answered as in the recording. Requests that only make sense once (cursor pages, tasks, answers to
`input_required`) are skipped; the script lists them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from pprint import pformat
from typing import Any

from inspector.capture.messages import result_response_of
from inspector.features.export.selection import Selection
from inspector.protocol import peek
from inspector.protocol.credentials import MASK, is_masked
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Request, read
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import OPENING

# Fixed part of an exported script: needs only Python 3.10 and `mcp`

PROGRAM = "\n" + Path(__file__).with_name("program.py.txt").read_text("ascii")

_CALLED = frozenset(
    {
        *("tools/call", "tools/list", "resources/list", "resources/templates/list", "prompts/list"),
        *("resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get"),
        *("completion/complete", "logging/setLevel", "ping"),
    }
)
_LINE_CHARS = 110
_ASKED = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
_CARRIED = re.compile(
    r"mcp-.*|accept.*|content-.*|host|user-agent|connection|transfer-encoding|last-event-id", re.IGNORECASE
)
"""Headers that the SDK sets itself."""

Call = tuple[int, str, Any, bool]
"""Entry, method, params, and whether the call failed in the recording."""

_HEAD = Path(__file__).with_name("head.py.txt").read_text("ascii")


def script(selection: Selection) -> Iterator[bytes]:
    """Yield the script in two chunks: data, then the program."""
    calls, unmade = _calls(selection)
    yield _data(selection, calls, unmade).encode("ascii", "backslashreplace")
    yield PROGRAM.encode()


def _data(selection: Selection, calls: list[Call], unmade: list[tuple[int, str]]) -> str:
    connection, opening = selection.connection, selection.journal.conversation.opening
    if connection is not None and any(MASK in each for each in (*connection.argv, connection.url)):
        connection = None  # what is masked reaches no server
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


def _literal(value: Any) -> str:
    """Return a value as a Python literal. Characters beyond ASCII occur only in strings."""
    line = repr(value)
    if len(line) <= _LINE_CHARS:
        return line
    if isinstance(value, list):  # one by one: `pformat` goes through thousands of calls again at each level
        return "[" + ",\n ".join(_literal(each).replace("\n", "\n ") for each in value) + "]"
    return pformat(value, width=_LINE_CHARS, sort_dicts=False)


def _calls(selection: Selection) -> tuple[list[Call], list[tuple[int, str]]]:
    """Return the client requests that can be repeated, and those that can't."""
    calls: list[Call] = []
    unmade: list[tuple[int, str]] = []
    for exchange, request in _requests(selection, Direction.TO_SERVER):
        params = {key: value for key, value in peek.mapping(request.params).items() if key != "_meta"}
        if request.method in OPENING:
            continue
        if request.method not in _CALLED:
            unmade.append((exchange.request_frame, request.method))
        elif {"cursor", "inputResponses", "requestState", "task"} & params.keys():
            unmade.append((exchange.request_frame, f"{request.method} that continues an earlier one"))
        else:
            failed = exchange.state is not ExchangeState.ANSWERED
            calls.append((exchange.request_frame, request.method, params, failed))
    return calls, unmade


def _answers(selection: Selection) -> dict[str, list[Any]]:
    """Return the client's responses to server requests by method, in order."""
    found: dict[str, list[Any]] = {}
    for exchange, request in _requests(selection, Direction.FROM_SERVER):
        if request.method in _ASKED and (response := result_response_of(selection.journal, exchange)) is not None:
            found.setdefault(request.method, []).append(response.result)
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
    """Return headers that the user added; None for credentials, which the script reads from the environment."""
    for each in selection.carried():
        fact = selection.http_fact(each.request)
        if fact is not None and fact.method == "POST":
            own = [(name, value) for name, value in fact.headers if not _CARRIED.fullmatch(name)]
            return {name: None if is_masked(value) else value for name, value in own}
    return {}
