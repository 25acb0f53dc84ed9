"""Entries of host configurations that can't work: placeholders, quotes, unexpanded variables."""

from tests.servers.speaking import TOOL, dies, serve
from tests.servers.trackers import Run


def _good() -> None:
    serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})


SERVERS: dict[str, Run] = {
    "command-and-arguments-in-one": _good,
    "placeholder-of-a-readme": dies("Error: the API answered 401: invalid key"),
    "input-of-vscode": dies("Bad credentials"),
    "tilde": dies("python3: can't open file '/home/me/~/mcp/server.py': [Errno 2] No such file or directory", code=2),
    "typographic-quotes": dies("error: unknown option '“--stdio”'"),
    "sudo": dies(
        "sudo: a terminal is required to read the password; either use the -S option to read from standard input or"
        " configure an askpass helper",
        "sudo: a password is required",
    ),
    "localhost-in-a-container": dies(
        "Failed to reach the app: FetchError: request to http://localhost:3000/api failed, reason: connect"
        " ECONNREFUSED 127.0.0.1:3000",
        "    at ClientRequest.<anonymous> (/app/node_modules/node-fetch/lib/index.js:1501:11)",
        "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {",
        "  type: 'system',",
        "  errno: 'ECONNREFUSED',",
        "  code: 'ECONNREFUSED'",
        "}",
    ),
    "directory-not-allowed": dies(
        "Error accessing directory /Users/you/Desktop: Error: ENOENT: no such file or directory, stat"
        " '/Users/you/Desktop'",
        "    at async Object.stat (node:internal/fs/promises:1032:18) {",
        "  errno: -2,",
        "  code: 'ENOENT',",
        "  syscall: 'stat',",
        "  path: '/Users/you/Desktop'",
        "}",
    ),
    "usage": dies("Usage: mcp-server-filesystem <allowed-directory> [additional-directories...]"),
}
