"""Whom a finding concerns: which hosts stumble over it, how, and how bad that makes it for those one cares for.

Rules know nothing of hosts; which trait a rule is about stands here. A finding that names a trait speaks for itself.
"""

from collections.abc import Iterable, Sequence

import msgspec

from inspector.checks.findings import Finding, Severity
from inspector.checks.hosts.facts import Effect, Fact, Host
from inspector.checks.hosts.packs import HOSTS, facts_about

_TRAITS: dict[str, str] = {
    "T02": "input-root",
    "T04": "output-root",
    "T06": "name-characters",
    "T07": "duplicate-name",
    "T13": "wrong-kind",
    "T14": "wrong-kind",
    "T15": "no-description",
    "E19": "null-member",
    "K06": "structure",
    "K07": "structure",
}
_HOSTS_ALONE = frozenset(("S-02", "S-04", "S-06", "S-11", "S-12", "S-13", "S-16", "S-18"))
"""What no specification forbids: it matters as far as the hosts do that one cares for."""


def concerns(finding: Finding, hosts: Iterable[Host] = HOSTS.values()) -> list[tuple[Host, Fact]]:
    """Which of the hosts are known to stumble over it, worst first, each once."""
    trait = finding.trait or _trait_of_rule(finding)
    if not trait:
        return []
    found: dict[str, tuple[Host, Fact]] = {}
    for host, fact in facts_about(trait, hosts, _ANY):
        if fact.effect is not Effect.FINE and (not finding.hosts or host.id in finding.hosts):
            found.setdefault(host.id, (host, fact))
    return list(found.values())


_ANY = 1 << 60


def told_of(finding: Finding) -> list[tuple[Host, Fact]]:
    """What is told with a finding: without the facts whose source names no version, unless these hosts were chosen.

    Programs change, so a statement about one is of use only with the version that it is about.
    """
    return [(host, fact) for host, fact in concerns(finding) if finding.chosen or fact.source.version]


def _trait_of_rule(finding: Finding) -> str:
    side = "output" if "/outputSchema" in finding.pointer else "input"
    if finding.id == "T08":
        return f"{side}-reference"
    if finding.id == "T03":
        return f"{side}-broken"
    if finding.id in ("T13", "T14", "E19") and not finding.pointer.startswith("/result/tools/"):
        return ""
    if finding.id in ("T13", "T14") and finding.severity is not Severity.ERROR:
        return ""
    return _TRAITS.get(finding.id, "")


def for_hosts(findings: Sequence[Finding], hosts: Sequence[Host]) -> list[Finding]:
    """The findings for somebody who needs just these hosts.

    What a chosen host stumbles over is as bad as it is there. What no specification forbids and no chosen host minds
    is left out; all else stays as it was.
    """
    kept = []
    for each in findings:
        concerned = concerns(each, hosts)
        if concerned:
            worst = min((fact.effect.severity for _, fact in concerned), key=lambda severity: severity.rank)
            severity = min(worst, each.severity, key=lambda severity: severity.rank)
            if each.id in _HOSTS_ALONE:
                severity = worst
            ids = tuple(host.id for host, _ in concerned)
            kept.append(msgspec.structs.replace(each, severity=severity, hosts=ids, chosen=True))
        elif each.id not in _HOSTS_ALONE or not each.trait:
            kept.append(each)
    return kept
