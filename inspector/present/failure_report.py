"""Report on a failed connection: how it was started, how it ended, and the last messages.

A card for the screen and data for scripts, from the same facts. Nothing here guesses at a cause.
"""

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.capture.store.store import entries
from inspector.checks.catalog import area_of
from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.checks.runner import Inspection
from inspector.checks.verdict import FATAL, Verdict, primary_of, verdicts
from inspector.config.environment import Environment
from inspector.present import spans, words
from inspector.present.http import masked_url
from inspector.present.server import stderr_section
from inspector.present.spans import Fact, Line, Section, Span, fact, span
from inspector.protocol.credentials import command_without_credentials, without_credentials
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import ConnectionEvent, ProcessEvent, ProcessFact, exit_words
from inspector.protocol.frames import Direction, Frame

STDERR_LINES = 40
_MOST_LOOKED_AT = 20_000
"""Entries, from the end, that are searched for the last frame in each direction."""
_MOST_SHOWN = 4000
"""Maximum bytes of a frame in the data."""

_ENDED = re.compile(
    r"the server (?:exited with code \d+(?: \([\w ]+\))?|was (?:ended|terminated) by [\w ]+) after [\d.]+ s"
)
"""How a transport describes the end of a process.

The card uses that text: two different lifetimes would look like two exits.
"""
_NAMED = 8
"""Maximum number of variables that are listed by name."""
_LIKELY = re.compile(r"KEY|TOKEN|SECRET|PASSW|URL|HOST|HOME|PATH|PYTHON|NODE|NVM|NPM|VIRTUAL_ENV|CONDA|PROXY|LANG|_DIR")
_OF_THE_SHELL = frozenset(("_", "SHLVL", "OLDPWD", "PWD", "LS_COLORS", "PS1", "COLUMNS", "LINES", "TERM", "COLORTERM"))
"""Variables that differ from shell to shell and do not affect servers."""
MOST_LOOKED_AT = 50_000
"""Journals with more entries are not examined."""
_NO_REASON = ("Tools", "Tool results", "Resources, prompts and completion")
"""Areas whose diagnoses do not explain why a connection failed."""
_RULES = frozenset(
    """
    authorization-server-metadata-invalid batch-not-specified batch-unsupported capability-not-implemented
    client-capability-not-declared duplicate-response error-without-id expired-session-status get-response-invalid
    invalid-json-rpc jsonrpc-member-invalid list-undeclared obsolete-error-code progress-not-increasing
    request-cancelled-by-server resource-metadata-invalid response-after-cancellation response-on-wrong-post
    response-type-unsupported result-and-error server-request-not-allowed unexpected-response unrequested-progress
    unsupported-version-accepted
    """.split()  # noqa: SIM905
)
"""Rules whose violation explains why a connection failed, besides the diagnoses."""
_MILD = FATAL | {
    *("authentication-required", "call-timed-out", "client-capability-required", "client-registration-unavailable"),
    *("rate-limited", "rejected-as-uninitialized", "session-expired"),
    *("child-process-runs", "requests-serialized", "server-busy", "server-waits-for-service"),
}
"""Checks that explain a failure although their findings are only warnings."""

_WAYS = {Direction.TO_SERVER: "sent", Direction.FROM_SERVER: "received"}

_AFTER = re.compile(r" after [\d.]+ s\b")
"""A duration, which both measure on their own."""


@dataclass(frozen=True, slots=True)
class PostMortem:
    """A failure report, ready to be shown."""

    headline: Line
    why: str
    """One sentence, safe; "" if unknown."""
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts about the failure; texts are still foreign."""

    argv: tuple[str, ...]
    cwd: str
    url: str
    pid: int | None
    lifetime_ns: int | None
    exit_code: int | None
    signal: str
    exited: bool
    why: str
    last: dict[Direction, tuple[int, bytes]]
    in_flight: tuple[Exchange, ...]


_Dated = tuple[int, ProcessFact]


class Diagnosis(msgspec.Struct, frozen=True):
    """The reason for a failure, and the findings that follow from it."""

    reason: Finding
    follows: tuple[Finding, ...] = ()


def has_failure(journal: Journal) -> bool:
    """Whether there is a failure: the connection was interrupted, or the child process has ended."""
    ended = journal.ended
    if ended is not None:
        return ended.event is ConnectionEvent.ABORT or bool(ended.why)
    return _last_child(journal)[1] is not None


def post_mortem(journal: Journal, why: str = "") -> PostMortem:
    """Return the card for a connection in its current state.

    `why` is a reason that the journal does not contain, such as why connecting failed; "" uses the journal's own
    reason.
    """
    found = _gather(journal, why)
    return PostMortem(
        _headline(found),
        text.visible(found.why, limit=1000),
        tuple(
            section
            for section in (
                Section("Command", tuple(_start(found))),
                Section("Lost", tuple(_flight(each) for each in found.in_flight)),
                Section(
                    "Last messages",
                    tuple(_message(journal, _WAYS[way], n, payload) for way, (n, payload) in found.last.items()),
                ),
                stderr_section(journal, STDERR_LINES),
            )
            if section.facts or section.lines
        ),
    )


def as_data(journal: Journal, why: str = "") -> dict[str, Any]:
    """Return the report as JSON data for scripts: foreign text as received, without credentials."""
    found = _gather(journal, why)
    return {
        "argv": list(command_without_credentials(found.argv)),
        "cwd": found.cwd,
        "url": without_credentials(found.url),
        "pid": found.pid,
        "lifetime_ms": None if found.lifetime_ns is None else round(found.lifetime_ns / 1e6, 3),
        "exit_code": found.exit_code,
        "signal": found.signal or None,
        "why": found.why,
        "stderr": [text.decode(line) for line in list(journal.stderr_tail)[-STDERR_LINES:]],
        "last_sent": _frame_data(found.last.get(Direction.TO_SERVER)),
        "last_received": _frame_data(found.last.get(Direction.FROM_SERVER)),
        "in_flight": [{"id": each.id, "method": each.method, "target": each.target} for each in found.in_flight],
    }


def _gather(journal: Journal, why: str) -> _Facts:
    opened, ended = journal.connection, journal.ended
    spawned, gone = _last_child(journal)
    lived = None if spawned is None or gone is None else max(0, gone[0] - spawned[0])
    reason = why or (ended.why if ended is not None else "")
    return _Facts(
        argv=opened.argv if opened else (),
        cwd=opened.cwd if opened else "",
        url=opened.url if opened else "",
        pid=spawned[1].pid if spawned else None,
        lifetime_ns=lived,
        exit_code=gone[1].code if gone else None,
        signal=gone[1].signal if gone else "",
        exited=gone is not None,
        why=reason,
        last={way: found for way in _WAYS if (found := _last_frame(journal, way)) is not None},
        in_flight=_in_flight(journal, ended.why if ended is not None else None),
    )


def _last_child(journal: Journal) -> tuple[_Dated | None, _Dated | None]:
    """Return the start and the end of the child process that was started last."""
    spawned: _Dated | None = None
    gone: _Dated | None = None
    for entry in journal.processes:
        if not isinstance(entry.what, ProcessFact):
            continue
        if entry.what.event is ProcessEvent.SPAWN:
            spawned, gone = (entry.time_ns, entry.what), None
        elif entry.what.event is ProcessEvent.EXIT:
            gone = (entry.time_ns, entry.what)
    return spawned, gone


def _last_frame(journal: Journal, way: Direction) -> tuple[int, bytes] | None:
    store = journal.store
    for n in range(store.count, max(0, store.count - _MOST_LOOKED_AT), -1):
        if store.kind(n) is EntryKind.FRAME and store.direction(n) is way:
            what = store.entry(n).what
            return (n, what.payload) if isinstance(what, Frame) else None
    return None


def _in_flight(journal: Journal, why: str | None) -> tuple[Exchange, ...]:
    """Return requests that get no response: still pending, or lost with the connection."""
    reasons = {why or "the connection was closed"} if why is not None else set()
    return tuple(
        each
        for each in list(journal.conversation.exchanges)
        if each.is_open or (each.state is ExchangeState.LOST and each.why in reasons)
    )


def _headline(found: _Facts) -> Line:
    if found.exited and _ENDED.fullmatch(found.why):
        return (
            (f"{spans.ERROR} ", "error"),
            (f"T{found.why[1:]}".replace(" was ended by ", " was terminated by "), "error"),
        )
    if found.signal:
        message = f"The server was terminated by {text.visible(found.signal, limit=20)}"
    elif found.exit_code is not None:
        message = f"The server {exit_words(found.exit_code)}"
    elif found.exited:
        message = "The server ended"
    elif found.argv and found.pid is None:
        message = "Cannot start the server"
    else:
        message = "Connection lost"
    lived = "" if found.lifetime_ns is None else f" after {text.human_duration(found.lifetime_ns)}"
    return ((f"{spans.ERROR} ", "error"), (message + lived, "error"))


def _start(found: _Facts) -> list[Fact]:
    facts: list[Fact] = []
    if found.argv:
        facts.append(Fact("command", words.command_line(found.argv)))
    if found.cwd:
        facts.append(fact("directory", found.cwd))
    if found.url:
        facts.append(Fact("url", masked_url(found.url)))
    if found.pid is not None:
        facts.append(Fact("pid", str(found.pid)))
    return facts


def _flight(exchange: Exchange) -> Fact:
    return fact(f"id {exchange.id!r}", f"{exchange.method} {exchange.target}".rstrip(), "warning")


def _message(journal: Journal, name: str, n: int, payload: bytes) -> Fact:
    number, exchanges = journal.store.exchange(n), journal.conversation.exchanges
    method = journal.store.method(n) or (exchanges[number - 1].method if 0 < number <= len(exchanges) else "")
    message = words.of_payload(payload)[0]
    shown = " ".join(part for part in (text.visible(method, limit=100), message) if part)
    return Fact(f"{name} #{n}", shown or "(empty line)")


def _frame_data(found: tuple[int, bytes] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    n, payload = found
    return {"entry": n, "bytes": len(payload), "text": text.decode(payload[:_MOST_SHOWN])}


# How a child's environment differs from the shell in which the user tried the same command: variables and the
# executable.


def with_surroundings(
    mortem: PostMortem, journal: Journal, environment: Environment | None, shell: Mapping[str, str]
) -> PostMortem:
    """Add the child's environment to the card, after how it was started.

    `environment` is what the child was given, None if unknown; `shell` is our own environment, empty for a
    recording.
    """
    values, origins = (None, {}) if environment is None else (environment.values, environment.origins)
    gap = environment_gap(journal, values=values, origins=origins, shell=shell)
    if not gap.facts or journal.connection is None:
        return mortem
    here = executable_facts(journal.connection.argv, is_here=bool(shell))
    sections: list[Section] = []
    for at, section in enumerate(mortem.sections):
        sections += [replace(section, facts=(*here, *section.facts)), gap] if at == 0 else [section]
    return dataclasses.replace(mortem, sections=tuple(sections))


def environment_gap(
    journal: Journal, *, values: Mapping[str, str] | None = None, origins: Mapping[str, str], shell: Mapping[str, str]
) -> Section:
    """Return the child's variables, those of the shell that it lacks, and those with another value in the shell.

    `values` are the child's, None if unknown; `shell` is empty for a recording, because it is unknown then. The
    section is empty if no child was started.
    """
    opened = journal.connection
    if opened is None or not opened.argv:
        return Section("Environment")
    names = opened.env_names
    facts = [fact("variables", _listed(names, len(names)) or "nothing")]
    given = [name for name in names if origins.get(name, "").startswith("-")]
    if given:
        facts.append(fact("given", _listed(given, len(given))))
    missing = [name for name in shell if name not in names and name not in _OF_THE_SHELL]
    if missing:
        listed = _listed(_likely_first(missing, journal.stderr_tail), len(missing))
        facts.append(fact("not passed", f"from your shell: {listed}", "warning"))
    other = [name for name in names if values is not None and name in shell and shell[name] != values.get(name)]
    if other:
        facts.append(fact("other value", _listed(other, len(other)), "warning"))
    return Section("Environment", tuple(facts))


def executable_facts(argv: Sequence[str], *, is_here: bool) -> list[Fact]:
    """Return the executable that was run, and its link target. `is_here`: it was run on this machine, just now."""
    if not argv:
        return []
    real = os.path.realpath(argv[0]) if is_here and os.path.isabs(argv[0]) else argv[0]
    return [fact("executable", argv[0] if real == argv[0] else f"{argv[0]} {spans.TO_SERVER} {real}")]


def _likely_first(names: Iterable[str], stderr: Iterable[bytes]) -> list[str]:
    """Sort names: those in the last lines of stderr, then those that servers tend to need, then the rest."""
    data = b"\n".join(list(stderr)[-40:])
    return sorted(names, key=lambda name: (name.encode() not in data, not _LIKELY.search(name), name))


def _listed(names: Sequence[str], count: int) -> str:
    shown = ", ".join(text.visible(name, limit=60) for name in names[:_NAMED])
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return shown + more


# The one reason shown for a failed connection: the primary finding, if it explains the failure, with its fix.


def diagnosis_of(journal: Journal) -> Diagnosis | None:
    """Return the reason why a journal's last connection ended; None if no finding explains it."""
    if journal.count > MOST_LOOKED_AT:
        return None
    inspection = Inspection()
    found = inspection.take(entries(journal.store, 1, journal.count))
    return of_findings([*found, *inspection.finish()])


def reason_so_far(journal: Journal) -> Diagnosis | None:
    """Return the reason for a list that was refused, beside the refusal itself; None if no finding is one."""
    found = [] if journal.count > MOST_LOOKED_AT else Inspection().take(entries(journal.store, 1, journal.count))
    diagnosis = of_findings(found)
    return diagnosis if diagnosis is not None and diagnosis.reason.id != "list-failed" else None


def finding_since(journal: Journal, since: int) -> Finding | None:
    """Return the most important finding about entries from `since`; None if there are only hints."""
    if journal.count > MOST_LOOKED_AT:
        return None
    found = Inspection().take(entries(journal.store, 1, journal.count))
    later = [each for each in found if each.frames and each.frames[0] >= since]
    return primary_of(later) if any(each.severity is not Severity.HINT for each in later) else None


def of_findings(findings: Sequence[Finding]) -> Diagnosis | None:
    """Return the reason among existing findings; None if no finding is one."""
    judged = verdicts(findings)
    last = judged[-1] if judged else Verdict()
    if last.primary is None or not _is_a_reason(last):
        return None
    return Diagnosis(last.primary, last.follows)


def repeats_message(diagnosis: Diagnosis, why: str) -> bool:
    """Whether a diagnosis adds nothing to the failure's own message."""
    message, reason = (" ".join(each.split()).rstrip(".").lower() for each in (why, diagnosis.reason.sentence))
    return bool(message) and reason == message


def includes_message(diagnosis: Diagnosis, why: str) -> bool:
    """Whether a diagnosis begins with the failure's own message, and adds to it."""
    message, reason = (_AFTER.sub("", each) for each in (why.rstrip("."), diagnosis.reason.sentence))
    return bool(message) and reason.startswith((f"{message}:", f"{message};", f"{message}, "))


def _is_a_reason(verdict: Verdict) -> bool:
    assert verdict.primary is not None
    if any(each.id in _MILD for each in (verdict.primary, *verdict.follows)):
        return True
    check = CHECKS.get(verdict.primary.id)
    if check is None or not (check.id in _RULES or (check.is_diagnosis and area_of(check) not in _NO_REASON)):
        return False
    return any(each.severity is Severity.ERROR for each in (verdict.primary, *verdict.follows))


def diagnosis_lines(diagnosis: Diagnosis) -> list[Line]:
    """Return the sentence on one line and the fix on another, ending with the slug of the check; safe to show."""
    reason = diagnosis.reason
    slug: Span = (f"  {reason.id}", "faint")
    sentence: Line = ((f"{spans.ERROR} ", "error"), span(reason.sentence, limit=400))
    if not reason.fix:
        return [(*sentence, slug)]
    return [sentence, (("  → ", "accent"), span(reason.fix, limit=400), slug)]
