"""What a server offers and returns: Tool, Resource, Template, Prompt, Content. Lenient; each keeps its raw JSON.

A thing can be made of anything: a list with one bad item keeps the good ones, and the bad one says what is
wrong with it in `flaw`.
"""

from typing import Any

import msgspec

from inspector.protocol import peek


class Listed(msgspec.Struct, frozen=True):
    """One of the four kinds of list: the method that asks for it and the member that holds its items."""

    kind: str
    method: str
    member: str
    capability: str
    changed: str
    """The notification that says it has changed."""


LISTS: dict[str, Listed] = {
    "tools": Listed("tools", "tools/list", "tools", "tools", "notifications/tools/list_changed"),
    "resources": Listed(
        "resources", "resources/list", "resources", "resources", "notifications/resources/list_changed"
    ),
    "templates": Listed(
        "templates",
        "resources/templates/list",
        "resourceTemplates",
        "resources",
        "notifications/resources/list_changed",
    ),
    "prompts": Listed("prompts", "prompts/list", "prompts", "prompts", "notifications/prompts/list_changed"),
}
"""By our own word for the kind, in the order in which they are shown."""

KIND_OF_METHOD = {listed.method: listed.kind for listed in LISTS.values()}


class ListedItem(msgspec.Struct, frozen=True):
    """What all listed things share."""

    raw: Any

    @property
    def name(self) -> str:
        """The programmatic name; "" if there is none."""
        return peek.text(self.raw, "name") or ""

    @property
    def key(self) -> str:
        """What tells it from the others of its kind: the name, of a resource its URI, of a template itself."""
        return self.name

    @property
    def title(self) -> str:
        """What a person reads: title, else name (specification 2025-06-18, BaseMetadata)."""
        return peek.text(self.raw, "title") or self.name

    @property
    def description(self) -> str:
        """The server's own words; "" if there are none."""
        return peek.text(self.raw, "description") or ""

    @property
    def flaw(self) -> str:
        """Why it can't be used as it is, half a sentence; "" if it can."""
        if not isinstance(self.raw, dict):
            article = "an" if isinstance(self.raw, list) else "a"
            return f"{article} {peek.type_name(self.raw)} instead of an object"
        return "" if self.name else "it has no name"


class Tool(ListedItem, frozen=True):
    """An item of tools/list."""

    @property
    def title(self) -> str:
        """Title, else the annotation's title, else the name (specification 2025-06-18, Tool)."""
        return peek.text(self.raw, "title") or peek.text(self.raw, "annotations", "title") or self.name

    @property
    def input_schema(self) -> Any:
        """Any JSON; None if absent or null."""
        return peek.at(self.raw, "inputSchema")

    @property
    def output_schema(self) -> Any:
        """Any JSON; None if absent or null."""
        return peek.at(self.raw, "outputSchema")

    @property
    def read_only(self) -> bool:
        """The server's claim; false by default."""
        return peek.flag(self.raw, "annotations", "readOnlyHint") is True

    @property
    def idempotent(self) -> bool:
        """The server's claim that a second call with the same arguments adds nothing; false by default."""
        return peek.flag(self.raw, "annotations", "idempotentHint") is True

    @property
    def destructive(self) -> bool:
        """The server's claim that a call may destroy something.

        True only if said: the default of the specification is true as well, but a warning at every
        unannotated tool would soon be ignored.
        """
        return peek.flag(self.raw, "annotations", "destructiveHint") is True and not self.read_only

    @property
    def claims(self) -> tuple[str, ...]:
        """The annotations that were given, in words, for a label such as "claimed by server"."""
        words = {
            "readOnlyHint": ("read-only", "writes"),
            "destructiveHint": ("destructive", "not destructive"),
            "idempotentHint": ("idempotent", "not idempotent"),
            "openWorldHint": ("open world", "closed world"),
        }
        given = {key: peek.flag(self.raw, "annotations", key) for key in words}
        return tuple(words[key][0 if value else 1] for key, value in given.items() if value is not None)

    @property
    def task_support(self) -> str:
        """One of forbidden, optional, required (2025-11-25); "" if not said."""
        return peek.text(self.raw, "execution", "taskSupport") or ""

    @property
    def flaw(self) -> str:
        """Why a form can't be drawn or a call not be made; "" if both can."""
        if not isinstance(self.raw, dict) or not self.name:
            return ListedItem.flaw.fget(self)  # type: ignore[attr-defined, no-any-return]
        if not isinstance(self.input_schema, dict):
            return f"its inputSchema is {'missing' if self.input_schema is None else 'no object'}"
        return ""


class Resource(ListedItem, frozen=True):
    """An item of resources/list."""

    @property
    def key(self) -> str:
        """Its URI."""
        return self.uri

    @property
    def uri(self) -> str:
        """Empty if there is none."""
        return peek.text(self.raw, "uri") or ""

    @property
    def mime_type(self) -> str:
        """Empty if not said."""
        return peek.text(self.raw, "mimeType") or ""

    @property
    def flaw(self) -> str:
        """Why it can't be read; "" if it can. Without a name it can."""
        if not isinstance(self.raw, dict):
            return f"a {peek.type_name(self.raw)} instead of an object"
        return "" if self.uri else "it has no uri"


class Template(ListedItem, frozen=True):
    """An item of resources/templates/list."""

    @property
    def key(self) -> str:
        """The template itself."""
        return self.uri_template

    @property
    def uri_template(self) -> str:
        """RFC 6570; "" if there is none."""
        return peek.text(self.raw, "uriTemplate") or ""

    @property
    def mime_type(self) -> str:
        """Of all that it stands for; "" if not said."""
        return peek.text(self.raw, "mimeType") or ""

    @property
    def flaw(self) -> str:
        """Why nothing can be read with it; "" if something may be. Its grammar is judged elsewhere."""
        if not isinstance(self.raw, dict):
            return f"a {peek.type_name(self.raw)} instead of an object"
        return "" if self.uri_template else "it has no uriTemplate"


class Prompt(ListedItem, frozen=True):
    """An item of prompts/list."""

    @property
    def arguments(self) -> list[Any]:
        """As the server gave them: `{name, description?, required?}` each, if it keeps to the specification."""
        return peek.items(self.raw, "arguments")


class Content(msgspec.Struct, frozen=True):
    """A block of a tool's result or of a prompt's message."""

    raw: Any

    @property
    def type(self) -> str:
        """One of "text", "image", "audio", "resource", "resource_link", something unknown, or ""."""
        return peek.text(self.raw, "type") or ""

    @property
    def text(self) -> str | None:
        """Of a text block, or of an embedded text resource."""
        return peek.text(self.raw, "text") if self.type == "text" else peek.text(self.raw, "resource", "text")

    @property
    def data(self) -> str | None:
        """Base64 as received: of an image, an audio clip, or an embedded blob."""
        found = peek.text(self.raw, "data")
        return found if found is not None else peek.text(self.raw, "resource", "blob")

    @property
    def mime_type(self) -> str:
        """As claimed; "" if not said."""
        return peek.text(self.raw, "mimeType") or peek.text(self.raw, "resource", "mimeType") or ""

    @property
    def uri(self) -> str:
        """Of a resource link or an embedded resource; "" otherwise."""
        return peek.text(self.raw, "uri") or peek.text(self.raw, "resource", "uri") or ""
