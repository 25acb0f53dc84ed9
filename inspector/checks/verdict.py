"""Orders findings: the most important first, each with its consequences below it.

One fault causes many findings: a missing variable ends the process, which ends the connection, which leaves a
request without its response. The cause is shown first, with its consequences below it. Otherwise errors precede
warnings, fatal findings precede others, certain findings precede likely ones, and guesses are last.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from inspector.checks import catalog
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS

assert catalog.AREAS

_RANKS = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.GUESS: 3}
_OF_A_RULE = 2
"""A likely diagnosis precedes a certain rule, because it names the cause; a guess does not."""

_GROUPS = {
    "SILENT": "server-silent unknown-method-unanswered request-unanswered silent-after-handshake call-timed-out",
    "EXITED": "exit-during-handshake exit-without-input server-killed unexpected-exit",
    "NOT-MESSAGES": "invalid-json-rpc blank-line",
}
_HABITS = frozenset(
    (
        *("stdout-not-json", "structured-content-missing", "tool-failure-unmarked"),
        *("tool-name-length", "member-of-other-version"),
    )
)
"""Checks that name something else each time, although the cause is the same if the fix is."""
_LINE, _LAST = "stdout-not-json", " … "
_NAMES = re.compile(r"“.*”|'[^']*'|\"[^\"]*\"|\b[\w./-]*\d[\w./-]*\b|\b(?:initialize|ping)\b|\b\w+/[\w/]+\b")
"""Parts of a sentence that name one of several occurrences: quoted text, numbers, methods."""
_INDEX = re.compile(r"/\d+(?=/|$)")
_DEFINED = re.compile(r"/result/(?:tools|prompts|resources|resourceTemplates)/")
"""The beginning of a pointer to a definition: each one is corrected by itself."""
_FRAMES_KEPT = 20
_DEFINITIONS = "inspector.checks.definitions."


class Verdict(msgspec.Struct, frozen=True):
    """The findings of one connection, ordered."""

    primary: Finding | None = None
    """Most important finding; None if there are no findings."""
    follows: tuple[Finding, ...] = ()
    """Consequences of the primary finding, in the order of the entries."""
    others: tuple[Finding, ...] = ()
    """Other findings with their consequences, in the order of the entries."""


def _explanations(table: str) -> dict[str, tuple[str, ...]]:
    for name, group in _GROUPS.items():
        table = table.replace(name, group)
    pairs = (line.split(":") for line in table.replace("\n  ", " ").splitlines() if line[0] != "#")
    return {cause: tuple(effects.split()) for cause, effects in pairs}


EXPLAINS = _explanations(Path(__file__).with_name("consequences.txt").read_text("utf-8"))
"""By the id of a check: the checks whose findings may be consequences of its findings, in the same connection."""
FATAL = frozenset(EXPLAINS.pop("FATAL"))
"""With any of these findings nothing works."""


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings that show the same fault in several messages into the first one, with all frames and the count.

    Definitions in one list are corrected one by one, so those are only merged if the list was received again.
    """
    found: dict[tuple[object, ...], Finding] = {}
    for each in findings:
        key = same_fault(each)
        before = found.get(key)
        if before is None:
            found[key] = each
            continue
        frames = (
            before.frames
            if len(before.frames) >= _FRAMES_KEPT
            else tuple(dict.fromkeys((*before.frames, *each.frames[:1])))
        )
        words = _with_the_last(before.sentence, each.sentence) if each.id == _LINE else before.sentence
        found[key] = msgspec.structs.replace(before, sentence=words, count=before.count + each.count, frames=frames)
    return list(found.values())


def explains_nothing(findings: Iterable[Finding]) -> bool:
    """Whether no finding can be why something failed: hints about definitions are not."""
    return all(each.severity is Severity.HINT and _DEFINED.match(each.pointer) for each in findings)


def _with_the_last(sentence: str, newest: str) -> str:
    """Return a sentence about lines of text with the first and the newest line: the latter often says what it was."""
    first, last = sentence.partition(_LAST)[0], newest.partition(": ")[2]
    return f"{first}{_LAST}{last}" if last and not first.endswith(last) else first


def same_fault(finding: Finding) -> tuple[object, ...]:
    """Return what findings of one fault have in common; a finding without frames is one by itself."""
    is_definition = bool(_DEFINED.match(finding.pointer))
    within = 0 if finding.frames else id(finding)
    place = finding.pointer if is_definition else _INDEX.sub("/*", finding.pointer)
    words = finding.sentence if is_definition else _NAMES.sub("*", finding.sentence)
    if finding.id in _HABITS:
        place, words = "", finding.fix
    connection = 0 if is_definition else finding.connection  # a new connection lists the same again
    return connection, finding.id, finding.severity, finding.trait, finding.hosts, place, words, within


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Order the findings of one connection."""
    found = list(findings)
    if not found:
        return Verdict()
    causes = causes_of(found)
    gravity = {
        id_: min(_gravity(each) for each in found if _root(each.id, causes) == id_)
        for id_ in {each.id for each in found if each.id not in causes}
    }
    primary = min((each for each in found if each.id in gravity), key=lambda each: (*gravity[each.id], *_key(each)))
    follows = tuple(each for each in found if each.id != primary.id and _root(each.id, causes) == primary.id)
    others = tuple(each for each in found if each is not primary and each not in follows)
    return Verdict(primary, follows, others)


def verdicts(findings: Iterable[Finding]) -> list[Verdict]:
    """Return a verdict for each connection with findings, in their order."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    return [verdict(by_connection[connection]) for connection in sorted(by_connection)]


def primary_of(findings: Iterable[Finding]) -> Finding | None:
    """Return the most important finding of all connections; None if there are none."""
    first = [each.primary for each in verdicts(findings) if each.primary is not None]
    return min(first, key=_key) if first else None


def roots_of(findings: Sequence[Finding]) -> list[str]:
    """Return the id of the root cause of each finding within its connection; its own id if there is none."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    causes = {connection: causes_of(found) for connection, found in by_connection.items()}
    return [_root(each.id, causes[each.connection]) for each in findings]


def causes_of(findings: Sequence[Finding]) -> dict[str, str]:
    """Return the check that explains the findings of a check, by their ids."""
    best: dict[str, Finding] = {}
    for each in findings:
        if each.id not in best or _key(each) < _key(best[each.id]):
            best[each.id] = each
    causes: dict[str, str] = {}
    for cause in sorted(best.values(), key=_key):
        for id_ in EXPLAINS.get(cause.id, ()):
            if id_ in best and id_ not in causes and _root(cause.id, causes) != id_:
                causes[id_] = cause.id
    return causes


def _root(id_: str, causes: dict[str, str]) -> str:
    while id_ in causes:
        id_ = causes[id_]
    return id_


def _gravity(finding: Finding) -> tuple[int, bool, bool]:
    """Return the rank of the severity, whether the finding is about a probe, and whether it is not fatal."""
    return finding.severity.rank, finding.provoked, finding.id not in FATAL


def _key(finding: Finding) -> tuple[int, bool, bool, bool, int, int]:
    first = finding.frames[0] if finding.frames else 1 << 62
    return (
        *_gravity(finding),
        _is_advice(finding),
        _RANKS[finding.confidence] + _OF_A_RULE * (finding.id not in CHECKS or not CHECKS[finding.id].is_diagnosis),
        first,
    )


def _is_advice(finding: Finding) -> bool:
    """Whether it is a hint about how a definition is written: what happened is more important."""
    check = CHECKS.get(finding.id)
    is_of_one = (check is not None and check.module.startswith(_DEFINITIONS)) or _DEFINED.match(finding.pointer)
    return finding.severity is Severity.HINT and bool(is_of_one)


def in_reading_order(findings: Sequence[Finding]) -> list[Finding]:
    """Return the most important finding first, then its consequences, then the others, each in their order."""
    first = primary_of(findings)
    if first is None:
        return list(findings)
    rooted = zip(roots_of(findings), findings, strict=True)
    return [each for _, each in sorted(rooted, key=lambda pair: (pair[0] != first.id, pair[1] is not first))]
