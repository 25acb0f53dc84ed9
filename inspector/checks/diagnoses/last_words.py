"""What stderr tells of a program's end: a cause that is known, else the line that tells most.

The last line is seldom the cause: runtimes end with a stack, with the path of a log, or with their own version.
"""

import re
from collections.abc import Callable
from posixpath import basename

from inspector.checks.registry import Flaw
from inspector.checks.scene import Scene

_LOOKED_AT = 60
"""Lines from the end in which a cause is looked for."""
_MOST = 160

_Say = str | Callable[[re.Match[str]], str]
"""How a cause is told: a form for the first group that was found, or a function of the match."""


def _java(found: re.Match[str]) -> str:
    return f"it was compiled for a newer version of Java: {int(found[1]) - 44}, class file version {found[1]}"


def _module(found: re.Match[str]) -> str:
    return f"the native module {basename(found[1])} was built for another version of Node (NODE_MODULE_VERSION differs)"


def _npm(found: re.Match[str]) -> str:
    code, where = found[1], re.search(r"https?://([\w.-]+)", found[0])
    host = where[1] if where else "the npm registry"
    if "CERT" in code or "SIGNATURE" in code:
        return f"npm does not trust the certificate of {host} ({code})"
    if code in ("E401", "E403"):
        return f"npm may not get the package from {host} ({code})"
    return f"npm can't reach {host} ({code})"


_BUILD = "npm rebuild, or install it again with the Node that runs it."
_HOST = "Does it run, and at this address? In a container, localhost is the container itself."
_CAUSES: tuple[tuple[str, _Say, str], ...] = (
    *(
        (
            pattern,
            "the package {} is not in the npm registry",
            "Check its name. A private package needs its registry in .npmrc.",
        )
        for pattern in (
            r"'([^'\n]+?)(?:@[^'@/\n]*)?' is not in this registry",
            r"404 Not Found - GET https?://[^\s/]+/(\S+)(?: - Not found)?",
        )
    ),
    (
        r"could not determine executable to run",
        "npx could not determine an executable to run: the package has none, or several",
        "npx -y -p PACKAGE COMMAND names it.",
    ),
    (
        r"npm (?:error|ERR!) code (\w*CERT\w*|E401|E403|ENOTFOUND|ETIMEDOUT|ECONNRESET|ECONNREFUSED|EAI_AGAIN)\b"
        r"(?:.*\n){0,6}?.*https?://[\w.-]+",
        _npm,
        "Give it the proxy and the certificates: HTTPS_PROXY, NODE_EXTRA_CA_CERTS, or .npmrc.",
    ),
    (r"version `(GLIBC(?:XX)?_[\d.]+)' not found", "it needs {}, and the C library here is older", ""),
    (
        r"compiled by a more recent version of the Java Runtime \(class file version (\d+)",
        _java,
        "Start it with that Java, by its whole path.",
    ),
    (r"Unable to access jarfile (\S+)", "the jar file {} does not exist", "Give its whole path, or --cwd."),
    (
        r"You must install or update \.NET(?:.*\n)+?Framework: '([^'\n]+)', version '([^'\n]+)'",
        lambda found: f"the .NET runtime {found[1]} {found[2]} is not installed",
        "Install it, or publish the server self-contained.",
    ),
    (
        r"Could not load file or assembly '([^',\n]+)",
        "it could not load file or assembly {}",
        "Build or publish it again.",
    ),
    (
        r"^\s*(?:import|export)\b.*\n\s*\^+\s*\n\s*SyntaxError: (?:Unexpected token|Cannot use import)",
        "Node can't read its import statements: this version is too old, or the file is no ES module",
        'Start it with a newer Node, by its whole path; in its package.json, "type": "module".',
    ),
    (r"The module '([^'\n]+)'\s+was compiled against a different Node\.js version", _module, _BUILD),
    (r"Could not locate the bindings file", "a native module was not built for this Node", _BUILD),
    (
        r"JavaScript heap out of memory",
        "Node ran out of memory: its heap has a limit",
        "Load less at the start, or NODE_OPTIONS=--max-old-space-size=8192.",
    ),
    (
        r"current Python version \(([\d.]+)\) does not satisfy Python\s*([<>=!~]+[\d.,<>=!~* ]*[\d*])",
        lambda found: f"it needs Python {found[2]}, and {found[1]} was found",
        "uvx --python names another one.",
    ),
    (
        r"Failed to spawn: `([^`\n]+)`",
        "uv found no program called {}",
        "See the scripts in its pyproject.toml, and --directory.",
    ),
    (
        r"Failed opening required '([^'\n]+)'|require\(([^)\n]+)\): Failed to open stream",
        "the PHP file {} does not exist",
        "composer install writes vendor/autoload.php.",
    ),
    (
        r"cannot load such file -- (\S+) \(LoadError\)|Could not find (\S+) in (?:any of the sources|locally)",
        "the Ruby library {} is missing",
        "bundle install, or gem install, with the Ruby that the host finds.",
    ),
    (
        r"error while loading shared libraries: ([^:\s]+):|Library not loaded: (\S+)",
        "the shared library {} is missing",
        "Install the package that has it, or a build for this system.",
    ),
    (
        r"permission denied while trying to connect to the Docker daemon socket(?: at (\S+?):)?",
        lambda found: f"this user has no permission to use Docker{f' at {found[1]}' if found[1] else ''}",
        "Add the user to the group docker, or use rootless Docker.",
    ),
    (
        r'exec: \\?"([^"\\\n]+)\\?": executable file not found',
        "the container has no program called {}",
        "Correct the command after the image, or leave it out.",
    ),
    (
        r"Executable doesn't exist at (\S+)",
        "the browser {} is not installed",
        "npx playwright install downloads it.",
    ),
    (
        r"NoClassDefFoundError: (\S+)|Could not find or load main class (\S+)",
        "the Java class {} is missing",
        "Correct the class path, or build a jar that has its dependencies in it.",
    ),
    (
        r"ReferenceError: (File|fetch|Headers|ReadableStream|WebSocket|crypto|CustomEvent) is not defined"
        r"(?:(?:.*\n)*?Node\.js (v[\d.]+))?",
        lambda found: f"{found[1]} is not defined: Node{f' {found[2]}' if found[2] else ''} is too old for a package",
        "Start it with a newer Node, by its whole path.",
    ),
    (r"^thread '.*' panicked at .*:\n(.+)", "it panicked: {}", ""),
    (r"^panic: (.+)", "it panicked: {}", ""),
    (
        r"Requires (\w+) access(?: to \S+)?, run again with the (--allow-\w+) flag",
        lambda found: f"deno does not give it {found[1]} access; {found[2]} does",
        "Add the flag before the script.",
    ),
    (
        r"Cannot connect to the Docker daemon at (\S+?)\.(?: |$)",
        "the Docker daemon does not run, or can't be reached at {}",
        "Start Docker, or set DOCKER_HOST.",
    ),
    (
        r"exec ([^:\n]+): exec format error|(?<!\S)([^:\s]{1,300}): cannot execute binary file: Exec format error",
        "{} is a program for another architecture (exec format error)",
        "docker run --platform, or an image or build for this machine.",
    ),
    (
        r"sudo: a terminal is required to read the password",
        "sudo wants a password, and there is no terminal to give it in",
        "Start it without sudo.",
    ),
    (r"ModuleNotFoundError: No module named '([\w.]+)'", "the Python module {} is missing", "Install it there."),
    (
        r"Cannot find (?:module|package) '([^'\n]+)'",
        "the Node module {} is missing",
        "npm install, or build it.",
    ),
    (r"ImportError: (.{1,100})", "an import fails: {}", "Look at the versions of its packages."),
    (r"SyntaxError: (.{1,100})", "the code can't be read: {}", "Is it the right version of the interpreter?"),
    (r"(ERR_REQUIRE_ESM|ERR_UNKNOWN_FILE_EXTENSION)", "Node can't load the file ({})", "Build it first."),
    (r"Unsupported engine|requires Node|EBADENGINE", "it needs another version of Node", "Install that one."),
    (
        r"No such option:? (\S+)|[Uu]nknown (?:option|argument|flag):? (\S+)|unrecognized arguments: (.+)|"
        r"unexpected argument (\S+)|flag provided but not defined: (\S+)",
        "it does not know the option {}",
        "See its --help.",
    ),
    (
        r"ECONNREFUSED ([\w.:\[\]-]+:\d+)|dial tcp ([\w.:\[\]-]+:\d+): connect: connection refused|"
        r"connection to server at (\S+ \([^)\n]+\), port \d+) failed: Connection refused",
        "it can't connect to {}: the connection was refused",
        _HOST,
    ),
    (
        r"ENOENT: no such file or directory, \w+ '([^'\n]+)'",
        "{} does not exist",
        "Correct the path in its arguments or configuration.",
    ),
    (r"(?:EACCES|Permission denied)(.{0,80})", "it lacks a permission{}", "Look at owners and modes."),
    (r"can't open file '([^'\n]+)'", "the file {} does not exist", "Give its whole path, or --cwd."),
)
"""Causes, the most special ones first."""
_KNOWN = tuple((re.compile(pattern, re.MULTILINE), say, fix) for pattern, say, fix in _CAUSES)

_NOISE = re.compile(
    r"\s*$|\s*at .+|\s+from .+|\s*[\]})(]+[,;]?$|\s*\^+\s*$|\s*#\d+ |\s*goroutine \d+|\s+\S+\.go:\d+|exit status \d+$"
    r"|(?:npm (?:error|ERR!) )?A complete log of this run|npm (?:error|ERR!)\s*$|note: run with|See '.+ --help'"
    r"|Node\.js v\d|\s*thrown in .+ on line|sys:1: |Stack trace:|\s*File \".+\", line \d+|Traceback \(most recent"
    r"|\s*\.\.\. \d+ (?:more|common frames)|[-+|\s]+$|\s*name: '\w+'"
    r"|-+ Native stack trace|\s*\d+: 0x|<--- |\[\d+:0x|https?://\S+$|\s*(?:errno|code|syscall|type|path): |Learn more:"
)
"""Lines that never tell a cause alone."""
_IN_A_GROUP = re.compile(r"^[ |+]*\| (?=\S)")
"""What Python puts before the lines of an exception group."""
_HEADS = re.compile(
    r"^(?:\S{1,60}: |\[\S{1,40}\] )?(?:Unhandled exception\.? |Uncaught |error: Uncaught \(in promise\) )?"
    r"(?:[\w.$]*(?:Error|Exception|Exit|Timeout|PromiseRejection)"
    r"\b[^\n]{0,40}?: |FATAL\b|fatal(?: error)?: |PHP Fatal error)"
)
"""How the message of an exception begins."""
_TRAP = re.compile(r"^(?:\S{1,200}:\d+: )?Fatal error: ")
"""How Swift names the check that ends a program (“Server.swift:31: Fatal error: …”). A long backtrace may follow it."""
_BAD = re.compile(
    r"(?i)\b(?:error|critical|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|denied|refused|not found|"
    r"no such|missing|invalid|required|must be|not set|unsupported)\b"
)


def tail_of(scene: Scene) -> list[tuple[int, str]]:
    """The last lines of stderr with their numbers, the newest first."""
    return [(n, line.decode("utf-8", "replace")) for n, line in reversed(scene.stderr)]


def line_like(scene: Scene, pattern: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
    """The newest line of stderr in which a pattern is found."""
    for n, line in tail_of(scene):
        if found := pattern.search(line[:2000]):
            return n, found
    return None


def last_words(scene: Scene, n: int) -> Flaw:
    """What stderr tells of an end: the cause, if it is a known one, else the line that tells most.

    The sentence goes on where another has said that it ended. `n` is the end's entry.
    """
    newest = tail_of(scene)[:_LOOKED_AT]
    if known := _known(newest):
        at, sentence, fix = known
        return Flaw(f": {sentence}", frames=(at, n), instead=True, fix=fix)
    if (telling := _telling(newest)) is None:
        return Flaw(", without a word on stderr", frames=(n,), instead=True)
    at, words, is_error = telling
    said = f": {words}" if is_error else f", and its last words were: {words}"
    return Flaw(said, frames=(at, n), instead=True)


def cause_in(scene: Scene) -> tuple[int, str, str] | None:
    """A cause that stderr names beyond doubt, with its entry, and what to do about it; None if it names none."""
    if trap := line_like(scene, _TRAP):
        return trap[0], trap[1].string.strip()[:_MOST], "A runtime check failed there: correct that code."
    newest = tail_of(scene)[:_LOOKED_AT]
    if known := _known(newest):
        return known
    telling = _telling(newest)
    return (telling[0], telling[1], "") if telling is not None and _HEADS.match(telling[1]) else None


def _known(newest: list[tuple[int, str]]) -> tuple[int, str, str] | None:
    lines = [(at, line[:2000]) for at, line in reversed(newest)]
    text = "\n".join(line for _, line in lines)
    for pattern, say, fix in _KNOWN:
        for found in pattern.finditer(text):
            row = text.count("\n", 0, found.start())
            word = next((group for group in found.groups() if group), "")
            sentence = say.format(word[:_MOST]) if isinstance(say, str) else say(found)
            return lines[min(row, len(lines) - 1)][0], sentence, fix
    return None


def _telling(newest: list[tuple[int, str]]) -> tuple[int, str, bool] | None:
    """The line that tells most: its entry, its words, and whether it speaks of a failure. None if there are no words.

    The newest of the best kind: the head of an exception, else a line about a failure, else any other.
    """
    newest = [(at, _IN_A_GROUP.sub("", line)) for at, line in newest]
    words = [(at, line.strip()[:_MOST]) for at, line in newest if not _NOISE.match(line)]
    for kind in (_HEADS, _BAD):
        for at, line in words:
            if kind.search(line):
                return at, line, True
    anything = words or [(at, line.strip()[:_MOST]) for at, line in newest if line.strip()]
    return (*anything[0], False) if anything else None
