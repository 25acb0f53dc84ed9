"""What this side offers to answer, and how each revision wants that declared.

An offer is a switch with a name ("sampling", "elicitation.url"). What is not offered is not declared, and a server
that asks for it all the same gets the error that its revision names.

Source: specification, basic/lifecycle (client capabilities); 2026-07-28, basic (per-request capabilities).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.questions import INVALID_PARAMS, METHOD_NOT_FOUND, ErrorReply, Question, RequestKind
from inspector.protocol.revisions._shape import Era, Revision, TaskSupport
from inspector.protocol.tracking.tasks import EXTENSION_NAME

ROOTS, SAMPLING, SAMPLING_TOOLS = "roots", "sampling", "sampling.tools"
FORM, URL = "elicitation.form", "elicitation.url"
TASKS = "tasks"
"""That work may be done as a task: the server's tools (extension), our answers to its questions (2025-11-25)."""
ALL: tuple[str, ...] = (ROOTS, SAMPLING, SAMPLING_TOOLS, FORM, URL, TASKS)
_GROUPS = {"elicitation": (FORM, URL)}
_FEATURES = {URL: "URL elicitation", SAMPLING_TOOLS: "tools in sampling"}


def parse_offers(names: Iterable[str]) -> frozenset[str]:
    """Names as a person gives them: "elicitation" is both of its modes, "sampling.tools" brings "sampling".

    Raises: UsageError for an unknown name.
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
    if revision.tasks is TaskSupport.NONE:
        lacking.add(TASKS)
    return frozenset(offers) - lacking


def declared(offers: Collection[str], revision: Revision) -> dict[str, Any]:
    """The client capabilities as a protocol version spells them."""
    offers = offered_in(revision, offers)
    said: dict[str, Any] = {}
    if ROOTS in offers:
        said["roots"] = {"listChanged": True} if revision.era is Era.LEGACY else {}
    if SAMPLING in offers:
        said["sampling"] = {"tools": {}} if SAMPLING_TOOLS in offers else {}
    modes: dict[str, dict[str, object]] = {mode.rpartition(".")[2]: {} for mode in (FORM, URL) if mode in offers}
    if modes:
        said["elicitation"] = modes if _FEATURES[URL] in revision.features else {}
    if TASKS in offers and revision.tasks is TaskSupport.EXTENSION:
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


def refusal_of(question: Question, offers: Collection[str]) -> ErrorReply | None:
    """The error for a question that was never offered an answer; None for one that was.

    "The client MUST return an error if this field is provided but ClientCapabilities.sampling.tools is not declared"
    (2025-11-25, CreateMessageRequest; the code is not named).
    """
    if question.kind is RequestKind.ELICITATION:
        if not {FORM, URL} & set(offers):
            return ErrorReply(METHOD_NOT_FOUND, "elicitation/create: this client has not declared elicitation")
        if f"elicitation.{question.mode}" not in offers:
            return ErrorReply(INVALID_PARAMS, f"this client has not declared elicitation in {question.mode} mode")
        return None
    if question.kind is RequestKind.SAMPLING and SAMPLING in offers and SAMPLING_TOOLS not in offers:
        with_tools = peek.has(question.params, "tools") or peek.has(question.params, "toolChoice")
        return ErrorReply(INVALID_PARAMS, "this client has not declared sampling.tools") if with_tools else None
    if question.kind.value in offers:
        return None
    method = "sampling/createMessage" if question.kind is RequestKind.SAMPLING else "roots/list"
    return ErrorReply(METHOD_NOT_FOUND, f"{method}: this client has not declared {question.kind.value}")


# Extensions: what both sides declare under `capabilities.extensions`, and what is known of the names.

SKILLS = "io.modelcontextprotocol/skills"
UI = "io.modelcontextprotocol/ui"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
APP_TYPE = "text/html;profile=mcp-app"


class KnownExtension(msgspec.Struct, frozen=True):
    """An extension that mcp-inspect knows."""

    name: str
    short: str
    """What a person may write instead of the name."""
    meaning: str
    """What it is for, one sentence."""
    settings: dict[str, Any]
    """What we say of it where nothing else is asked for."""
    by_default: bool
    """Whether it is advertised by default."""


KNOWN: dict[str, KnownExtension] = {
    known.name: known
    for known in (
        KnownExtension(
            SKILLS, "skills", "Agent skills: instructions and files for models, listed with digests.", {}, True
        ),
        KnownExtension(
            UI,
            "ui",
            "MCP Apps: tools return pages for a client to render. mcp-inspect shows their source.",
            {"mimeTypes": [APP_TYPE]},
            False,
        ),
        KnownExtension(
            TASKS_EXTENSION, "tasks", "A call may return a task, which the client polls for its result.", {}, False
        ),
    )
}
_BY_SHORT = {known.short: known.name for known in KNOWN.values()} | {"apps": UI}


class Advertised(msgspec.Struct, frozen=True):
    """What we declare: by the names of extensions, the settings of each."""

    supported: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in revisions that have extensions."""
    asked: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in all of them, because an option or switch says so."""
    withheld: frozenset[str] = frozenset()
    """Names that must not be declared, "all" for every one; what was asked for is declared all the same."""

    @property
    def withholds_tasks(self) -> bool:
        """Whether no task is to be offered; it is an offer, and a capability of the core in 2025."""
        return bool({TASKS_EXTENSION, "all"} & self.withheld) and TASKS_EXTENSION not in self.asked

    def in_revision(self, revision: Revision) -> dict[str, Any]:
        """What is declared in a revision; empty for nothing."""
        return (self.supported if "extensions" in revision.features else {}) | self.asked


def advertised(more: Iterable[str] = (), fewer: Iterable[str] = ()) -> Advertised:
    """What to declare, with switches: NAME or NAME=JSON adds, a name in `fewer` takes away; "all" takes all away.

    Raises: UsageError for an invalid name, and for settings that are not JSON.
    """
    asked = dict(map(_with_settings, more))
    gone = {full_name(name) for name in fewer}
    supported = {} if "all" in gone else {name: known.settings for name, known in KNOWN.items() if known.by_default}
    return Advertised({name: value for name, value in supported.items() if name not in gone}, asked, frozenset(gone))


def full_name(name: str) -> str:
    """The name of an extension, from a short one too. Raises: UsageError for an empty one."""
    if not name.strip():
        raise UsageError("an extension needs a name", hint=f"Such as {SKILLS}, or short: {', '.join(_BY_SHORT)}.")
    return _BY_SHORT.get(name.strip(), name.strip())


def _with_settings(text: str) -> tuple[str, Any]:
    name, equals, settings = text.partition("=")
    full = full_name(name)
    if not equals:
        return full, KNOWN[full].settings if full in KNOWN else {}
    from inspector.documents import UnreadableDocument, read_json

    try:
        return full, read_json(settings)
    except UnreadableDocument as error:
        raise UsageError(f"--extension {name}: invalid JSON in its settings: {error.placed}") from None


class Negotiated(msgspec.Struct, frozen=True):
    """An extension that at least one side has declared."""

    name: str
    theirs: Any
    """The server's settings; None if it did not declare it."""
    ours: Any
    """The same of us."""
    by_server: bool
    by_us: bool

    @property
    def meaning(self) -> str:
        """What it is for; "" if nothing is known of it."""
        return KNOWN[self.name].meaning if self.name in KNOWN else ""


def negotiated(server: Any, client: Any) -> tuple[Negotiated, ...]:
    """What both sides' capabilities say of extensions, the server's first."""
    theirs, ours = peek.mapping(server, "extensions"), peek.mapping(client, "extensions")
    names = dict.fromkeys((*theirs, *ours))
    return tuple(Negotiated(name, theirs.get(name), ours.get(name), name in theirs, name in ours) for name in names)


def declares(capabilities: Mapping[str, Any], name: str) -> bool:
    """Whether capabilities declare an extension; its settings may be anything but null."""
    return peek.at(capabilities, "extensions", name) is not None
