"""Fails in the given way: does not respond, ignores one method, exits, or can't be stopped.

silent          answers nothing
deaf_to_probe   answers all but `server/discover`
silent_call     answers all but `tools/call`
dies_in_call    ends with exit code 3 in a call, after a last word on stderr
killed_in_call  ends by SIGSEGV in a call
no_version      answers `initialize` without a version
refuses         answers `initialize` with an error
stubborn        ignores SIGTERM and the end of its stdin
floods_stderr   writes 8 MiB to stderr before each answer, without a line end
"""

import os
import signal
import sys
from typing import Any

from tests.servers.speaking import HELLO, TOOL, say, serve

BIG = 100_000_000
HOW = sys.argv[1] if len(sys.argv) > 1 else ""


def call(request: dict[str, Any]) -> Any:
    """Answer a call, or fail in it."""
    if HOW == "silent_call":
        return None
    if HOW == "dies_in_call":
        sys.stderr.write("out of oil\n")
        sys.exit(3)
    if HOW == "killed_in_call":
        os.kill(os.getpid(), signal.SIGSEGV)
    return flooding({"content": []})(request)


def flooding(result: Any) -> Any:
    """A table's entry that writes much to stderr first, if that is how it fails."""

    def handle(request: dict[str, Any]) -> Any:
        for _ in range(128 if HOW == "floods_stderr" else 0):
            sys.stderr.buffer.write(b"." * 65536)
        return result

    return handle


def refuse(request: dict[str, Any]) -> None:
    """Answer with an error that is no wish for another revision."""
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "the database is down"}})


def main() -> None:
    """Serve, until stdin ends and perhaps longer."""
    table: dict[str, Any] = {"tools/list": flooding({"tools": [TOOL]}), "tools/call": call}
    table |= {"initialize": {"capabilities": {}} if HOW == "no_version" else flooding(HELLO)}
    table |= {"tools/list": {"tools": [{**TOOL, "description": "x" * BIG}]}} if HOW == "big_list" else {}
    table |= {"initialize": refuse} if HOW == "refuses" else {}
    table |= {"server/discover": lambda request: None} if HOW == "deaf_to_probe" else {}
    if HOW == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve(table if HOW != "silent" else dict.fromkeys((*table, "server/discover"), lambda request: None))
    while HOW == "stubborn":
        signal.pause()


if __name__ == "__main__":
    main()
