"""Why a server did not start, or went away: its exit, its signal, its last words."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from inspector.checks.diagnoses.last_words import cause_in, last_words, line_like, tail_of
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case, Scene
from inspector.protocol.facts import SIGNAL_CODES, ProcessEvent, ProcessFact, exit_words
from inspector.protocol.frames import Direction

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_AT_ONCE_NS = 2_000_000_000
_PATIENCE_NS = 2_000_000_000
_LIKELY = Confidence.LIKELY


def exit_of(scene: Scene) -> tuple[int, int, ProcessFact] | None:
    """The child's end, if it ended by itself: number, time, fact. None if a message that doctor sent ended it."""
    for n, time_ns, fact in scene.processes:
        if fact.event is ProcessEvent.EXIT and scene.why and scene.provoked is None:
            return n, time_ns, fact
    return None


@check(
    "P-19",
    _HINT,
    "an invalid message ended the server",
    "end",
    topic="",
    fix="Respond with an error instead: -32700 to invalid JSON, -32601 to an unknown method, -32602 to invalid params.",
)
def survives_invalid_messages(case: Case) -> Iterator[Flaw]:
    """The last message before the end was one of doctor's, which no other client sends."""
    scene = case.scene
    ends = [n for n, _, fact in scene.processes if fact.event is ProcessEvent.EXIT]
    if scene.provoked is not None and ends and scene.why:
        said = f"the server ended after doctor had sent it {scene.provoked[1]}"
        yield Flaw(said, frames=(ends[0], scene.provoked[0]), instead=True)


def died(scene: Scene) -> tuple[int, int, ProcessFact] | None:
    """Its end, if no conversation came about before."""
    return exit_of(scene) if scene.opening is None else None


_NOT_FOUND = re.compile(
    r"(?:[\w/.-]+: )?(?:line \d+: |\d+: )?(.{1,200}): (?:command )?not found|env: (.+): No such file"
)


_NOT_RUNNABLE = re.compile(r"exists but|neither a program")
"""What looking for the command says of a file that is there."""
_RUN = "chmod +x, look at its first line, or put its interpreter before it."


@check("P-03", _ERROR, "a program of the command can't be found or run", "end", topic="")
def command_can_be_run(case: Case) -> Iterator[Flaw]:
    """What shells mean by 127 and 126, and what was wrong with the file before anything was started."""
    if not case.scene.processes and _NOT_RUNNABLE.search(case.scene.why):
        yield Flaw(case.scene.why.rstrip("."), frames=(case.n,), instead=True, fix=_RUN)
        return
    ended = died(case.scene)
    if ended is None or ended[2].code not in (126, 127):
        return
    line = line_like(case.scene, _NOT_FOUND)
    what = "a program was not found" if ended[2].code == 127 else "a program is not executable"
    if line is None and (told := cause_in(case.scene)):  # a loader and docker use these codes, too
        said = f"the command exited with {ended[2].code}: {told[1]}"
        yield Flaw(said, frames=(told[0], ended[0]), instead=True, fix=told[2])
        return
    said = f": {line[1].group(0)[:120]}" if line else ""
    fix = "Install it, or give its whole path." if ended[2].code == 127 else "chmod +x, and look at its first line."
    frames = (line[0], ended[0]) if line else (ended[0],)
    yield Flaw(f"the command exited with {ended[2].code}, {what}{said}", frames=frames, instead=True, fix=fix)


@check("P-04", _ERROR, "the server died before it said anything", "end", topic="")
def survives_the_handshake(case: Case) -> Iterator[Flaw]:
    """A code that is not 0, no conversation; the cause from stderr, if it is a common one."""
    ended = died(case.scene)
    if ended is None or ended[2].signal or ended[2].code in (0, None, 126, 127, *SIGNAL_CODES):
        return
    said = f"the server exited with code {ended[2].code} after {(ended[1] - case.scene.began_ns) / 1e9:.1f} s"
    words = last_words(case.scene, ended[0])
    yield replace(words, sentence=said + words.sentence)


_OPENING = ("initialize", "server/discover")


@check("P-17", _ERROR, "the server died in the middle of the conversation", "end", topic="")
def survives_its_work(case: Case) -> Iterator[Flaw]:
    """It ended by itself while a request was open, before it answered any, or with a code that is not 0."""
    scene, ended = case.scene, exit_of(case.scene)
    if scene.opening is None or ended is None or ended[2].signal or ended[2].code in SIGNAL_CODES:
        return
    waiting = [each for (side, _), each in scene.asked.items() if side is Direction.TO_SERVER]
    worked = any(each.answered is not None and each.method not in _OPENING for each in scene.done.values())
    if not waiting and not ended[2].code and worked:
        return
    at = f" in {waiting[-1].method}" if waiting else "" if worked else " directly after the handshake"
    words = last_words(scene, ended[0])
    frames = (*words.frames, *(each.frame for each in waiting[-1:]))
    said = f"the server exited{at} with code {ended[2].code}{words.sentence}"
    yield replace(words, sentence=said, frames=frames)


@check(
    "P-18",
    _ERROR,
    "the server closed its stdout and lives on",
    "end",
    topic="stdio",
    fix="Keep descriptor 1 open; to silence a library, redirect its output alone.",
)
def keeps_its_stdout(case: Case) -> Iterator[Flaw]:
    """The end of stdout without the end of the process."""
    scene = case.scene
    events = {fact.event: n for n, _, fact in scene.processes}
    if scene.why and ProcessEvent.STDOUT_EOF in events and ProcessEvent.EXIT not in events:
        said = "the server closed its stdout and went on: no answer can come any more"
        yield Flaw(said, frames=(events[ProcessEvent.STDOUT_EOF],), instead=True)


@check(
    "P-05",
    _ERROR,
    "the program ended instead of waiting for input",
    "end",
    topic="",
    fix="Does it need a word such as stdio or serve? Does its main function run the server? Docker needs -i.",
)
def waits_for_input(case: Case) -> Iterator[Flaw]:
    """Code 0, at once, without a message."""
    ended = died(case.scene)
    if ended and ended[2].code == 0 and case.scene.first_message_ns is None:
        if ended[1] - case.scene.began_ns < _AT_ONCE_NS:
            yield Flaw("the program ended at once, with code 0 and without a message", frames=(ended[0],), instead=True)


_ASKED_TO_END = (
    "The signal came from outside: a closed terminal, a supervisor, kill. It is no fault in the server's code."
)
_KILLED = {
    "SIGKILL": "Out of memory? See the system's log.",
    **dict.fromkeys(("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"), _ASKED_TO_END),
}
"""What to do about a signal; any other is one that a process brings upon itself."""


@check("P-06", _ERROR, "the server was killed", "end", topic="")
def is_not_killed(case: Case) -> Iterator[Flaw]:
    """By a signal that we did not send, or by what a container makes of one. A request to end is no fault."""
    ended = exit_of(case.scene)
    if ended is None or any(fact.event is ProcessEvent.SIGNAL for _, _, fact in case.scene.processes):
        return
    signal = ended[2].signal or SIGNAL_CODES.get(ended[2].code or 0, "")
    if signal:
        fix = _KILLED.get(signal, "A fault in native code leaves a core.")
        mild = _HINT if fix == _ASKED_TO_END else None
        said = f"the server was ended by {signal}"
        if not ended[2].signal:  # what was seen is a code, which a program may also choose by itself
            said = f"the server {exit_words(ended[2].code or 0)}"
            fix = f"If a shell or a container started it, {signal} ended what it ran. {fix}"
        told = (
            cause_in(case.scene) if signal in ("SIGABRT", "SIGILL", "SIGTRAP") else None
        )  # how runtimes end after an error of their own
        if told is not None:
            said, fix = f"{said}: {told[1]}", told[2] or fix
        frames = (told[0], ended[0]) if told is not None else (ended[0],)
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
"""How schema libraries of JavaScript report a member that is missing, over several lines."""
_SETTINGS = re.compile(r"validation errors? for \w*(?:Settings|Config|Env)")
_FIELD = re.compile(r"(?i)field required")


def _missing_variable(scene: Scene) -> tuple[int, str] | None:
    """The name of a variable that stderr says is missing, and where it does; settings are named by their field."""
    if line := line_like(scene, _MISSING):
        return line[0], next(group for group in line[1].groups() if group)
    newest = tail_of(scene)[:60]
    if found := _IN_A_REPORT.search("\n".join(line for _, line in reversed(newest))):
        name = next(group for group in found.groups() if group)
        return next(n for n, line in newest if name in line), name
    if line_like(scene, _SETTINGS) is None:
        return None
    for (n, said), (_, before) in pairwise(tail_of(scene)):
        if _FIELD.search(said) and re.fullmatch(r"[A-Za-z]\w{2,60}", before.strip()):
            return n, before.strip().upper()
    return None


@check("P-10", _ERROR, "a variable of the environment is missing", "end", topic="", confidence=_LIKELY)
def environment_is_whole(case: Case) -> Iterator[Flaw]:
    """Its last words name a variable that it did not get."""
    if (ended := died(case.scene)) is None or (missing := _missing_variable(case.scene)) is None:
        return
    n, name = missing
    if case.scene.connection is not None and name not in case.scene.connection.env_names:
        said = f"{name} is not in the environment that the server got"
        yield Flaw(said, frames=(n, ended[0]), instead=True, fix=f"Give it with -e {name}=…")


_PLACEHOLDER = re.compile(
    r"\$\{[^}]*\}|\$env:\w+|%[A-Z_]{3,}%|\{\{[^}]*\}\}|<(?i:your|my|insert|path|api|the)[\w -]*>|\bYOUR_[A-Z_]{3,}\b"
)


@check("P-11", _WARNING, "a placeholder was not filled in", "end", topic="", confidence=_LIKELY)
def placeholders_are_filled(case: Case) -> Iterator[Flaw]:
    """In the command as it was run, or in the address."""
    connection = case.scene.connection
    for word in (*connection.argv, connection.url) if connection else ():
        if found := _PLACEHOLDER.search(word):
            yield Flaw(
                f"the server got the literal text {found.group()[:60]!r}", frames=(case.scene.opened,), instead=True
            )


_NOT_A_HYPHEN = re.compile("[\u2012-\u2015\u2212]")
_QUOTES = re.compile("[\u201c-\u201f\u2018-\u201b\u00ab\u00bb]")


@check(
    "P-21",
    _ERROR,
    "a word of the command that only a shell, or nobody, understands",
    "end",
    topic="",
    confidence=_LIKELY,
    fix="No shell reads the command: write it as the program has to get it.",
)
def words_are_as_they_are_meant(case: Case) -> Iterator[Flaw]:
    """A tilde that no shell has expanded; the quotes and dashes of a word processor. Only if the start failed."""
    connection = case.scene.connection
    if connection is None or died(case.scene) is None:
        return
    for word in connection.argv[1:]:
        if word.startswith("~/"):
            yield Flaw(
                f"the server got the literal {word[:80]}: no shell expands its tilde",
                frames=(case.scene.opened,),
                instead=True,
                fix="Write the whole path: no shell starts the program.",
            )
        elif _QUOTES.match(word) or _NOT_A_HYPHEN.match(word):
            what = "quotes" if _QUOTES.match(word) else "a dash in the place of hyphens"
            said = f"the argument {word[:80]} begins with a character of a word processor: typographic {what}"
            yield Flaw(said, frames=(case.scene.opened,), instead=True, fix="Type it anew, with ASCII characters.")


_RELATIVE = re.compile(r"(?:ENOENT|No such file or directory).{0,40}?['\"](\.{0,2}[^/'\"][^'\"]{0,200})['\"]")


@check("P-12", _ERROR, "a file is not where the server looks", "end", topic="", confidence=_LIKELY)
def directory_is_right(case: Case) -> Iterator[Flaw]:
    """A relative path, from the directory it was started in; or that directory itself."""
    if not case.scene.processes and case.scene.why.startswith("The directory to start"):
        yield Flaw(case.scene.why.rstrip("."), frames=(case.n,), instead=True, fix="Name one that exists with --cwd.")
        return
    ended, connection = died(case.scene), case.scene.connection
    if not ended or not connection:
        return
    if line := line_like(case.scene, _RELATIVE):
        file = line[1].group(1)
    elif not (line := line_like(case.scene, _PROGRAM)) or not (file := _relative(connection.argv, line[1].group(1))):
        return
    said = f"{file} does not exist in {connection.cwd or 'its directory'}"
    yield Flaw(said, frames=(line[0], ended[0]), instead=True, fix="Give the whole path, or --cwd.")


_PROGRAM = re.compile(r"(?:can't open file|Cannot find module|Module not found) ['\"]([^'\"]{1,500})['\"]")


def _relative(argv: Sequence[str], path: str) -> str:
    """The word of a command that stands for this path without being all of it; "" if none does."""
    meant = (word for word in argv[1:] if not word.startswith(("/", "-")))
    return next((word for word in meant if path.endswith("/" + word.removeprefix("./"))), "")


_PORT = re.compile(
    r"EADDRINUSE.{0,60}?:(\d{2,5})\b|[Pp]ort (\d{2,5}) (?:was|is) already in use|"
    r"[Aa]ddress already in use|[Ee]rrno (?:48|98|10048)\b|EADDRINUSE"
)


@check("P-13", _ERROR, "a port is taken", "end", topic="", fix="End the other process, or choose another port.")
def port_is_free(case: Case) -> Iterator[Flaw]:
    """Often by an older copy of the same server."""
    ended = exit_of(case.scene)
    if ended and (line := line_like(case.scene, _PORT)):
        number = line[1].group(1) or line[1].group(2)
        port = f" {number}" if number else ""
        yield Flaw(f"another process has the port{port}", frames=(line[0], ended[0]), instead=True)


_OTHER_SDK = re.compile(
    r"'Server' object has no attribute '\w+'|No module named 'mcp\.server\.fastmcp'|cannot import name 'McpError'"
)


@check(
    "P-14", _ERROR, "written for another version of the SDK", "end", topic="", fix="pip install 'mcp<2', or migrate it."
)
def sdk_is_the_right_one(case: Case) -> Iterator[Flaw]:
    """By an import or attribute that both packages were tried for: mcp 1.30.0 has it, mcp 2.3.0 does not."""
    ended = died(case.scene)
    if ended and (line := line_like(case.scene, _OTHER_SDK)):
        said = f"{line[1].group()}: the Python package mcp has it in 1.30.0 and not in 2.3.0 (tried 2026-11-22)"
        yield Flaw(said, frames=(line[0], ended[0]), instead=True)


@check(
    "P-15",
    _WARNING,
    "the server does not end when its input does",
    "end",
    topic="stdio",
    fix="End at the end of stdin.",
)
def ends_with_its_input(case: Case) -> Iterator[Flaw]:
    """It needed a signal, more than two seconds after stdin was closed."""
    closed = signalled = None
    for n, time_ns, fact in case.scene.processes:
        if fact.event is ProcessEvent.STDIN_EOF and closed is None:
            closed = time_ns
        elif fact.event is ProcessEvent.SIGNAL and closed is not None and signalled is None:
            if time_ns - closed >= _PATIENCE_NS * 9 // 10:
                signalled = (n, fact.signal)
    if signalled is not None:
        said = f"the server went on after its stdin was closed, and needed {signalled[1]}"
        yield Flaw(said, frames=(signalled[0],), instead=True)
