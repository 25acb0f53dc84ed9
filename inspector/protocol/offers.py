"""What this side offers to answer, and how each revision wants that declared.

An offer is a switch with a name ("sampling", "elicitation.url"). What is not offered is not declared, and a server
that asks for it all the same gets the error that its revision names.

Source: specification, basic/lifecycle (client capabilities); 2026-07-28, basic (per-request capabilities).
"""

from collections.abc import Collection, Iterable
from typing import Any

from inspector.errors import UsageError
from inspector.protocol.questions import INVALID_PARAMS, METHOD_NOT_FOUND, Kind, Question, Refusal
from inspector.protocol.revisions._shape import Era, Revision

ROOTS, SAMPLING, SAMPLING_TOOLS = "roots", "sampling", "sampling.tools"
FORM, URL = "elicitation.form", "elicitation.url"
ALL: tuple[str, ...] = (ROOTS, SAMPLING, SAMPLING_TOOLS, FORM, URL)
_GROUPS = {"elicitation": (FORM, URL)}


def parse_offers(names: Iterable[str]) -> frozenset[str]:
    """Names as a person gives them: "elicitation" is both of its modes, "sampling.tools" brings "sampling".

    Raises: UsageError for a name that is none.
    """
    found: set[str] = set()
    for name in names:
        if name not in ALL and name not in _GROUPS:
            known = ", ".join((*ALL[:3], "elicitation", *ALL[3:]))
            raise UsageError(f"{name!r} is nothing that can be offered", hint=f"There are {known}.")
        found.update(_GROUPS.get(name, (name,)))
        if name == SAMPLING_TOOLS:
            found.add(SAMPLING)
    return frozenset(found)


def declared(offers: Collection[str], revision: Revision) -> dict[str, Any]:
    """The client capabilities that say so in the words of a revision."""
    said: dict[str, Any] = {}
    if ROOTS in offers:
        said["roots"] = {"listChanged": True} if revision.era is Era.LEGACY else {}
    if SAMPLING in offers:
        tools = SAMPLING_TOOLS in offers and "tools in sampling" in revision.features
        said["sampling"] = {"tools": {}} if tools else {}
    modes: dict[str, dict[str, object]] = {mode.rpartition(".")[2]: {} for mode in (FORM, URL) if mode in offers}
    if "URL elicitation" not in revision.features:
        modes.pop("url", None)
    if modes and "elicitation/create" in revision.questions:
        said["elicitation"] = modes if "URL elicitation" in revision.features else {}
    return said


def refusal_of(question: Question, offers: Collection[str]) -> Refusal | None:
    """The error for a question that was never offered an answer; None for one that was."""
    if question.kind is Kind.ELICITATION:
        if not {FORM, URL} & set(offers):
            return Refusal(METHOD_NOT_FOUND, "elicitation/create: this client has not declared elicitation")
        if f"elicitation.{question.mode}" not in offers:
            return Refusal(INVALID_PARAMS, f"this client has not declared elicitation in {question.mode} mode")
        return None
    if question.kind.value in offers:
        return None
    method = "sampling/createMessage" if question.kind is Kind.SAMPLING else "roots/list"
    return Refusal(METHOD_NOT_FOUND, f"{method}: this client has not declared {question.kind.value}")
