"""Programs that end at their start because of what they run on: runtimes, libraries, containers, files, credentials."""

import sys

from tests.servers.speaking import TOOL, say, serve
from tests.servers.trackers import Fault, Run


def _dies(*lines: str, code: int = 1) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        sys.exit(code)

    return run


def _dies_in_a_call(*lines: str, code: int = 1) -> Run:
    def call(request: object) -> None:
        _dies(*lines, code=code)()

    return lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _prints_and_dies() -> None:
    say(b"Already up to date.")
    _dies("error: Cannot find module 'express' from '/srv/index.ts'", "", "Bun v1.1.38 (Linux x64)")()


FAULTS = (
    Fault(
        "read-only-directory",
        "The host starts servers in /, which is read-only on a Mac, and the server wants to write its log there.",
        "rohitg00/kubectl-mcp-server#8",
        ("exit-during-handshake",),
        ("Read-only file system", "logs"),
        _dies(
            "Traceback (most recent call last):",
            '  File "<frozen runpy>", line 198, in _run_module_as_main',
            '  File "/srv/kubectl_mcp_tool/cli/cli.py", line 16, in <module>',
            "    os.makedirs(LOG_DIR, exist_ok=True)",
            '  File "<frozen os>", line 225, in makedirs',
            "OSError: [Errno 30] Read-only file system: 'logs'",
        ),
    ),
    Fault(
        "read-only-directory-in-node",
        "The same in Node.",
        "servers in Node, in Claude Desktop on a Mac",
        ("exit-during-handshake",),
        ("read-only file system", "/logs"),
        _dies(
            "node:fs:1372",
            "  const result = binding.mkdir(",
            "                         ^",
            "",
            "Error: EROFS: read-only file system, mkdir '/logs'",
            "    at Object.mkdirSync (node:fs:1372:26)",
            "    at Object.<anonymous> (/srv/dist/logger.js:9:8) {",
            "  errno: -30,",
            "  code: 'EROFS',",
            "  syscall: 'mkdir',",
            "  path: '/logs'",
            "}",
            "",
            "Node.js v20.11.0",
        ),
    ),
    Fault(
        "file-is-not-defined",
        "A dependency needs a global of Node 20, and the image has Node 18.",
        "Softeria/ms-365-mcp-server#119",
        ("exit-during-handshake",),
        ("File is not defined", "Node"),
        _dies(
            "/app/node_modules/undici/lib/web/webidl/index.js:531",
            "webidl.is.File = webidl.util.MakeTypeAssertion(File)",
            "                                               ^",
            "",
            "ReferenceError: File is not defined",
            "    at Object.<anonymous> (/app/node_modules/undici/lib/web/webidl/index.js:531:48)",
            "",
            "Node.js v18.20.8",
        ),
    ),
    Fault(
        "docker-socket-permission",
        "The user is not in the group docker.",
        "shanevcantwell/langgraph-agentic-scaffold#145",
        ("program-not-runnable",),
        ("not allowed", "Docker"),
        _dies(
            "docker: permission denied while trying to connect to the Docker daemon socket at"
            ' unix:///var/run/docker.sock: Head "http://%2Fvar%2Frun%2Fdocker.sock/_ping": dial unix'
            " /var/run/docker.sock: connect: permission denied.",
            "See 'docker run --help'.",
            code=126,
        ),
        command="docker run -i --rm acme/mcp",
    ),
    Fault(
        "docker-image-unknown",
        "The image has another name, or is private.",
        "servers run by docker",
        ("exit-during-handshake",),
        ("acme/mcp-srever", "pull|exist|image"),
        _dies(
            "Unable to find image 'acme/mcp-srever:latest' locally",
            "docker: Error response from daemon: pull access denied for acme/mcp-srever, repository does not exist or"
            " may require 'docker login': denied: requested access to the resource is denied.",
            "See 'docker run --help'.",
            code=125,
        ),
        command="docker run -i --rm acme/mcp-srever",
    ),
    Fault(
        "docker-name-in-use",
        "The container of the last run has the name, and lives on.",
        "servers run by docker with --name",
        ("exit-during-handshake",),
        ("acme", "already in use|Conflict"),
        _dies(
            'docker: Error response from daemon: Conflict. The container name "/acme" is already in use by container'
            ' "5f0c". You have to remove (or rename) that container to be able to reuse that name.',
            "See 'docker run --help'.",
            code=125,
        ),
        command="docker run -i --rm --name acme acme/mcp",
    ),
    Fault(
        "docker-entry-point",
        "The image has no program of that name.",
        "servers run by docker",
        ("program-not-runnable",),
        ("mcp-server", "container has no program"),
        _dies(
            "docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI"
            ' runtime create failed: runc create failed: unable to start container process: exec: "mcp-server":'
            " executable file not found in $PATH: unknown.",
            code=127,
        ),
        command="docker run -i --rm acme/mcp mcp-server",
    ),
    Fault(
        "spring-bean-missing",
        "Spring Boot says what is wrong in a paragraph of its own.",
        "spring-projects/spring-ai, servers over stdio",
        ("exit-during-handshake",),
        ("required a bean of type", "ChatModel"),
        _dies(
            "Error starting ApplicationContext. To display the condition evaluation report re-run your application with"
            " 'debug' enabled.",
            "",
            "***************************",
            "APPLICATION FAILED TO START",
            "***************************",
            "",
            "Description:",
            "",
            "Parameter 0 of constructor in com.acme.WeatherTools required a bean of type 'com.acme.ChatModel' that"
            " could not be found.",
            "",
            "",
            "Action:",
            "",
            "Consider defining a bean of type 'com.acme.ChatModel' in your configuration.",
            "",
        ),
        command="java -jar server.jar",
    ),
    Fault(
        "spring-port-in-use",
        "The web server of Spring Boot finds its port taken, for the copy of another host runs.",
        "digitalinnovationone/dio-springboot#18",
        ("port-in-use",),
        ("8080", "port"),
        _dies(
            "***************************",
            "APPLICATION FAILED TO START",
            "***************************",
            "",
            "Description:",
            "",
            "Web server failed to start. Port 8080 was already in use.",
            "",
            "Action:",
            "",
            "Identify and stop the process that's listening on port 8080 or configure this application to listen on"
            " another port.",
        ),
        command="java -jar server.jar",
    ),
    Fault(
        "java-main-class",
        "The class path is wrong.",
        "modelcontextprotocol/java-sdk, servers without Spring",
        ("exit-during-handshake",),
        ("com.acme.Main", "class"),
        _dies(
            "Error: Could not find or load main class com.acme.Main",
            "Caused by: java.lang.ClassNotFoundException: com.acme.Main",
        ),
        command="java -cp target com.acme.Main",
    ),
    Fault(
        "kotlin-class-missing",
        "A jar without its dependencies.",
        "modelcontextprotocol/kotlin-sdk, servers packed without their dependencies",
        ("exit-during-handshake",),
        ("kotlin/jvm/internal/Intrinsics", "class"),
        _dies(
            'Exception in thread "main" java.lang.NoClassDefFoundError: kotlin/jvm/internal/Intrinsics',
            "\tat com.acme.MainKt.main(Main.kt)",
            "Caused by: java.lang.ClassNotFoundException: kotlin.jvm.internal.Intrinsics",
            "\tat java.base/jdk.internal.loader.BuiltinClassLoader.loadClass(BuiltinClassLoader.java:641)",
            "\t... 1 more",
        ),
        command="java -jar server.jar",
    ),
    Fault(
        "dotnet-dependency-injection",
        "A service of a tool was never registered.",
        "modelcontextprotocol/csharp-sdk, servers in C#",
        ("exit-during-handshake", "server-killed"),
        ("Unable to resolve service", "IWeatherClient"),
        _dies(
            "Unhandled exception. System.InvalidOperationException: Unable to resolve service for type"
            " 'Acme.IWeatherClient' while attempting to activate 'Acme.WeatherTools'.",
            "   at Microsoft.Extensions.DependencyInjection.ActivatorUtilities.ThrowHelperUnableToResolveService(Type"
            " type, Type requiredBy)",
            "   at Program.<Main>$(String[] args) in /src/Program.cs:line 21",
            code=134,
        ),
        command="dotnet run",
    ),
    Fault(
        "dotnet-no-project",
        "dotnet run in a directory without a project.",
        "modelcontextprotocol/csharp-sdk, samples run from elsewhere",
        ("exit-during-handshake",),
        ("find a project to run", "--project|project"),
        _dies(
            "Couldn't find a project to run. Ensure a project exists in /home/me, or pass the path to the project using"
            " --project.",
        ),
        command="dotnet run",
    ),
    Fault(
        "php-class-missing",
        "The class is not loaded: Composer's autoloader was not written again.",
        "servers in PHP",
        ("exit-during-handshake",),
        (r"Mcp\\\\Server\\\\Server|Mcp\\Server\\Server", "not found"),
        _dies(
            'PHP Fatal error:  Uncaught Error: Class "Mcp\\Server\\Server" not found in /srv/server.php:12',
            "Stack trace:",
            "#0 {main}",
            "  thrown in /srv/server.php on line 12",
            code=255,
        ),
        command="php server.php",
    ),
    Fault(
        "php-too-old",
        "Composer checks the platform, and PHP is older than a package needs.",
        "servers in PHP",
        ("exit-during-handshake",),
        ("PHP", "8.2"),
        _dies(
            "Composer detected issues in your platform:",
            "",
            'Your Composer dependencies require a PHP version ">= 8.2.0". You are running 8.1.2.',
            "",
            code=104,
        ),
        command="php server.php",
    ),
    Fault(
        "ruby-no-method",
        "An exception of Ruby: the first line says all.",
        "yjacquin/fast-mcp#30",
        ("exit-during-handshake",),
        ("undefined method", "call"),
        _dies(
            "/srv/server.rb:14:in `block in <main>': undefined method `call' for an instance of String (NoMethodError)",
            "\tfrom /srv/lib/transport.rb:40:in `each'",
            "\tfrom /srv/server.rb:9:in `<main>'",
        ),
        command="ruby server.rb",
    ),
    Fault(
        "rust-main-returns-an-error",
        "main returned an error, which Rust prints in its debug form.",
        "modelcontextprotocol/rust-sdk, servers in Rust",
        ("exit-during-handshake",),
        ("No such file or directory", "config.toml"),
        _dies(
            "2026-01-01T09:00:00.000000Z  INFO acme_mcp: starting",
            'Error: failed to read config.toml: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
        ),
    ),
    Fault(
        "go-missing-flag",
        "The program of Go logs what is missing, with its date before it.",
        "github/github-mcp-server and other servers in Go",
        ("environment-variable-missing",),
        ("GITHUB_PERSONAL_ACCESS_TOKEN",),
        _dies("Error: GITHUB_PERSONAL_ACCESS_TOKEN not set"),
    ),
    Fault(
        "shared-library",
        "A library of the system is missing.",
        "binaries of servers in Rust, Swift and C++",
        ("program-not-runnable",),
        ("libssl.so.1.1", "library|shared"),
        _dies(
            "/opt/acme/bin/acme-mcp: error while loading shared libraries: libssl.so.1.1: cannot open shared object"
            " file: No such file or directory",
            code=127,
        ),
    ),
    Fault(
        "uv-no-solution",
        "The package exists, and no version of it fits.",
        "servers run by uvx",
        ("exit-during-handshake",),
        ("acme-mcp", "no solution|not found|versions"),
        _dies(
            "  × No solution found when resolving tool dependencies:",
            "  ╰─▶ Because acme-mcp was not found in the package registry and you require acme-mcp, we can conclude"
            " that your requirements are unsatisfiable.",
        ),
        command="uvx acme-mcp",
    ),
    Fault(
        "uvx-no-executable",
        "The package has an executable of another name.",
        "servers run by uvx",
        ("exit-during-handshake",),
        ("acme-mcp", "executable"),
        _dies(
            "Package `acme-mcp` does not provide any executables.",
        ),
        command="uvx acme-mcp",
    ),
    Fault(
        "playwright-browser",
        "The browser was never downloaded.",
        "microsoft/autogen#7337 and servers of browsers",
        ("exit-during-handshake",),
        ("playwright install|browser", "Executable doesn't exist|not installed"),
        _dies(
            "node:internal/process/promises:394",
            "      triggerUncaughtException(err, true /* fromPromise */);",
            "      ^",
            "",
            "browserType.launch: Executable doesn't exist at /home/me/.cache/ms-playwright/chromium-1148/chrome",
            "╔═════════════════════════════════════════════════════════════════════════╗",
            "║ Looks like Playwright Test or Playwright was just installed or updated. ║",
            "║ Please run the following command to download new browsers:              ║",
            "║                                                                         ║",
            "║     npx playwright install                                              ║",
            "╚═════════════════════════════════════════════════════════════════════════╝",
            "    at run (/srv/dist/index.js:14:36) {",
            "  name: 'Error'",
            "}",
            "",
            "Node.js v22.11.0",
        ),
    ),
    Fault(
        "bun-module",
        "bun runs the server without its packages, after a line on stdout.",
        "servers run by bun",
        ("exit-during-handshake",),
        ("express", "module|package"),
        _prints_and_dies,
    ),
    Fault(
        "google-credentials",
        "The library finds no credentials, and says so with a link.",
        "servers of Google Cloud",
        ("exit-during-handshake",),
        ("default credentials were not found",),
        _dies(
            "Traceback (most recent call last):",
            '  File "/srv/server.py", line 30, in <module>',
            "    client = storage.Client()",
            '  File "/srv/.venv/lib/python3.12/site-packages/google/auth/_default.py", line 719, in default',
            "    raise exceptions.DefaultCredentialsError(_CLOUD_SDK_MISSING_CREDENTIALS)",
            "google.auth.exceptions.DefaultCredentialsError: Your default credentials were not found. To set up"
            " Application Default Credentials, see https://cloud.google.com/docs/authentication/external/set-up-adc for"
            " more information.",
        ),
    ),
    Fault(
        "json-configuration",
        "Its configuration is not JSON: a comma too many.",
        "servers with a configuration of their own",
        ("exit-during-handshake",),
        ("config.json|JSON", "position 41|line 3"),
        _dies(
            "/srv/dist/index.js:8",
            "const config = JSON.parse(readFileSync('config.json'));",
            "                    ^",
            "",
            "SyntaxError: Expected double-quoted property name in JSON at position 41 (line 3 column 1)",
            "    at JSON.parse (<anonymous>)",
            "    at Object.<anonymous> (/srv/dist/index.js:8:21)",
            "",
            "Node.js v22.11.0",
        ),
    ),
    Fault(
        "out-of-memory-in-a-container",
        "The container has too little memory, and the kernel ends it in a call.",
        "servers of embeddings in containers",
        ("server-killed",),
        ("137", "SIGKILL"),
        _dies_in_a_call("Loading checkpoint shards:  33%", code=137),
        command="docker run -i --rm acme/mcp",
        options="--call good={}",
    ),
    Fault(
        "python-exception-in-a-call",
        "An exception that nothing catches ends the server in the first call.",
        "servers in Python on asyncio",
        ("exit-during-session",),
        ("tools/call", "TimeoutError|timed out"),
        _dies_in_a_call(
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
        options="--call good={}",
    ),
)
