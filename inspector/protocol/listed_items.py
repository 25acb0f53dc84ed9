"""What a server offers and returns: Tool, Resource, Template, Prompt, Content, with their raw JSON.

Parsing is lenient: an item can be created from any JSON, so a list with an invalid item keeps the valid ones. The
defect of an invalid item is in `flaw`.
"""

from typing import Any, Literal

import msgspec

from inspector.protocol import peek

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""Annotations of a tool that claim how it behaves."""

MEDIA: tuple[Literal["image", "audio"], ...] = ("image", "audio")
"""Types of content blocks whose `data` is base64."""


class Listed(msgspec.Struct, frozen=True):
    """One of the four kinds of list: its method and the member with its items."""

    kind: str
    method: str
    member: str
    capability: str
    changed: str
    """Method of the notification that the list has changed."""

    @property
    def one(self) -> str:
        """What one of its items is called: "tool"."""
        return self.kind.removesuffix("s")


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
"""Lists by kind, in display order."""

KIND_OF_METHOD = {listed.method: listed.kind for listed in LISTS.values()}


class ListedItem(msgspec.Struct, frozen=True):
    """Base class of listed items."""

    raw: Any

    @property
    def name(self) -> str:
        """The programmatic name; "" if there is none."""
        return peek.text(self.raw, "name") or ""

    @property
    def key(self) -> str:
        """Identifier within its kind: the name, the URI of a resource, or the template itself."""
        return self.name

    @property
    def title(self) -> str:
        """Display name: title, else name (specification 2025-06-18, BaseMetadata)."""
        return peek.text(self.raw, "title") or self.name

    @property
    def description(self) -> str:
        """The server's description; "" if there is none."""
        return peek.text(self.raw, "description") or ""

    @property
    def flaw(self) -> str:
        """Why it can't be used, as a short phrase; "" if it can."""
        return self.without("name")

    def without(self, member: str) -> str:
        """Return the flaw of an item whose `member` is not a text, or empty; "" if it is there."""
        if not isinstance(self.raw, dict):
            article = "an" if isinstance(self.raw, list) else "a"
            return f"{article} {peek.type_name(self.raw)} instead of an object"
        return "" if peek.text(self.raw, member) else f"it has no {member}"


class Tool(ListedItem, frozen=True):
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
        """Whether the server claims that it is read-only; false by default."""
        return peek.flag(self.raw, "annotations", "readOnlyHint") is True

    @property
    def idempotent(self) -> bool:
        """Whether the server claims that a repeated call has no additional effect; false by default."""
        return peek.flag(self.raw, "annotations", "idempotentHint") is True

    @property
    def destructive(self) -> bool:
        """Whether the server claims that a call may be destructive.

        True only if explicit: the specification's default is true as well, but a warning at every unannotated tool
        would soon be ignored.
        """
        return peek.flag(self.raw, "annotations", "destructiveHint") is True and not self.read_only

    @property
    def says_nothing(self) -> bool:
        """Whether the server claims neither that it is read-only nor whether it is destructive."""
        return not self.read_only and peek.flag(self.raw, "annotations", "destructiveHint") is None

    @property
    def claims(self) -> tuple[str, ...]:
        """The given annotations as text, for a label such as "claimed by server"."""
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
        """One of forbidden, optional, required (2025-11-25); "" if not specified."""
        return peek.text(self.raw, "execution", "taskSupport") or ""

    @property
    def flaw(self) -> str:
        """Why no form can be shown or no call be made; "" if both can."""
        if not isinstance(self.raw, dict) or not self.name:
            return self.without("name")
        if not isinstance(self.input_schema, dict):
            return f"its inputSchema is {'missing' if self.input_schema is None else 'not an object'}"
        return ""


class Resource(ListedItem, frozen=True):
    @property
    def key(self) -> str:
        return self.uri

    @property
    def uri(self) -> str:
        """The URI; "" if missing."""
        return peek.text(self.raw, "uri") or ""

    @property
    def mime_type(self) -> str:
        """The MIME type; "" if not specified."""
        return peek.text(self.raw, "mimeType") or ""

    @property
    def flaw(self) -> str:
        """Why it can't be read; "" if it can. A name is not required."""
        return self.without("uri")


class Template(ListedItem, frozen=True):
    @property
    def key(self) -> str:
        return self.uri_template

    @property
    def uri_template(self) -> str:
        """The template according to RFC 6570; "" if missing."""
        return peek.text(self.raw, "uriTemplate") or ""

    @property
    def mime_type(self) -> str:
        """MIME type of all matching resources; "" if not specified."""
        return peek.text(self.raw, "mimeType") or ""

    @property
    def flaw(self) -> str:
        """Why it can't be used; "" if it may be usable. Its grammar is checked elsewhere."""
        return self.without("uriTemplate")


class Prompt(ListedItem, frozen=True):
    @property
    def arguments(self) -> list[Any]:
        """The arguments as received; according to the specification each is `{name, description?, required?}`."""
        return peek.items(self.raw, "arguments")


class Content(msgspec.Struct, frozen=True):
    """A content block of a tool's result or a prompt's message."""

    raw: Any

    @property
    def type(self) -> str:
        """Type of the block, known or unknown; "" if it is missing."""
        return peek.text(self.raw, "type") or ""

    @property
    def text(self) -> str | None:
        """Text of a text block or an embedded text resource."""
        return peek.text(self.raw, "text") if self.type == "text" else peek.text(self.raw, "resource", "text")

    @property
    def data(self) -> str | None:
        """Base64 data as received, of an image, audio or embedded blob."""
        found = peek.text(self.raw, "data")
        return found if found is not None else peek.text(self.raw, "resource", "blob")

    @property
    def mime_type(self) -> str:
        """MIME type claimed by the server; "" if not specified."""
        return peek.text(self.raw, "mimeType") or peek.text(self.raw, "resource", "mimeType") or ""

    @property
    def uri(self) -> str:
        """URI of a resource link or an embedded resource; "" otherwise."""
        return peek.text(self.raw, "uri") or peek.text(self.raw, "resource", "uri") or ""
