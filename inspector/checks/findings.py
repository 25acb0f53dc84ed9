"""Finding: a defect of a server, with its evidence and its fix.

Findings are stored separately from the traffic and never change it. A finding refers to messages by entry number.
"""

from enum import StrEnum

import msgspec

from inspector.protocol.revisions._shape import Era, Revision

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
"""The specification of tasks since they are an extension."""
JSON_RPC = "https://www.jsonrpc.org/specification"


class Severity(StrEnum):
    """Severity of a finding; compare by `rank`."""

    ERROR = "error"
    """The specification forbids it, or nothing works."""
    WARNING = "warning"
    """The specification advises against it, or some clients fail."""
    HINT = "hint"
    """Legal, but worth knowing."""

    @property
    def rank(self) -> int:
        """Rank from 0, the worst, upwards."""
        return _RANKS[self]


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}


class Confidence(StrEnum):
    """Certainty of a finding's sentence."""

    CERTAIN = "certain"
    LIKELY = "likely"
    GUESS = "guess"


class Finding(msgspec.Struct, frozen=True):
    """One defect found by a check."""

    id: str
    """The slug of the check: "structured-content-missing", "exit-during-handshake"."""
    severity: Severity
    confidence: Confidence
    sentence: str
    """What happened, in one sentence. May quote foreign text: show it through `visible()` only."""
    frames: tuple[int, ...] = ()
    """Entry numbers of its evidence, the most important first; () if something is absent."""
    pointer: str = ""
    """Place in that frame's message, as a JSON pointer; "" for the whole message."""
    span: tuple[int, int] | None = None
    """Range of bytes in that entry's payload, end exclusive; None for all."""
    fix: str = ""
    """What the server's author can do; "" if unknown."""
    page: str = ""
    """URL of the page of the specification; "" if there is none."""
    revision: str = ""
    """Protocol version it was judged by; "" if none was known."""
    count: int = 1
    """Number of times it was found; the evidence is the first occurrence."""
    connection: int = 1
    """Number of the connection in the journal, from 1."""
    trait: str = ""
    """Trait in the compatibility data; "" if there is none. See `checks.compat`."""
    hosts: tuple[str, ...] = ()
    """Ids of the clients affected, if not all with the trait; () for all of those."""
    chosen: bool = False
    """Whether the user selected these clients; then facts whose source names no version are shown, too."""
    provoked: bool = False
    """Whether it is about a request that tests how the server reacts; others are more important."""
    known_at: int = 0
    """Entry at which it became known; 0: from the start."""


# Pages of the specification


def page_of(topic: str, revision: Revision | None) -> str:
    """Return the URL of a topic's page in a revision; "" without a topic, or if no revision is known yet."""
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
