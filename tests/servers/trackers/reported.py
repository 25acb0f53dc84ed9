"""Servers over stdio whose faults stopped hosts and clients: runtimes, encodings, lists, results."""

from typing import Any

from tests.servers.speaking import HELLO, answer, dies, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a command.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The command."}}},
}
_CALL = "--call run={} --timeout 5"
_GITHUB = "https://github.com/"


def _dies_at(method: str, *lines: str) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL]}} | {method: lambda request: dies(*lines)()})


def _lists(tools: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": tools}})


def _list_fails(message: str) -> Run:
    def fail(request: dict[str, Any]) -> None:
        say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})

    return lambda: serve({"tools/list": fail})


def _returns(result: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": result})


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _reads(contents: dict[str, Any], **entry: Any) -> Run:
    """A server with one resource."""
    listed = {"uri": "logo://acme", "name": "logo", **entry}
    hello = HELLO | {"capabilities": {"resources": {}}}
    answers = {
        "initialize": hello,
        "resources/list": {"resources": [listed]},
        "resources/templates/list": {"resourceTemplates": []},
        "resources/read": {"contents": [{"uri": "logo://acme", **contents}]},
    }
    return lambda: serve(answers)


def _logs_on_stdout() -> None:
    print("info: Microsoft.Hosting.Lifetime[0]\n      Application started. Press Ctrl+C to shut down.", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _result_and_error(request: dict[str, Any]) -> None:
    say(
        {
            "jsonrpc": "2.0",
            "id": request["id"],
            "result": {"content": []},
            "error": {"code": -32603, "message": "injected error"},
        }
    )


def _progress_after_the_result(request: dict[str, Any]) -> None:
    token = request["params"].get("_meta", {}).get("progressToken", "7724730363a945f8bd4f378326ab30e0")
    answer(request, _text("built"))
    say(
        {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 10, "message": "Build phase: OpeningKB"},
        }
    )


def _own_progress_token(request: dict[str, Any]) -> None:
    token = f"tool-call-{request['id']}"
    params = {"progressToken": token, "progress": 0, "total": 1}
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    answer(request, _text("done"))


_CHROMIUM = (
    "browserType.launch: Executable doesn't exist at /home/ada/.cache/ms-playwright/chromium-1148/chrome-linux/chrome\n"
    "╔═════════════════════════════════════════════════════════════════════════╗\n"
    "║ Looks like Playwright Test or Playwright was just installed or updated. ║\n"
    "║ Please run the following command to download new browsers:              ║\n"
    "║                                                                         ║\n"
    "║     npx playwright install                                              ║\n"
    "╚═════════════════════════════════════════════════════════════════════════╝"
)
_CHROME = (
    "Error: browserType.launchPersistentContext: Chromium distribution 'chrome' is not found at /opt/google/chrome/"
    'chrome\nRun "npx playwright install chrome"'
)
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_PNG_TWICE = (
    "aVZCT1J3MEtHZ29BQUFBTlNVaEVVZ0FBQUFFQUFBQUJDQVlBQUFBZkZjU0pBQUFBRFVsRVFWUjQybU5rK005UUR3QURoZ0dBV2pSOWF3QUFB"
    "QUJKUlU1RXJrSmdnZz09"
)
_URL_SAFE = "_9j_4AAQSkZJRgABAQEASABIAAD_2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8Q"


SERVERS: dict[str, Run] = {
    "zod-of-another-version": _list_fails("Cannot read properties of undefined (reading '_zod')"),
    "zod-of-another-version-in-bun": _list_fails("undefined is not an object (evaluating 'schema._zod')"),
    "zod-of-another-version-null": _list_fails("Cannot read properties of null (reading '_def')"),
    "output-schema-of-several-types": _lists(
        [_TOOL | {"outputSchema": {"type": ["null", "array"], "items": {"type": "string"}}}]
    ),
    "emoji-at-the-start": dies(
        "Traceback (most recent call last):",
        '  File "C:\\srv\\unifi-mcp-server\\main.py", line 58, in <module>',
        "    load_env_file()",
        '  File "C:\\srv\\unifi-mcp-server\\main.py", line 26, in load_env_file',
        '    print(f"\\U0001f4c4 Loading {path}")',
        '  File "C:\\Python314\\Lib\\encodings\\cp1252.py", line 19, in encode',
        "    return codecs.charmap_encode(input,self.errors,encoding_table)[0]",
        "UnicodeEncodeError: 'charmap' codec can't encode character '\\U0001f4c4' in position 0: character maps to"
        " <undefined>",
    ),
    "emoji-in-the-list": _dies_at(
        "tools/list",
        "Traceback (most recent call last):",
        '  File "vibemk.py", line 90, in main',
        "    print(json.dumps(response, ensure_ascii=False), flush=True)",
        "UnicodeEncodeError: 'charmap' codec can't encode character '\\U0001f50d' in position 411: character maps"
        " to <undefined>",
    ),
    "argument-that-stdin-cannot-decode": _dies_at(
        "tools/call",
        "Traceback (most recent call last):",
        '  File "mcp_server.py", line 700, in main',
        "    line = sys.stdin.readline()",
        "UnicodeDecodeError: 'cp950' codec can't decode byte 0xe2 in position 97: illegal multibyte sequence",
    ),
    "browser-not-downloaded": _returns(_text(_CHROMIUM, isError=True)),
    "chrome-not-installed": _returns(_text(_CHROME, isError=True)),
    "result-and-error-in-a-call": _returns(_result_and_error),
    "meta-key-with-underscore": _lists([_TOOL | {"_meta": {"_fastmcp": {"tags": []}}}]),
    "tools-null": _lists(None),
    "tool-null": _lists([_TOOL, None]),
    "structure-null": _returns(_text("none", structuredContent=None)),
    "console-logging-of-dotnet": _logs_on_stdout,
    "content-of-type-blob": _returns({"content": [{"type": "blob", "data": _PNG, "mimeType": "image/png"}]}),
    "base64-of-urls": _reads({"blob": _URL_SAFE, "mimeType": "image/jpeg"}, mimeType="image/jpeg"),
    "data-url-as-blob": _reads(
        {"blob": f"data:image/png;base64,{_PNG}", "mimeType": "image/png"}, mimeType="image/png"
    ),
    "blob-encoded-twice": _reads({"blob": _PNG_TWICE, "mimeType": "text/plain"}, mimeType="image/png"),
    "unknown-flag-of-the-runtime": dies(
        "Error: unknown flag: --config", "Usage:", "  nanobot run [flags]", "", "Flags:", "  -h, --help   help"
    ),
    "progress-after-the-result": _returns(_progress_after_the_result),
    "progress-token-of-the-server": _returns(_own_progress_token),
    "npm-newer-than-its-node": dies(
        "ERROR: npm v11.4.2 is known not to run on Node.js v14.21.3.  This version of npm supports the following"
        " node versions: `^20.17.0 || >=22.9.0`. You can find the latest version at https://nodejs.org/.",
        "",
        "ERROR:",
        "/home/me/.nvm/versions/node/v14.21.3/lib/node_modules/npm/lib/utils/error-message.js:11",
        "  er.message &&= replaceInfo(er.message)",
        "             ^^^",
        "",
        "SyntaxError: Unexpected token '&&='",
        "    at wrapSafe (internal/modules/cjs/loader.js:1029:16)",
        "    at Module._compile (internal/modules/cjs/loader.js:1078:27)",
    ),
    "node-without-modules": dies(
        "/home/me/mcp/dist/index.js:8",
        'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";',
        "       ^",
        "",
        "SyntaxError: Unexpected token {",
        "    at Module._compile (internal/modules/cjs/loader.js:723:23)",
        "    at Object.Module._extensions..js (internal/modules/cjs/loader.js:789:10)",
        "    at startup (internal/bootstrap/node.js:283:19)",
    ),
    "npx-without-yes": dies(
        "", "ERROR: You must supply a command.", "", "Execute binaries from npm packages.", "npx [options] <command>"
    ),
    "optional-chaining": dies(
        "npx: installed 79 in 8.153s",
        "file:///home/me/.npm/_npx/28829/lib/node_modules/mcp-remote/dist/chunk-OUCHRS4S.js:5452",
        "crypto = globalThis.crypto?.webcrypto ?? // Node.js [18-16] REPL",
        "                           ^",
        "",
        "SyntaxError: Unexpected token '.'",
        "    at Loader.moduleStrategy (internal/modules/esm/translators.js:140:18)",
    ),
    "python-of-the-system-is-too-old": dies(
        "  × No solution found when resolving tool dependencies:",
        "  ╰─▶ Because only the following versions of mcp-server-sqlite are available:",
        "          mcp-server-sqlite==0.1.0",
        "          mcp-server-sqlite==0.6.2",
        "      we can conclude that mcp-server-sqlite<0.4.1 cannot be used. (1)",
        "",
        "      Because the current Python version (3.9.6) does not satisfy Python>=3.10",
        "      and mcp-server-sqlite>=0.4.1 depends on Python>=3.10, we can conclude",
        "      that mcp-server-sqlite>=0.4.1 cannot be used.",
        "      And because you require mcp-server-sqlite, we can conclude that your",
        "      requirements are unsatisfiable.",
    ),
    "native-binding-missing": dies(
        "/srv/node_modules/bindings/bindings.js:126",
        "  err = new Error(",
        "        ^",
        "",
        "Error: Could not locate the bindings file. Tried:",
        " → /srv/node_modules/better-sqlite3/build/better_sqlite3.node",
        " → /srv/node_modules/better-sqlite3/lib/binding/node-v141-linux-x64/better_sqlite3.node",
        "    at bindings (/srv/node_modules/bindings/bindings.js:126:9)",
        "    at new Database (/srv/node_modules/better-sqlite3/lib/database.js:48:64) {",
        "  tries: [",
        "    '/srv/node_modules/better-sqlite3/build/better_sqlite3.node',",
        "    '/srv/node_modules/better-sqlite3/lib/binding/node-v141-linux-x64/better_sqlite3.node'",
        "  ]",
        "}",
        "",
        "Node.js v25.2.1",
    ),
    "native-module-is-not-compiled": dies(
        "npm error code 1",
        "npm error path /home/me/.npm/_npx/1/node_modules/better-sqlite3",
        "npm error command failed",
        "npm error command sh -c prebuild-install || node-gyp rebuild --release",
        "npm error gyp info it worked if it ends with ok",
        "npm error gyp ERR! find VS You need to install the latest version of Visual Studio",
        'npm error gyp ERR! find VS including the "Desktop development with C++" workload.',
        "npm error gyp ERR! stack Error: Could not find any Visual Studio installation to use",
        "npm error gyp ERR! not ok",
        "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-03-12-debug-0.log",
    ),
    "handler-returns-its-value": _returns({"success": True, "configs": [{"id": "default"}]}),
}
