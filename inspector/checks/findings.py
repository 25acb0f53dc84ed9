"""Finding: a fault of a server, with its evidence and how to fix it.

A finding is a value beside the traffic. It never changes what is shown, and it holds no message, only where it stands.
"""

from enum import StrEnum

import msgspec

from inspector.protocol.revisions._shape import Era, Revision


class Severity(StrEnum):
    """How bad it is; compare by `rank`."""

    ERROR = "error"
    """The specification forbids it, or nothing works."""
    WARNING = "warning"
    """The specification advises against it, or some clients stumble."""
    HINT = "hint"
    """Legal, and worth knowing."""

    @property
    def rank(self) -> int:
        """From 0, the worst, upwards."""
        return _RANKS[self]


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}


class Confidence(StrEnum):
    """How sure it is that the sentence is true."""

    CERTAIN = "certain"
    LIKELY = "likely"
    GUESS = "guess"


class Finding(msgspec.Struct, frozen=True):
    """What a check found."""

    id: str
    """Of the check: "structured-content-missing", "exit-during-handshake"."""
    severity: Severity
    confidence: Confidence
    sentence: str
    """What happened, in one sentence. May quote foreign text: it is shown through `visible()` alone."""
    frames: tuple[int, ...] = ()
    """Numbers of the entries it rests on, the telling one first; () if it rests on an absence."""
    pointer: str = ""
    """Where in that frame's message, as a JSON pointer; "" for the whole."""
    span: tuple[int, int] | None = None
    """Which bytes of that entry's payload, from and up to; None for all."""
    fix: str = ""
    """What the server's author can do; "" if there is nothing to say."""
    page: str = ""
    """The URL of the page that says so; "" if no page does."""
    revision: str = ""
    """The revision it was judged by; "" before one was known."""
    count: int = 1
    """How often it came; the evidence is the first of them."""
    connection: int = 1
    """Which connection of the journal it is about, counted from 1."""
    trait: str = ""
    """What packs of hosts know it by; "" if they know nothing of it. See `checks.hosts`."""
    hosts: tuple[str, ...] = ()
    """Ids of the hosts concerned, where not all are that know the trait; () for all of those."""
    chosen: bool = False
    """Whether somebody asked for these hosts: then a fact whose source names no version is told, too."""
    known_at: int = 0
    """The entry with which it came to light: nobody could have known of it before. 0: from the beginning."""


# Pages of the specification

_SCHEMA = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema"
_MODERN = {
    "basic/lifecycle": "basic/versioning",
    "basic/utilities/progress": "basic/patterns/progress",
    "basic/utilities/cancellation": "basic/patterns/cancellation",
    "stdio": "basic/transports/stdio",
    "http": "basic/transports/streamable-http",
}
_LEGACY = {"stdio": "basic/transports", "http": "basic/transports"}
_TASKS = "https://modelcontextprotocol.github.io/ext-tasks/specification"
"""Where tasks are specified since they have left the core."""
JSON_RPC = "https://www.jsonrpc.org/specification"


def page_of(topic: str, revision: Revision | None) -> str:
    """The URL of a topic's page in a revision; "" without a topic, and where no revision is known yet."""
    if topic.startswith("https://") or not topic:
        return topic
    if revision is None:
        return ""
    if topic == "basic/utilities/tasks" and revision.era is Era.MODERN:
        return f"{_TASKS}/{revision.date}/tasks.html"
    if topic == "schema" and "title" not in revision.features:
        return f"{_SCHEMA}/{revision.date}/schema.ts"
    if topic == "basic" and not revision.batches and "title" not in revision.features:
        return f"{revision.page}/basic/messages"
    moved = _MODERN if revision.era is Era.MODERN else _LEGACY
    return f"{revision.page}/{moved.get(topic, topic)}"
