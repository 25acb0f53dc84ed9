"""Orders findings: the most important first, consequences of another finding below it.

One fault of a server is seen at many places: a missing variable ends the process, which ends the connection, which
leaves a request without its answer. The cause is told, what follows stands below it. Where no finding explains
another, an error goes before a warning, what keeps everything from working before what does not, and what is certain
before what is likely, and that before a guess.
"""

from collections.abc import Iterable, Sequence

import msgspec

from inspector.checks.findings import Confidence, Finding

_RANKS = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.GUESS: 3}
_OF_A_RULE = 2
"""A diagnosis says why, so a likely one goes before a rule that is broken for certain; a guess does not."""

_SILENT = ("L-04", "L-10", "L-22", "L-32", "R-07")
_DEAD = ("P-04", "P-05", "P-06", "S05")
_CUT = ("W09", "H-15")
_NOISE = ("E01", "E23", "S01", "S02", "S03")
"""What rules say of bytes that are no messages."""

EXPLAINS: dict[str, tuple[str, ...]] = {
    "P-01": ("P-02", "P-03", *_DEAD),
    "P-08": (*_DEAD, *_SILENT, "F-01", "F-08", "F-09", "E15", "E16", "E08", "L-02"),
    "P-21": (*_DEAD, "P-03", "P-10", "P-12"),
    "P-22": (*_SILENT, "P-07", "P-09", "P-15"),
    "P-11": (*_DEAD, "P-01", "P-03", "P-10", "P-12", "A-08", "H-02"),
    "P-03": _DEAD,
    "P-10": (*_DEAD, *_SILENT, "P-15"),
    "P-12": _DEAD,
    "P-13": (*_DEAD, *_SILENT, "L-05"),
    "P-14": (*_DEAD, "L-19"),
    "P-07": ("L-05", *_SILENT, "P-15"),
    "P-09": (*_SILENT, "P-15"),
    "P-04": ("S05", *_CUT),
    "P-05": ("S05", *_CUT),
    "P-06": ("S05", *_CUT),
    "P-15": ("S04", "P-16"),
    "P-17": ("S05", *_CUT),
    "P-18": ("S05", "P-15", *_CUT),
    "L-04": ("P-15",),
    "F-02": ("F-01", "F-04", *_NOISE, *_SILENT),
    "F-03": ("F-01", "F-04", *_NOISE, *_SILENT),
    "F-04": ("F-01", *_NOISE, *_SILENT),
    "F-05": (*_SILENT, "L-05", "P-15"),
    "F-10": ("F-01", *_NOISE),
    "F-09": ("F-01", *_NOISE),
    "F-07": ("F-06", "F-01", *_NOISE, *_SILENT),
    "F-06": (*_NOISE,),
    "F-01": (*_NOISE, "E02", "E03"),
    "F-14": ("F-01", "F-04", *_NOISE, *_SILENT),
    "F-15": ("P-17", "P-04", "P-05", "F-04", "S05", *_CUT, *_SILENT),
    "F-16": ("F-01", "F-04", *_NOISE, *_SILENT),
    "F-13": (*_NOISE, *_SILENT, "E02", "E05", "E06", "E07", "E08", "E09", "E10", "E15", "E16", "L-21", "L01"),
    "F-11": ("E26", *_NOISE),
    "L-01": ("E08", "L-02", *_SILENT),
    "L-06": ("H-33", "H-10", "H-12", "L-23"),
    "L-22": ("R-07", "X02"),
    "L-28": ("L04", "C01", "E17"),
    "L-29": ("E01", "E08", "E10", "L-31"),
    "L-30": ("F-01", *_NOISE, "E03", "W02", *_SILENT),
    "L-31": ("E01", "E08", "E09", "E10", *_SILENT),
    "L-32": ("L-22", "R-07"),
    "E15": _SILENT,
    "L-19": ("L-35",),
    "K17": ("K01",),
    "K11": ("L-35",),
    "E05": ("L-35",),
    "L-07": ("L-08", "L02", "H-21"),
    "L-08": ("L02",),
    "L-09": ("L05", "L06", "L10", "H01", "H02", "E19"),
    "L-13": ("T12", "S-17"),
    "E21": ("E22",),
    "W02": ("L-22", "L-32", "R-07"),
    "W20": ("E08", *_SILENT),
    "O02": ("A-01", "O01", "A-18"),
    "A-01": ("A-02", "O01", "A-18"),
    "A-18": ("O01",),
    "O03": ("A-18",),
    **dict.fromkeys(("A-05", "A-09", "A-11", "A-16", "A-17"), ("A-18",)),
    "H-01": ("H-26", "H-33", "H-03", "H-04", "H-06", "W01", "W02", "W03", "E01", "A-04"),
    "H-28": ("H-02",),
    "L-27": ("L-22", "R-07"),
    "H-02": ("W02",),
    "H-07": ("H-33", "W02", "W03", "H-01"),
    "H-08": ("H-33", "W02", "H-01", "A-08"),
    "H-09": ("H-33", "W01", "W02", "W03", "H-06"),
    "H-11": ("W13",),
    **dict.fromkeys(("H-03", "H-04", "H-17", "A-15"), ("H-33", "A-18", "A-01", "A-02", "O01")),
    "H-12": ("H-33", "L-23"),
    "H-25": ("H-33", "L-23"),
    "H-30": ("H-15", "E01", *_CUT, *_SILENT),
    "H-31": ("E01", "H-15", "L-21"),
    "H-32": ("W02",),
    "H-34": ("E01", "W02", "H-16"),
    "H-35": (*_SILENT,),
    "H-37": ("H-33", "W13", "H-10", "H-12", "L-06", "L-23"),
    "H-39": ("E01", "H-15", "H-31", "L-21", *_CUT, *_SILENT),
    "H-38": ("E01", "H-15", *_CUT, *_SILENT),
    "H-33": ("W03", "H-06"),
    "W13": ("H-26", "H-33", "L-23"),
    "H-10": ("W20", "E08", "H-33", "L-23", "L-06", "H-11", "W13"),
    "H-13": ("W19", "H-16"),
    "H-14": _CUT,
    "H-16": ("W19",),
    "H-19": ("H-33", "V01", *_CUT),
    "H-20": ("W16",),
    "H-23": ("W02", "L-21", "L-23", "L-35", "H-33"),
    "H-26": ("W02",),
    "A-12": ("A-18", "A-01", "A-02", "A-06", "O02", "O03"),
    "A-04": ("A-18", "A-01", "A-02", "O01", "O02", "O03", "H-01"),
    "A-02": ("O01", "A-18"),
    "A-10": ("A-08",),
    "S-18": ("A02",),
    "S-17": ("T12",),
    "S-12": ("T06", "T07"),
    "S-20": ("T10",),
    "S-01": ("T02", "T03"),
    "S-08": ("T08", "T09"),
    "S-26": ("T01", "T02", "T03", "S-01", "S-09", "S-28", "E04"),
    "S-28": ("T03",),
    "S-07": ("T08",),
    "R-02": ("K05", "S-22"),
}
"""A finding, and what may follow from it in the same connection."""

FATAL = frozenset(
    {
        *("P-01", "P-02", "P-03", "P-04", "P-05", "P-06", "P-07", "P-08", "P-09", "P-10", "P-12", "P-13", "P-14"),
        *("P-17", "P-18", "P-21", "P-22", "L-01", "L-04", "L-07", "L-21", "L-30", "L-31", "L-32"),
        *("F-02", "F-03", "F-05", "F-13", "F-14", "F-15"),
        *("H-01", "H-02", "H-03", "H-04", "H-09", "H-12", "H-17", "H-18", "H-19", "H-25", "H-26"),
        *("H-30", "H-31", "H-32", "H-33", "H-34", "H-36", "H-37", "H-38", "H-39", "A-15", "A-16", "A-17"),
        *("A-01", "A-02", "A-04", "A-08", "A-09", "A-11", "A-12", "O02", "O03"),
    }
)
"""With these nothing works."""


class Verdict(msgspec.Struct, frozen=True):
    """What is said of one connection."""

    primary: Finding | None = None
    """The one to tell first; None if nothing was found."""
    follows: tuple[Finding, ...] = ()
    """What follows from it, in the order of the entries."""
    others: tuple[Finding, ...] = ()
    """The rest, with findings that follow from one of these: the same order."""


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The verdict on findings of one connection."""
    found = list(findings)
    if not found:
        return Verdict()
    causes = causes_of(found)
    gravity = {
        id_: min(_gravity(each) for each in found if _root(each.id, causes) == id_) for id_ in _roots(found, causes)
    }
    primary = min((each for each in found if each.id in gravity), key=lambda each: (*gravity[each.id], *_key(each)))
    follows = tuple(each for each in found if each.id != primary.id and _root(each.id, causes) == primary.id)
    others = tuple(each for each in found if each is not primary and each not in follows)
    return Verdict(primary, follows, others)


def verdicts(findings: Iterable[Finding]) -> list[Verdict]:
    """A verdict on each connection of which something was found, in their order."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    return [verdict(by_connection[connection]) for connection in sorted(by_connection)]


def primary_of(findings: Iterable[Finding]) -> Finding | None:
    """The one finding to tell first, of however many connections; None if there is none."""
    first = [each.primary for each in verdicts(findings) if each.primary is not None]
    return min(first, key=_key) if first else None


def roots_of(findings: Sequence[Finding]) -> list[str]:
    """Of each finding the id of what it follows from in the end, within its connection; its own where nothing is."""
    by_connection: dict[int, list[Finding]] = {}
    for each in findings:
        by_connection.setdefault(each.connection, []).append(each)
    causes = {connection: causes_of(found) for connection, found in by_connection.items()}
    return [_root(each.id, causes[each.connection]) for each in findings]


def causes_of(findings: Sequence[Finding]) -> dict[str, str]:
    """By the id of a check what it found follows from: the id of another that found something, too."""
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


def _roots(found: Sequence[Finding], causes: dict[str, str]) -> set[str]:
    return {each.id for each in found if each.id not in causes}


def _root(id_: str, causes: dict[str, str]) -> str:
    while id_ in causes:
        id_ = causes[id_]
    return id_


def _gravity(finding: Finding) -> tuple[int, bool]:
    """How bad it is; of a cause that counts what follows, too."""
    return finding.severity.rank, finding.id not in FATAL


def _key(finding: Finding) -> tuple[int, bool, int, int]:
    first = finding.frames[0] if finding.frames else 1 << 62
    rank, bearable = _gravity(finding)
    return rank, bearable, _RANKS[finding.confidence] + _OF_A_RULE * ("-" not in finding.id), first
