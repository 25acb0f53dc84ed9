"""Members of another revision than the one that was agreed on."""

from collections.abc import Iterator

from inspector.checks.findings import Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.rules.shape import shape_of_params, shape_of_result
from inspector.checks.scene import Case
from inspector.checks.shapes.strangers import strangers
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.revisions.table import ROWS

_NEVER = 1 << 62
_TOLD_ELSEWHERE = {("Abilities", "tasks")}


def _is_looked_at(case: Case) -> bool:
    """The first results of each method, and some of the others."""
    return bool(case.row) and case.scene.seldom(f"E25 {case.method[:80]}", 5, 200)


@check(
    "E25",
    Severity.HINT,
    "a member that is of another revision",
    "answer",
    "request",
    topic="schema",
    heavy=True,
    wanted=_is_looked_at,
)
def members_are_of_the_revision(case: Case) -> Iterator[Flaw]:
    """Legal, and clients of this revision do not look at it; each is told once a connection."""
    is_answer = isinstance(case.message, Answer)
    name = shape_of_result(case) if is_answer else shape_of_params(case)
    for each in strangers(case.row, name, case.value) if name else ():
        if (each.type, each.member) in _TOLD_ELSEWHERE:
            continue
        if case.scene.seldom(f"E25 {each.type}.{each.member}", 1, _NEVER):
            first, last = ROWS[each.rows[0] - 1].date, ROWS[each.rows[-1] - 1].date
            when = f"is there from {first} on" if each.rows[0] > case.row else f"was there until {last}"
            yield Flaw(
                f"{case.method[:60]}: {each.member} {when}", ("/result" if is_answer else "/params") + each.pointer
            )
