"""Servers over HTTP of the tenth round."""

import base64
from dataclasses import replace
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.authorization._house import PROTECTED, house
from tests.servers.http_fixtures import Handler
from tests.servers.trackers import Run
from tests.servers.trackers.january_http import _method
from tests.servers.trackers.written_http import handler_of


def _login(**changes: Any) -> Run:
    """A server with a login; "{here}" in what it says is its own address."""

    def make() -> Handler:
        inner = house(**changes)

        async def handler(request: HttpRequest) -> HttpResponse:
            response = await inner(request)
            here = f"http://{request.header('host')}".encode()
            assert isinstance(response.body, bytes)
            return replace(response, body=response.body.replace(b"{here}", here))

        return handler

    return make


def _opens_without_a_login() -> Handler:
    """Only calls are refused; a login would work."""
    free, guarded = handler_of({}, "legacy", events=False), house()

    async def handler(request: HttpRequest) -> HttpResponse:
        is_open = request.target == "/mcp" and _method(request) != "tools/call"
        return await (free if is_open else guarded)(request)

    return handler


def _compressed() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if _method(request) != "tools/list":
            return response
        body = bytes.fromhex("28b52ffd0458790200") + bytes(range(120, 200))
        return HttpResponse(200, (*response.headers, ("Content-Encoding", "zstd")), body)

    return handler


def _in_base64() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        assert isinstance(response.body, bytes)
        return replace(response, body=base64.b64encode(response.body)) if response.status == 200 else response

    return handler


_KNOWN = ["read", "write", "offline_access"]
SERVERS: dict[str, Run] = {
    "resource-is-the-origin": _login(protected={"resource": "{here}/"}),
    "login-can-not-be-renewed": _login(about={"grant_types_supported": ["authorization_code"]}),
    "scope-that-nobody-grants": _login(
        about={"scopes_supported": _KNOWN, "authorization_response_iss_parameter_supported": True},
        challenge='Bearer resource_metadata="{here}/.well-known/oauth-protected-resource/mcp", scope="mcp:tools"',
    ),
    "nobody-may-register": _login(about={"registration_endpoint": None}),
    "login-is-wanted-by-calls-alone": _opens_without_a_login,
    "only-keys-may-log-in": _login(about={"token_endpoint_auth_methods_supported": ["private_key_jwt"]}),
    "scopes-with-commas": _login(
        challenge='Bearer resource_metadata="{here}/.well-known/oauth-protected-resource/mcp", '
        'scope="files:read,files:write"',
    ),
    "endpoint-is-relative": _login(about={"authorization_endpoint": "/authorize"}),
    "body-is-in-base64": _in_base64,
    "metadata-is-elsewhere": _login(
        instead={PROTECTED: HttpResponse(301, (("Location", f"https://auth.example.com{PROTECTED}"),))}
    ),
    "challenge-lacks-a-comma": _login(
        challenge='Bearer realm="portal" resource_metadata="{here}/.well-known/oauth-protected-resource/mcp"'
    ),
    "registration-is-not-encrypted": _login(about={"registration_endpoint": "http://auth.example.com/register"}),
    "first-of-two-servers-is-gone": _login(protected={"authorization_servers": ["{here}/gone", "{here}"]}),
    "encoding-that-nobody-asked-for": _compressed,
    "issuer-is-a-template": _login(about={"issuer": "https://login.example.com/{tenantid}/v2.0"}),
    "server-is-its-document": _login(
        protected={"authorization_servers": ["{here}/.well-known/oauth-authorization-server"]}
    ),
}
