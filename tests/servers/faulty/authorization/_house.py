"""A server that asks for a login and its authorization server, at one port: all is well but what a file changes."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, Handler

PROTECTED = "/.well-known/oauth-protected-resource/mcp"
ABOUT = "/.well-known/oauth-authorization-server"
PAGE = HttpResponse(200, (("Content-Type", "text/html"),), b"<!doctype html><title>Acme</title><div id=app></div>")
_REFUSED = b'{"error":"invalid_token"}'


def house(
    protected: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    instead: Mapping[str, HttpResponse] | None = None,
    challenge: str | None = 'Bearer resource_metadata="{here}' + PROTECTED + '", scope="look"',
) -> Handler:
    """`protected` and `about` are members of its metadata, None takes one out; `instead` is by path."""

    async def answer(request: HttpRequest) -> HttpResponse:
        here, path = f"http://{request.header('host')}", urlsplit(request.target).path
        if instead is not None and path in instead:
            return instead[path]
        if path == PROTECTED:
            return _said({"resource": f"{here}/mcp", "authorization_servers": [here]}, protected)
        if path == ABOUT:
            return _said(_about(here), about)
        if path != "/mcp":
            return HttpResponse(404, (("Content-Type", "text/plain"),), b"not found")
        wanted = () if challenge is None else (("WWW-Authenticate", challenge.replace("{here}", here)),)
        return HttpResponse(401, (*JSON, *wanted), _REFUSED)

    return answer


def _said(members: dict[str, Any], changes: Mapping[str, Any] | None) -> HttpResponse:
    left = {name: value for name, value in (members | dict(changes or {})).items() if value is not None}
    return HttpResponse(200, JSON, json.dumps(left).encode())


def _about(here: str) -> dict[str, Any]:
    return {
        "issuer": here,
        "authorization_endpoint": f"{here}/authorize",
        "token_endpoint": f"{here}/token",
        "registration_endpoint": f"{here}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    }
