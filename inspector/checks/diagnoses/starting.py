"""Diagnoses of the start: the command, package managers, containers and leftovers."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath

from inspector.checks.diagnoses.process import CHOICE, CONTAINERS, PrintedLines, tail_of
from inspector.checks.diagnoses.stalls import awaited_at_first
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import elided
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.state import CheckMoment, ConnectionState, TrackedRequest
from inspector.protocol.facts import ProcessEvent
from inspector.protocol.frames import Direction
from inspector.text import cut

error, warning, hint = diagnoses_of("")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_PATIENCE_NS = 2_000_000_000
SLOW_NS = 10_000_000_000
"""From this time on a start is slow for some clients, which wait for 10 s."""

_NO_COMMAND = re.compile(
    r"is not on the PATH|does not exist\b|[Tt]here is no program|command is a URL|is a directory, not a program|"
    r"is empty or holds a NUL"
)
_MANAGERS = {"npx", "npm", "pnpm", "pnpx", "yarn", "bunx", "uvx", "uv", "pipx", "pip", "deno"}
_INSTALLS = re.compile(
    r"(?i)^npm (warn|notice|http|verb|info)|need to install|ok to proceed|downloading|downloaded|installing|"
    r"installed \d+|resolved \d+|prepared \d+|building \S+|pulling from|pull complete|reify|added \d+ packages"
)
_FIX_INSTALL = "Install the package in advance and pin its version, or run the command once in a terminal."
_WITH_VALUE = frozenset(
    {
        *("-e", "--env", "--env-file", "-v", "--volume", "--mount", "-p", "--publish", "--name", "--network", "--net"),
        *("-w", "--workdir", "-u", "--user", "--entrypoint", "-h", "--hostname", "--add-host", "--platform", "-m"),
        *("--memory", "--cpus", "-l", "--label", "--pull", "--tmpfs", "--gpus"),
    }
)
_FIX_DOCKER = "Use docker run -i --rm IMAGE: with -i, without -t and without -d."
_LONG = {"--interactive": "i", "--tty": "t", "--detach": "d"}
_LATE = ("-i", "-it", "-ti", "--interactive")
_LIVE = frozenset(("--no-capture-output", "--live-stream", "-s", "--attach", "-a"))
"""Options with which conda passes output on."""
FIX_HELD_BACK = "Add --no-capture-output after run, or start the Python of the environment by its absolute path."
_ENDING = re.compile(r"(?i)\b(?:shut(?:ting)?[ -]?down|shutdown|stopp(?:ed|ing)|finished)\b")
"""Lines about the end of a server, which it writes when it is ended."""
_STARTED = re.compile(r"(?i)\b(listening|started|running|ready|serving|startup complete|waiting for)\b")
_SERVES_HTTP = re.compile(r"https?://[\w.\[\]:-]+(?:/\S*)?|(?i:\bport\s+\d{2,5})")
_FIX_HTTP = (
    "If it serves HTTP, connect to its URL, or start it with its option for stdio. If it was still starting, "
    "raise --timeout."
)
_PROMPT = re.compile(r"(?i)\b(?:enter|type|paste|input|password|passphrase|token|key|continue|proceed|y/n|yes/no)\b")
_NO_TERMINAL = "Give the value as an argument or with -e, or set it up in advance: stdin is a pipe."
_LOGIN = re.compile(r"(?i)\b(?:authori[sz]e|log ?in|sign in|authenticate|visit(?:ing)?|open (?:this|the following))\b")
_URL = re.compile(r"https?://[^\s'\"<>]+")
_NO_TTY = re.compile(r"input device is not a TTY|stdin is not a terminal")


@error("Command not found", "end")
def command_not_found(case: CheckMoment) -> Iterator[Violation]:
    """Nothing was started: the PATH of the child has no such program.

    Fix: Give the absolute path of the program, or set PATH with -e PATH=…; shell start-up files are not read.
    """
    state = case.state
    if state.process.facts or state.why.startswith("The directory to start") or "exists but" in state.why:
        return
    if state.connection is not None and state.connection.argv and _NO_COMMAND.search(state.why):
        yield Violation(state.why.rstrip("."), frames=(case.n,), instead=True, fix=state.hint)


def unanswered(state: ConnectionState) -> TrackedRequest | None:
    """Return the first request of a running server that has sent nothing for a while; None for any other server."""
    # The bytes that doctor sends may have ended a server that was silent before.
    if _has_exited(state) and state.why and state.process.provoked is None:
        return None
    waiting = [each for each in state.requests.all if each.method == "initialize" and each.answered is None]
    waiting.sort(key=lambda each: each.frame, reverse=state.http.has_endpoint)
    asked = waiting[0] if waiting else None
    is_accepted = state.http.has_endpoint and asked is not None and asked.status == 202  # its body counts as a message
    if asked is None or (state.messages and not is_accepted):
        return None
    return asked if state.last_ns - asked.time_ns >= _PATIENCE_NS else None


def _has_only_printed(state: ConnectionState) -> TrackedRequest | None:
    """Return the `initialize` of a server that has printed text in place of its response; None for any other."""
    if state.opening is not None or not state.notes(PrintedLines).last:
        return None
    return next((each for each in state.requests.all if each.method == "initialize" and each.answered is None), None)


def deaf_to_initialize(state: ConnectionState) -> TrackedRequest | None:
    """Return an `initialize` that is not answered although an earlier `server/discover` was; None for all else."""
    everything = state.requests.all
    asked = next((each for each in everything if each.method == "initialize" and each.answered is None), None)
    if asked is None or (state.why and state.process.provoked is None and _has_exited(state)):
        return None
    if state.http.has_endpoint or (state.is_http and asked.status != 200):
        return None
    earlier = [each for each in everything if each.frame < asked.frame and each.answered is not None]
    is_heard = state.messages > len(earlier) or any(each.answered > asked.frame for each in earlier if each.answered)
    return asked if earlier and not is_heard and state.last_ns - asked.time_ns >= _PATIENCE_NS else None


def _has_exited(state: ConnectionState) -> bool:
    return any(fact.event is ProcessEvent.EXIT for _, _, fact in state.process.facts)


def _manager(state: ConnectionState) -> str:
    """Return the package manager that the command runs; "" for another program."""
    name = PurePath(state.connection.argv[0]).stem if state.connection and state.connection.argv else ""
    return name if name in _MANAGERS else ""


@error(
    "Package manager is still installing",
    "end",
    "answer initialize",
    "answer server/discover",
    fix=_FIX_INSTALL,
    confidence=Confidence.LIKELY,
)
def package_still_installing(case: CheckMoment) -> Iterator[Violation]:
    """Silence of npx, uvx and the like, or a response that they delayed."""
    state = case.state
    name, words = _manager(state), [(n, line) for n, line in tail_of(state) if line.strip()]
    pulls = bool(words) and re.search(r"(?i)pulling from|pull complete|unable to find image", words[0][1]) is not None
    if not name and not pulls:
        return
    is_reported = bool(words) and _INSTALLS.search(words[0][1]) is not None
    frames = (words[0][0],) if is_reported else ()
    if case.message is not None:
        took = case.time_ns - state.began_ns
        if took > SLOW_NS and state.opening is None and state.began_ns:
            yield Violation(f"{name or 'docker'} took {took / 1e9:.0f} s to start the server", severity=_HINT)
        return
    asked = unanswered(state)
    if asked is not None and (is_reported or not words):
        waited = (state.last_ns - state.began_ns) / 1e9
        sentence = f"{name or 'docker'} is still installing after {waited:.0f} s: the server has not started"
        sure = None if is_reported else Confidence.GUESS
        fix = "See whether that registry or host responds from here, and which proxy or mirror is configured."
        if awaited := awaited_at_first(state):
            sentence = f"{sentence}; {awaited}"
        yield Violation(
            sentence, frames=(*frames, asked.frame), instead=True, confidence=sure, fix=fix if awaited else ""
        )


def _run_flags(argv: Sequence[str]) -> tuple[set[str], str, list[str]] | None:
    """Return the one-letter flags of `docker run` or `exec`, the image or container, and what follows; else None."""
    kind = next((word for word in argv[1:4] if word in ("run", "exec")), "")
    if not kind or PurePath(argv[0]).stem not in CONTAINERS:
        return None
    before = pairwise(argv[: list(argv).index(kind)])
    if any(word != "container" and not word.startswith("-") and not last.startswith("-") for last, word in before):
        return None  # a command of its own, such as docker mcp gateway run
    flags: set[str] = set()
    rest = iter(argv[list(argv).index(kind) + 1 :])
    for word in rest:
        if not word.startswith("-"):
            return flags, word, list(rest)
        name, equals, value = word.partition("=")
        if name in _LONG and value.lower() not in ("false", "0"):
            flags.add(_LONG[name])
        elif not word.startswith("--") and word not in _WITH_VALUE:
            flags |= set(word[1:])
        elif name in _WITH_VALUE and not equals:
            next(rest, None)
    return flags, "", []


def held_back(argv: Sequence[str]) -> str:
    """Return how a launcher keeps the output of its program until that ends, as a sentence; "" for others."""
    name = PurePath(argv[0]).stem if argv else ""
    if name not in ("conda", "mamba", "micromamba") or "run" not in argv[1:3] or {*argv} & _LIVE:
        return ""
    return f"{name} run keeps what the server writes until it ends, as --no-capture-output (--live-stream) is missing"


@error("`docker run` flags disconnect stdin", "end", fix=_FIX_DOCKER)
def docker_flags(case: CheckMoment) -> Iterator[Violation]:
    """`docker run` needs `-i`; `-t` allocates a terminal, `-d` detaches."""
    state = case.state
    argv = state.connection.argv if state.connection else ()
    refusal = next((line.strip() for _, line in tail_of(state) if _NO_TTY.search(line)), "")
    if "compose" in argv[1:3] and refusal:
        name = cut(f"{PurePath(argv[0]).stem} {' '.join(argv[1:3])}", 60)
        sentence = f"{name} makes a terminal without -T, and clients give a pipe: {cut(refusal, 120)}"
        yield Violation(sentence, frames=(state.opened,), instead=True, fix="Add -T after run or exec.")
        return
    found = _run_flags(argv)
    if found is None or (not state.process.facts and state.why):
        return
    (flags, image, after), failed = found, state.opening is None
    if "d" in flags:
        message = "docker run -d detaches the container: nothing reaches its stdin"
        yield Violation(message, frames=(state.opened,), instead=True)
    elif failed and ("i" not in flags or re.search(r":/|^/", image)):
        sentence = f"docker {'exec' if 'exec' in argv[1:4] else 'run'} without -i: the container gets no stdin"
        if re.search(r":/|^/", image):
            sentence = f"docker run takes {image[:80]!r} for the image: it seems to be half of a value that has a blank"
        elif late := next((word for word in after if word in _LATE), ""):
            sentence = (
                f"docker run takes {image!r} for the image, so that {late} after it is an argument of its program"
            )
        yield Violation(sentence, frames=(state.opened,), instead=True)
    elif "t" in flags:
        sentence = "docker run -t allocates a terminal: line endings change and input is echoed"
        sentence = (
            f"docker run -t wants a terminal, and clients give a pipe: {cut(refusal, 120)}" if refusal else sentence
        )
        yield Violation(sentence, frames=(state.opened,), instead=True, severity=None if failed else _WARNING)


@error("Server started but does not read stdin", "end", topic="stdio", confidence=Confidence.GUESS)
def stdin_not_read(case: CheckMoment) -> Iterator[Violation]:
    """There is no response, but the server reports that it runs or listens, or it has opened a port.

    Fix: Start the server with its option for stdio, and pass stdin on in wrapper scripts.
    """
    asked = unanswered(case.state) or _has_only_printed(case.state)
    if asked is None or (_has_exited(case.state) and case.state.why and case.state.process.provoked is None):
        return
    logged, printed = tail_of(case.state), list(case.state.notes(PrintedLines).last)
    words = [each for each in logged if _STARTED.search(each[1][:500]) and not _ENDING.search(each[1][:500])]
    facts = case.state.process.facts
    ports = next(((n, fact.state.ports) for n, _, fact in facts if fact.state is not None and fact.state.ports), None)
    serving = (each for each in (*words, *printed) if _STARTED.search(each[1][:500]))
    line = next((each for each in serving if _SERVES_HTTP.search(each[1])), None)
    if line is not None and (address := _SERVES_HTTP.search(line[1])):
        sentence = f"the server says that it listens at {cut(address.group(), 80)}, and responds to nothing on stdin"
        yield Violation(sentence, frames=(line[0], asked.frame), instead=True, fix=_FIX_HTTP)
    elif ports is not None:
        where = " and ".join(map(str, ports[1][:3]))
        sentence = f"the server listens on TCP port {where}, and has read nothing from stdin so far"
        yield Violation(sentence, frames=(ports[0], asked.frame), instead=True, fix=_FIX_HTTP)
    elif words:
        sentence = f"the server says that it started ({cut(words[0][1].strip(), 100)}), but never responded"
        fix = 'End shell scripts with exec "$@", so that stdin reaches the server; a command with & has no stdin.'
        yield Violation(sentence, frames=(words[0][0], asked.frame), instead=True, fix=fix)


@error("Server waits for interactive input", "end", topic="stdio", fix=_NO_TERMINAL, confidence=Confidence.LIKELY)
def interactive_prompt(case: CheckMoment) -> Iterator[Violation]:
    """The output ends with a prompt, or stderr with the URL of a login, and there is no response."""
    state, printed = case.state, list(case.state.notes(PrintedLines).last)[-1:]
    words = [(n, line.strip()) for n, line in tail_of(state)[:5] if line.strip()]
    asked = unanswered(state) or _has_only_printed(state)
    during = ""
    if asked is None and state.opening is not None and printed:
        waiting = (each for each in state.requests.all if each.answered is None and each.frame < printed[0][0])
        asked = next((each for each in waiting if each.sender is Direction.TO_SERVER), None)
        words, during = [], f" during {asked.named}" if asked is not None else ""
    if asked is None:
        return
    for n, last in (*words[:1], *((at, line.strip()) for at, line in printed)):
        asks = last.endswith((":", "?", ">", "]", ")")) or CHOICE.search(last)
        if asks and not last.startswith("{") and _PROMPT.search(last[:300]) and not _URL.search(last):
            sentence = f"the server waits for input at a terminal prompt{during}: {elided(last, 160)}"
            yield Violation(sentence, frames=(n, asked.frame), instead=True, fix=_NO_TERMINAL)
            return
    place = next(((at, found) for at, line in words if (found := _URL.search(line))), None)
    if place is not None and any(_LOGIN.search(line[:300]) for _, line in words):
        sentence = f"the server waits for a login in a browser: {cut(place[1].group(), 160)}"
        fix = "Open that URL, or log in by running the command once in a terminal."
        yield Violation(sentence, frames=(place[0], asked.frame), instead=True, fix=fix)


@warning("Child processes remain after the server exited", "end", topic="stdio")
def child_processes_left(case: CheckMoment) -> Iterator[Violation]:
    """The process group outlived its leader, and needed a signal.

    Fix: Stop child processes on exit; use exec in wrapper scripts.
    """
    gone = False
    for n, _, fact in case.state.process.facts:
        if fact.event is ProcessEvent.EXIT:
            gone = True
        elif fact.event is ProcessEvent.SIGNAL and gone:
            sentence = f"the server exited, but its child processes needed {fact.signal}"
            yield Violation(sentence, frames=(n,), instead=True)
            return


@hint("Child processes outlive the server", "end", topic="stdio", confidence=Confidence.LIKELY)
def child_processes_outlive(case: CheckMoment) -> Iterator[Violation]:
    """They left the server's process group, so that no client can stop them; a daemon is meant to stay.

    Fix: Stop child processes when stdin ends and on SIGTERM, unless they are meant to stay.
    """
    for n, _, fact in case.state.process.facts:
        if fact.event is ProcessEvent.LEFT and fact.state is not None:
            named = ", ".join(f"{each.pid} ({elided(each.command, 60)})" for each in fact.state.children[:3])
            count = len(fact.state.children)
            those = "a child process" if count == 1 else f"{count} child processes"
            yield Violation(f"the server ended, and {those} of it still runs: {named}", frames=(n,), instead=True)
