"""Programs that never get as far as a conversation: packages, interpreters, libraries, services."""

import os
import signal
import sys
import time
from typing import Any

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Fault, Run


def _dies(*lines: str, code: int = 1) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        sys.exit(code)

    return run


def _traps(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGTRAP)

    return run


def _waits(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines))
        sys.stderr.flush()
        time.sleep(30)

    return run


def _rejects() -> None:
    def call(request: dict[str, Any]) -> Any:
        sys.stderr.write(
            "node:internal/process/promises:330\n      new UnhandledPromiseRejection(reason);\n      ^\n\n"
            "UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a"
            " catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with"
            ' the reason "budget 7 is not open".\n'
            "    at throwUnhandledRejectionsMode (node:internal/process/promises:330:7)\n"
            "    at processPromiseRejections (node:internal/process/promises:413:17) {\n"
            "  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nNode.js v22.11.0\n"
        )
        sys.stderr.flush()
        sys.exit(1)

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _lists_nothing(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        serve({"tools/list": {"tools": []}})

    return run


FAULTS = (
    Fault(
        "npm-package-unknown",
        "The host says “server disconnected”; the package of the documentation was never published.",
        "ZubeidHendricks/azure-onenote-mcp-server#1",
        ("exit-during-handshake",),
        ("@acme/server-onenote", "not in (this|the npm) registry|does not exist"),
        _dies(
            "npm error code E404",
            "npm error 404 Not Found - GET https://registry.example/@acme%2fserver-onenote - Not found",
            "npm error 404",
            "npm error 404  '@acme/server-onenote@*' is not in this registry.",
            "npm error 404",
            "npm error 404 Note that you can also install from a",
            "npm error 404 tarball, folder, http url, or git url.",
            "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
        ),
        command="npx -y @acme/server-onenote",
    ),
    Fault(
        "npm-no-bin",
        "The package is there, and has no executable.",
        "elgorro/aiquila#226",
        ("exit-during-handshake",),
        ("npx", "executable"),
        _dies(
            "npm error could not determine executable to run",
            "npm error A complete log of this run can be found in: /tmp/x",
        ),
        command="npx -y aiquila-mcp",
    ),
    Fault(
        "npm-certificate",
        "Behind a company's proxy that opens TLS.",
        "npm, reported to many servers",
        ("exit-during-handshake",),
        ("certificate",),
        _dies(
            "npm error code SELF_SIGNED_CERT_IN_CHAIN",
            "npm error errno SELF_SIGNED_CERT_IN_CHAIN",
            "npm error request to https://registry.example/@acme%2fmcp failed, reason: self-signed certificate in"
            " certificate chain",
            "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
        ),
        command="npx -y @acme/mcp",
    ),
    Fault(
        "npm-offline",
        "The registry can't be reached: no network, or no proxy in the environment that the host gives.",
        "npm, reported to many servers",
        ("exit-during-handshake",),
        ("registry.example", "ENOTFOUND|can't be reached|network"),
        _dies(
            "npm error code ENOTFOUND",
            "npm error syscall getaddrinfo",
            "npm error network request to https://registry.example/@acme%2fmcp failed, reason: getaddrinfo ENOTFOUND"
            " registry.example",
            "npm error network This is a problem related to network connectivity.",
            "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
        ),
        command="npx -y @acme/mcp",
    ),
    Fault(
        "npm-cache-owner",
        "npx fails for root-owned files in its cache, after somebody had used sudo.",
        "npm, reported to many servers",
        ("exit-during-handshake",),
        ("cache|permission",),
        _dies(
            "npm error code EACCES",
            "npm error syscall mkdir",
            "npm error path /home/me/.npm/_cacache/content-v2/sha512/aa",
            "npm error errno EACCES",
            "npm error",
            "npm error Your cache folder contains root-owned files, due to a bug in",
            "npm error previous versions of npm which has since been addressed.",
        ),
        command="npx -y @acme/mcp",
    ),
    Fault(
        "glibc",
        "A binary that was built on a newer Linux.",
        "t8y2/dbx#4473",
        ("exit-during-handshake",),
        ("GLIBC_2.39",),
        _dies(
            "/opt/acme/bin/dbx-mcp: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by"
            " /opt/acme/bin/dbx-mcp)",
        ),
    ),
    Fault(
        "java-too-old",
        "A jar for a newer Java than the one that comes first on the PATH.",
        "Spring AI servers",
        ("exit-during-handshake",),
        ("newer (version of )?(the )?Java|Java .*newer|class file version",),
        _dies(
            "Error: LinkageError occurred while loading main class com.acme.McpServerApplication",
            "\tjava.lang.UnsupportedClassVersionError: com/acme/McpServerApplication has been compiled by a more recent"
            " version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes"
            " class file versions up to 61.0",
        ),
        command="java -jar server.jar",
    ),
    Fault(
        "jar-missing",
        "The jar's name has a version in it, and the version has changed.",
        "Spring AI servers",
        ("exit-during-handshake", "file-not-found"),
        (r"target/weather-0\.0\.1\.jar", "not exist|can't be|unable to access"),
        _dies("Error: Unable to access jarfile target/weather-0.0.1.jar"),
        command="java -jar target/weather-0.0.1.jar",
    ),
    Fault(
        "dotnet-runtime",
        "The .NET runtime that it was built for is not installed.",
        "C# servers run by dotnet",
        ("exit-during-handshake",),
        (r"\.NET", r"9\.0\.0|framework|runtime"),
        _dies(
            "You must install or update .NET to run this application.",
            "",
            "App: /opt/acme/Acme.Mcp",
            "Architecture: x64",
            "Framework: 'Microsoft.NETCore.App', version '9.0.0' (x64)",
            ".NET location: /usr/lib/dotnet/",
            "",
            "The following frameworks were found:",
            "  8.0.10 at [/usr/lib/dotnet/shared/Microsoft.NETCore.App]",
            "",
            "Learn more:",
            "https://aka.ms/dotnet/app-launch-failed",
            code=150,
        ),
        command="dotnet Acme.Mcp.dll",
    ),
    Fault(
        "dotnet-assembly",
        "An unhandled exception whose first line says all, and whose last lines are a stack.",
        "modelcontextprotocol/csharp-sdk#1332",
        ("exit-during-handshake", "server-killed"),
        ("Could not load file or assembly|Acme.Data",),
        _dies(
            "Unhandled exception. System.IO.FileNotFoundException: Could not load file or assembly 'Acme.Data,"
            " Version=2.1.0.0, Culture=neutral, PublicKeyToken=null'. The system cannot find the file specified.",
            "   at Acme.Mcp.Program.Main(String[] args)",
            "   at Acme.Mcp.Program.<Main>(String[] args)",
            code=134,
        ),
        command="dotnet run",
    ),
    Fault(
        "rejection-in-a-call",
        "Every call ends the server; the host says -32000, connection closed.",
        "s-stefanov/actual-mcp#95",
        ("exit-during-session",),
        ("tools/call", "budget 7 is not open|unhandled"),
        _rejects,
        options="--call good={}",
    ),
    Fault(
        "node-too-old",
        "npx finds a Node that does not know import.",
        "idosal/git-mcp#119",
        ("exit-during-handshake",),
        ("Node", "old|version|import"),
        _dies(
            "/home/me/.npm/_npx/705d23756ff7dacc/node_modules/mcp-remote/dist/proxy.js:2",
            "import {",
            "       ^",
            "",
            "SyntaxError: Unexpected token {",
            "    at Module._compile (internal/modules/cjs/loader.js:723:23)",
            "    at Object.Module._extensions..js (internal/modules/cjs/loader.js:789:10)",
        ),
        command="node proxy.js",
    ),
    Fault(
        "native-module",
        "Node was updated, and a native module was not built again.",
        "servers with better-sqlite3",
        ("exit-during-handshake",),
        ("NODE_MODULE_VERSION|native module", "better_sqlite3|another|different"),
        _dies(
            "node:internal/modules/cjs/loader:1923",
            "  return process.dlopen(module, path.toNamespacedPath(filename));",
            "                 ^",
            "",
            "Error: The module '/srv/node_modules/better-sqlite3/build/Release/better_sqlite3.node'",
            "was compiled against a different Node.js version using",
            "NODE_MODULE_VERSION 115. This version of Node.js requires",
            "NODE_MODULE_VERSION 127. Please try re-compiling or re-installing",
            "the module (for instance, using `npm rebuild` or `npm install`).",
            "    at Object..node (node:internal/modules/cjs/loader:1923:18)",
            "    at Module.load (node:internal/modules/cjs/loader:1473:32) {",
            "  code: 'ERR_DLOPEN_FAILED'",
            "}",
            "",
            "Node.js v22.11.0",
        ),
    ),
    Fault(
        "node-heap",
        "It indexes a large repository before it reads anything, and runs out of memory.",
        "servers that index at start",
        ("exit-during-handshake", "server-killed"),
        ("memory|heap",),
        _dies(
            "<--- Last few GCs --->",
            "",
            "[4711:0x5]    24023 ms: Mark-Compact 4061.2 (4129.6) -> 4050.9 (4135.1) MB, 980.72 / 0.00 ms",
            "",
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            "----- Native stack trace -----",
            "",
            " 1: 0xb8ce0c node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]",
            code=134,
        ),
    ),
    Fault(
        "python-too-old",
        "uvx finds a Python that the package does not want.",
        "Python servers run by uvx",
        ("exit-during-handshake",),
        (r"Python", r"3\.12|>="),
        _dies(
            "  × No solution found when resolving tool dependencies:",
            "  ╰─▶ Because the current Python version (3.10.12) does not satisfy Python>=3.12 and acme-mcp==1.2.0",
            "      depends on Python>=3.12, we can conclude that acme-mcp==1.2.0 cannot be used.",
            "      And because only acme-mcp==1.2.0 is available and you require acme-mcp, we can conclude that your",
            "      requirements are unsatisfiable.",
        ),
        command="uvx acme-mcp",
    ),
    Fault(
        "uv-no-script",
        "uv run is given the name of a script that the project does not have.",
        "Python servers run by uv",
        ("exit-during-handshake",),
        ("weather-server", "no program|spawn"),
        _dies(
            "error: Failed to spawn: `weather-server`", "  Caused by: No such file or directory (os error 2)", code=2
        ),
        command="uv run weather-server",
    ),
    Fault(
        "asyncio-run-inside-a-loop",
        "run() is called from async code.",
        "PrefectHQ/fastmcp",
        ("exit-during-handshake",),
        ("asyncio|event loop",),
        _dies(
            "Traceback (most recent call last):",
            '  File "/srv/server.py", line 30, in <module>',
            "    asyncio.run(main())",
            '  File "/srv/server.py", line 27, in main',
            "    mcp.run()",
            '  File "/usr/lib/python3.12/asyncio/runners.py", line 190, in run',
            "    raise RuntimeError(",
            "RuntimeError: asyncio.run() cannot be called from a running event loop",
            "sys:1: RuntimeWarning: coroutine 'FastMCP.run_async' was never awaited",
        ),
    ),
    Fault(
        "relative-import",
        "A file of a package is run as a script.",
        "modelcontextprotocol/python-sdk",
        ("exit-during-handshake",),
        ("relative import",),
        _dies(
            "Traceback (most recent call last):",
            '  File "/srv/acme/server.py", line 3, in <module>',
            "    from .tools import register",
            "ImportError: attempted relative import with no known parent package",
        ),
    ),
    Fault(
        "php-autoload",
        "composer install was never run.",
        "PHP servers",
        ("exit-during-handshake",),
        ("autoload|composer",),
        _dies(
            "PHP Warning:  require(/srv/vendor/autoload.php): Failed to open stream: No such file or directory in"
            " /srv/server.php on line 3",
            "PHP Fatal error:  Uncaught Error: Failed opening required '/srv/vendor/autoload.php'"
            " (include_path='.:/usr/share/php') in /srv/server.php:3",
            "Stack trace:",
            "#0 {main}",
            "  thrown in /srv/server.php on line 3",
            code=255,
        ),
        command="php server.php",
    ),
    Fault(
        "ruby-gem",
        "The gem is installed for another Ruby than the one that the host finds.",
        "modelcontextprotocol/ruby-sdk",
        ("exit-during-handshake",),
        ("gem|mcp", "cannot load|missing"),
        _dies(
            "<internal:/usr/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:136:in `require': cannot load such file"
            " -- mcp (LoadError)",
            "\tfrom <internal:/usr/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:136:in `require'",
            "\tfrom server.rb:1:in `<main>'",
        ),
        command="ruby server.rb",
    ),
    Fault(
        "rust-panic-for-a-variable",
        "It unwraps a variable of the environment.",
        "servers on rmcp",
        ("environment-variable-missing",),
        ("GITHUB_TOKEN",),
        _dies(
            "thread 'main' panicked at src/main.rs:14:47:",
            "GITHUB_TOKEN must be set: NotPresent",
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
            code=101,
        ),
    ),
    Fault(
        "rust-panic",
        "A panic; the last line is only a note about backtraces.",
        "servers on rmcp",
        ("exit-during-handshake",),
        ("no such table: notes",),
        _dies(
            "thread 'main' panicked at src/db.rs:41:10:",
            'called `Result::unwrap()` on an `Err` value: SqliteFailure(Error { code: Unknown }, Some("no such table:'
            ' notes"))',
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
            code=101,
        ),
    ),
    Fault(
        "go-panic",
        "A panic of Go: the cause stands first, goroutines follow.",
        "servers on mcp-go",
        ("exit-during-handshake",),
        ("nil pointer|invalid memory address",),
        _dies(
            "panic: runtime error: invalid memory address or nil pointer dereference",
            "[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x6d2f04]",
            "",
            "goroutine 1 [running]:",
            "main.newServer(0x0)",
            "\t/src/cmd/server/main.go:58 +0x24",
            "main.main()",
            "\t/src/cmd/server/main.go:31 +0x1d",
            "exit status 2",
            code=2,
        ),
    ),
    Fault(
        "zod-of-the-environment",
        "The configuration is checked by zod, and the name of what is missing stands in the middle of its report.",
        "TypeScript servers that check their environment by zod",
        ("environment-variable-missing",),
        ("NOTION_TOKEN",),
        _dies(
            "/srv/dist/index.js:21",
            "        throw new ZodError(result.error.issues);",
            "              ^",
            "ZodError: [",
            "  {",
            '    "code": "invalid_type",',
            '    "expected": "string",',
            '    "received": "undefined",',
            '    "path": [',
            '      "NOTION_TOKEN"',
            "    ],",
            '    "message": "Required"',
            "  }",
            "]",
            "    at Object.<anonymous> (/srv/dist/index.js:21:15)",
            "    at Module._compile (node:internal/modules/cjs/loader:1554:14)",
            "",
            "Node.js v22.11.0",
        ),
    ),
    Fault(
        "deno-permission",
        "deno does not let it read its environment.",
        "servers run by deno",
        ("exit-during-handshake",),
        ("--allow-env|env access",),
        _dies(
            'error: Uncaught (in promise) NotCapable: Requires env access to "ACME_URL", run again with the --allow-env'
            " flag",
            'const url = Deno.env.get("ACME_URL");',
            "                     ^",
            "    at Object.getEnv [as get] (ext:runtime/30_os.js:124:10)",
            "    at file:///srv/main.ts:4:22",
        ),
        command="deno run main.ts",
    ),
    Fault(
        "docker-daemon",
        "Docker is installed, and does not run.",
        "servers run by docker",
        ("exit-during-handshake",),
        ("Docker daemon",),
        _dies(
            "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock."
            " Is the docker daemon running?.",
            "See 'docker run --help'.",
            code=125,
        ),
        command="docker run -i --rm acme/mcp",
    ),
    Fault(
        "docker-other-architecture",
        "An image for another kind of processor.",
        "servers run by docker on ARM",
        ("exit-during-handshake",),
        ("exec format error|architecture|platform",),
        _dies(
            "WARNING: The requested image's platform (linux/amd64) does not match the detected host platform"
            " (linux/arm64/v8) and no specific platform was requested",
            "exec /usr/local/bin/acme-mcp: exec format error",
            code=1,
        ),
        command="docker run -i --rm acme/mcp",
    ),
    Fault(
        "database-refuses",
        "What it works with does not run.",
        "servers of databases, in Go",
        ("exit-during-handshake",),
        (r"127\.0\.0\.1:5432", "refuse"),
        _dies(
            "2026/01/01 09:00:00 INFO starting postgres-mcp version=1.2.0",
            "2026/01/01 09:00:00 ERROR failed to connect to `user=me database=app`: 127.0.0.1:5432 (localhost): dial"
            " error: dial tcp 127.0.0.1:5432: connect: connection refused",
            "2026/01/01 09:00:00 INFO shutting down",
        ),
    ),
    Fault(
        "waits-for-a-login",
        "mcp-remote wants a login in a browser, and says so on stderr alone.",
        "punkpeye/mcp-remote",
        ("interactive-prompt",),
        ("https://auth.acme.example/authorize", "log|authori"),
        _waits(
            "[4711] Using automatically selected callback port: 12345",
            "[4711] Connecting to remote server: https://mcp.acme.example/mcp",
            "[4711] Please authorize this client by visiting:",
            "https://auth.acme.example/authorize?response_type=code&client_id=abc",
            "",
        ),
        command="npx -y mcp-remote https://mcp.acme.example/mcp",
        options="--timeout 3",
    ),
    Fault(
        "waits-at-a-prompt",
        "It asks for a password in a terminal that it does not have.",
        "servers of mail and chat",
        ("interactive-prompt",),
        ("Enter your API key", "wait|ask|prompt"),
        _waits("No configuration found.", "Enter your API key: "),
        options="--timeout 3",
    ),
    Fault(
        "swift-trap",
        "A Swift runtime check fails; the shell reports 132, and a long backtrace follows the one line that says why.",
        "modelcontextprotocol/swift-sdk, servers in Swift on Linux",
        ("server-killed",),
        ("132", "SIGILL", "Index out of range", r"Server\.swift:31"),
        _dies(
            "acme_mcp/Server.swift:31: Fatal error: Index out of range",
            "",
            "*** Signal 4: Backtracing from 0x7f0c2a1b3f62... done ***",
            "",
            "*** Program crashed: Illegal instruction at 0x00007f0c2a1b3f62 ***",
            "",
            'Thread 0 "acme-mcp" crashed:',
            "",
            *(f"{at} 0x00007f0c2a1b{at:04x} run() + {at} in acme-mcp at /src/Server.swift:{at}:9" for at in range(80)),
            code=132,
        ),
    ),
    Fault(
        "swift-trap-by-its-signal",
        "The same on ARM, where the trap is SIGTRAP and no shell is in between.",
        "modelcontextprotocol/swift-sdk, servers in Swift on ARM",
        ("server-killed",),
        ("SIGTRAP", "Unexpectedly found nil"),
        _traps("acme_mcp/Tools.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value"),
    ),
    Fault(
        "entry-point-of-a-container",
        "An image without what its entry point runs; the gateway only says EOF.",
        "docker/mcp-gateway#250",
        ("program-not-runnable",),
        ("/sbin/docker-init", "no such file"),
        _dies("duckduckgo: exec /sbin/docker-init: no such file or directory", code=127),
    ),
    Fault(
        "import-without-extension",
        "The gateway waits until the client gives up: its child ended at an import without .js.",
        "supercorp-ai/supergateway#139",
        ("exit-during-handshake",),
        ("tools/moodle_unstick", "missing"),
        _dies(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/app/tools/moodle_unstick' imported from /app/index.js",
            "    at finalizeResolution (node:internal/modules/esm/resolve:275:11) {",
            "  code: 'ERR_MODULE_NOT_FOUND'",
            "}",
            "",
            "Node.js v20.20.2",
        ),
    ),
    Fault(
        "gateway-cannot-start-its-servers",
        "Connected, and no tools: what the gateway should start did not start.",
        "docker/mcp-gateway#250",
        ("empty-tool-list",),
        ("Can't start duckduckgo", "EOF"),
        _lists_nothing(
            "- Those servers are enabled: duckduckgo",
            "- Listing MCP tools...",
            '  > Can\'t start duckduckgo: failed to connect: calling "initialize": EOF',
            "> 0 tools listed in 8.041µs",
        ),
    ),
    Fault(
        "gateway-without-servers",
        "Connected, and no tools: no server of the gateway is enabled.",
        "stickerdaniel/linkedin-mcp-server#37",
        ("empty-tool-list",),
        ("No server is enabled",),
        _lists_nothing(
            "- Reading catalog from docker-mcp.yaml", "- No server is enabled", "> 0 tools listed in 8.041µs"
        ),
    ),
)
