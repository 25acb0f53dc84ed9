"""What this side offers to answer, and how each revision wants that declared.

An offer is a switch with a name ("sampling", "elicitation.url"). What is not offered is not declared, and a server
that asks for it all the same gets the error that its revision names.

Source: specification, basic/lifecycle (client capabilities); 2026-07-28, basic (per-request capabilities).
"""

from collections.abc import Collection, Iterable
from typing import Any

from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.questions import INVALID_PARAMS, METHOD_NOT_FOUND, Kind, Question, Refusal
from inspector.protocol.revisions._shape import Era, Revision, Tasks
from inspector.protocol.tracking.task_words import EXTENSION_NAME

ROOTS, SAMPLING, SAMPLING_TOOLS = "roots", "sampling", "sampling.tools"
FORM, URL = "elicitation.form", "elicitation.url"
TASKS = "tasks"
"""That work may be done as a task: the server's tools (extension), our answers to its questions (2025-11-25)."""
ALL: tuple[str, ...] = (ROOTS, SAMPLING, SAMPLING_TOOLS, FORM, URL, TASKS)
_GROUPS = {"elicitation": (FORM, URL)}
_FEATURES = {URL: "URL elicitation", SAMPLING_TOOLS: "tools in sampling"}


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


def offered_in(revision: Revision, offers: Collection[str]) -> frozenset[str]:
    """Those of the offers for which a revision has words."""
    lacking = {name for name, feature in _FEATURES.items() if feature not in revision.features}
    if "elicitation/create" not in revision.questions:
        lacking |= {FORM, URL}
    if revision.tasks is Tasks.NONE:
        lacking.add(TASKS)
    return frozenset(offers) - lacking


def declared(offers: Collection[str], revision: Revision) -> dict[str, Any]:
    """The client capabilities that say so in the words of a revision."""
    offers = offered_in(revision, offers)
    said: dict[str, Any] = {}
    if ROOTS in offers:
        said["roots"] = {"listChanged": True} if revision.era is Era.LEGACY else {}
    if SAMPLING in offers:
        said["sampling"] = {"tools": {}} if SAMPLING_TOOLS in offers else {}
    modes: dict[str, dict[str, object]] = {mode.rpartition(".")[2]: {} for mode in (FORM, URL) if mode in offers}
    if modes:
        said["elicitation"] = modes if _FEATURES[URL] in revision.features else {}
    if TASKS in offers and revision.tasks is Tasks.EXTENSION:
        said["extensions"] = {EXTENSION_NAME: {}}
    elif TASKS in offers and (requests := _as_tasks(offers)):
        said["tasks"] = {"list": {}, "cancel": {}, "requests": requests}
    return said


def _as_tasks(offers: Collection[str]) -> dict[str, Any]:
    """The questions that may be answered as tasks: those that are answered at all (2025-11-25)."""
    requests: dict[str, Any] = {}
    if SAMPLING in offers:
        requests["sampling"] = {"createMessage": {}}
    if {FORM, URL} & set(offers):
        requests["elicitation"] = {"create": {}}
    return requests


def refusal_of(question: Question, offers: Collection[str]) -> Refusal | None:
    """The error for a question that was never offered an answer; None for one that was.

    "The client MUST return an error if this field is provided but ClientCapabilities.sampling.tools is not declared"
    (2025-11-25, CreateMessageRequest; the code is not named).
    """
    if question.kind is Kind.ELICITATION:
        if not {FORM, URL} & set(offers):
            return Refusal(METHOD_NOT_FOUND, "elicitation/create: this client has not declared elicitation")
        if f"elicitation.{question.mode}" not in offers:
            return Refusal(INVALID_PARAMS, f"this client has not declared elicitation in {question.mode} mode")
        return None
    if question.kind is Kind.SAMPLING and SAMPLING in offers and SAMPLING_TOOLS not in offers:
        with_tools = peek.has(question.params, "tools") or peek.has(question.params, "toolChoice")
        return Refusal(INVALID_PARAMS, "this client has not declared sampling.tools") if with_tools else None
    if question.kind.value in offers:
        return None
    method = "sampling/createMessage" if question.kind is Kind.SAMPLING else "roots/list"
    return Refusal(METHOD_NOT_FOUND, f"{method}: this client has not declared {question.kind.value}")
