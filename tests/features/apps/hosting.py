"""A host in a test: a session in memory, and a page that keeps what it gets."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from inspector.features.apps.context import BrowserFacts, HostSettings
from inspector.features.apps.host import AppHost, FoundApp
from inspector.features.apps.outlet import HostNotice
from inspector.protocol.apps import AppLink, page_of
from inspector.protocol.capabilities import APP_TYPE
from inspector.protocol.listed_items import Tool
from tests.session.talking import answering, session
from tests.waiting import until

URI = "ui://test/app"
HTML = "<!doctype html>\n<title>app</title>"
META = {"ui": {"resourceUri": URI}}
TOOLS = [
    {"name": "show", "inputSchema": {"type": "object"}, "_meta": META},
    {"name": "for_model", "inputSchema": {"type": "object"}, "_meta": {"ui": {"visibility": ["model"]}}},
    {"name": "for_app", "inputSchema": {"type": "object"}, "_meta": {"ui": {"visibility": ["app"]}}},
    {"name": "erase", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": True}},
]
RESULT = {"content": [{"type": "text", "text": "done"}], "structuredContent": {"n": 1}}
SERVER = {"tools/list": {"tools": TOOLS}, "tools/call": RESULT, "resources/read": {"contents": []}}


def content(html: str = HTML, **ui: Any) -> dict[str, Any]:
    """Return a content item of resources/read with an app."""
    return {"uri": URI, "mimeType": APP_TYPE, "text": html, "_meta": {"ui": ui}}


def app(html: str = HTML, **ui: Any) -> FoundApp:
    return FoundApp(Tool(TOOLS[0]), AppLink("show", URI), page_of(content(html, **ui)))


class View:
    """The page and the View in it: sends JSON, and keeps what it gets."""

    def __init__(self, host: AppHost, notices: list[HostNotice]) -> None:
        self.host, self.notices = host, notices
        self.got: list[Any] = []
        self.told: list[tuple[str, Any]] = []

    def send(self, payload: bytes) -> None:
        """Take a message of the host."""
        self.got.append(json.loads(payload))

    def tell(self, kind: str, value: Any) -> None:
        """Take what the page gets."""
        self.told.append((kind, json.loads(json.dumps(value))))

    def say(self, message: Any) -> None:
        self.host.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification as the View."""
        self.say({"jsonrpc": "2.0", "method": method, "params": params or {}})

    async def ask(self, method: str, params: Any = None, id_: Any = None) -> Any:
        """Send a request as the View; its response."""
        id_ = len(self.got) + 1000 if id_ is None else id_
        self.say({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}})
        await until(lambda: self.answers(id_), f"{method} is answered")
        return self.answers(id_)[-1]

    def answers(self, id_: Any) -> list[Any]:
        return [each for each in self.got if each.get("id") == id_ and "method" not in each]

    def of(self, method: str) -> list[Any]:
        """Return the params of all messages of a method."""
        return [each["params"] for each in self.got if each.get("method") == method]

    @property
    def methods(self) -> list[str]:
        """Methods of the messages of the host, in order, without responses."""
        return [each["method"] for each in self.got if "method" in each]

    async def start(self, capabilities: Any = None) -> Any:
        """Do the handshake; the result of `ui/initialize`."""
        self.notify("ui/notifications/sandbox-proxy-ready")
        params = {"protocolVersion": "2026-01-26", "appInfo": {"name": "t"}, "appCapabilities": capabilities or {}}
        answer = await self.ask("ui/initialize", params)
        self.notify("ui/notifications/initialized")
        return answer["result"]


@asynccontextmanager
async def hosted(
    settings: HostSettings = HostSettings(),  # noqa: B008 - immutable
    *,
    shown: FoundApp | None = None,
    allows: Callable[[str], bool] = lambda tool: False,
    facts: BrowserFacts | None = None,
    server: dict[str, Any] | None = None,
) -> AsyncIterator[View]:
    notices: list[HostNotice] = []

    async def ask(tool: str, arguments: Any) -> bool:
        return allows(tool)

    async with session(answering(SERVER | (server or {}))) as live:
        await live.list_all("tools")
        host = AppHost(live, shown or app(), settings, ask=ask, notify=notices.append)
        async with host:
            view = View(host, notices)
            host.attach(view, facts or BrowserFacts())
            yield view


async def settled(view: View) -> None:
    """Let the tasks of the host run: a ping is answered after them."""
    await view.ask("ping")
    await asyncio.sleep(0)
