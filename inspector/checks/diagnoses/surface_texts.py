"""Texts that go to a model: too long, with hidden parts, or with orders in them. For tools, prompts and resources."""

from collections.abc import Iterator
from typing import Any

from inspector.checks.diagnoses.surface import LIST, called, tools_seen
from inspector.checks.findings import Confidence, Severity
from inspector.checks.hosts.packs import HOSTS, facts_about
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case
from inspector.checks.surface.texts import all_of, hidden_in, may_hide, may_order, order_in, texts_in, units
from inspector.protocol import peek

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_OPENINGS = ("answer initialize", "answer server/discover")
_LISTS = (LIST, "answer prompts/list", "answer resources/list", "answer resources/templates/list", *_OPENINGS)
_MEMBERS = ("tools", "prompts", "resources", "resourceTemplates")


@check(
    "S-13",
    _WARNING,
    "a long text for a model",
    LIST,
    *_OPENINGS,
    topic="server/tools",
    heavy=True,
    fix="Say what matters most first, and the rest in a resource or a tool of its own.",
)
def texts_are_short(case: Case) -> Iterator[Flaw]:
    """A tool's description, or the instructions of the server."""
    for seen in tools_seen(case) if case.method == "tools/list" else ():
        said = peek.text(seen.tool, "description") or ""
        yield from _cut(seen.name + "'s description", said, f"{seen.place}/description", "description-length")
    if case.method != "tools/list":
        said = peek.text(case.value, "instructions") or ""
        yield from _cut("the server's instructions", said, "/result/instructions", "instructions-length")


def _cut(what: str, said: str, place: str, trait: str) -> Iterator[Flaw]:
    if len(said) < 1000:
        return
    length = units(said)
    cutting = [each for each in facts_about(trait, HOSTS.values(), length) if each[1].source.version]
    if cutting:
        host, fact = cutting[0]
        last = " ".join(said[max(0, fact.over - 40) : fact.over].split())
        who = f"{host.name} ({fact.source.label})"
        sentence = f"{what} has {length:,} characters; {who} stops reading at “…{last}”"
        yield Flaw(sentence, place, trait=trait, hosts=tuple(host.id for host, _ in cutting))


def _things(case: Case) -> Iterator[tuple[str, str, Any]]:
    """Everything that an answer has for a model to read: its place, what to call it, itself."""
    for member in _MEMBERS:
        for at, thing in enumerate(peek.items(case.value, member)):
            case.rest(at)
            if type(thing) is dict:
                yield f"/result/{member}/{at}", called(thing, at), thing
    if peek.has(case.value, "instructions"):
        yield "/result/instructions", "the server's instructions", peek.at(case.value, "instructions")


@check(
    "S-14",
    _WARNING,
    "text that cannot be seen",
    *_LISTS,
    topic="server/tools",
    heavy=True,
    fix="Take it for hostile until its author explains it: a model reads what a person does not see.",
)
def texts_hide_nothing(case: Case) -> Iterator[Flaw]:
    """Invisible characters that writing does not need; told once for each tool, prompt or resource."""
    for place, name, thing in _things(case):
        for pointer, text in texts_in(thing) if may_hide(all_of(thing)) else ():
            if hidden := hidden_in(text):
                severity = _ERROR if hidden.is_grave else None
                yield Flaw(f"{name} hides {hidden.sentence}", place + pointer, severity=severity)
                break


@check(
    "S-15",
    _WARNING,
    "a text that gives a model orders",
    *_LISTS,
    topic="server/tools",
    heavy=True,
    confidence=Confidence.GUESS,
    fix="Read it before you trust the server. That nothing is found elsewhere proves nothing.",
)
def texts_give_no_orders(case: Case) -> Iterator[Flaw]:
    """Phrases that are known from attacks; told once for each tool, prompt or resource."""
    for place, name, thing in _things(case):
        for pointer, text in texts_in(thing) if may_order(all_of(thing)) else ():
            if order := order_in(text):
                yield Flaw(f"{name} says {order!r}", place + pointer)
                break
