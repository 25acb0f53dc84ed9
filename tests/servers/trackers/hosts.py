"""Entries of host configurations that can't work: placeholders, quotes, unexpanded variables."""

import sys

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Fault, Run


def _dies(*lines: str, code: int = 1) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        sys.exit(code)

    return run


def _good() -> None:
    serve({"tools/list": {"tools": [TOOL | {"description": "Says what it is given."}]}})


FAULTS = (
    Fault(
        "command-and-arguments-in-one",
        "“command” holds the whole command line, copied from a README.",
        "Claude Desktop and Cursor, reported to many servers",
        ("command-not-found",),
        ("npx -y @acme/mcp", "one word|arguments|split|separate"),
        _good,
        command="'npx -y @acme/mcp'",
        exit=4,
    ),
    Fault(
        "placeholder-of-a-readme",
        "The README's placeholder was never replaced.",
        "Claude Desktop, reported to many servers",
        ("placeholder-not-expanded",),
        ("<YOUR_API_KEY>",),
        _dies("Error: the API answered 401: invalid key"),
        command="npx -y @acme/mcp --api-key '<YOUR_API_KEY>'",
    ),
    Fault(
        "input-of-vscode",
        "An entry of VS Code, used in a host that does not know ${input:…}.",
        "microsoft/vscode",
        ("placeholder-not-expanded",),
        (r"\$\{input:github_token\}",),
        _dies("Bad credentials"),
        command="npx -y @acme/mcp --token '${input:github_token}'",
    ),
    Fault(
        "tilde",
        "No shell expands the tilde.",
        "Claude Desktop",
        ("shell-syntax-in-command",),
        (r"~/mcp/server\.py", "tilde|expand|literal"),
        _dies("python3: can't open file '/home/me/~/mcp/server.py': [Errno 2] No such file or directory", code=2),
        command="uv run '~/mcp/server.py'",
    ),
    Fault(
        "typographic-quotes",
        "An entry that was pasted from a blog, with the quotes that a word processor makes.",
        "Claude Desktop",
        ("shell-syntax-in-command",),
        ("“--stdio”", "quote"),
        _dies("error: unknown option '“--stdio”'"),
        command="npx -y @acme/mcp “--stdio”",
    ),
    Fault(
        "sudo",
        "sudo wants a password, and there is no terminal to give it in.",
        "servers that look at the system",
        ("exit-during-handshake",),
        ("sudo|password", "terminal"),
        _dies(
            "sudo: a terminal is required to read the password; either use the -S option to read from standard input or"
            " configure an askpass helper",
            "sudo: a password is required",
        ),
    ),
    Fault(
        "localhost-in-a-container",
        "What it works with runs on the machine, and it looks for it in its own container.",
        "servers run by docker",
        ("exit-during-handshake", "shell-syntax-in-command"),
        ("127.0.0.1:3000|localhost", "refuse|container"),
        _dies(
            "Failed to reach the app: FetchError: request to http://localhost:3000/api failed, reason: connect"
            " ECONNREFUSED 127.0.0.1:3000",
            "    at ClientRequest.<anonymous> (/app/node_modules/node-fetch/lib/index.js:1501:11)",
            "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {",
            "  type: 'system',",
            "  errno: 'ECONNREFUSED',",
            "  code: 'ECONNREFUSED'",
            "}",
        ),
        command="docker run -i --rm acme/mcp",
    ),
    Fault(
        "directory-not-allowed",
        "A directory of the entry does not exist on this machine.",
        "modelcontextprotocol/servers, filesystem",
        ("exit-during-handshake", "file-not-found"),
        ("/Users/you/Desktop",),
        _dies(
            "Error accessing directory /Users/you/Desktop: Error: ENOENT: no such file or directory, stat"
            " '/Users/you/Desktop'",
            "    at async Object.stat (node:internal/fs/promises:1032:18) {",
            "  errno: -2,",
            "  code: 'ENOENT',",
            "  syscall: 'stat',",
            "  path: '/Users/you/Desktop'",
            "}",
        ),
        command="npx -y @modelcontextprotocol/server-filesystem /Users/you/Desktop",
    ),
    Fault(
        "usage",
        "The entry lacks an argument that the program needs; it prints its usage.",
        "modelcontextprotocol/servers",
        ("exit-during-handshake", "exit-without-input"),
        ("Usage: mcp-server-filesystem",),
        _dies("Usage: mcp-server-filesystem <allowed-directory> [additional-directories...]"),
        command="npx -y @modelcontextprotocol/server-filesystem",
    ),
)
