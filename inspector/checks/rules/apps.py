"""MCP Apps: tools that bring a page, and the pages.

Source: ext-apps, MCP Apps, 2026-01-26.
"""

from collections.abc import Iterator

from inspector.checks.findings import Severity
from inspector.checks.learning import app_uri
from inspector.checks.registry import Flaw, check
from inspector.checks.rules.tools import tools_of
from inspector.checks.scene import Case
from inspector.protocol import peek
from inspector.protocol.apps import SCHEME
from inspector.protocol.extensions import APP_TYPE

_ERROR, _HINT = Severity.ERROR, Severity.HINT
_TOPIC = "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx"


@check(
    "U01",
    _ERROR,
    "a tool's page that can't be shown",
    "answer tools/list",
    "answer resources/read",
    "error resources/read",
    topic=_TOPIC,
)
def pages_can_be_shown(case: Case) -> Iterator[Flaw]:
    """Its address is a ui:// one, it can be read there, and it is of the type for such pages."""
    if case.method == "tools/list":
        for place, name, tool in tools_of(case):
            uri = app_uri(tool)
            if uri is not None and not uri.startswith(SCHEME):
                yield Flaw(f"{name}: its page is at {uri[:60]!r}, not at {SCHEME}…", f"{place}/_meta")
        return
    uri = peek.text(case.asked.params if case.asked is not None else None, "uri") or ""
    link = case.scene.apps.get(uri)
    if link is None:
        return
    if type(case.value) is dict and "contents" not in case.value:
        said = peek.text(case.value, "message") or ""
        yield Flaw(f"{uri[:60]!r} can't be read, and a tool brings it: {said[:80]}", "/error", frames=(link.frame,))
    for at, content in enumerate(peek.items(case.value, "contents")):
        kind = peek.text(content, "mimeType") or ""
        if kind.replace(" ", "").lower() != APP_TYPE:
            place = f"/result/contents/{at}/mimeType"
            yield Flaw(f"{uri[:60]!r} is of type {kind[:60]!r}, not {APP_TYPE}", place, frames=(link.frame,))


@check(
    "U02",
    _HINT,
    "a page is named in the old way",
    "answer tools/list",
    topic=_TOPIC,
    fix='Write "ui": {"resourceUri": …}.',
)
def pages_are_named_in_the_new_way(case: Case) -> Iterator[Flaw]:
    """The flat key of _meta is deprecated; servers that send both serve older hosts."""
    for place, name, tool in tools_of(case):
        if peek.has(tool, "_meta", "ui/resourceUri") and not peek.has(tool, "_meta", "ui", "resourceUri"):
            yield Flaw(f'{name}: _meta["ui/resourceUri"] is deprecated', f"{place}/_meta/ui~1resourceUri")


@check(
    "U03",
    _ERROR,
    "a tool with a page says nothing without it",
    "answer tools/call",
    topic=_TOPIC,
    fix="Put the outcome into content as text, too: not every host shows pages.",
)
def pages_are_no_substitute(case: Case) -> Iterator[Flaw]:
    """The content is what a model reads, and what hosts show that have no pages."""
    if not case.scene.app_tools:
        return
    name = peek.text(case.asked.params if case.asked is not None else None, "name") or ""
    uri = case.scene.app_tools.get(name)
    if uri is None or peek.at(case.value, "isError") is True or type(peek.at(case.value, "content")) is not list:
        return
    blocks = peek.items(case.value, "content")
    if not any(peek.text(each, "type") != "text" or (peek.text(each, "text") or "").strip() for each in blocks):
        yield Flaw(f"{name[:60]} brings the page {uri[:60]!r}, and its content says nothing", "/result/content")
