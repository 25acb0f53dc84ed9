"""Servers that are in the table itself, without a function of their own.

`stdout` and `stderr` are what one over stdio writes first; without `answers` it then ends with `code`. `answers` is
JSON by method: a result, {"error": …}, or a list of messages, texts as they are, {"stderr": "…"}, and {"exit": 1}.

Over HTTP `answers` is by method or verb as well, "*" for all that is not named, and by protocol version, which comes
first: a result, {"error": …}, or {"status": 400, "headers": {…}, "body": "…"}; `events` makes a stream of results,
and `whole` adds what each result of the stateless era has.
A key that begins with ~ is a pattern for the whole request, and precedes the others. `after` and `times` say which of
its turns an answer is for; `also` adds headers to what a healthy server answers, `held` keeps a stream open. What is
not named is answered as a healthy server of the `era` does. "$ID" is the id of the request, and "$HOST" its host.
"""

import json
import sys
from typing import Any

from tests.servers.speaking import TOOL, say, serve

PARTS = ("stderr", "code", "stdout", "answers", "era", "events")
"""The members of an entry that are about its server."""


def is_written(entry: dict[str, Any]) -> bool:
    """Whether an entry has its server in it."""
    return "answers" in entry or "stderr" in entry or "stdout" in entry


def run_written(entry: dict[str, Any]) -> Any:
    """Run a server over stdio, or make the handler of one over HTTP."""
    answers = json.loads(entry.get("answers", "{}"))
    if entry.get("url"):
        from tests.servers.trackers.written_http import handler_of

        return handler_of(answers, entry.get("era", "legacy"), bool(entry.get("events")))
    if "stdout" in entry:
        sys.stdout.write(entry["stdout"])
        sys.stdout.flush()
    if "stderr" in entry:
        sys.stderr.write(entry["stderr"])
        sys.stderr.flush()
        if "answers" not in entry:
            sys.exit(entry.get("code", 1))
    table = {"tools/list": {"tools": [TOOL]}} | answers
    serve({method: _reply(answer) for method, answer in table.items()})
    return None


def _reply(answer: Any) -> Any:
    if not isinstance(answer, list) and set(answer) != {"error"}:
        return answer

    def reply(request: dict[str, Any]) -> None:
        whole = [{"jsonrpc": "2.0", "id": "$ID"} | answer] if isinstance(answer, dict) else answer
        for each in whole:
            if isinstance(each, dict) and each.keys() <= {"stderr", "exit"}:
                sys.stderr.write(each.get("stderr", ""))
                sys.stderr.flush()
                if "exit" in each:
                    sys.exit(each["exit"])
                continue
            line = each if isinstance(each, str) else json.dumps(each)
            say(line.replace('"$ID"', json.dumps(request["id"])).encode())

    return reply
