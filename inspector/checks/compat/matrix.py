"""Client compatibility matrix: each tool against each client, and the server as a whole.

A cell has the known effects. An empty cell means that no problem is known, not that there is none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from inspector.checks.compat.packs import CompatEffect, CompatFact, Host, facts_about, usual_hosts
from inspector.checks.definitions.schemas import WalkBudget
from inspector.checks.definitions.texts import units
from inspector.checks.definitions.tools import Trait, shown_name, traits_of
from inspector.checks.findings import Finding, Severity
from inspector.protocol import peek
from inspector.text import cut

BYTES_PER_TOKEN = 4
"""Used for estimates, which are labelled as such."""

_REPLACED: Final = re.compile(r"[^A-Za-z0-9_-]")
"""Characters that clients replace by an underscore in names."""

_TRAITS: dict[str, str] = {
    "input-schema-not-object": "input-root",
    "output-schema-not-object": "output-root",
    "tool-name-not-portable": "name-characters",
    "duplicate-tool-name": "duplicate-name",
    "annotations-invalid": "wrong-kind",
    "task-support-invalid": "wrong-kind",
    "tool-description": "no-description",
    "null-optional-member": "null-member",
    "structured-content-missing": "structure-missing",
    "structured-content-invalid": "structure-wrong",
}

_HOSTS_ALONE = frozenset(
    (
        *("schema-root-combinator", "schema-dialect", "array-without-items", "schema-rejected-by-apis"),
        *("tool-name-length", "text-too-long", "too-many-tools", "pagination-incomplete"),
    )
)
"""Findings that no specification forbids: they matter as far as the selected clients are affected."""

_ANY = 1 << 60


class CheckedDefinitions(msgspec.Struct, frozen=True):
    """The definitions of a server."""

    tools: tuple[Any, ...]
    """As listed, from all pages."""
    server: str = ""
    """Name of the server in a client's configuration."""
    instructions: str = ""
    pages: int = 1
    """Pages of the tool list."""
    uses: frozenset[str] = frozenset()
    """Protocol features that the server was seen to use, by the names of `FEATURES`."""


class CompatVerdict(msgspec.Struct, frozen=True):
    """The effect of one trait in one client."""

    fact: CompatFact
    trait: Trait


class Row(msgspec.Struct, frozen=True):
    name: str
    cells: tuple[tuple[CompatVerdict, ...], ...]
    """For each client the effects, worst first; () if none is known."""
    shown: tuple[str, ...]
    """For each client the name that its model sees; "" if unknown."""


class Matrix(msgspec.Struct, frozen=True):
    hosts: tuple[Host, ...]
    rows: tuple[Row, ...]
    whole: tuple[tuple[CompatVerdict, ...], ...]
    """For each client the effects on the server as a whole, worst first."""
    tokens: int
    """The cost of all definitions, estimated."""

    def gone(self, host: int) -> Row | None:
        """Return the first tool that makes a client drop all tools; None if there is none."""
        for row in self.rows:
            if row.cells[host] and row.cells[host][0].fact.effect is CompatEffect.ALL_GONE:
                return row
        return None


def matrix_of(surface: CheckedDefinitions, hosts: Iterable[Host]) -> Matrix:
    """Return the matrix of all clients and all tools that are objects."""
    chosen = tuple(hosts)
    budget, rows = WalkBudget(), []
    tools = [tool for tool in surface.tools if type(tool) is dict]
    for tool in tools:
        traits = traits_of(tool, budget)
        name = peek.text(tool, "name") or ""
        shown = [_shown(host, surface.server, name) for host in chosen]
        cells = tuple(
            _verdicts(host, traits if length is None else [*traits, length])
            for host, (_, length) in zip(chosen, shown, strict=True)
        )
        rows.append(Row(name, cells, tuple(seen for seen, _ in shown)))
    whole, tokens = _of_whole(surface, tools)
    of_whole = (tuple(sorted([*_verdicts(host, whole), *_missed(host, surface)], key=_rank)) for host in chosen)
    return Matrix(chosen, tuple(rows), tuple(of_whole), tokens)


def _missed(host: Host, surface: CheckedDefinitions) -> list[CompatVerdict]:
    """Return verdicts for the features that the server uses and the client is known to lack."""
    found = []
    for lacks in host.features:
        if not lacks.has and lacks.name in surface.uses:
            effect, sentence = CompatEffect.FAILS, f"does not support {lacks.name}"
            if lacks.note:
                effect, sentence = CompatEffect.CHANGED, f"does not declare {lacks.name}, but {lacks.note}"
            fact = CompatFact(f"uses-{lacks.name}", effect, sentence, lacks.source)
            found.append(CompatVerdict(fact, Trait(f"uses-{lacks.name}", "", f"the server uses {lacks.name}")))
    return found


def _rank(verdict: CompatVerdict) -> int:
    return verdict.fact.effect.rank


def _verdicts(host: Host, traits: Sequence[Trait]) -> tuple[CompatVerdict, ...]:
    found: dict[str, CompatVerdict] = {}
    for trait in traits:
        for fact in host.facts:
            if fact.trait == trait.kind and (not fact.over or trait.amount > fact.over):
                found.setdefault(f"{fact.trait} {fact.effect}", CompatVerdict(fact, trait))
    return tuple(sorted(found.values(), key=_rank))


def _shown(host: Host, server: str, name: str) -> tuple[str, Trait | None]:
    if host.naming is None or not name:
        return "", None
    shown = shown_name(host.naming, server, name)
    message = f"is {shown.joined} characters long as {cut(shown.name, 80)!r}"
    return shown.name, Trait("shown-name-length", "/name", message, shown.joined)


def _of_whole(surface: CheckedDefinitions, tools: Sequence[dict[str, Any]]) -> tuple[list[Trait], int]:
    found = []
    names = Counter(peek.text(tool, "name") for tool in tools)
    for name, times in names.items():
        if name is not None and times > 1:
            found.append(Trait("duplicate-name", "/tools", f"{times} tools are named {cut(name, 60)!r}"))
            break
    if twins := _similar([name for name in names if name]):
        found.append(
            Trait("similar-name", "/tools", f"{cut(twins[0], 60)!r} and {cut(twins[1], 60)!r} differ in punctuation")
        )
    found.append(Trait("tool-count", "/tools", f"{len(tools):,} tools", len(tools)))
    tokens = tokens_of(tools)
    found.append(Trait("definition-tokens", "/tools", f"definitions of about {tokens:,} tokens (estimated)", tokens))
    length = units(surface.instructions)
    found.append(Trait("instructions-length", "/instructions", f"instructions of {length:,} characters", length))
    if surface.pages > 1:
        found.append(Trait("more-pages", "/nextCursor", f"{surface.pages} pages of tools"))
    return found, tokens


def _similar(names: Iterable[str]) -> tuple[str, str] | None:
    """Return two names that are equal once clients have replaced characters in them; None without any."""
    seen: dict[str, str] = {}
    for name in names:
        before = seen.setdefault(_REPLACED.sub("_", name), name)
        if before != name:
            return before, name
    return None


def tokens_of(value: Any) -> int:
    """Return the estimated number of tokens of a JSON value; 0 if it is nested too deep to serialize."""
    try:
        return len(msgspec.json.encode(value)) // BYTES_PER_TOKEN
    except RecursionError:
        return 0


# The clients that a finding affects, and its severity for the selected ones.


def concerns(finding: Finding, hosts: Iterable[Host] | None = None) -> list[tuple[Host, CompatFact]]:
    """Return the clients that are known to fail on a finding, worst first, each once; None: of the usual ones."""
    trait = finding.trait or _trait_of_rule(finding)
    if not trait:
        return []
    found: dict[str, tuple[Host, CompatFact]] = {}
    for host, fact in facts_about(trait, usual_hosts() if hosts is None else hosts, _ANY):
        if fact.effect is not CompatEffect.FINE and (not finding.hosts or host.id in finding.hosts):
            found.setdefault(host.id, (host, fact))
    return list(found.values())


def told_of(finding: Finding) -> list[tuple[Host, CompatFact]]:
    """Return the facts shown with a finding.

    Facts whose source names no version are left out, unless their clients were selected: clients change, so a
    statement is useful only with the version it applies to.
    """
    return [(host, fact) for host, fact in concerns(finding) if finding.chosen or fact.source.version]


def _trait_of_rule(finding: Finding) -> str:
    side = "output" if "/outputSchema" in finding.pointer else "input"
    if finding.id == "unresolved-reference":
        return f"{side}-reference"
    if finding.id == "invalid-schema":
        return f"{side}-broken"
    if finding.id in (
        "annotations-invalid",
        "task-support-invalid",
        "null-optional-member",
    ) and not finding.pointer.startswith("/result/tools/"):
        return ""
    if finding.id in ("annotations-invalid", "task-support-invalid") and finding.severity is not Severity.ERROR:
        return ""
    return _TRAITS.get(finding.id, "")


def as_serious(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, as errors where a client was observed to drop every tool because of them."""
    return [
        msgspec.structs.replace(each, severity=Severity.ERROR)
        if any(fact.effect is CompatEffect.ALL_GONE and fact.source.is_observed for _, fact in told_of(each))
        else each
        for each in findings
    ]


def for_hosts(findings: Sequence[Finding], hosts: Sequence[Host]) -> list[Finding]:
    """Return the findings for users of exactly these clients.

    A finding has the severity of its worst effect there. A finding that no specification forbids and that no
    selected client fails on is dropped; all others are unchanged.
    """
    kept = []
    for each in findings:
        concerned = concerns(each, hosts)
        if concerned:
            worst = min((fact.severity for _, fact in concerned), key=lambda severity: severity.rank)
            severity = min(worst, each.severity, key=lambda severity: severity.rank)
            if each.id in _HOSTS_ALONE:
                severity = worst
            ids = tuple(host.id for host, _ in concerned)
            kept.append(msgspec.structs.replace(each, severity=severity, hosts=ids, chosen=True))
        elif each.id not in _HOSTS_ALONE or not each.trait:
            kept.append(each)
    return kept
