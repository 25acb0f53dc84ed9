"""Diagnoses of the server process: exit codes, signals, causes in stderr."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from inspector.checks.diagnoses.causes import HEADS, MOST_WORDS, TRAP, known_cause, line_about, place_of, telling_line
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import elided
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.sayings import decoded, product_facts
from inspector.checks.state import CheckMoment, ConnectionState, TrackedRequest
from inspector.protocol.facts import SIGNAL_CODES, ProcessEvent, ProcessFact, exit_words
from inspector.protocol.given_values import PLACEHOLDER
from inspector.protocol.revisions.openings import OPENING
from inspector.protocol.token_shapes import TOKEN
from inspector.text import cut, enumerated

error, warning, hint = diagnoses_of("")

_LOOKED_AT = 60
"""Maximum lines of stderr, from the end, that are searched for a cause."""
_OF_HTTP = re.compile(r"\bstatus\b|fetch failed|\bE(?:CONN|NOTFOUND|AI_AGAIN)|\bPOSTing\b|\bSSE error\b|\bHTTP \d")
_SPINS_S = 1.5
"""Seconds of CPU after the end of stdin that no orderly end needs."""
_HINT = Severity.HINT
_WORK = ("tools/call", "resources/read", "prompts/get")
"""Requests whose responses may take long."""
_AT_ONCE_NS = 2_000_000_000
_PATIENCE_NS, _COMPUTING_NS = 2_000_000_000, 5_000_000_000
_LIKELY = Confidence.LIKELY
_NOT_FOUND = re.compile(
    r"(?:[\w/.-]+: )?(?:line \d+: |\d+: )?(.{1,200}): (?:command )?not found|env: (.+): No such file|"
    r"exec:? (\S{1,200}): [Nn]o such file or directory"
)
_NOT_RUNNABLE = re.compile(r"exists but|neither a program|is a program for")
"""How the lookup of a command describes a file that exists but cannot be run."""
_RUN = "Run chmod +x, check the first line of the file, or name its interpreter in the command."
_CORE = "Examine the core dump: native code failed."
_NAMES = r"\b(?!ERR_)[A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b(?:(?:,|,? and) [A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b){0,4}"
_MISSING = re.compile(
    r"(?i:missing|required|not set|not defined|must be set|(?:please|must|error:) set|undefined).{0,60}?"
    rf"({_NAMES})"
    rf"|({_NAMES}).{{0,60}}?(?i:(?:is|are) required|missing|not set|not defined|must be set|undefined)"
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
_CHOICE = re.compile(r"\b(?i:one of|at least one|either)\b|Tried: |[A-Z],? or [A-Z]{2}")
_MOST_NAMES = 5
_NOT_A_HYPHEN = re.compile("[\u2012-\u2015\u2212]")
_QUOTES = re.compile("[\u201c-\u201f\u2018-\u201b\u00ab\u00bb]")
_VARIABLE = re.compile(r"\$[A-Z][A-Z_]+/")
_TWO_WORDS = re.compile(r"(--?[A-Za-z][\w-]{0,60}) +[^\s-]\S*$")
_INTERPRETED = re.compile(r"[A-Za-z]:(?:[^\\/\n]*[\t\n\r\f\b\v]|(?=[^\\/:]*$)[\w. -]{3,}\.\w{1,4}$)")
"""A path of Windows whose backslashes began escapes (a tab for \\t), or are gone."""
_RELATIVE = re.compile(r"(?:ENOENT|No such file or directory).{0,40}?['\"](\.{0,2}[^/'\"][^'\"]{0,200})['\"]")
_STARTS = re.compile("raise child_exception_type")
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}m")
_FAILED = re.compile(r"(?i)(?:[\w.-]{1,40}: )?(?:error:|failed to|cannot|can't|could not|couldn't|unable to) ")
_PROGRAM = re.compile(
    r"(?:can't open (?:file|\w+ script)|Cannot find module|Module not found) ['\"]([^'\"]{1,500})['\"]"
    r"|(?:open input file: |No such file or directory -- )(\S{1,500})"
)
_PORT = re.compile(
    r"EADDRINUSE.{0,60}?:(\d{2,5})\b|[Pp]ort (\d{2,5}) (?:was|is) already in use|"
    r"\('[^'\n]{0,60}', (\d{2,5})\): .{0,20}address already in use"
)
_SOME_PORT = re.compile(r"[Aa]ddress already in use|[Ee]rrno (?:48|98|10048)\b|EADDRINUSE")
_OTHER_SDK = re.compile(
    r"'Server' object has no attribute '\w+'|No module named 'mcp\.(?:server\.(?:fastmcp|websocket)|shared\.session)'"
    r"|cannot import name '(?:McpError|FastMCP|streamablehttp_client|RequestContext|Content)'(?= from 'mcp)"
)
_NEWER_SDK = re.compile(r"No module named '(?:mcp\.server\.(?:mcpserver|request_state)|mcp_types)'")
_ADVICE = re.compile(
    r"(?i)\s*(?:hint|help|tip|note): \S|\s*(?:perhaps|did) you (?:mean|forg)|\s*(?:use|try|run) [`'\"]\S"
)
"""A line in which a program says what to do about its failure."""
_TIP = re.compile(r"\s*tip: \S")
_USAGE = re.compile(r"(?i)\s*usage: \S")
_SUBCOMMAND = (
    "Check whether it needs a subcommand or an option, such as stdio or serve, and whether an argument is wrong."
)
_LACKS = "the command lacks"
_SERVING = ("serve", "stdio", "server", "mcp", "start")
"""Usual names of the subcommand that starts a server, best first."""
_SUBCOMMANDS = re.compile(r"^[│ ]{1,8}([a-z]+)(?= {2}|.{1,40} {2})|(?<=[{,])([a-z]+)(?=[,}])")
_CORRECT = "Correct what the exception names; stderr has the lines above it."
CHOICE = re.compile(r"(?i)[(\[]y(?:es)?/no?[)\]]")
_STARTED = re.compile(r"(?i)\b(?:start(?:ed|ing)|running|listening|ready|serving)\b.{0,60}\b(?:server|stdio|mcp)\b")
"""How a server announces itself."""
_SILENT = ", with nothing on stderr"
_AT_END = ": its stdin may be at its end, as of a command that a shell starts with &"
CONTAINERS = ("docker", "podman", "nerdctl")
"""Programs that take the options of Docker."""


class PrintedLines(msgspec.Struct):
    """The lines of stdout that are not messages, with their entries."""

    first: tuple[int, str] | None = None
    last: deque[tuple[int, str]] = msgspec.field(default_factory=partial(deque, maxlen=_LOOKED_AT))


def tail_of(state: ConnectionState) -> list[tuple[int, str]]:
    """Return the last lines of stderr with their numbers, newest first, and without their colours."""
    return [(n, _plain(line)) for n, line in reversed(state.process.stderr)]


def _plain(line: bytes) -> str:
    """Return a line as text, without colours; programs of Windows may write UTF-16."""
    if line.count(0) * 3 > len(line):
        line = line.replace(b"\0", b"")
    return _COLOUR.sub("", line.decode("utf-8", "replace"))


def line_like(state: ConnectionState, pattern: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
    """Return the newest line of stderr that matches a pattern; None if there is none."""
    for n, line in (*tail_of(state), *(state.notes(PrintedLines).last if _printed_only(state) else ())):
        if found := pattern.search(line[:2000]):
            return n, found
    return None


def logged_while(state: ConnectionState, asked: TrackedRequest) -> str:
    """Return a clause with the newest line of stderr while a request waited; "" if there is none."""
    until = asked.cancelled or 1 << 62
    line = next((line.strip() for n, line in tail_of(state) if asked.frame < n < until and line.strip()), "")
    return f"; the last line of stderr meanwhile: {elided(line, 120)}" if line else ""


def last_words(state: ConnectionState, n: int) -> Violation:
    """Return what stderr contains about an exit: a known cause, else its most informative line.

    The sentence continues one that describes how the server ended. `n` is the entry of the exit.
    """
    newest = tail_of(state)[:_LOOKED_AT]
    if known := known_cause(newest):
        at, sentence, fix = known
        fix = (sentence.startswith(_LACKS) and _subcommand(newest)) or fix
        message = _advised(f": {sentence}{_placed(newest, at)}", newest, at, _TIP)
        return Violation(message, frames=(at, n), instead=True, fix=fix)
    if (telling := telling_line(newest)) is None:
        return Violation(_SILENT, frames=(n,), instead=True)
    at, words, is_error = telling
    usage = None if is_error else next(((at, line.strip()) for at, line in newest if _USAGE.match(line)), None)
    if usage is not None:
        message = f"; it printed its help: {usage[1][:MOST_WORDS]}"
        return Violation(message, frames=(usage[0], n), instead=True, fix=_subcommand(newest) or _SUBCOMMAND)
    message = f": {words}{_placed(newest, at)}" if is_error else f"; last line of stderr: {words}"
    given = [each for each in (state.connection.argv[2:] if state.connection else ()) if each[:1] == "/"]
    message += f"; “{line}”" if is_error and (line := line_about(newest, given, words)) else ""
    message = _advised(message, newest, at, _ADVICE) if is_error else message
    return Violation(message, frames=(at, n), instead=True, fix=_CORRECT if HEADS.match(words) else "")


def _advised(message: str, newest: list[tuple[int, str]], at: int, pattern: re.Pattern[str]) -> str:
    """Return a message with what a program advises below its failure, if it does, as far as there is room."""
    below = (line.strip() for n, line in reversed(newest) if n >= at and pattern.match(line))
    room = min(160, max(40, 240 - len(message)))
    return f"{message}; it advises: “{elided(line, room)}”" if (line := next(below, "")) else message


def _subcommand(newest: list[tuple[int, str]]) -> str:
    """Return the advice to add a subcommand that the usage or help on stderr lists; "" if none is known."""
    listed = {found[1] or found[2] for _, line in newest for found in _SUBCOMMANDS.finditer(line[:2000])}
    found = next((each for each in _SERVING if each in listed), "")
    return f"Add its subcommand {found} to the command of the server." if found else ""


def _placed(newest: list[tuple[int, str]], at: int) -> str:
    place = place_of(newest, at)
    return f" ({place})" if place else ""


def cause_in(state: ConnectionState) -> tuple[int, str, str] | None:
    """Return a cause that stderr states beyond doubt, with its entry and fix; None if there is none."""
    if trap := line_like(state, TRAP):
        fix = "Correct the code at the place named in the backtrace: a runtime check failed."
        return trap[0], trap[1].string.strip()[:MOST_WORDS], fix
    newest = tail_of(state)[:_LOOKED_AT]
    if known := known_cause(newest):
        return known
    telling = telling_line(newest)
    return (telling[0], telling[1], "") if telling is not None and HEADS.match(telling[1]) else None


def exit_of(state: ConnectionState) -> tuple[int, int, ProcessFact] | None:
    """Return the child's exit (number, time, fact) unless mcp-inspect caused it; None after a probe of doctor."""
    for n, time_ns, fact in state.process.facts:
        if fact.event is ProcessEvent.EXIT and state.why and state.process.provoked is None:
            return n, time_ns, fact
    return None


@hint("Invalid message ended the server", "end")
def exit_on_invalid_message(case: CheckMoment) -> Iterator[Violation]:
    """The last message before the exit was one of doctor: invalid bytes, or a request that is to be rejected.

    Fix: Return an error: -32700 for invalid JSON, -32601 for an unknown method, -32602 for invalid params.
    """
    state = case.state
    ends = [n for n, _, fact in state.process.facts if fact.event is ProcessEvent.EXIT]
    if state.process.provoked is not None and ends and state.why:
        sentence = f"the server exited after doctor sent {state.process.provoked[1]}"
        worse = Severity.WARNING if state.opening is not None else None  # a request, which other clients may send
        yield Violation(sentence, frames=(ends[0], state.process.provoked[0]), instead=True, severity=worse)


def died(state: ConnectionState) -> tuple[int, int, ProcessFact] | None:
    """Return the exit if the connection was never opened."""
    return exit_of(state) if state.opening is None else None


@error("Program of the command cannot be found or run", "end")
def program_not_runnable(case: CheckMoment) -> Iterator[Violation]:
    """Exit codes 127 and 126 of shells, and defects of the file that are found before the start.

    Fix: Install the program, or give its absolute path.
    """
    if not case.state.process.facts and _NOT_RUNNABLE.search(case.state.why):
        yield Violation(case.state.why.rstrip("."), frames=(case.n,), instead=True, fix=case.state.hint or _RUN)
        return
    ended = died(case.state)
    if ended is None or ended[2].code not in (126, 127):
        return
    code, line = f"the command exited with code {ended[2].code}", line_like(case.state, _NOT_FOUND)
    if logged := cause_in(case.state):  # a loader and docker use these codes as well
        yield Violation(f"{code}: {logged[1]}", frames=(logged[0], ended[0]), instead=True, fix=logged[2])
        return
    missing = ended[2].code == 127
    what = "a program was not found" if missing else "a program is not executable"
    words = last_words(case.state, ended[0]).sentence if line is None else f": {cut(line[1].group(0), 120)}"
    fix = "" if missing else "Run chmod +x, and check the first line of the file."
    frames = (line[0], ended[0]) if line else (ended[0],)
    yield Violation(f"{code}, {what}{words}", frames=frames, instead=True, fix=fix)


@error("Server exited during the handshake", "end")
def exit_during_handshake(case: CheckMoment) -> Iterator[Violation]:
    """An exit before the handshake completed, with the cause from stderr; one with code 0 only if it was not at once.

    Fix: Run the command in a terminal, and correct the error that it prints.
    """
    ended = died(case.state)
    if ended is None or ended[2].signal or ended[2].code in (None, 126, 127, *SIGNAL_CODES):
        return
    if not ended[2].code and (_printed_only(case.state) or _is_at_once(case.state, ended[1])):
        return
    message = f"the server exited with code {ended[2].code} after {(ended[1] - case.state.began_ns) / 1e9:.1f} s"
    if _printed_only(case.state):
        if (printed := _printed_cause(case.state)) is not None:
            sentence = f"{message}: {printed[1]} (on stdout)"
            yield Violation(sentence, frames=(printed[0], ended[0]), instead=True, fix=printed[2])
        return
    words = last_words(case.state, ended[0])
    argv = case.state.connection.argv if case.state.connection is not None else ()
    if words.fix in ("", _CORRECT) and _OF_HTTP.search(words.sentence):
        url = next((each for each in argv[1:] if each.startswith(("http://", "https://"))), "")
        words = replace(words, fix=f"Check the server behind it: mcp-inspect check {url}" if url else words.fix)
    yield replace(words, sentence=message + words.sentence)


@error("Server exited during the session", "end")
def exit_during_session(case: CheckMoment) -> Iterator[Violation]:
    """The server exited by itself with an open request, before its first response, or with a non-zero exit code.

    Fix: Check the log of the server for an exception.
    """
    state, ended = case.state, exit_of(case.state)
    if state.opening is None or ended is None or ended[2].signal or ended[2].code in SIGNAL_CODES:
        return
    waiting = state.requests.waiting()
    worked = any(each.answered is not None and each.method not in OPENING for each in state.requests.done.values())
    if not waiting and not ended[2].code and worked:
        return
    before = f" (after {_notified(state)})" if _notified(state) else ""
    at = _during(state, waiting) if waiting else "" if worked else f" directly after the handshake{before}"
    if not waiting and any(each.method == "tools/call" for each in state.requests.unanswered()):
        at = " after tools/call, which had no response,"
    again = any(each.method == waiting[-1].method for each in state.requests.done.values()) if waiting else False
    at += " (or directly after its response to the one before)" * (again and not ended[2].code)
    words = last_words(state, ended[0])
    frames = (*words.frames, *(each.frame for each in waiting[-1:]))
    message = f"the server exited{at} with code {ended[2].code}{words.sentence}"
    yield replace(words, sentence=message, frames=frames)


@error("Server closed stdout but keeps running", "end", topic="stdio")
def stdout_closed(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Keep file descriptor 1 open; to silence a library, redirect only its output."""
    state = case.state
    events = {fact.event: n for n, _, fact in state.process.facts}
    if state.why and ProcessEvent.STDOUT_EOF in events and ProcessEvent.EXIT not in events:
        sentence = "the server closed stdout but keeps running: it can send no more responses"
        yield Violation(sentence, frames=(events[ProcessEvent.STDOUT_EOF],), instead=True)


@error("Program exited instead of waiting for input", "garbled", "end")
def exit_without_input(case: CheckMoment) -> Iterator[Violation]:
    """An exit at once, without a message; with what it printed to stdout or stderr instead, such as its help.

    Fix: Check whether it needs a subcommand such as stdio or serve, and whether main() runs the server. Docker needs
    -i.
    """
    lines = case.state.notes(PrintedLines)
    if case.frame is not None:
        if case.state.transport == "stdio" and (printed := _plain(case.frame.payload).rstrip()):
            lines.first = lines.first or (case.n, cut(printed.strip(), 100))
            lines.last.append((case.n, printed[:2000]))
        return
    ended = died(case.state)
    prints, is_new = _printed_only(case.state), case.state.first_message_ns is None
    if ended is None or not is_new or (ended[2].code != 0 and not prints) or _printed_cause(case.state) is not None:
        return
    is_quick = _is_at_once(case.state, ended[1])
    how = f"exited{' at once' if is_quick else ''}, with code {ended[2].code}"
    if prints and lines.first is not None:
        at, first = lines.first
        last = next((cut(line.strip(), 100) for _, line in reversed(lines.last) if any(map(str.isalnum, line))), first)
        ends = f" and ends with {last!r}" if ended[2].code and last != first and not _USAGE.match(first) else ""
        sentence = f"the program printed text, which begins with {first!r}{ends}, and {how}"
        asks = CHOICE.search(last) is not None
        fix = "Give its option that confirms, such as --yes or -y, or answer once in a terminal." if asks else ""
        sentence += ": it asks, and takes the first message for the answer" if asks else ""
        yield Violation(sentence, frames=(ended[0], at), instead=True, fix=fix)
    elif is_quick:
        words = last_words(case.state, ended[0])
        ran = ": it started no server, as mcp.run() or connect() do" if words.sentence == _SILENT else ""
        ran = _AT_END if _STARTED.search(words.sentence) else ran
        yield replace(words, sentence=f"the program {how}{words.sentence}{ran}")


def _is_at_once(state: ConnectionState, ended_ns: int) -> bool:
    return ended_ns - state.began_ns < _AT_ONCE_NS


def _printed_only(state: ConnectionState) -> bool:
    """Whether a program has ended by itself after text on stdout, mostly its help, and with nothing on stderr."""
    ended = died(state)
    is_silent = not any(line.strip() for _, line in tail_of(state))
    return ended is not None and not ended[2].signal and bool(state.notes(PrintedLines).last) and is_silent


def _printed_cause(state: ConnectionState) -> tuple[int, str, str] | None:
    """Return the cause in what a program that failed printed to stdout: entry, text, fix; None if there is none."""
    ended = died(state)
    if not _printed_only(state) or ended is None or not ended[2].code:
        return None
    newest = list(state.notes(PrintedLines).last)[::-1]
    telling = telling_line(newest)
    if telling is None or not (HEADS.match(telling[1]) or _FAILED.match(telling[1])):
        return None  # a help text has words of failures as well
    return known_cause(newest) or (telling[0], telling[1], "")


def _during(state: ConnectionState, waiting: list[TrackedRequest]) -> str:
    """Name what may have ended a server: all that it was sent since its last message, and the last request."""
    before = _notified(state)
    return f" during {waiting[-1].named}{f' (or by {before} before it)' if before else ''}"


def _notified(state: ConnectionState) -> str:
    """Return the method of the last notification sent since the server's last message; "" if there is none."""
    return next((cut(each, 60) for each in reversed(state.requests.unheard) if each.startswith("notifications/")), "")


@error("Server was killed", "end")
def server_killed(case: CheckMoment) -> Iterator[Violation]:
    """A signal that mcp-inspect did not send, or the exit code that a container makes of one.

    Fix: Find what sent the signal, and check the memory limit.
    """
    ended = exit_of(case.state)
    if ended is None or any(fact.event is ProcessEvent.SIGNAL for _, _, fact in case.state.process.facts):
        return
    signal = ended[2].signal or SIGNAL_CODES.get(ended[2].code or 0, "")
    if signal:
        means, fix = decoded(f"killed by {signal}", "programs")
        fix, mild = fix or _CORE, _HINT if "asked it" in means or signal == "SIGHUP" else None
        waiting = case.state.requests.waiting()[-1:] if case.state.opening is not None else []
        during = _during(case.state, waiting) if waiting else ""
        sentence = f"the server was killed by {signal}{means and f' ({means})'}{during}"
        if not ended[2].signal:  # only an exit code is known, which a program may also choose by itself
            sentence = f"the server {exit_words(ended[2].code or 0)}{during}"
            fix = f"If a shell or container started it, {signal} killed its child. {fix}"
        logged = (
            cause_in(case.state) if signal in ("SIGABRT", "SIGILL", "SIGTRAP") else None
        )  # how runtimes exit after an error of their own
        if logged is not None:
            sentence, fix = f"{sentence}: {logged[1]}", logged[2] or (_CORRECT if HEADS.match(logged[1]) else fix)
        frames = (logged[0], ended[0]) if logged is not None else (ended[0],)
        frames = (*frames, *(each.frame for each in waiting))
        yield Violation(sentence, frames=frames, instead=True, fix=fix, severity=mild)


def _missing_variables(state: ConnectionState) -> tuple[int, list[str]] | None:
    """Return the variables that stderr reports as missing, and a line; settings are named by their fields."""
    if (line := line_like(state, _MISSING)) is not None:
        return line[0], re.findall(r"\w{3,}", next(group for group in line[1].groups() if group).replace(" and ", " "))
    newest = tail_of(state)[:60]
    if found := _IN_A_REPORT.search("\n".join(line for _, line in reversed(newest))):
        name = next(group for group in found.groups() if group)
        return next(n for n, line in newest if name in line), [name]
    if line_like(state, _SETTINGS) is None:
        return None
    fields = [
        (n, before.strip().upper())
        for (n, message), (_, before) in pairwise(tail_of(state))
        if _FIELD.search(message) and re.fullmatch(r"[A-Za-z]\w{2,60}", before.strip())
    ]
    return (fields[-1][0], list(dict.fromkeys(name for _, name in fields[::-1]))) if fields else None


def _passed_on(argv: Sequence[str]) -> list[str]:
    """Return the variables that Docker passes on from its own environment: those of -e without a value."""
    is_docker = bool(argv) and PurePath(argv[0]).stem in CONTAINERS
    return [word for flag, word in pairwise(argv) if is_docker and flag in ("-e", "--env") and "=" not in word]


@error("Environment variable is missing", "end", confidence=_LIKELY)
def environment_variable_missing(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Set the variable with -e NAME=VALUE."""
    ended, connection, missing = died(case.state), case.state.connection, _missing_variables(case.state)
    if ended is None or connection is None or missing is None:
        return
    stated = " ".join(line for _, line in tail_of(case.state)[:60])
    names = [each for each in missing[1] if each not in connection.env_names and f"{each} is set to" not in stated]
    if names := names[:_MOST_NAMES]:
        sentence = f"{enumerated(names)} {'is' if len(names) == 1 else 'are'} not in the environment of the server"
        if set(names) <= set(_passed_on(connection.argv)):
            program = PurePath(connection.argv[0]).stem
            sentence += f": {program} passes it on from its own environment, which does not have it"
        choice = len(names) > 1 and _CHOICE.search(dict(tail_of(case.state))[missing[0]])
        fix = f"Set {'one of them, as it says,' if choice else 'it'} with "
        fix += (" or " if choice else " ").join(f"-e {name}=…" for name in names)
        fix += " (after the env_prefix of the settings, if they have one)" * bool(line_like(case.state, _SETTINGS))
        yield Violation(sentence, frames=(missing[0], ended[0]), instead=True, fix=fix)


@warning("Placeholder was not expanded", "end", confidence=_LIKELY)
def placeholder_not_expanded(case: CheckMoment) -> Iterator[Violation]:
    """Examines the command as it was run, or the URL.

    Fix: Replace the placeholder with its value; mcp-inspect expands none in a command.
    """
    connection = case.state.connection
    for word in (*connection.argv, connection.url) if connection else ():
        if found := PLACEHOLDER.search(word):
            sentence = f"the server received the literal text {cut(found.group(), 60)!r}"
            yield Violation(sentence, frames=(case.state.opened,), instead=True)


@warning("Value is probably not as it was meant", "end", confidence=_LIKELY)
def given_value_doubtful(case: CheckMoment) -> Iterator[Violation]:
    """Examines variables and headers given to the server: placeholders, quotes, and tokens that have expired.

    Fix: Give the value itself, without quotes, and a token that is still valid; mcp-inspect expands nothing.
    """
    connection = case.state.connection
    flaws = [*connection.flaws] if connection is not None else []
    if any(TOKEN.search(word) for word in _passed_on(connection.argv if connection else ())):
        flaws.append("docker is given a value with -e and no name: it takes the value for the name of a variable")
    for flaw in flaws:
        yield Violation(flaw, frames=(case.state.opened,), instead=True)


@error("Shell syntax or typographic characters in the command", "end", confidence=_LIKELY)
def shell_syntax_in_command(case: CheckMoment) -> Iterator[Violation]:
    """An unexpanded tilde; typographic quotes and dashes. Reported only if the start failed.

    Fix: Write the command as the program must receive it; no shell expands it.
    """
    connection = case.state.connection
    if connection is None or died(case.state) is None or "-c" in connection.argv[1:3]:
        return  # with -c a shell reads the words
    for word in connection.argv[1:]:
        if word.startswith("~/") or _VARIABLE.match(word):
            what = "tilde" if word.startswith("~/") else "variable"
            yield Violation(
                f"the server received the literal {cut(word, 80)}: no shell expands the {what}",
                frames=(case.state.opened,),
                instead=True,
                fix="Write the absolute path: no shell starts the program.",
            )
        elif _INTERPRETED.match(word):
            sentence = f"the path {word[:80]!r} has lost backslashes: each began an escape, such as \\t for a tab"
            fix = "Write each backslash twice (in JSON and TOML), or slashes: C:/Users/…"
            yield Violation(sentence, frames=(case.state.opened,), instead=True, fix=fix)
        elif _QUOTES.match(word) or _NOT_A_HYPHEN.match(word):
            what = "quotes" if _QUOTES.match(word) else "dash instead of hyphens"
            sentence = f"the argument {cut(word, 80)} begins with a typographic {what}"
            yield Violation(sentence, frames=(case.state.opened,), instead=True, fix="Retype it with ASCII characters.")
        elif not word:
            sentence = "an argument of the command is empty: the program gets a word without characters"
            fix = 'Remove the empty argument: "args": [] in the configuration, not [""].'
            yield Violation(sentence, frames=(case.state.opened,), instead=True, fix=fix)
        elif found := _TWO_WORDS.match(word):
            sentence = (
                f"the option {found[1]} and its value are one argument, {word[:80]!r}: the program gets a blank in it"
            )
            yield Violation(sentence, frames=(case.state.opened,), instead=True, fix="Give each as an argument.")


@error("File not found", "end", confidence=_LIKELY)
def file_not_found(case: CheckMoment) -> Iterator[Violation]:
    """A relative path that is resolved in the working directory; or that directory itself.

    Fix: Give the absolute path, or set --cwd.
    """
    if not case.state.process.facts and case.state.why.startswith("The directory to start"):
        yield Violation(
            case.state.why.rstrip("."), frames=(case.n,), instead=True, fix="Set --cwd to an existing directory."
        )
        return
    ended, connection = died(case.state), case.state.connection
    if not ended or not connection:
        return
    if (line := line_like(case.state, _RELATIVE)) and not line_like(case.state, _STARTS):
        file = line[1].group(1)
    elif not (line := line_like(case.state, _PROGRAM)) or not (
        file := _relative(connection.argv, line[1].group(1) or line[1].group(2))
    ):
        return
    sentence = f"{file} does not exist in the working directory{f', {connection.cwd}' * bool(connection.cwd)}"
    yield Violation(sentence, frames=(line[0], ended[0]), instead=True)


def _relative(argv: Sequence[str], path: str) -> str:
    """Return the argument that names this path as a relative one; "" if there is none."""
    meant = (word for word in argv[1:] if not word.startswith(("/", "-")))
    return next((word for word in meant if f"/{path}".endswith("/" + word.removeprefix("./"))), "")


@error("Port is in use", "end")
def port_in_use(case: CheckMoment) -> Iterator[Violation]:
    """Often used by an older instance of the same server.

    Fix: Stop the other process, or choose another port.
    """
    ended = exit_of(case.state)
    if ended and (line := line_like(case.state, _PORT) or line_like(case.state, _SOME_PORT)):
        port = "".join(f" {number}" for number in line[1].groups() if number)
        yield Violation(f"another process is using the port{port}", frames=(line[0], ended[0]), instead=True)


@error("Server was written for another version of the SDK", "end")
def sdk_version_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """Decided by an import or attribute that was tried with both: one of mcp 1.30.0 and mcp 2.3.0 has it.

    Fix: Run pip install 'mcp<2', or migrate the server.
    """
    ended = died(case.state)
    silent = case.state.opening is None and not case.state.is_http  # a starved server may only fail after stdin closed
    if (ended or silent) and (line := line_like(case.state, _OTHER_SDK)):
        sentence = f"{line[1].group()}: {product_facts()['sdk-of-mcp-1']}"
        yield Violation(sentence, frames=(line[0], *(ended or ())[:1]), instead=True)
    elif (ended or silent) and (line := line_like(case.state, _NEWER_SDK)):
        sentence = f"{line[1].group()}: {product_facts()['sdk-of-mcp-2']}"
        fix = "Run pip install 'mcp>=2', or a version of the server for mcp 1."
        yield Violation(sentence, frames=(line[0], *(ended or ())[:1]), instead=True, fix=fix)


@warning("Server does not exit soon after the end of stdin", "end", topic="stdio")
def stdin_eof_ignored(case: CheckMoment) -> Iterator[Violation]:
    """The server needed a signal more than two seconds after stdin was closed; a hint if it ended by itself after five.

    One that was computing may have been about to end on a busy machine, unless it used too much CPU time for that. One
    that owes a response may have been about to finish that work.

    Fix: Exit at the end of stdin.
    """
    closed = signalled = mild = None
    for n, time_ns, fact in case.state.process.facts:
        if fact.event is ProcessEvent.STDIN_EOF and closed is None:
            closed = time_ns
        elif fact.event is ProcessEvent.EXIT and closed is not None and signalled is None:
            if time_ns - closed >= _COMPUTING_NS:  # it is computing, or the machine is busy
                signalled, mild = (n, f"{(time_ns - closed) / 1e9:.1f} s after stdin was closed"), _HINT
        elif fact.event is ProcessEvent.SIGNAL and closed is not None and signalled is None:
            waited_s = (time_ns - closed) / 1e9
            used_s = waited_s * (fact.state.cpu_percent or 0) / 100 if fact.state is not None else 0.0
            least_s = max(_SPINS_S, fact.state.delayed_s if fact.state is not None else 0)  # it waited for the CPU
            spins = used_s > least_s and case.state.opening is not None  # before that it may be starting
            if time_ns - closed >= _PATIENCE_NS * 9 // 10 and (not fact.was_computing or spins):
                how = f", used {used_s:.1f} s of CPU," if spins else ""
                signalled = (n, f"{waited_s:.1f} s after stdin was closed{how} and was sent {fact.signal}")
    if signalled is not None:
        sentence = f"the server was still running {signalled[1]}"
        owed = next((each.method for each in case.state.requests.unanswered() if each.method in _WORK), "")
        more = f"; it may have been at work on {owed}, which has no response" if owed else ""
        yield Violation(sentence + more, frames=(signalled[0],), instead=True, severity=_HINT if owed else mild)
