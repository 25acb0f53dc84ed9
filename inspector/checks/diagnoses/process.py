"""Diagnoses of the server process: exit codes, signals, causes in stderr."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from posixpath import basename

from msgspec.structs import replace

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import CheckMoment, ConnectionState
from inspector.protocol.facts import SIGNAL_CODES, ProcessEvent, ProcessFact, exit_words
from inspector.protocol.frames import Direction

# Known causes in stderr

_LOOKED_AT = 60
"""Maximum lines of stderr, from the end, that are searched for a cause."""
_MOST = 160

_Say = str | Callable[[re.Match[str]], str]
"""The sentence of a cause: a format string for the first group, or a function of the match."""


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


_BUILD = "Run npm rebuild, or reinstall with the Node version that runs the server."
_HOST = "Check that it is running, and the address. In a container, localhost is the container itself."
_CAUSES: tuple[tuple[str, _Say, str], ...] = (
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
        r"Executable doesn't exist at (\S+)",
        "the browser {} is not installed",
        "Install it with npx playwright install.",
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
    (
        r"Executable doesn't exist at (\S+)|Could not find (Chrome|Chromium|Firefox)\b|"
        r"(chrome|chromium|firefox|msedge|webkit)\b[^\n]{0,60} (?:is not found at|is not installed)",
        "a browser is missing: {}",
        "Install it, such as with npx playwright install or npx puppeteer browsers install.",
    ),
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
        r"Cannot find (?:module|package) '([^'\n]+)'",
        "the Node module {} is missing",
        "Run npm install, or build the server.",
    ),
    (r"ImportError: (.{1,100})", "an import failed: {}", "Check the versions of the server's packages."),
    (r"SyntaxError: (.{1,100})", "the code cannot be parsed: {}", "Check the version of the interpreter."),
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
    (r"(?:EACCES|Permission denied)(.{0,80})", "permission denied{}", "Check owner and mode of the file."),
    (r"can't open file '([^'\n]+)'", "the file {} does not exist", "Give its absolute path, or set --cwd."),
)
"""The causes, the most specific first."""
_KNOWN = tuple((re.compile(pattern, re.MULTILINE), say, fix) for pattern, say, fix in _CAUSES)

_NOISE = re.compile(
    r"\s*$|\s*at .+|\s+from .+|\s*[\]})(]+[,;]?$|\s*\^+\s*$|\s*#\d+ |\s*goroutine \d+|\s+\S+\.go:\d+|exit status \d+$"
    r"|(?:npm (?:error|ERR!) )?A complete log of this run|npm (?:error|ERR!)\s*$|note: run with|See '.+ --help'"
    r"|Node\.js v\d|\s*thrown in .+ on line|sys:1: |Stack trace:|\s*File \".+\", line \d+|Traceback \(most recent"
    r"|\s*\.\.\. \d+ (?:more|common frames)|[-+|\s]+$|\s*name: '\w+'"
    r"|-+ Native stack trace|\s*\d+: 0x|<--- |\[\d+:0x|https?://\S+$|\s*(?:errno|code|syscall|type|path): |Learn more:"
)
"""Lines that never state a cause by themselves."""
_IN_A_GROUP = re.compile(r"^[ |+]*\| (?=\S)")
"""Prefix that Python prints before the lines of an exception group."""
_HEADS = re.compile(
    r"^(?:\S{1,60}: |\[\S{1,40}\] )?(?:Unhandled exception\.? |Uncaught |error: Uncaught \(in promise\) )?"
    r"(?:[\w.$]*(?:Error|Exception|Exit|Timeout|PromiseRejection)"
    r"\b[^\n]{0,40}?: |FATAL\b|fatal(?: error)?: |PHP Fatal error)"
)
"""The beginning of an exception's message."""
_TRAP = re.compile(r"^(?:\S{1,200}:\d+: )?Fatal error: ")
"""How Swift reports a failed check that ends a program (“Server.swift:31: Fatal error: …”).

A long backtrace may follow.
"""
_BAD = re.compile(
    r"(?i)\b(?:error|critical|fatal|failed|failure|cannot|can't|could not|couldn't|unable to|denied|refused|not found|"
    r"no such|missing|invalid|required|must be|not set|unsupported)\b"
)


def tail_of(state: ConnectionState) -> list[tuple[int, str]]:
    """Return the last lines of stderr with their numbers, newest first."""
    return [(n, line.decode("utf-8", "replace")) for n, line in reversed(state.process.stderr)]


def line_like(state: ConnectionState, pattern: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
    """Return the newest line of stderr that matches a pattern; None if there is none."""
    for n, line in tail_of(state):
        if found := pattern.search(line[:2000]):
            return n, found
    return None


def last_words(state: ConnectionState, n: int) -> Flaw:
    """Return what stderr contains about an exit: a known cause, else its most informative line.

    The sentence continues one that describes how the server ended. `n` is the entry of the exit.
    """
    newest = tail_of(state)[:_LOOKED_AT]
    if known := _known(newest):
        at, sentence, fix = known
        return Flaw(f": {sentence}", frames=(at, n), instead=True, fix=fix)
    if (telling := _telling(newest)) is None:
        return Flaw(", with nothing on stderr", frames=(n,), instead=True)
    at, words, is_error = telling
    said = f": {words}" if is_error else f"; last line of stderr: {words}"
    return Flaw(said, frames=(at, n), instead=True)


def cause_in(state: ConnectionState) -> tuple[int, str, str] | None:
    """Return a cause that stderr states beyond doubt, with its entry and fix; None if there is none."""
    if trap := line_like(state, _TRAP):
        return (
            trap[0],
            trap[1].string.strip()[:_MOST],
            ("Correct the code at the place named in the backtrace: a runtime check failed."),
        )
    newest = tail_of(state)[:_LOOKED_AT]
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
    """Return the most informative line: entry, text, and whether it is about a failure; None if there is no text.

    That is the newest beginning of an exception, else the newest line about a failure, else any other.
    """
    newest = [(at, _IN_A_GROUP.sub("", line)) for at, line in newest]
    words = [(at, line.strip()[:_MOST]) for at, line in newest if not _NOISE.match(line)]
    for kind in (_HEADS, _BAD):
        for at, line in words:
            if kind.search(line):
                return at, line, True
    anything = words or [(at, line.strip()[:_MOST]) for at, line in newest if line.strip()]
    return (*anything[0], False) if anything else None


_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_AT_ONCE_NS = 2_000_000_000
_PATIENCE_NS = 2_000_000_000
_LIKELY = Confidence.LIKELY


def exit_of(state: ConnectionState) -> tuple[int, int, ProcessFact] | None:
    """Return the child's exit (number, time, fact) unless mcp-inspect caused it; None after a probe of doctor."""
    for n, time_ns, fact in state.process.facts:
        if fact.event is ProcessEvent.EXIT and state.why and state.process.provoked is None:
            return n, time_ns, fact
    return None


@diagnosis(
    "exit-on-invalid-message",
    _HINT,
    "Invalid message ended the server",
    "end",
    topic="",
    fix="Return an error: -32700 for invalid JSON, -32601 for an unknown method, -32602 for invalid params.",
)
def exit_on_invalid_message(case: CheckMoment) -> Iterator[Flaw]:
    """The last message before the exit was an invalid one of doctor, which other clients do not send."""
    state = case.state
    ends = [n for n, _, fact in state.process.facts if fact.event is ProcessEvent.EXIT]
    if state.process.provoked is not None and ends and state.why:
        said = f"the server exited after doctor sent {state.process.provoked[1]}"
        yield Flaw(said, frames=(ends[0], state.process.provoked[0]), instead=True)


def died(state: ConnectionState) -> tuple[int, int, ProcessFact] | None:
    """Return the exit if the connection was never opened."""
    return exit_of(state) if state.opening is None else None


_NOT_FOUND = re.compile(
    r"(?:[\w/.-]+: )?(?:line \d+: |\d+: )?(.{1,200}): (?:command )?not found|env: (.+): No such file|"
    r"exec:? (\S{1,200}): [Nn]o such file or directory"
)


_NOT_RUNNABLE = re.compile(r"exists but|neither a program")
"""How the lookup of a command describes a file that exists but cannot be run."""
_RUN = "Run chmod +x, check the first line of the file, or name its interpreter in the command."


@diagnosis(
    "program-not-runnable",
    _ERROR,
    "Program of the command cannot be found or run",
    "end",
    topic="",
    fix="Install the program, or give its absolute path.",
)
def program_not_runnable(case: CheckMoment) -> Iterator[Flaw]:
    """Exit codes 127 and 126 of shells, and defects of the file that are found before the start."""
    if not case.state.process.facts and _NOT_RUNNABLE.search(case.state.why):
        yield Flaw(case.state.why.rstrip("."), frames=(case.n,), instead=True, fix=_RUN)
        return
    ended = died(case.state)
    if ended is None or ended[2].code not in (126, 127):
        return
    line = line_like(case.state, _NOT_FOUND)
    what = "a program was not found" if ended[2].code == 127 else "a program is not executable"
    if line is None and (logged := cause_in(case.state)):  # a loader and docker use these codes as well
        said = f"the command exited with code {ended[2].code}: {logged[1]}"
        yield Flaw(said, frames=(logged[0], ended[0]), instead=True, fix=logged[2])
        return
    said = f": {line[1].group(0)[:120]}" if line else ""
    fix = (
        "Install the program, or give its absolute path."
        if ended[2].code == 127
        else "Run chmod +x, and check the first line of the file."
    )
    frames = (line[0], ended[0]) if line else (ended[0],)
    yield Flaw(f"the command exited with code {ended[2].code}, {what}{said}", frames=frames, instead=True, fix=fix)


@diagnosis(
    "exit-during-handshake",
    _ERROR,
    "Server exited during the handshake",
    "end",
    topic="",
    fix=("Run the command in a terminal, and correct the error that it prints."),
)
def exit_during_handshake(case: CheckMoment) -> Iterator[Flaw]:
    """An exit code other than 0 before the handshake completed, with the cause from stderr if it is a known one."""
    ended = died(case.state)
    if ended is None or ended[2].signal or ended[2].code in (0, None, 126, 127, *SIGNAL_CODES):
        return
    said = f"the server exited with code {ended[2].code} after {(ended[1] - case.state.began_ns) / 1e9:.1f} s"
    words = last_words(case.state, ended[0])
    yield replace(words, sentence=said + words.sentence)


_OPENING = ("initialize", "server/discover")


@diagnosis(
    "exit-during-session",
    _ERROR,
    "Server exited during the session",
    "end",
    topic="",
    fix="Check the log of the server for an exception.",
)
def exit_during_session(case: CheckMoment) -> Iterator[Flaw]:
    """The server exited by itself with an open request, before its first response, or with a non-zero exit code."""
    state, ended = case.state, exit_of(case.state)
    if state.opening is None or ended is None or ended[2].signal or ended[2].code in SIGNAL_CODES:
        return
    waiting = [each for (side, _), each in state.requests.open.items() if side is Direction.TO_SERVER]
    worked = any(each.answered is not None and each.method not in _OPENING for each in state.requests.done.values())
    if not waiting and not ended[2].code and worked:
        return
    at = f" during {waiting[-1].method}" if waiting else "" if worked else " directly after the handshake"
    words = last_words(state, ended[0])
    frames = (*words.frames, *(each.frame for each in waiting[-1:]))
    said = f"the server exited{at} with code {ended[2].code}{words.sentence}"
    yield replace(words, sentence=said, frames=frames)


@diagnosis(
    "stdout-closed",
    _ERROR,
    "Server closed stdout but keeps running",
    "end",
    topic="stdio",
    fix="Keep file descriptor 1 open; to silence a library, redirect only its output.",
)
def stdout_closed(case: CheckMoment) -> Iterator[Flaw]:
    state = case.state
    events = {fact.event: n for n, _, fact in state.process.facts}
    if state.why and ProcessEvent.STDOUT_EOF in events and ProcessEvent.EXIT not in events:
        said = "the server closed stdout but keeps running: it can send no more responses"
        yield Flaw(said, frames=(events[ProcessEvent.STDOUT_EOF],), instead=True)


@diagnosis(
    "exit-without-input",
    _ERROR,
    "Program exited instead of waiting for input",
    "end",
    topic="",
    fix=(
        "Check whether it needs a subcommand such as stdio or serve, and whether main() runs the server. "
        "Docker needs -i."
    ),
)
def exit_without_input(case: CheckMoment) -> Iterator[Flaw]:
    """Exit code 0 at once, without a message."""
    ended = died(case.state)
    if ended and ended[2].code == 0 and case.state.first_message_ns is None:
        if ended[1] - case.state.began_ns < _AT_ONCE_NS:
            yield Flaw(
                ("the program exited at once, with code 0 and without a message"), frames=(ended[0],), instead=True
            )


_ASKED_TO_END = "Find what sent the signal: a closed terminal, a supervisor, kill. The server did not fail by itself."
_KILLED = {
    "SIGKILL": "Check the system log for an out-of-memory kill.",
    **dict.fromkeys(("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"), _ASKED_TO_END),
}
"""The fix by signal; any other signal is caused by the process itself."""


@diagnosis(
    "server-killed",
    _ERROR,
    "Server was killed",
    "end",
    topic="",
    fix="Find what sent the signal, and check the memory limit.",
)
def server_killed(case: CheckMoment) -> Iterator[Flaw]:
    """A signal that mcp-inspect did not send, or the exit code that a container makes of one."""
    ended = exit_of(case.state)
    if ended is None or any(fact.event is ProcessEvent.SIGNAL for _, _, fact in case.state.process.facts):
        return
    signal = ended[2].signal or SIGNAL_CODES.get(ended[2].code or 0, "")
    if signal:
        fix = _KILLED.get(signal, "Examine the core dump: native code failed.")
        mild = _HINT if fix == _ASKED_TO_END else None
        said = f"the server was killed by {signal}"
        if not ended[2].signal:  # only an exit code is known, which a program may also choose by itself
            said = f"the server {exit_words(ended[2].code or 0)}"
            fix = f"If a shell or container started it, {signal} killed its child. {fix}"
        logged = (
            cause_in(case.state) if signal in ("SIGABRT", "SIGILL", "SIGTRAP") else None
        )  # how runtimes exit after an error of their own
        if logged is not None:
            said, fix = f"{said}: {logged[1]}", logged[2] or fix
        frames = (logged[0], ended[0]) if logged is not None else (ended[0],)
        yield Flaw(said, frames=frames, instead=True, fix=fix, severity=mild)


_MISSING = re.compile(
    r"(?i:missing|required|not set|not defined|must be set|please set|undefined).{0,60}?"
    r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]{2,})\b"
    r"|\b([A-Z][A-Z0-9]*_[A-Z0-9_]{2,})\b.{0,60}?(?i:is required|missing|not set|not defined|must be set|undefined)"
    r"|KeyError: '([A-Z][A-Z0-9]*_[A-Z0-9_]{2,})'"
)
_IN_A_REPORT = re.compile(
    r'"path": \[\s*"([A-Z][A-Z0-9_]{2,})"\s*\][^}]{0,200}?"(?:Required|Invalid input: [^"]*received undefined)"'
    r"|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+): \[\s*'Required'"
    r"|received undefined\s*→ at ([A-Z][A-Z0-9_]{2,})"
)
"""How JavaScript schema libraries report a missing member, over several lines."""
_SETTINGS = re.compile(r"validation errors? for \w*(?:Settings|Config|Env)")
_FIELD = re.compile(r"(?i)field required")


def _missing_variable(state: ConnectionState) -> tuple[int, str] | None:
    """Return the name of a variable that stderr reports as missing, and its line; settings are named by their field."""
    if line := line_like(state, _MISSING):
        return line[0], next(group for group in line[1].groups() if group)
    newest = tail_of(state)[:60]
    if found := _IN_A_REPORT.search("\n".join(line for _, line in reversed(newest))):
        name = next(group for group in found.groups() if group)
        return next(n for n, line in newest if name in line), name
    if line_like(state, _SETTINGS) is None:
        return None
    for (n, said), (_, before) in pairwise(tail_of(state)):
        if _FIELD.search(said) and re.fullmatch(r"[A-Za-z]\w{2,60}", before.strip()):
            return n, before.strip().upper()
    return None


@diagnosis(
    "environment-variable-missing",
    _ERROR,
    "Environment variable is missing",
    "end",
    topic="",
    confidence=_LIKELY,
    fix="Set the variable with -e NAME=VALUE.",
)
def environment_variable_missing(case: CheckMoment) -> Iterator[Flaw]:
    if (ended := died(case.state)) is None or (missing := _missing_variable(case.state)) is None:
        return
    n, name = missing
    if case.state.connection is not None and name not in case.state.connection.env_names:
        said = f"{name} is not in the environment of the server"
        yield Flaw(said, frames=(n, ended[0]), instead=True, fix=f"Set it with -e {name}=…")


_PLACEHOLDER = re.compile(
    r"\$\{[^${}]*\}|\$env:\w+|%[A-Z_]{3,}%|\{\{[^{}]*\}\}|<(?i:your|my|insert|path|api|the)[\w -]*>|\bYOUR_[A-Z_]{3,}\b"
)


@diagnosis(
    "placeholder-not-expanded",
    _WARNING,
    "Placeholder was not expanded",
    "end",
    topic="",
    confidence=_LIKELY,
    fix=("Replace the placeholder with its value; mcp-inspect expands none in a command."),
)
def placeholder_not_expanded(case: CheckMoment) -> Iterator[Flaw]:
    """Examines the command as it was run, or the URL."""
    connection = case.state.connection
    for word in (*connection.argv, connection.url) if connection else ():
        if found := _PLACEHOLDER.search(word):
            yield Flaw(
                (f"the server received the literal text {found.group()[:60]!r}"),
                frames=(case.state.opened,),
                instead=True,
            )


_NOT_A_HYPHEN = re.compile("[\u2012-\u2015\u2212]")
_QUOTES = re.compile("[\u201c-\u201f\u2018-\u201b\u00ab\u00bb]")


@diagnosis(
    "shell-syntax-in-command",
    _ERROR,
    "Shell syntax or typographic characters in the command",
    "end",
    topic="",
    confidence=_LIKELY,
    fix="Write the command as the program must receive it; no shell expands it.",
)
def shell_syntax_in_command(case: CheckMoment) -> Iterator[Flaw]:
    """An unexpanded tilde; typographic quotes and dashes. Reported only if the start failed."""
    connection = case.state.connection
    if connection is None or died(case.state) is None:
        return
    for word in connection.argv[1:]:
        if word.startswith("~/"):
            yield Flaw(
                f"the server received the literal {word[:80]}: no shell expands the tilde",
                frames=(case.state.opened,),
                instead=True,
                fix="Write the absolute path: no shell starts the program.",
            )
        elif _QUOTES.match(word) or _NOT_A_HYPHEN.match(word):
            what = "quotes" if _QUOTES.match(word) else "dash instead of hyphens"
            said = f"the argument {word[:80]} begins with a typographic {what}"
            yield Flaw(said, frames=(case.state.opened,), instead=True, fix="Retype it with ASCII characters.")


_RELATIVE = re.compile(r"(?:ENOENT|No such file or directory).{0,40}?['\"](\.{0,2}[^/'\"][^'\"]{0,200})['\"]")


@diagnosis(
    "file-not-found",
    _ERROR,
    "File not found",
    "end",
    topic="",
    confidence=_LIKELY,
    fix="Give the absolute path, or set --cwd.",
)
def file_not_found(case: CheckMoment) -> Iterator[Flaw]:
    """A relative path that is resolved in the working directory; or that directory itself."""
    if not case.state.process.facts and case.state.why.startswith("The directory to start"):
        yield Flaw(
            case.state.why.rstrip("."), frames=(case.n,), instead=True, fix="Set --cwd to an existing directory."
        )
        return
    ended, connection = died(case.state), case.state.connection
    if not ended or not connection:
        return
    if line := line_like(case.state, _RELATIVE):
        file = line[1].group(1)
    elif not (line := line_like(case.state, _PROGRAM)) or not (file := _relative(connection.argv, line[1].group(1))):
        return
    said = f"{file} does not exist in {connection.cwd or 'the working directory'}"
    yield Flaw(said, frames=(line[0], ended[0]), instead=True, fix="Give the absolute path, or set --cwd.")


_PROGRAM = re.compile(r"(?:can't open file|Cannot find module|Module not found) ['\"]([^'\"]{1,500})['\"]")


def _relative(argv: Sequence[str], path: str) -> str:
    """Return the argument that names this path as a relative one; "" if there is none."""
    meant = (word for word in argv[1:] if not word.startswith(("/", "-")))
    return next((word for word in meant if path.endswith("/" + word.removeprefix("./"))), "")


_PORT = re.compile(
    r"EADDRINUSE.{0,60}?:(\d{2,5})\b|[Pp]ort (\d{2,5}) (?:was|is) already in use|"
    r"[Aa]ddress already in use|[Ee]rrno (?:48|98|10048)\b|EADDRINUSE"
)


@diagnosis(
    "port-in-use", _ERROR, "Port is in use", "end", topic="", fix="Stop the other process, or choose another port."
)
def port_in_use(case: CheckMoment) -> Iterator[Flaw]:
    """Often used by an older instance of the same server."""
    ended = exit_of(case.state)
    if ended and (line := line_like(case.state, _PORT)):
        number = line[1].group(1) or line[1].group(2)
        port = f" {number}" if number else ""
        yield Flaw(f"another process is using the port{port}", frames=(line[0], ended[0]), instead=True)


_OTHER_SDK = re.compile(
    r"'Server' object has no attribute '\w+'|No module named 'mcp\.server\.fastmcp'|cannot import name 'McpError'"
)


@diagnosis(
    "sdk-version-mismatch",
    _ERROR,
    "Server was written for another version of the SDK",
    "end",
    topic="",
    fix="Run pip install 'mcp<2', or migrate the server.",
)
def sdk_version_mismatch(case: CheckMoment) -> Iterator[Flaw]:
    """Decided by an import or attribute that was tried with both: mcp 1.30.0 has it, mcp 2.3.0 does not."""
    ended = died(case.state)
    if ended and (line := line_like(case.state, _OTHER_SDK)):
        said = f"{line[1].group()}: the Python package mcp has it in 1.30.0, but not in 2.3.0 (tried 2026-11-22)"
        yield Flaw(said, frames=(line[0], ended[0]), instead=True)


@diagnosis(
    "stdin-eof-ignored",
    _WARNING,
    "Server ignores the end of stdin",
    "end",
    topic="stdio",
    fix="Exit at the end of stdin.",
)
def stdin_eof_ignored(case: CheckMoment) -> Iterator[Flaw]:
    """The server needed a signal more than two seconds after stdin was closed."""
    closed = signalled = None
    for n, time_ns, fact in case.state.process.facts:
        if fact.event is ProcessEvent.STDIN_EOF and closed is None:
            closed = time_ns
        elif fact.event is ProcessEvent.SIGNAL and closed is not None and signalled is None:
            if time_ns - closed >= _PATIENCE_NS * 9 // 10 and not fact.was_computing:
                signalled = (n, fact.signal)
    if signalled is not None:
        said = f"the server kept running after stdin was closed, and needed {signalled[1]}"
        yield Flaw(said, frames=(signalled[0],), instead=True)
