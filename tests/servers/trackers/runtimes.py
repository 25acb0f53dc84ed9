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
    "read-only-directory": dies(
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "/srv/kubectl_mcp_tool/cli/cli.py", line 16, in <module>',
        "    os.makedirs(LOG_DIR, exist_ok=True)",
        '  File "<frozen os>", line 225, in makedirs',
        "OSError: [Errno 30] Read-only file system: 'logs'",
    ),
    "read-only-directory-in-node": dies(
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
    "file-is-not-defined": dies(
        "/app/node_modules/undici/lib/web/webidl/index.js:531",
        "webidl.is.File = webidl.util.MakeTypeAssertion(File)",
        "                                               ^",
        "",
        "ReferenceError: File is not defined",
        "    at Object.<anonymous> (/app/node_modules/undici/lib/web/webidl/index.js:531:48)",
        "",
        "Node.js v18.20.8",
    ),
    "docker-socket-permission": dies(
        "docker: permission denied while trying to connect to the Docker daemon socket at"
        ' unix:///var/run/docker.sock: Head "http://%2Fvar%2Frun%2Fdocker.sock/_ping": dial unix'
        " /var/run/docker.sock: connect: permission denied.",
        "See 'docker run --help'.",
        code=126,
    ),
    "docker-image-unknown": dies(
        "Unable to find image 'acme/mcp-srever:latest' locally",
        "docker: Error response from daemon: pull access denied for acme/mcp-srever, repository does not exist or"
        " may require 'docker login': denied: requested access to the resource is denied.",
        "See 'docker run --help'.",
        code=125,
    ),
    "docker-name-in-use": dies(
        'docker: Error response from daemon: Conflict. The container name "/acme" is already in use by container'
        ' "5f0c". You have to remove (or rename) that container to be able to reuse that name.',
        "See 'docker run --help'.",
        code=125,
    ),
    "docker-entry-point": dies(
        "docker: Error response from daemon: failed to create task for container: failed to create shim task: OCI"
        ' runtime create failed: runc create failed: unable to start container process: exec: "mcp-server":'
        " executable file not found in $PATH: unknown.",
        code=127,
    ),
    "spring-bean-missing": dies(
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
    "spring-port-in-use": dies(
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
    "java-main-class": dies(
        "Error: Could not find or load main class com.acme.Main",
        "Caused by: java.lang.ClassNotFoundException: com.acme.Main",
    ),
    "kotlin-class-missing": dies(
        'Exception in thread "main" java.lang.NoClassDefFoundError: kotlin/jvm/internal/Intrinsics',
        "\tat com.acme.MainKt.main(Main.kt)",
        "Caused by: java.lang.ClassNotFoundException: kotlin.jvm.internal.Intrinsics",
        "\tat java.base/jdk.internal.loader.BuiltinClassLoader.loadClass(BuiltinClassLoader.java:641)",
        "\t... 1 more",
    ),
    "dotnet-dependency-injection": dies(
        "Unhandled exception. System.InvalidOperationException: Unable to resolve service for type"
        " 'Acme.IWeatherClient' while attempting to activate 'Acme.WeatherTools'.",
        "   at Microsoft.Extensions.DependencyInjection.ActivatorUtilities.ThrowHelperUnableToResolveService(Type"
        " type, Type requiredBy)",
        "   at Program.<Main>$(String[] args) in /src/Program.cs:line 21",
        code=134,
    ),
    "dotnet-no-project": dies(
        "Couldn't find a project to run. Ensure a project exists in /home/me, or pass the path to the project using"
        " --project."
    ),
    "php-class-missing": dies(
        'PHP Fatal error:  Uncaught Error: Class "Mcp\\Server\\Server" not found in /srv/server.php:12',
        "Stack trace:",
        "#0 {main}",
        "  thrown in /srv/server.php on line 12",
        code=255,
    ),
    "php-too-old": dies(
        "Composer detected issues in your platform:",
        "",
        'Your Composer dependencies require a PHP version ">= 8.2.0". You are running 8.1.2.',
        "",
        code=104,
    ),
    "ruby-no-method": dies(
        "/srv/server.rb:14:in `block in <main>': undefined method `call' for an instance of String (NoMethodError)",
        "\tfrom /srv/lib/transport.rb:40:in `each'",
        "\tfrom /srv/server.rb:9:in `<main>'",
    ),
    "rust-main-returns-an-error": dies(
        "2026-01-01T09:00:00.000000Z  INFO acme_mcp: starting",
        'Error: failed to read config.toml: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
    ),
    "go-missing-flag": dies("Error: GITHUB_PERSONAL_ACCESS_TOKEN not set"),
    "shared-library": dies(
        "/opt/acme/bin/acme-mcp: error while loading shared libraries: libssl.so.1.1: cannot open shared object"
        " file: No such file or directory",
        code=127,
    ),
    "uv-no-solution": dies(
        "  × No solution found when resolving tool dependencies:",
        "  ╰─▶ Because acme-mcp was not found in the package registry and you require acme-mcp, we can conclude"
        " that your requirements are unsatisfiable.",
    ),
    "uvx-no-executable": dies("Package `acme-mcp` does not provide any executables."),
    "playwright-browser": dies(
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
    "bun-module": _prints_and_dies,
    "google-credentials": dies(
        "Traceback (most recent call last):",
        '  File "/srv/server.py", line 30, in <module>',
        "    client = storage.Client()",
        '  File "/srv/.venv/lib/python3.12/site-packages/google/auth/_default.py", line 719, in default',
        "    raise exceptions.DefaultCredentialsError(_CLOUD_SDK_MISSING_CREDENTIALS)",
        "google.auth.exceptions.DefaultCredentialsError: Your default credentials were not found. To set up"
        " Application Default Credentials, see https://cloud.google.com/docs/authentication/external/set-up-adc for"
        " more information.",
    ),
    "json-configuration": dies(
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
