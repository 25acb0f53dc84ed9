"""What checks have found about one thing of a list: its definition as it is listed now, and the uses of it.

Findings of one check stand in one line, with how many there are; the screen of findings has them one by one.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.protocol.things import Prompt, Resource, Template, Thing, Tool
from inspector.viewmodels import signs, text
from inspector.viewmodels.found import Found
from inspector.viewmodels.grades import GRADES, mark
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


def own_findings(checks: Found | None, thing: Thing) -> "Sequence[Finding]":
    """The same without what most things of its list have in common, which is said once for all of them."""
    found = findings_about(checks, thing)
    kind = _KINDS.get(type(thing))
    if checks is None or kind is None or not found:
        return found
    shared = {(each.id, each.severity) for each in checks.shared(kind)}
    return [each for each in found if (each.id, each.severity) not in shared] if shared else found


def shared_lines(checks: Found | None, kinds: Sequence[str], evidence_key: str) -> list[list[Span]]:
    """A line for each cause that most things of a list share, the worst first, and the key that shows more of it."""
    found = [each for kind in kinds for each in checks.shared(kind)] if checks is not None else []
    if not found:
        return []
    from inspector.checks.registry import CHECKS  # what a check is called matters once one has found something

    lines: list[list[Span]] = []
    for each in found[:_FEW]:
        sign, role = mark(GRADES.index(each.severity) + 1)
        title = CHECKS[each.id].title if each.id in CHECKS else ""
        many: Span = (f" {signs.NOTE} {each.count:,} of {each.of:,}", "muted")
        lines.append([(f"{sign} {each.id} ", role), (title, "text"), many])
    left = len(found) - len(lines)
    more = f"  {evidence_key} shows {f'{left} more' if left else 'the evidence'}"
    return [*lines[:-1], [*lines[-1], (more, "accent")]]


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


def cause_line(checks: Found, frames: "Sequence[int | None]") -> list[Span]:
    """What was found about the messages of one exchange and comes first, in a line; [] where it is only a hint."""
    from inspector.checks.findings import Severity
    from inspector.checks.verdict import verdict

    found = {(each.id, each.sentence): each for n in frames if n for each in checks.of(n)}
    first = verdict(found.values()).primary
    return _line([first], limit=_LONG) if first is not None and first.severity is not Severity.HINT else []


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
