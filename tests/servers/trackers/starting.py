"""Programs that never get as far as a conversation: packages, interpreters, libraries, services."""

import os
import signal
import sys
import time
from typing import Any

from tests.servers.speaking import TOOL, dies, serve
from tests.servers.trackers import Run


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


SERVERS: dict[str, Run] = {
    "npm-package-unknown": dies(
        "npm error code E404",
        "npm error 404 Not Found - GET https://registry.example/@acme%2fserver-onenote - Not found",
        "npm error 404",
        "npm error 404  '@acme/server-onenote@*' is not in this registry.",
        "npm error 404",
        "npm error 404 Note that you can also install from a",
        "npm error 404 tarball, folder, http url, or git url.",
        "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
    ),
    "npm-no-bin": dies(
        "npm error could not determine executable to run",
        "npm error A complete log of this run can be found in: /tmp/x",
    ),
    "npm-certificate": dies(
        "npm error code SELF_SIGNED_CERT_IN_CHAIN",
        "npm error errno SELF_SIGNED_CERT_IN_CHAIN",
        "npm error request to https://registry.example/@acme%2fmcp failed, reason: self-signed certificate in"
        " certificate chain",
        "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
    ),
    "npm-offline": dies(
        "npm error code ENOTFOUND",
        "npm error syscall getaddrinfo",
        "npm error network request to https://registry.example/@acme%2fmcp failed, reason: getaddrinfo ENOTFOUND"
        " registry.example",
        "npm error network This is a problem related to network connectivity.",
        "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log",
    ),
    "npm-cache-owner": dies(
        "npm error code EACCES",
        "npm error syscall mkdir",
        "npm error path /home/me/.npm/_cacache/content-v2/sha512/aa",
        "npm error errno EACCES",
        "npm error",
        "npm error Your cache folder contains root-owned files, due to a bug in",
        "npm error previous versions of npm which has since been addressed.",
    ),
    "glibc": dies(
        "/opt/acme/bin/dbx-mcp: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by"
        " /opt/acme/bin/dbx-mcp)"
    ),
    "java-too-old": dies(
        "Error: LinkageError occurred while loading main class com.acme.McpServerApplication",
        "\tjava.lang.UnsupportedClassVersionError: com/acme/McpServerApplication has been compiled by a more recent"
        " version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes"
        " class file versions up to 61.0",
    ),
    "jar-missing": dies("Error: Unable to access jarfile target/weather-0.0.1.jar"),
    "dotnet-runtime": dies(
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
    "dotnet-assembly": dies(
        "Unhandled exception. System.IO.FileNotFoundException: Could not load file or assembly 'Acme.Data,"
        " Version=2.1.0.0, Culture=neutral, PublicKeyToken=null'. The system cannot find the file specified.",
        "   at Acme.Mcp.Program.Main(String[] args)",
        "   at Acme.Mcp.Program.<Main>(String[] args)",
        code=134,
    ),
    "rejection-in-a-call": _rejects,
    "node-too-old": dies(
        "/home/me/.npm/_npx/705d23756ff7dacc/node_modules/mcp-remote/dist/proxy.js:2",
        "import {",
        "       ^",
        "",
        "SyntaxError: Unexpected token {",
        "    at Module._compile (internal/modules/cjs/loader.js:723:23)",
        "    at Object.Module._extensions..js (internal/modules/cjs/loader.js:789:10)",
    ),
    "native-module": dies(
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
    "node-heap": dies(
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
    "python-too-old": dies(
        "  × No solution found when resolving tool dependencies:",
        "  ╰─▶ Because the current Python version (3.10.12) does not satisfy Python>=3.12 and acme-mcp==1.2.0",
        "      depends on Python>=3.12, we can conclude that acme-mcp==1.2.0 cannot be used.",
        "      And because only acme-mcp==1.2.0 is available and you require acme-mcp, we can conclude that your",
        "      requirements are unsatisfiable.",
    ),
    "uv-no-script": dies(
        "error: Failed to spawn: `weather-server`", "  Caused by: No such file or directory (os error 2)", code=2
    ),
    "asyncio-run-inside-a-loop": dies(
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
    "relative-import": dies(
        "Traceback (most recent call last):",
        '  File "/srv/acme/server.py", line 3, in <module>',
        "    from .tools import register",
        "ImportError: attempted relative import with no known parent package",
    ),
    "php-autoload": dies(
        "PHP Warning:  require(/srv/vendor/autoload.php): Failed to open stream: No such file or directory in"
        " /srv/server.php on line 3",
        "PHP Fatal error:  Uncaught Error: Failed opening required '/srv/vendor/autoload.php'"
        " (include_path='.:/usr/share/php') in /srv/server.php:3",
        "Stack trace:",
        "#0 {main}",
        "  thrown in /srv/server.php on line 3",
        code=255,
    ),
    "ruby-gem": dies(
        "<internal:/usr/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:136:in `require': cannot load such file"
        " -- mcp (LoadError)",
        "\tfrom <internal:/usr/lib/ruby/3.2.0/rubygems/core_ext/kernel_require.rb>:136:in `require'",
        "\tfrom server.rb:1:in `<main>'",
    ),
    "rust-panic-for-a-variable": dies(
        "thread 'main' panicked at src/main.rs:14:47:",
        "GITHUB_TOKEN must be set: NotPresent",
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        code=101,
    ),
    "rust-panic": dies(
        "thread 'main' panicked at src/db.rs:41:10:",
        'called `Result::unwrap()` on an `Err` value: SqliteFailure(Error { code: Unknown }, Some("no such table:'
        ' notes"))',
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        code=101,
    ),
    "go-panic": dies(
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
    "zod-of-the-environment": dies(
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
    "deno-permission": dies(
        'error: Uncaught (in promise) NotCapable: Requires env access to "ACME_URL", run again with the --allow-env'
        " flag",
        'const url = Deno.env.get("ACME_URL");',
        "                     ^",
        "    at Object.getEnv [as get] (ext:runtime/30_os.js:124:10)",
        "    at file:///srv/main.ts:4:22",
    ),
    "docker-daemon": dies(
        "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?.",
        "See 'docker run --help'.",
        code=125,
    ),
    "docker-other-architecture": dies(
        "WARNING: The requested image's platform (linux/amd64) does not match the detected host platform"
        " (linux/arm64/v8) and no specific platform was requested",
        "exec /usr/local/bin/acme-mcp: exec format error",
        code=1,
    ),
    "database-refuses": dies(
        "2026/01/01 09:00:00 INFO starting postgres-mcp version=1.2.0",
        "2026/01/01 09:00:00 ERROR failed to connect to `user=me database=app`: 127.0.0.1:5432 (localhost): dial"
        " error: dial tcp 127.0.0.1:5432: connect: connection refused",
        "2026/01/01 09:00:00 INFO shutting down",
    ),
    "waits-for-a-login": _waits(
        "[4711] Using automatically selected callback port: 12345",
        "[4711] Connecting to remote server: https://mcp.acme.example/mcp",
        "[4711] Please authorize this client by visiting:",
        "https://auth.acme.example/authorize?response_type=code&client_id=abc",
        "",
    ),
    "waits-at-a-prompt": _waits("No configuration found.", "Enter your API key: "),
    "swift-trap": dies(
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
    "swift-trap-by-its-signal": _traps(
        "acme_mcp/Tools.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value"
    ),
    "entry-point-of-a-container": dies("duckduckgo: exec /sbin/docker-init: no such file or directory", code=127),
    "import-without-extension": dies(
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/app/tools/moodle_unstick' imported from /app/index.js",
        "    at finalizeResolution (node:internal/modules/esm/resolve:275:11) {",
        "  code: 'ERR_MODULE_NOT_FOUND'",
        "}",
        "",
        "Node.js v20.20.2",
    ),
    "gateway-cannot-start-its-servers": _lists_nothing(
        "- Those servers are enabled: duckduckgo",
        "- Listing MCP tools...",
        '  > Can\'t start duckduckgo: failed to connect: calling "initialize": EOF',
        "> 0 tools listed in 8.041µs",
    ),
    "gateway-without-servers": _lists_nothing(
        "- Reading catalog from docker-mcp.yaml", "- No server is enabled", "> 0 tools listed in 8.041µs"
    ),
}
