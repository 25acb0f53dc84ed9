"""Finds the app of a tool: the tool in the list, its link, and the page that the link names."""

from inspector.errors import RequestFailed, UsageError
from inspector.features.apps.document import MOST_BYTES
from inspector.features.apps.host import FoundApp
from inspector.protocol import peek
from inspector.protocol.apps import AppLink, app_of, lacks_settings, listed_pages, page_of
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.session.session import Session
from inspector.text import human_size, visible


def link_of(tools: tuple[Tool, ...] | list[Tool], name: str) -> tuple[Tool, AppLink]:
    """Return a tool and the link to its app. Raises: UsageError if there is no such tool, or it has no app."""
    tool = next((each for each in tools if each.name == name), None)
    apps = [each.name for each in tools if (link := app_of(each)) is not None and link.uri]
    known = f"Tools with an app: {', '.join(apps[:10])}." if apps else "No tool of this server has an app."
    known = visible(known, limit=500)
    if tool is None:
        raise UsageError(f"the server has no tool {name!r}", hint=known)
    link = app_of(tool)
    if link is None or not link.uri:
        raise UsageError(f"the tool {name!r} has no app: it has no _meta.ui.resourceUri", hint=known)
    return tool, link


async def open_app(session: Session, tool: Tool, link: AppLink) -> FoundApp:
    """Read the page of an app. Raises: RequestFailed if it can't be read, or is too large."""
    named = visible(link.uri, limit=200)
    called = await session.call("resources/read", {"uri": link.uri})
    match called.reply:
        case Replied(message=ResultResponse() as message):
            result = message.result
        case Replied(message=ErrorResponse() as message):
            reason = visible(message.message, limit=200)
            raise RequestFailed(
                f"the app {named} can't be read: error {message.code}: {reason}",
                hint="The resource that _meta.ui.resourceUri names must exist.",
            )
        case _:
            raise RequestFailed(f"the app {named} can't be read: no response to resources/read")
    contents = peek.items(result, "contents")
    own = [each for each in contents if peek.text(each, "uri") == link.uri] or contents
    if not own:
        raise RequestFailed(f"the app {named} has no contents", hint="resources/read must return the HTML.")
    opening = session.opening
    if lacks_settings(own[0]) and opening is not None and peek.has(opening.capabilities, "resources"):
        await session.list_all("resources")
    listed = listed_pages(result, session.journal.conversation.catalogue.resources)
    page = page_of(own[0], listed.get(peek.text(own[0], "uri") or ""))
    if len(page.source) > MOST_BYTES:
        raise RequestFailed(
            f"the app {named} has {human_size(len(page.source))} of HTML; at most {human_size(MOST_BYTES)} are shown",
            hint="Load large parts on demand, with resources/read or from a declared domain.",
        )
    if not page.source.strip():
        raise RequestFailed(f"the app {named} is empty", hint="resources/read must return the HTML as text or blob.")
    return FoundApp(tool, link, page)
