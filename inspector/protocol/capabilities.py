"""Client capabilities: what the client offers, and how each revision declares it.

An offer is a named switch ("sampling", "elicitation.url"). What is not offered is not declared, and a server that
requests it anyway receives the error that its revision defines.

Source: specification, basic/lifecycle (client capabilities); 2026-07-28, basic (per-request capabilities).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era, Revision, TaskSupport
from inspector.protocol.server_requests import INVALID_PARAMS, METHOD_NOT_FOUND, ErrorReply, RequestKind, ServerRequest
from inspector.protocol.tracking.tasks import EXTENSION_NAME

ROOTS, SAMPLING, SAMPLING_TOOLS = "roots", "sampling", "sampling.tools"
FORM, URL = "elicitation.form", "elicitation.url"
TASKS = "tasks"
"""Tasks: run by the server for its tools (extension), or by the client for server requests (2025-11-25)."""
ALL: tuple[str, ...] = (ROOTS, SAMPLING, SAMPLING_TOOLS, FORM, URL, TASKS)
_GROUPS = {"elicitation": (FORM, URL)}
_FEATURES = {URL: "URL elicitation", SAMPLING_TOOLS: "tools in sampling"}
SKILLS = "io.modelcontextprotocol/skills"
UI = "io.modelcontextprotocol/ui"
TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
APP_TYPE = "text/html;profile=mcp-app"


class KnownExtension(msgspec.Struct, frozen=True):
    """An extension that mcp-inspect knows."""

    name: str
    short: str
    """Short name that the user may write instead."""
    meaning: str
    """Its purpose, in one sentence."""
    settings: dict[str, Any]
    """Settings that are declared unless others are given."""
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
            "MCP Apps: tools return pages for a client to render. mcp-inspect app shows them.",
            {"mimeTypes": [APP_TYPE]},
            False,
        ),
        KnownExtension(
            TASKS_EXTENSION, "tasks", "A call may return a task, which the client polls for its result.", {}, False
        ),
    )
}
_BY_SHORT = {known.short: known.name for known in KNOWN.values()} | {"apps": UI}


class Negotiated(msgspec.Struct, frozen=True):
    """An extension that at least one side declares."""

    name: str
    theirs: Any
    """The server's settings; None if it did not declare it."""
    ours: Any
    """The client's settings; None if it did not declare it."""
    by_server: bool
    by_us: bool

    @property
    def meaning(self) -> str:
        """Its purpose; "" for an unknown extension."""
        return KNOWN[self.name].meaning if self.name in KNOWN else ""


def parse_offers(names: Iterable[str]) -> frozenset[str]:
    """Parse the names that the user gives: "elicitation" means both modes, "sampling.tools" implies "sampling".

    Raises: UsageError for an unknown name.
    """
    found: set[str] = set()
    for name in names:
        if name not in ALL and name not in _GROUPS:
            known = ", ".join((*ALL[:3], "elicitation", *ALL[3:]))
            raise UsageError(f"{name!r} is not a client capability", hint=f"Known capabilities: {known}.")
        found.update(_GROUPS.get(name, (name,)))
        if name == SAMPLING_TOOLS:
            found.add(SAMPLING)
    return frozenset(found)


def offered_in(revision: Revision, offers: Collection[str]) -> frozenset[str]:
    """Return the offers that a revision can declare."""
    lacking = {name for name, feature in _FEATURES.items() if feature not in revision.features}
    if "elicitation/create" not in revision.input_requests:
        lacking |= {FORM, URL}
    if revision.tasks is TaskSupport.NONE:
        lacking.add(TASKS)
    return frozenset(offers) - lacking


def declared(offers: Collection[str], revision: Revision) -> dict[str, Any]:
    """Return the client capabilities in the format of a revision."""
    offers = offered_in(revision, offers)
    members: dict[str, Any] = {}
    if ROOTS in offers:
        members["roots"] = {"listChanged": True} if revision.era is Era.LEGACY else {}
    if SAMPLING in offers:
        members["sampling"] = {"tools": {}} if SAMPLING_TOOLS in offers else {}
    modes: dict[str, dict[str, object]] = {mode.rpartition(".")[2]: {} for mode in (FORM, URL) if mode in offers}
    if modes:
        members["elicitation"] = modes if _FEATURES[URL] in revision.features else {}
    if TASKS in offers and revision.tasks is TaskSupport.EXTENSION:
        members["extensions"] = {EXTENSION_NAME: {}}
    elif TASKS in offers and (requests := _as_tasks(offers)):
        members["tasks"] = {"list": {}, "cancel": {}, "requests": requests}
    return members


def _as_tasks(offers: Collection[str]) -> dict[str, Any]:
    """Return the server requests that may be answered as tasks: those that are offered at all (2025-11-25)."""
    requests: dict[str, Any] = {}
    if SAMPLING in offers:
        requests["sampling"] = {"createMessage": {}}
    if {FORM, URL} & set(offers):
        requests["elicitation"] = {"create": {}}
    return requests


def refusal_of(server_request: ServerRequest, offers: Collection[str]) -> ErrorReply | None:
    """Return the error for a server request that the client did not offer to answer; None if it did.

    "The client MUST return an error if this field is provided but ClientCapabilities.sampling.tools is not declared"
    (2025-11-25, CreateMessageRequest; the code is not named).
    """
    if server_request.kind is RequestKind.ELICITATION:
        if not {FORM, URL} & set(offers):
            return ErrorReply(METHOD_NOT_FOUND, "elicitation/create: this client has not declared elicitation")
        if f"elicitation.{server_request.mode}" not in offers:
            return ErrorReply(INVALID_PARAMS, f"this client has not declared elicitation in {server_request.mode} mode")
        return None
    if server_request.kind is RequestKind.SAMPLING and SAMPLING in offers and SAMPLING_TOOLS not in offers:
        with_tools = peek.has(server_request.params, "tools") or peek.has(server_request.params, "toolChoice")
        return ErrorReply(INVALID_PARAMS, "this client has not declared sampling.tools") if with_tools else None
    if server_request.kind.value in offers:
        return None
    method = "sampling/createMessage" if server_request.kind is RequestKind.SAMPLING else "roots/list"
    return ErrorReply(METHOD_NOT_FOUND, f"{method}: this client has not declared {server_request.kind.value}")


# Extensions: what both sides declare under `capabilities.extensions`, and the extensions known here.


class Advertised(msgspec.Struct, frozen=True):
    """The extensions that the client declares: settings by extension name."""

    supported: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in revisions that support extensions."""
    asked: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in all revisions, because the user requested it."""
    withheld: frozenset[str] = frozenset()
    """Names that are not declared, "all" for every one. Extensions in `asked` are declared anyway."""

    @property
    def withholds_tasks(self) -> bool:
        """Whether tasks must not be offered. Tasks are also an offer and, in 2025 revisions, a core capability."""
        return bool({TASKS_EXTENSION, "all"} & self.withheld) and TASKS_EXTENSION not in self.asked

    def in_revision(self, revision: Revision) -> dict[str, Any]:
        """Return what is declared in a revision; may be empty."""
        return (self.supported if "extensions" in revision.features else {}) | self.asked


def advertised(more: Iterable[str] = (), fewer: Iterable[str] = ()) -> Advertised:
    """Build the extensions to declare. `more`: NAME or NAME=JSON to add. `fewer`: names to remove, or "all".

    Raises: UsageError for an invalid name, and for settings that are not JSON.
    """
    asked = dict(map(_with_settings, more))
    gone = {full_name(name) for name in fewer}
    supported = {} if "all" in gone else {name: known.settings for name, known in KNOWN.items() if known.by_default}
    return Advertised({name: value for name, value in supported.items() if name not in gone}, asked, frozenset(gone))


def full_name(name: str) -> str:
    """Return the full name of an extension, also for a short name. Raises: UsageError for an empty one."""
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


def negotiated(server: Any, client: Any) -> tuple[Negotiated, ...]:
    """Return the extensions that either side's capabilities declare, the server's first."""
    theirs, ours = peek.mapping(server, "extensions"), peek.mapping(client, "extensions")
    names = dict.fromkeys((*theirs, *ours))
    return tuple(Negotiated(name, theirs.get(name), ours.get(name), name in theirs, name in ours) for name in names)


def declares(capabilities: Mapping[str, Any], name: str) -> bool:
    """Return whether capabilities declare an extension. Its settings may be anything but null."""
    return peek.at(capabilities, "extensions", name) is not None
