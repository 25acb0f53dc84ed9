"""The ladder of a login: what was asked at each rung, what came, whether that is right, and what to do about it.

Quotes documents of servers, made safe. No rung has a secret in it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from inspector.auth.steps import Rung, Verdict
from inspector.viewmodels import signs
from inspector.viewmodels.lines import Line, Section, span
from inspector.viewmodels.roles import Role
from inspector.viewmodels.secrets import masked_url

_SIGNS: dict[Verdict, tuple[str, Role]] = {
    Verdict.GOOD: (signs.OK, "ok"),
    Verdict.ODD: (signs.WARNING, "warning"),
    Verdict.MISSING: (signs.NOTE, "muted"),
    Verdict.BROKEN: (signs.ERROR, "error"),
}


def ladder_lines(rungs: Iterable[Rung], *, brief: bool = False) -> list[Line]:
    """Each rung in a few lines; `brief` leaves out paragraphs and requests of what is well."""
    return [line for rung in rungs for line in _rung(rung, brief)]


def ladder_section(rungs: Sequence[Rung]) -> Section:
    """The ladder as a card; empty if nobody logged in."""
    return Section("Login", lines=tuple(ladder_lines(rungs, brief=True)), note=ladder_end(rungs, climbed=True))


def ladder_end(rungs: Sequence[Rung], *, climbed: bool = False) -> str:
    """What the ladder comes to, one sentence; "" for one without rungs.

    `climbed`: somebody logged in, and a rung that broke was got around unless it was the last one.
    """
    broken = [rung for rung in (rungs[-1:] if climbed else rungs) if rung.verdict is Verdict.BROKEN]
    if broken:
        return f"It breaks at: {broken[0].what}."
    odd = [rung.what for rung in rungs if rung.verdict is Verdict.ODD]
    if odd:
        return f"It holds; against the standard: {', '.join(dict.fromkeys(odd))}."
    return "Nothing is broken on the way." if rungs else ""


def as_data(rungs: Iterable[Rung]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            "step": rung.what,
            "verdict": rung.verdict.value,
            "found": rung.found,
            "request": masked_url(rung.request),
            "status": rung.status or None,
            "clause": rung.clause,
            "fix": rung.fix,
        }
        for rung in rungs
    ]


def _rung(rung: Rung, brief: bool) -> Iterable[Line]:
    sign, role = _SIGNS[rung.verdict]
    yield ((f"{sign} ", role), span(rung.what, "strong"), ("  ", "text"), span(rung.found, "text"))
    well = rung.verdict in (Verdict.GOOD, Verdict.MISSING)
    if rung.request and not (brief and rung.verdict is Verdict.GOOD):
        status = f"  {rung.status}" if rung.status else "  no answer"
        yield (("    ", "text"), (masked_url(rung.request), "muted"), (status, "muted"))
    if rung.clause and not (brief and well):
        yield (("    ", "text"), span(rung.clause, "muted"))
    if rung.fix and not (brief and well):
        yield (("    → ", "accent"), span(rung.fix, "text"))
