"""Known causes in what programs write when they fail, and the most informative line if none is known."""

import re
from collections.abc import Callable
from posixpath import basename

from inspector.checks.foreign_text import elided

MOST_WORDS = 220
"""Maximum characters that are quoted."""

MIXED_UP = re.compile(r"_parse is not a function|reading '_(def|zod)'|_zod\b")
"""How a schema library fails whose version does not match the SDK."""

_Say = str | Callable[[re.Match[str]], str]
"""The sentence of a cause: a format string for the first group, or a function of the match."""

_BROWSER = (
    r"Executable doesn't exist at (\S+)|Could not find (Chrome|Chromium|Firefox)\b|"
    r"\b(chrome|chromium|firefox|msedge|webkit)\b[^\n]{0,60} (?:is not found at|is not installed)"
)
INSTALL_BROWSER = "Install it, such as with npx playwright install or npx puppeteer browsers install."
_UTF_8 = "Set PYTHONUTF8=1 (-e PYTHONUTF8=1), or call reconfigure(encoding='utf-8') on stdin and stdout."
_NEWER_NODE = "Use a newer Node, by absolute path."
_BUILD = "Run npm rebuild, or reinstall with the Node version that runs the server."
_HOST = "Check that it is running, and the address. In a container, localhost is the container itself."
_NOISE = re.compile(
    r"\s*$|\s*at .+|\s+from .+|\s*[\]})(]+[,;]?$|\s*\^+\s*$|\s*#\d+ |\s*goroutine \d+|\s+\S+\.go:\d+|exit status \d+$"
    r"|(?:npm (?:error|ERR!) )?A complete log of this run|npm (?:error|ERR!)\s*$|note: run with|See '.+ --help'"
    r"|Node\.js v\d|\s*thrown in .+ on line|sys:1: |Stack trace:|\s*File \".+\", line \d+|Traceback \(most recent"
    r"|\s*\.\.\. \d+ (?:more|common frames)|[-+|\s]+$|\s*name: '\w+'"
    r"|-+ Native stack trace|\s*\d+: 0x|<--- |\[\d+:0x|https?://\S+$|\s*(?:errno|code|syscall|type|path): |Learn more:"
)
"""Lines that never state a cause by themselves."""
_CAUSE_LINE = re.compile(r"\s{2,}(?:\d+: )?(\S.*)")
"""A line below “Caused by:”."""
_MOST_OF_HEAD = 60
_MEMBER = re.compile(
    r"\s{1,8}(input|hostname|host|address|url|status|statusCode|reason|detail|constraint|argument|dest): (.{1,200}?),?$"
)
"""A member of an exception, as Node prints it."""
_EMPTY = ("''", '""')
_MOST_BEHIND = 25
"""Maximum lines after an exception's message in which its members are searched."""
_IN_A_GROUP = re.compile(r"^[ |+]*\| (?=\S)")
"""Prefix that Python prints before the lines of an exception group."""
HEADS = re.compile(
    r"^(?:\S{1,60}: |\[\S{1,40}\] |Caused by: )?(?:Unhandled exception\.? |Uncaught |error: Uncaught \(in promise\) )?"
    r"(?:[\w.$]*(?:Error|Exception|Exit|Timeout|PromiseRejection)"
    r"\b[^\n]{0,40}?: |FATAL\b|fatal(?: error)?: |PHP Fatal error)"
)
"""The beginning of an exception's message."""
TRAP = re.compile(r"^(?:\S{1,200}:\d+: )?Fatal error: ")
"""How Swift reports a failed check that ends a program (“Server.swift:31: Fatal error: …”).

A long backtrace may follow.
"""
_BAD = re.compile(
    r"(?i)\b(?:error|critical|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|denied|refused|not found|"
    r"no such|missing|invalid|required|must be|not set|unsupported)\b"
)
_BACKENDS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(
            r"ECONNREFUSED (\[?[\w.:-]+\]?:\d+)|connect(?:ion)? to (\S{1,200}?):? (?:was )?refused|"
            r"dial tcp (\S{1,200}): connect: connection refused"
        ),
        "cannot reach {}: the connection is refused",
        "Start it, and check host and port. localhost may mean 127.0.0.1 or ::1; in a container it is the container.",
    ),
    (
        re.compile(r"(?:ENOTFOUND|EAI_AGAIN) ([\w.-]+)|Failed to resolve '([\w.-]+)'|lookup ([\w.-]+): no such host"),
        "cannot resolve the name {}",
        "Check the name, and whether the server has a network.",
    ),
    (
        re.compile(
            r"(?i)(unable to get local issuer certificate|self[- ]signed certificate|CERTIFICATE_VERIFY_FAILED)"
        ),
        "does not trust a certificate: {}",
        "Give the server the issuer's certificate: NODE_EXTRA_CA_CERTS, SSL_CERT_FILE.",
    ),
    (
        re.compile(
            r"(?i)\b(?:status code|HTTP(?: error)?|error code:?) (40[13])\b|"
            r"\b(40[13]) (?:Client Error|Unauthorized|Forbidden)"
        ),
        "is refused by its backend with HTTP {}",
        "Give the server the key or token of the backend (-e NAME=…).",
    ),
)
"""What a tool says of the service that it works with: a pattern, a sentence, and a fix."""
_PROGRAM = re.compile(rf"{_BROWSER}|\bspawn (\S{{1,200}}) ENOENT\b")


def _java(found: re.Match[str]) -> str:
    return (
        f"it was compiled for Java {int(found[1]) - 44} (class file version {found[1]}), which is newer than "
        "the Java found"
    )


def _module(found: re.Match[str]) -> str:
    return f"the native module {basename(found[1])} was built for another version of Node (NODE_MODULE_VERSION differs)"


def _npm(found: re.Match[str]) -> str:
    code, where = found[1], re.search(r"https?://([\w.-]+)", found[0])
    host = where[1] if where else "the npm registry"
    if "CERT" in code or "SIGNATURE" in code:
        return f"npm does not trust the certificate of {host} ({code})"
    if code in ("E401", "E403"):
        return f"npm is not allowed to fetch the package from {host} ({code})"
    return f"npm cannot reach {host} ({code})"


def _package(path: str) -> str:
    """Return the package that a file belongs to; the path itself outside of node_modules."""
    inside = path.rpartition("node_modules/")[2] if "node_modules/" in path else ""
    names = inside.split("/")[: 2 if inside.startswith("@") else 1]
    return "/".join(names) if inside else path[-80:]


def _not_built(found: re.Match[str]) -> str:
    return f"{found[1] or found[2]} cannot be built: {found[3].strip()[:120]}"


def _not_utf_8(found: re.Match[str]) -> str:
    codec = "the code page of Windows" if found[1] == "charmap" else found[1]
    return f"it writes text as {codec} instead of UTF-8, which has no {found[2]} (UnicodeEncodeError)"


_CAUSES: tuple[tuple[str, _Say, str], ...] = (
    (
        r"(?:Failed to build `([^`\n]+)`|Failed building wheel for (\S+))[\s\S]{0,4000}?"
        r"\n\s*(?:error|ERROR): (?!failed to run custom build|subprocess-exited)([^\n]+)",
        _not_built,
        "Use the Python version that the package has wheels for, such as uvx --python 3.13.",
    ),
    *(
        (
            pattern,
            "the package {} is not in the npm registry",
            "Check the package name. For a private package, set its registry in .npmrc.",
        )
        for pattern in (
            r"'([^'\n]+?)(?:@[^'@/\n]*)?' is not in this registry",
            r"404 Not Found - GET https?://[^\s/]+/(\S+)(?: - Not found)?",
        )
    ),
    (
        r"could not determine executable to run",
        "npx could not determine an executable to run: the package has none, or several",
        "Name the executable: npx -y -p PACKAGE COMMAND.",
    ),
    (
        r"npm (?:error|ERR!) ENOTEMPTY: directory not empty, rename '([^'\n]*?/_npx/[0-9a-f]+)/",
        "an earlier installation of npx was interrupted, and its cache is incomplete (ENOTEMPTY): {}",
        "Remove that directory, and run the command once in a terminal.",
    ),
    (
        r"npm (?:error|ERR!) code (\w*CERT\w*|E401|E403|ENOTFOUND|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN)\b"
        r"(?:.*\n){0,6}?.*https?://[\w.-]+",
        _npm,
        "Configure proxy and certificates for npm: HTTPS_PROXY, NODE_EXTRA_CA_CERTS, or .npmrc.",
    ),
    (r"version `(GLIBC(?:XX)?_[\d.]+)' not found", "it needs {}, but the C library of this system is older", ""),
    (
        r"compiled by a more recent version of the Java Runtime \(class file version (\d+)",
        _java,
        "Start it with that Java version, by absolute path.",
    ),
    (
        r"'?([A-Za-z]:\\[^'\n]{1,200}?)'? is not recognized as an internal or external command",
        "cmd.exe tried to run {}, which does not exist: the path is cut at its first blank if it has one",
        "Put double quotes around the path, or use one without blanks.",
    ),
    (
        r"'?([^'\n\\]{1,100}?)'? is not recognized as (?:an internal or external command|the name of a cmdlet)",
        "Windows did not find the program {}",
        "Install it, or give its absolute path.",
    ),
    (r"Unable to access jarfile (\S+)", "the jar file {} does not exist", "Give its absolute path, or set --cwd."),
    (
        r"You must install or update \.NET(?:.*\n)+?Framework: '([^'\n]+)', version '([^'\n]+)'",
        lambda found: f"the .NET runtime {found[1]} {found[2]} is not installed",
        "Install it, or publish the server self-contained.",
    ),
    (
        r"Could not load file or assembly '([^',\n]+)",
        "the file or assembly {} could not be loaded",
        "Build or publish the server again.",
    ),
    (
        r"^\s*(?:import|export)\b.*\n\s*\^+\s*\n\s*SyntaxError: (?:Unexpected token|Cannot use import)",
        "Node cannot parse its import statements: this Node version is too old, or the file is not an ES module",
        'Use a newer Node, by absolute path, or set "type": "module" in package.json.',
    ),
    (
        r"npm v([\d.]+) is known not to run on Node\.js (v[\d.]+)",
        lambda found: f"npm {found[1]} does not run on Node.js {found[2]}",
        _NEWER_NODE,
    ),
    (
        r"SyntaxError: Unexpected token '?(\?\?=|&&=|\|\|=|\?\?|\?|\.)'?\s*\n(?:.*\n){0,12}?"
        r"\s+at .*\((?:node:)?internal/",
        "Node cannot parse {} in the code: this Node version is too old",
        _NEWER_NODE,
    ),
    (
        r"gyp ERR! (?!stack|cwd|node\b|not ok|System|command|configure|build|code|errno)(.{1,120})",
        "a native module has to be compiled, and node-gyp fails: {}",
        "Install a compiler, or use a Node version for which the module has a binary.",
    ),
    (
        r"UnicodeEncodeError: '([\w-]+)' codec can't encode characters? '?(\\?[^'\s]+)",
        _not_utf_8,
        _UTF_8,
    ),
    (
        r"\bstdin\b(?:.*\n){1,6}?.*UnicodeDecodeError: '([\w-]+)' codec can't decode",
        "it reads stdin as {} instead of UTF-8 (UnicodeDecodeError)",
        _UTF_8,
    ),
    (r"The module '([^'\n]+)'\s+was compiled against a different Node\.js version", _module, _BUILD),
    (r"Could not locate the bindings file", "a native module was not built for this Node version", _BUILD),
    (
        r"JavaScript heap out of memory",
        "Node ran out of heap memory",
        "Load less at startup, or set NODE_OPTIONS=--max-old-space-size=8192.",
    ),
    (
        r"current Python version \(([\d.]+)\) does not satisfy Python\s*([<>=!~]+[\d.,<>=!~* ]*[\d*])",
        lambda found: f"it requires Python {found[2]}, but {found[1]} was found",
        "Select another Python version with uvx --python.",
    ),
    (
        r"Failed to spawn: `([^`\n]+)`",
        "uv found no program {}",
        "Check the scripts in its pyproject.toml, and --directory.",
    ),
    (
        r"Failed opening required '([^'\n]+)'|require\(([^)\n]+)\): Failed to open stream",
        "the PHP file {} does not exist",
        "Run composer install, which writes vendor/autoload.php.",
    ),
    (
        r"cannot load such file -- (\S+) \(LoadError\)|Could not find (\S+) in (?:any of the sources|locally)",
        "the Ruby library {} is missing",
        "Run bundle install or gem install with the Ruby that runs the server.",
    ),
    (
        r"error while loading shared libraries: ([^:\s]+):|Library not loaded: (\S+)",
        "the shared library {} is missing",
        "Install the package that contains it, or a build for this system.",
    ),
    (
        r"permission denied while trying to connect to the Docker daemon socket(?: at (\S+?):)?",
        lambda found: f"this user is not allowed to use Docker{f' at {found[1]}' if found[1] else ''}",
        "Add the user to the group docker, or use rootless Docker.",
    ),
    (
        r'exec: \\?"([^"\\\n]+)\\?": executable file not found',
        "the container has no program {}",
        "Correct or remove the command after the image.",
    ),
    (
        r"NoClassDefFoundError: (\S+)|Could not find or load main class (\S+)",
        "the Java class {} is missing",
        "Correct the class path, or build a jar with its dependencies.",
    ),
    (
        r"ReferenceError: (File|fetch|Headers|ReadableStream|WebSocket|crypto|CustomEvent) is not defined"
        r"(?:(?:.*\n)*?Node\.js (v[\d.]+))?",
        lambda found: f"{found[1]} is not defined: Node{f' {found[2]}' if found[2] else ''} is too old for a package",
        "Use a newer Node, by absolute path.",
    ),
    (_BROWSER, "the browser {} is not installed", INSTALL_BROWSER),
    (
        r"requires a different Python: ([^\n]{1,60})|requires (Python ?[<>=]+ ?[\d.]+)",
        "it requires another version of Python: {}",
        "Run it with that version, such as uvx --python 3.12.",
    ),
    (
        r"UnsupportedClassVersionError: ([^\n]{1,160})|(You must install or update \.NET[^\n]{0,80})|"
        r"(version `GLIBC_[\d.]+' not found)",
        "the runtime is too old: {}",
        "Install the version that the program was built for.",
    ),
    (r"^thread '.*' panicked at .*:\n(.+)", "it panicked: {}", ""),
    (r"^panic: (.+)", "it panicked: {}", ""),
    (
        r"Requires (\w+) access(?: to \S+)?, run again with the (--allow-\w+) flag",
        lambda found: f"deno denied {found[1]} access, which {found[2]} allows",
        "Add the flag before the script.",
    ),
    (
        r"Cannot connect to the Docker daemon at (\S+?)\.(?: |$)",
        "the Docker daemon is not running, or not reachable at {}",
        "Start Docker, or set DOCKER_HOST.",
    ),
    (
        r"exec ([^:\n]+): exec format error|(?<!\S)([^:\s]{1,300}): cannot execute binary file: Exec format error",
        "{} is a program for another architecture (exec format error)",
        "Use docker run --platform, or an image or build for this machine.",
    ),
    (
        r"sudo: a terminal is required to read the password",
        "sudo asks for a password, but there is no terminal",
        "Start the server without sudo.",
    ),
    (
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        "the Python module {} is missing",
        ("Install the module in the environment that runs the server."),
    ),
    (
        r"Cannot find module '((?:\.{0,2}/|[A-Za-z]:\\)[^'\n]+)'",
        "the file {} is missing",
        "Build the server, or correct the path: give an absolute one, or set --cwd.",
    ),
    (
        r"Cannot find (?:module|package) '([^'\n]+)'",
        "the Node module {} is missing",
        "Run npm install, or build the server.",
    ),
    (r"ImportError: (.{1,100})", "an import failed: {}", "Check the versions of the server's packages."),
    (
        r"SyntaxError: (.{1,100}(?:in JSON|not valid JSON|end of JSON input).{0,40})",
        "it reads text that is not JSON: {}",
        "Check its configuration: a comma too many, a comment, or an empty file.",
    ),
    (r"SyntaxError: (.{1,100})", "the code cannot be parsed: {}", "Check the version of the interpreter."),
    (
        r"require\(\) of ES Module (\S+) from (\S+)",
        lambda found: f"{_package(found[2])} requires {_package(found[1])}, which is an ES module (ERR_REQUIRE_ESM)",
        "Use a Node that can require ES modules (22.12 and newer), or other versions of the packages.",
    ),
    (r"(ERR_REQUIRE_ESM|ERR_UNKNOWN_FILE_EXTENSION)", "Node cannot load the file ({})", "Build the server first."),
    (
        r"Unsupported engine|requires Node|EBADENGINE",
        "it requires another version of Node",
        "Install that version of Node.",
    ),
    (
        r"No such option:? (\S+)|[Uu]nknown (?:option|argument|flag):? (\S+)|unrecognized arguments: (.+)|"
        r"unexpected argument (\S+)|flag provided but not defined: (\S+)",
        "unknown option {}",
        "Check the options in its --help.",
    ),
    (
        r"ECONNREFUSED ([\w.:\[\]-]+:\d+)|dial tcp ([\w.:\[\]-]+:\d+): connect: connection refused|"
        r"connection to server at (\S+ \([^)\n]+\), port \d+) failed: Connection refused",
        "it cannot connect to {}: connection refused",
        _HOST,
    ),
    (
        r"ENOENT: no such file or directory, \w+ '([^'\n]+)'",
        "{} does not exist",
        "Correct the path in its arguments or configuration.",
    ),
    (
        r"listen EACCES: permission denied (\S+)",
        "it may not listen at {}",
        "Choose another port: those below 1024 need privileges.",
    ),
    (r"(?:EACCES|Permission denied)(.{0,80})", "permission denied{}", "Check owner and mode of the file."),
    (r"can't open file '([^'\n]+)'", "the file {} does not exist", "Give its absolute path, or set --cwd."),
)
"""The causes, the most specific first."""
_KNOWN = tuple((re.compile(pattern, re.MULTILINE), say, fix) for pattern, say, fix in _CAUSES)


def known_cause(newest: list[tuple[int, str]]) -> tuple[int, str, str] | None:
    lines = [(at, line[:2000]) for at, line in reversed(newest)]
    text = "\n".join(line for _, line in lines)
    for pattern, say, fix in _KNOWN:
        for found in pattern.finditer(text):
            row = text.count("\n", 0, found.start())
            word = next((group for group in found.groups() if group), "")
            sentence = say.format(word[:MOST_WORDS]) if isinstance(say, str) else say(found)
            return lines[min(row, len(lines) - 1)][0], sentence, fix
    return None


def telling_line(newest: list[tuple[int, str]]) -> tuple[int, str, bool] | None:
    """Return the most informative line: entry, text, and whether it is about a failure; None if there is no text.

    That is the newest beginning of an exception, else the newest line about a failure, else any other.
    """
    newest = [(at, _IN_A_GROUP.sub("", line)) for at, line in newest]
    if (chain := _chain(newest)) is not None:
        return chain
    words = [(place, at, line.strip()) for place, (at, line) in enumerate(newest) if not _NOISE.match(line)]
    for kind in (HEADS, _BAD):
        for n, (place, at, line) in enumerate(words):
            if kind.search(line[:2000]):
                below = f" {words[n - 1][2]}" if n and line.endswith(":") else ""  # such as the missing arguments
                return at, elided(line + below, MOST_WORDS) + _members(newest[:place], line), True
    anything = words or [(0, at, line.strip()) for at, line in newest if line.strip()]
    return (anything[0][1], elided(anything[0][2], MOST_WORDS), False) if anything else None


def oldest_failure(newest: list[tuple[int, str]]) -> tuple[int, str] | None:
    """Return the first line about a failure: where a server continues, later ones are mostly consequences."""
    lines = ((at, line.strip()) for at, line in reversed(newest) if not _NOISE.match(line))
    return next(((at, line) for at, line in lines if HEADS.match(line) or _BAD.search(line[:2000])), None)


def _members(after: list[tuple[int, str]], line: str) -> str:
    """Return what Node prints of an exception beside its message, such as the input; `after` is newest first."""
    found = [match for _, each in after[: -_MOST_BEHIND - 1 : -1] if (match := _MEMBER.match(each))]
    named = [f"{each[1]}: {each[2][:60]}" for each in found if each[2].strip("'\"") not in line or each[2] in _EMPTY]
    return f" ({', '.join(named[:2])})" if named else ""


def _chain(newest: list[tuple[int, str]]) -> tuple[int, str, bool] | None:
    """Return an error with its innermost cause, as programs in Rust print it; None if there is no such chain."""
    lines = newest[::-1]
    for at in range(len(lines) - 2, 0, -1):
        if lines[at][1].rstrip() != "Caused by:":
            continue
        del lines[at + 1 : next((n for n in range(at + 1, len(lines)) if lines[n][1].strip()), at + 1)]
        head = next(((n, line.strip()) for n, line in lines[at - 1 :: -1] if line.strip()), None)
        causes: list[str] = []
        for _, line in lines[at + 1 :]:
            if not (cause := _CAUSE_LINE.match(line)):
                break
            causes.append(cause[1].strip())
        if head is not None and causes and causes[-1] in head[1]:
            return head[0], elided(causes[-1], MOST_WORDS), True
        if head is not None and causes:
            return head[0], elided(f"{head[1][:_MOST_OF_HEAD]}: {causes[-1]}", MOST_WORDS), True
    return None


def missing_program(text: str) -> str:
    """Return the browser or program that a text says is missing; "" if it names none."""
    found = _PROGRAM.search(text[:4000])
    return next((group for group in found.groups() if group), "") if found else ""


def backend_fault(text: str) -> tuple[str, str] | None:
    """Return what a text says of a service that a tool works with, and a fix; None if it names none."""
    for pattern, sentence, fix in _BACKENDS:
        if found := pattern.search(text[:4000]):
            return sentence.format(next(group for group in found.groups() if group)), fix
    return None
