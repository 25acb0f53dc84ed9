"""A server that asks for a login, and who guards it: all is well, or wrong in one place that a test names.

In this process, on two ports: `async with Guarded() as house`. What is wrong is said by replacing a member.
"""

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener

JSON = (("Content-Type", "application/json"),)
PAGE = HttpResponse(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Welcome</title>")
PROTECTED, ABOUT = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"
Answer = Callable[[HttpRequest], Awaitable[HttpResponse]]


def said(value: object, status: int = 200, *more: tuple[str, str]) -> HttpResponse:
    """A response with JSON."""
    return HttpResponse(status, (*JSON, *more), json.dumps(value).encode())


class Guarded:
    """The server at `url`, and its authorization server at `issuer`."""

    def __init__(self) -> None:
        self.door, self.guard = Listener(self._door), Listener(self._guard)
        self.tokens: list[str] = []
        """Those that were given; the last one opens."""
        self.is_open = False
        """Whether everybody is let in."""
        self.lasts = 3600
        """Seconds that a token is said to be good for."""
        self.clients: list[str] = []
        self.protected: dict[str, Any] = {}
        """Members that the server's metadata has instead."""
        self.about: dict[str, Any] = {}
        """Members that the authorization server's metadata has instead; None takes one out."""
        self.instead: dict[str, HttpResponse | Answer] = {}
        """By paths: what is answered there, at either port."""
        self.comes_back: dict[str, str] = {}
        """Parameters of the redirect instead of its own."""
        self.asked: list[str] = []
        """Methods and paths, in order, of both."""
        self.requests: list[HttpRequest] = []
        self._challenges: dict[str, str] = {}
        self._stack = AsyncExitStack()

    @property
    def url(self) -> str:
        """The server's address."""
        return f"{self.door.url}/mcp"

    @property
    def issuer(self) -> str:
        """The authorization server's name."""
        return self.guard.url

    async def __aenter__(self) -> Self:
        """Serve."""
        await self._stack.enter_async_context(self.door)
        await self._stack.enter_async_context(self.guard)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End."""
        await self._stack.aclose()

    async def _instead(self, request: HttpRequest) -> HttpResponse | None:
        parts = urlsplit(request.target)
        self.asked.append(f"{request.method} {parts.path}")
        self.requests.append(request)
        found = self.instead.get(parts.path)
        return found if found is None or isinstance(found, HttpResponse) else await found(request)

    async def _door(self, request: HttpRequest) -> HttpResponse:
        if (instead := await self._instead(request)) is not None:
            return instead
        path = urlsplit(request.target).path
        if path == PROTECTED:
            return said({"resource": self.url, "authorization_servers": [self.issuer]} | self.protected)
        if path != "/mcp":
            return HttpResponse(404)
        if self.is_open:
            return spoken(request)
        if not self.tokens or request.header("authorization") != f"Bearer {self.tokens[-1]}":
            where = f'Bearer resource_metadata="{self.door.url}{PROTECTED}", scope="look"'
            return HttpResponse(401, (("WWW-Authenticate", where),))
        return spoken(request)

    async def _guard(self, request: HttpRequest) -> HttpResponse:
        if (instead := await self._instead(request)) is not None:
            return instead
        parts = urlsplit(request.target)
        match parts.path:
            case "/.well-known/oauth-authorization-server":
                return said(self._about())
            case "/register":
                self.clients.append(f"client-{len(self.clients) + 1}")
                return said({"client_id": self.clients[-1]}, 201)
            case "/authorize":
                return self._consented(dict(parse_qsl(parts.query)))
            case "/token":
                return self._given(dict(parse_qsl(request.body.decode())))
            case _:
                return HttpResponse(404)

    def _about(self) -> dict[str, Any]:
        members = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }
        return {name: value for name, value in (members | self.about).items() if value is not None}

    def _consented(self, asked: dict[str, str]) -> HttpResponse:
        self._challenges["c0de"] = asked["code_challenge"]
        back = {"code": "c0de", "state": asked["state"], "iss": self.issuer} | self.comes_back
        if asked["client_id"] not in self.clients:
            back |= {"error": "unauthorized_client", "error_description": "who is that?"}
        return HttpResponse(302, (("Location", f"{asked['redirect_uri']}?{urlencode(back)}"),))

    def _given(self, form: dict[str, str]) -> HttpResponse:
        if form.get("client_id") not in self.clients:
            return said({"error": "invalid_client"}, 401)
        if form["grant_type"] == "authorization_code":
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            if self._challenges.pop(form["code"], "") != base64.urlsafe_b64encode(digest).rstrip(b"=").decode():
                return said({"error": "invalid_grant"}, 400)
        elif form.get("refresh_token") != f"renews-{len(self.tokens)}":
            return said({"error": "invalid_grant"}, 400)
        self.tokens.append(f"opens-the-door-{len(self.tokens) + 1:04}-{'x' * 20}")
        renews = f"renews-{len(self.tokens)}"
        given = {"access_token": self.tokens[-1], "token_type": "Bearer", "refresh_token": renews, "scope": "look"}
        return said(given | {"expires_in": self.lasts})


def spoken(request: HttpRequest) -> HttpResponse:
    """What a server of the handshake era with one tool answers."""
    if request.method != "POST":
        return HttpResponse(405)
    message = json.loads(request.body)
    if "id" not in message:
        return HttpResponse(202)
    results = {
        "initialize": {
            "protocolVersion": newest_of(Era.LEGACY).date,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "guarded", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": "a vault"}]},
    }
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] in results:
        return said(answer | {"result": results[message["method"]]})
    return said(answer | {"error": {"code": -32601, "message": "Method not found"}})
