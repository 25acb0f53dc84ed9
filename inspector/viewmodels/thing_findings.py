"""What checks have found about one thing of a list: its definition as it is listed now, and the uses of it.

Findings of one check stand in one line, with how many there are; the screen of findings has them one by one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.protocol.things import Prompt, Resource, Template, Thing, Tool
from inspector.viewmodels import signs, text
from inspector.viewmodels.found import Found
from inspector.viewmodels.grades import mark
from inspector.viewmodels.roles import Span

if TYPE_CHECKING:
    from inspector.checks.findings import Finding

_KINDS: dict[type[Thing], str] = {
    Tool: "tools",
    Prompt: "prompts",
    Resource: "resources",
    Template: "resourceTemplates",
}
_FEW = 2
"""Lines that are shown at first."""
_MOST = 50
_SHORT, _LONG = 160, 400
"""Characters of a sentence, at first and in full."""


def findings_about(checks: Found | None, thing: Thing) -> "Sequence[Finding]":
    """What was found about a thing, worst first; nothing before anything was checked."""
    kind = _KINDS.get(type(thing))
    if checks is None or kind is None:
        return ()
    return sorted(checks.of_thing(kind, thing.key, thing.raw), key=lambda each: each.severity.rank)


def finding_spans(
    findings: "Sequence[Finding]", *, full: bool, more_key: str = "", evidence_key: str = ""
) -> list[list[Span]]:
    """A line for each check that found something, worst first, and the keys that show more; [] for nothing found.

    `full`: all of them, with their sentences in full.
    """
    groups: dict[tuple[int, str], list[Finding]] = {}
    for each in sorted(findings, key=lambda each: each.severity.rank):
        groups.setdefault((each.severity.rank, each.id), []).append(each)
    shown = list(groups.values())[: _MOST if full else _FEW]
    lines = [_line(group, limit=_LONG if full else _SHORT) for group in shown]
    return [*lines, *_keys(len(groups) - len(shown), "" if full else more_key, evidence_key)] if lines else []


def _line(group: "Sequence[Finding]", *, limit: int) -> list[Span]:
    first = group[0]
    sign, role = mark(3 - first.severity.rank)
    many: list[Span] = [(f" {signs.TIMES}{len(group):,}", "muted")] if len(group) > 1 else []
    head: list[Span] = [(f"{sign} {first.severity} {first.id} ", role)]
    return [*head, (text.visible(first.sentence, limit=limit), "text"), *many]


def _keys(left: int, more_key: str, evidence_key: str) -> list[list[Span]]:
    said = [f"{more_key} shows {left} more" if more_key else f"{left} more"] if left > 0 else []
    if evidence_key:
        said.append(f"{evidence_key} shows the evidence")
    return [[(f"  {'   '.join(said)}", "accent")]] if said else []
