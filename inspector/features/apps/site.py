"""The web site of one app: a page for the user and a sandbox page, on two loopback ports, which are two origins.

The user's page relays messages between the sandbox and the host over a WebSocket. Each text of the page is a
message of the View; each text for the page is a kind, a line end and JSON, and the kind `view` is a message for the
View. Each address holds a token that can't be guessed. The site sets no cookie and serves nothing else.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import cache
from importlib.resources import files
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import msgspec

from inspector.documents import prepared_type
from inspector.errors import UsageError
from inspector.features.apps.context import BrowserFacts, parse_size
from inspector.features.apps.document import permissions_policy, policy_of
from inspector.features.apps.host import MOST_MESSAGE, AppHost
from inspector.protocol import jsonrpc
from inspector.protocol.apps import PAGE_CLOSED
from inspector.text import visible
from inspector.transports.http import websocket
from inspector.transports.http.listener import Allowance, HttpRequest, HttpResponse, Listener

_GUARD = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-DNS-Prefetch-Control", "off"),
    ("Origin-Agent-Cluster", "?1"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)
_HTML = ("Content-Type", "text/html; charset=utf-8")
_MOST_BODY = 64 * 1024
_MOST_QUEUED = 2000
"""Events for a page that does not read them; then its socket is closed, and it connects again."""


class OpenPage:
    """A page that is open in the browser: the queue of its frames."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[bytes | None] = asyncio.Queue()

    def send(self, payload: bytes) -> None:
        self._put(b"view\n" + payload)

    def tell(self, kind: str, value: Any) -> None:
        """Tell the page itself something."""
        self._put(kind.encode() + b"\n" + jsonrpc.encode(value))

    def answer(self, control: websocket.Received) -> None:
        """Answer a control frame of the browser."""
        if control.kind == websocket.PING:
            self.frames.put_nowait(websocket.frame(control.payload, websocket.PONG))
        elif control.kind == websocket.CLOSE:
            self.frames.put_nowait(websocket.frame(control.payload[:2], websocket.CLOSE))
            self.close()

    def close(self) -> None:
        """Close the socket."""
        self.frames.put_nowait(None)

    def _put(self, event: bytes) -> None:
        if self.frames.qsize() < _MOST_QUEUED:
            self.frames.put_nowait(websocket.frame(event))
        else:
            self.close()


class AppSite:
    """Serves the pages of one host. An async context manager that listens inside."""

    def __init__(self, host: AppHost, title: str) -> None:
        """Create the site. `title` names the server; it may be foreign text."""
        self._host, self._title = host, title
        self._token, self._sandbox_token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        allowance = Allowance(connections=32, body=_MOST_BODY, bodies=4 * _MOST_BODY)
        self._pages = Listener(self._answer, allowance=allowance)
        self._sandbox = Listener(self._answer_sandbox, allowance=Allowance(connections=32, body=0))
        self._stack = AsyncExitStack()
        self._page: OpenPage | None = None
        self.closed = asyncio.Event()
        """Set when the user has closed the page; cleared when it is opened again."""

    @property
    def url(self) -> str:
        """Address of the user's page."""
        return f"{self._pages.url}/{self._token}/"

    @property
    def ports(self) -> tuple[int, int]:
        """Ports of the page and of the sandbox."""
        return self._pages.port, self._sandbox.port

    async def __aenter__(self) -> Self:
        """Start listening. Raises: OSError."""
        await self._stack.enter_async_context(self._pages)
        await self._stack.enter_async_context(self._sandbox)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._page is not None:
            self._page.close()
        await self._stack.aclose()

    # The user's page

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        rest = _below(request.target, self._token)
        match request.method, rest:
            case "GET", "":
                return self._index()
            case "GET", "socket" if request.header("origin") == self._pages.url:
                return self._socket(request)
            case "POST", "page" if request.header("origin") == self._pages.url:
                self._act(request.body)
                return HttpResponse(204, _GUARD)
            case _:
                return HttpResponse(404, _GUARD)

    def _index(self) -> HttpResponse:
        sandbox = f"{self._sandbox.url}/{self._sandbox_token}/"
        app = self._host.app
        nonce, own = secrets.token_urlsafe(16), self._pages.url
        socket = own.replace("http", "ws", 1)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src {own} {socket}; "
            f"frame-src {self._sandbox.url}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        data = {
            "sandbox": sandbox,
            "tool": visible(app.tool.name, limit=100),
            "server": visible(self._title, limit=100),
            "uri": visible(app.link.uri, limit=200),
            "allow": permissions_policy(app.page),
        }
        page = _file("host.html").replace("{{nonce}}", nonce)
        page = page.replace("{{style}}", _file("host.css")).replace("{{script}}", _file("host.js"))
        body = page.replace("{{data}}", _in_script(data))
        return HttpResponse(200, (_HTML, ("Content-Security-Policy", policy), *_GUARD), body.encode())

    def _socket(self, request: HttpRequest) -> HttpResponse:
        """Open the socket of a page."""
        headers = websocket.acceptance(request)
        if headers is None:
            return HttpResponse(400, _GUARD)
        page, reader = OpenPage(), websocket.FrameReader(MOST_MESSAGE)

        def take(data: bytes) -> None:
            try:
                for each in reader.feed(data):
                    if each.kind != websocket.TEXT:
                        page.answer(each)
                    elif self._page is page:
                        self._host.receive(each.payload, each.cut)
            except ValueError:
                page.close()

        return HttpResponse(101, headers, self._frames(page, _facts(urlsplit(request.target).query)), takes=take)

    async def _frames(self, page: OpenPage, facts: BrowserFacts) -> AsyncIterator[bytes]:
        """Yield what a page gets; a new View begins."""
        self._page = page
        self.closed.clear()
        self._host.attach(page, facts)
        page.tell("teardown", self._host.prepared_teardown(PAGE_CLOSED).decode())
        page.tell("start", {})
        try:
            while (piece := await page.frames.get()) is not None:
                yield piece
        finally:
            self._host.detach(page)
            if self._page is page:
                self._page = None
                self.closed.set()

    def _act(self, body: bytes) -> None:
        """Do what the user has done in the page."""
        try:
            done = msgspec.json.decode(body, type=_PageAction)
        except msgspec.DecodeError:
            return
        match done.do:
            case "theme" if done.value in ("light", "dark"):
                self._host.change(theme=done.value)
            case "size":
                try:
                    self._host.change(size=parse_size(done.value))
                except UsageError:
                    return
            case "mode":
                self._host.set_mode(done.value)
            case "facts" if done.facts is not None:
                self._host.change(browser=done.facts)
            case "link":
                self._host.proposals.link_answered(done.value, opened=done.opened)
            case "end":
                self._host.close_soon("the user closed the app")
            case "left":
                self._host.page_left(PAGE_CLOSED)

    # The sandbox

    async def _answer_sandbox(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET" or _below(request.target, self._sandbox_token) != "":
            return HttpResponse(404, _GUARD)
        policy = f"{policy_of(self._host.app.page)}; frame-ancestors {self._pages.url}"
        body = _file("sandbox.html").replace("{{host}}", _in_script(self._pages.url))
        return HttpResponse(200, (_HTML, ("Content-Security-Policy", policy), *_GUARD), body.encode())


@prepared_type
class _PageAction(msgspec.Struct):
    """Something that the user has done in the page."""

    do: str
    value: str = ""
    opened: bool = False
    facts: BrowserFacts | None = None


def _below(target: str, token: str) -> str | None:
    """Return the rest of a path below a token; None for any other path."""
    _, _, path = target.partition("?")[0].partition("/")
    found, slash, rest = path.partition("/")
    return rest if slash and secrets.compare_digest(found.encode("utf-8", "replace"), token.encode()) else None


def _facts(query: str) -> BrowserFacts:
    try:
        return msgspec.json.decode(parse_qs(query).get("facts", ["{}"])[0], type=BrowserFacts)
    except (msgspec.DecodeError, ValueError):
        return BrowserFacts()


def _in_script(value: Any) -> str:
    """Return a value as JSON for a script element: without any character that could end it."""
    return (
        jsonrpc.encode(value).decode().replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    )


@cache
def _file(name: str) -> str:
    return (files("inspector.features.apps") / "pages" / name).read_text("utf-8")
