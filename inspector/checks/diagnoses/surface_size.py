"""How much a server lists, in what order, in how many pages."""

from collections.abc import Iterator

from inspector.checks.diagnoses.surface import LIST, is_later_page, is_paged
from inspector.checks.findings import Severity
from inspector.checks.hosts.facts import Effect
from inspector.checks.hosts.matrix import tokens_of
from inspector.checks.hosts.packs import HOSTS, facts_about
from inspector.checks.registry import Flaw, check
from inspector.checks.rules.tools import was_asked_again
from inspector.checks.rules.utilities import endless
from inspector.checks.scene import Case
from inspector.protocol import peek

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_KINDS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
_MANY_PAGES = 100


@check(
    "S-16",
    _HINT,
    "many tools",
    LIST,
    topic="server/tools",
    fix="Let people choose groups of tools, or make several servers.",
)
def tools_are_few(case: Case) -> Iterator[Flaw]:
    """Their number, and about what their definitions cost in each request; told at the list's last page."""
    if peek.has(case.value, "nextCursor"):
        return
    here = peek.items(case.value, "tools")
    before = [known.item for known in case.scene.known["tools"].values()] if is_later_page(case) else []
    count, tokens = len(here) + len(before), tokens_of([here, before])
    for trait, amount, said in (
        ("tool-count", count, f"{count:,} tools"),
        ("definition-tokens", tokens, f"the definitions of {count:,} tools take about {tokens:,} tokens (estimated)"),
    ):
        found = facts_about(trait, HOSTS.values(), amount)
        if found:
            named = [each for each in found if each[1].source.version]
            worst = _WARNING if named and named[0][1].effect is Effect.BREAKS else None
            hosts = tuple(host.id for host, _ in found)
            yield Flaw(said, "/result/tools", severity=worst, trait=trait, hosts=hosts)


@check("S-17", _HINT, "the order of a list changes", *(f"answer {each}" for each in _KINDS), topic="", until=4)
def order_stays(case: Case) -> Iterator[Flaw]:
    """The same things in another order spoil what a model's API has cached; a rule since 2026-07, for tools."""
    kind = _KINDS[case.method]
    before = list(case.scene.known[kind])
    if not before or is_paged(case):
        return
    key = "uri" if kind == "resources" else "name"
    now = [name for each in peek.items(case.value, kind) if (name := peek.text(each, key)) is not None]
    if before != now and sorted(before) == sorted(now):
        yield Flaw(f"the same {kind} as before come in another order", f"/result/{kind}", fix="Sort the list.")


@check("S-18", _HINT, "pages that are not read, or that do not end", LIST, "end", topic="server/utilities/pagination")
def pages_lead_on(case: Case) -> Iterator[Flaw]:
    """Some hosts read no second page; a list whose cursor comes again never ends.

    That there is a second page is reported with the last page, or at the end, so that an endless list is one finding.
    """
    notes = case.scene.notes
    if case.message is None:
        yield from notes.pop("S-18", ())
        return
    cursor = peek.text(case.value, "nextCursor")
    if not is_later_page(case):
        if cursor is not None and peek.items(case.value, "tools"):
            fix = "Legal. Where the list is short, one page does."
            said = "the list of tools goes on after its first page"
            notes["S-18"] = [
                Flaw(said, "/result/nextCursor", (case.n,), trait="more-pages", fix=fix, instead=True),
            ]
        return
    if was_asked_again(case):
        return
    if cursor is not None and cursor in case.scene.cursors.get(case.method, ()):
        notes.pop("S-18", None)
        yield endless(case, cursor)
        return
    if cursor is None:
        yield from notes.pop("S-18", ())
    known = case.scene.known["tools"]
    names = [peek.text(each, "name") for each in peek.items(case.value, "tools")]
    if names and all(name in known and known[name].frame < case.n for name in names):
        fix = "Begin each page where the one before ended."
        yield Flaw("this page has only tools that came before", "/result/tools", severity=_WARNING, fix=fix)
    if len(case.scene.cursors.get(case.method, ())) == _MANY_PAGES:
        yield Flaw(f"the list has more than {_MANY_PAGES} pages", "/result/nextCursor", fix="Make pages larger.")
