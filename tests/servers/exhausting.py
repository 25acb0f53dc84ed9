"""Sends messages that are expensive to display, continuously: `python -S -m tests.servers.exhausting HOW`.

asks        questions to the client's model, with 3 MB of text in each
structures  answers of 3 MB, made of very many small values, to requests that nobody sent
deep        notifications nested 900 levels deep, and some a hundred thousand
mixed       as fast as it can: progress, logs, lines that are no message, colours, numbers that no client reads
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from tests.servers.speaking import TOOL, say, serve

_TEXT = "The lamp was lit at dusk, and the fog came in before the second watch.\n" * (3_000_000 // 71)
_ROWS = [{"id": n, "name": f"row {n}", "ok": True, "at": [n, n + 1]} for n in range(50_000)]


def _asks() -> Iterator[str]:
    message = {"role": "user", "content": {"type": "text", "text": _TEXT}}
    for n in count():
        params = {"messages": [message], "maxTokens": 100, "systemPrompt": _TEXT[:100_000]}
        yield json.dumps({"jsonrpc": "2.0", "id": n, "method": "sampling/createMessage", "params": params})


def _structures() -> Iterator[str]:
    content = json.dumps({"content": [], "structuredContent": {"rows": _ROWS}})
    for n in count(1000):
        yield f'{{"jsonrpc":"2.0","id":{n},"result":{content}}}'


def _deep() -> Iterator[str]:
    for n in count():
        depth = 100_000 if n % 4 == 0 else 900
        value = "[" * depth + "]" * depth
        yield f'{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":{value}}}}}'


def _mixed() -> Iterator[str]:
    for n in count():
        params = f'{{"progressToken":{n},"progress":{n % 7}}}'
        yield f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}'
        yield f'{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"line {n}"}}}}'
        yield f"\x1b[32mserver\x1b[0m is listening {n}"
        yield f'{{"jsonrpc":"2.0","id":{n},"result":{{"big":123456789012345678901234567890,"not":NaN}}}}'


_HOWS: dict[str, tuple[Any, float]] = {
    "asks": (_asks, 0.3),
    "structures": (_structures, 0.3),
    "deep": (_deep, 0.1),
    "mixed": (_mixed, 0.0),
}


def _exhaust(how: str) -> None:
    lines, pause = _HOWS[how]
    for line in lines():
        say(line.encode())
        time.sleep(pause)


def _listed(request: dict[str, Any]) -> Any:
    threading.Timer(0.5, _exhaust, [sys.argv[1]]).start()
    return {"tools": [TOOL]}


if __name__ == "__main__":
    try:
        serve({"tools/list": _listed})
    finally:
        os._exit(0)
