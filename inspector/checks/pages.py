"""Where the specification says something: topics as this program calls them, and their page in each revision.

Pages have moved between revisions; a topic that a revision has no page for gets that revision's front page.
"""

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
