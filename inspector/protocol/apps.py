"""MCP Apps: the links from tools to UI pages, and the settings that a page requests from its host.

Pages are not rendered here; this module only reads their definitions. Source: MCP Apps (io.modelcontextprotocol/ui),
2026-01-26: `_meta.ui` of tools, contents and listed resources; older servers write `_meta["ui/resourceUri"]`.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.capabilities import APP_TYPE
from inspector.protocol.listed_items import Resource, Tool

SCHEME = "ui://"
SANDBOX = "ui/notifications/sandbox-"
"""Beginning of the methods between a host and its sandbox page; a View may not send them."""
PAGE_CLOSED = "the page was closed"
"""Reason of a teardown that is sent while the page closes, so that no answer can arrive."""
_FLAT = "ui/resourceUri"
_DOMAINS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")


class AppLink(msgspec.Struct, frozen=True):
    """A link from a tool to a UI page."""

    tool: str
    uri: str
    visibility: tuple[str, ...] = ()
    """Who may use the tool: "model", "app"; () if not specified, which means both."""
    flaws: tuple[str, ...] = ()
    """Problems with the link, as short phrases."""

    @property
    def hidden_from_model(self) -> bool:
        """Whether only the page may call the tool."""
        return bool(self.visibility) and "model" not in self.visibility


class Page(msgspec.Struct, frozen=True):
    """The source and settings of a UI page, as returned by resources/read."""

    uri: str
    mime_type: str
    source: bytes
    domains: tuple[tuple[str, tuple[str, ...]], ...]
    """Domains it may connect to and load from, by their names in the specification; () if not specified: none."""
    permissions: tuple[str, ...]
    domain: str
    prefers_border: bool | None
    flaws: tuple[str, ...]
    by_listing: bool = False
    """Whether the settings are from its entry in `resources/list`, because the content itself has none."""

    @property
    def sha256(self) -> str:
        """SHA-256 of the source, in hexadecimal."""
        return hashlib.sha256(self.source).hexdigest()


def app_uri(tool: Any) -> str | None:
    """Return the URI of a tool's page; None if it names none."""
    uri = peek.at(tool, "_meta", "ui", "resourceUri")
    return uri if isinstance(uri, str) else peek.text(tool, "_meta", _FLAT)


def app_of(tool: Tool) -> AppLink | None:
    """Return the link to the page that a tool names; None if it names none."""
    meta = peek.at(tool.raw, "_meta")
    nested, flat = peek.at(meta, "ui", "resourceUri"), peek.at(meta, _FLAT)
    given = flat if nested is None else nested
    visibility = tuple(each for each in peek.items(meta, "ui", "visibility") if isinstance(each, str))
    if given is None:
        return AppLink(tool.name, "", visibility) if visibility else None
    uri = given if isinstance(given, str) else ""
    flaws = []
    if nested is None:
        flaws.append(f'it is in the deprecated _meta["{_FLAT}"]')
    elif flat is not None and flat != nested:
        flaws.append(f'the deprecated _meta["{_FLAT}"] names another')
    if not uri.startswith(SCHEME):
        flaws.append(f"it does not begin with {SCHEME}" if uri else "it is not a string")
    return AppLink(tool.name, uri, visibility, tuple(flaws))


def apps_of(tools: Iterable[Tool]) -> tuple[AppLink, ...]:
    """Return the links of all tools that have one, in the order of the tools."""
    return tuple(link for tool in tools if (link := app_of(tool)) is not None and (link.uri or link.flaws))


def is_app(content: Any) -> bool:
    """Return whether a content item is meant to be a UI page."""
    kind = (peek.text(content, "mimeType") or "").replace(" ", "").lower()
    return (peek.text(content, "uri") or "").startswith(SCHEME) or kind == APP_TYPE


def lacks_settings(content: Any) -> bool:
    """Return whether a content item is a UI page without settings (`_meta.ui`) of its own."""
    return is_app(content) and not isinstance(peek.at(content, "_meta", "ui"), dict)


def listed_pages(result: Any, resources: Iterable[Resource]) -> dict[str, Any]:
    """Return the `resources/list` entries, by URI, of the pages in a read result that lack settings."""
    wanted = {peek.text(each, "uri") for each in peek.items(result, "contents") if lacks_settings(each)}
    return {each.uri: each.raw for each in resources if each.uri in wanted} if wanted else {}


def page_of(content: Any, listed: Any = None) -> Page:
    """Parse a content item as a UI page. Accepts any value; problems are in `flaws`.

    `listed` is its entry in `resources/list`, or None. Its `_meta.ui` applies if the content has none.
    """
    by_listing = lacks_settings(content) and isinstance(peek.at(listed, "_meta", "ui"), dict)
    meta = peek.at(listed if by_listing else content, "_meta", "ui")
    source, flaws = _source(content)
    mime_type = peek.text(content, "mimeType") or ""
    if mime_type.replace(" ", "").lower() != APP_TYPE:
        flaws.append(f"its type is {mime_type[:80] or 'not said'}, not {APP_TYPE}")
    beginning = source[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if source and not beginning.startswith((b"<!doctype html", b"<html", b"<!--")):
        flaws.append("it does not begin like an HTML document")
    domains = ((name, _texts(meta, "csp", name)) for name in _DOMAINS)
    return Page(
        uri=peek.text(content, "uri") or "",
        mime_type=mime_type,
        source=source,
        domains=tuple((name, found) for name, found in domains if found),
        permissions=tuple(peek.mapping(meta, "permissions")),
        domain=peek.text(meta, "domain") or "",
        prefers_border=peek.flag(meta, "prefersBorder"),
        flaws=tuple(flaws),
        by_listing=by_listing,
    )


def _texts(value: Any, *path: str) -> tuple[str, ...]:
    return tuple(each for each in peek.items(value, *path) if isinstance(each, str))


def _source(content: Any) -> tuple[bytes, list[str]]:
    if (text := peek.text(content, "text")) is not None:
        return text.encode("utf-8", "surrogatepass"), [] if text else ["it is empty"]
    blob = peek.text(content, "blob")
    if blob is None:
        return b"", ["it has neither text nor blob"]
    try:
        return base64.b64decode(blob, validate=True), []
    except (binascii.Error, ValueError):
        return b"", ["its base64 can't be decoded"]
