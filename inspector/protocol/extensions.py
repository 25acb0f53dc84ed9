"""Extensions: what both sides declare under `capabilities.extensions`, and what is known of the names.

Only what is truly supported is advertised unasked, and only in revisions that have extensions. What a person asks for
by name is advertised in every revision: MCP Apps are negotiated in the handshake era as well.

Source: specification 2026-07-28, basic (capabilities: extensions); MCP Apps, Skills and Tasks, each its own page.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.revisions._shape import Revision

SKILLS = "io.modelcontextprotocol/skills"
UI = "io.modelcontextprotocol/ui"
TASKS = "io.modelcontextprotocol/tasks"
APP_TYPE = "text/html;profile=mcp-app"


class Known(msgspec.Struct, frozen=True):
    """An extension that this program knows something about."""

    name: str
    short: str
    """What a person may write instead of the name."""
    meaning: str
    """What it is for, one sentence."""
    settings: dict[str, Any]
    """What we say of it where nothing else is asked for."""
    by_default: bool
    """Whether it is advertised unasked."""


KNOWN: dict[str, Known] = {
    known.name: known
    for known in (
        Known(SKILLS, "skills", "It serves agent skills: instructions and files, listed with digests.", {}, True),
        Known(
            UI,
            "ui",
            "MCP Apps: tools bring pages for the host to show; their source is shown here, never the page.",
            {"mimeTypes": [APP_TYPE]},
            False,
        ),
        Known(TASKS, "tasks", "A call may come back as a task that is asked about later.", {}, False),
    )
}
_BY_SHORT = {known.short: known.name for known in KNOWN.values()} | {"apps": UI}


class Advertised(msgspec.Struct, frozen=True):
    """What we declare: by the names of extensions, the settings of each."""

    supported: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in revisions that have extensions."""
    asked: dict[str, Any] = msgspec.field(default_factory=dict)
    """Declared in all of them, because somebody wants it so."""
    withheld: frozenset[str] = frozenset()
    """Names that must not be declared, "all" for every one; what was asked for is declared all the same."""

    @property
    def withholds_tasks(self) -> bool:
        """Whether no task is to be offered; it is an offer, and a capability of the core in 2025."""
        return bool({TASKS, "all"} & self.withheld) and TASKS not in self.asked

    def in_revision(self, revision: Revision) -> dict[str, Any]:
        """What is declared in a revision; empty for nothing."""
        return (self.supported if "extensions" in revision.features else {}) | self.asked


def advertised(more: Iterable[str] = (), fewer: Iterable[str] = ()) -> Advertised:
    """What to declare, with switches: NAME or NAME=JSON adds, a name in `fewer` takes away; "all" takes all away.

    Raises: UsageError for what is no name, and for settings that are no JSON.
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
    from inspector.documents import Unreadable, read_json  # few runs have settings

    try:
        return full, read_json(settings)
    except Unreadable as error:
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
