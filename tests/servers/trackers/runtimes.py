"""Programs that end at their start because of what they run on: runtimes, libraries, containers, files, credentials."""

from tests.servers.speaking import TOOL, dies, say, serve
from tests.servers.trackers import Run


def _dies_in_a_call(*lines: str, code: int = 1) -> Run:
    def call(request: object) -> None:
        dies(*lines, code=code)()

    return lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _prints_and_dies() -> None:
    say(b"Already up to date.")
    dies("error: Cannot find module 'express' from '/srv/index.ts'", "", "Bun v1.1.38 (Linux x64)")()


SERVERS: dict[str, Run] = {
    "bun-module": _prints_and_dies,
    "out-of-memory-in-a-container": _dies_in_a_call("Loading checkpoint shards:  33%", code=137),
    "python-exception-in-a-call": _dies_in_a_call(
        "  + Exception Group Traceback (most recent call last):",
        '  |   File "/srv/server.py", line 41, in <module>',
        "  |     anyio.run(main)",
        "  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)",
        "  +-+---------------- 1 ----------------",
        "    | Traceback (most recent call last):",
        '    |   File "/srv/server.py", line 22, in call_tool',
        "    |     response = await client.get(url)",
        "    | httpx.ConnectTimeout: timed out after 5 s",
        "    +------------------------------------",
    ),
}
