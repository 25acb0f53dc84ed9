"""Logins that can't begin, or that do not help."""

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.authorization._house import ABOUT, PROTECTED, house
from tests.servers.http_fixtures import JSON, Handler
from tests.servers.trackers import Run

_NOT_FOUND = HttpResponse(404, (("Content-Type", "text/html"),), b"<title>404</title>")


def _refuses(challenge: str, body: bytes = b'{"error":"invalid_token"}', status: int = 401) -> Run:
    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            if request.target != "/mcp":
                return HttpResponse(404, (("Content-Type", "text/plain"),), b"not found")
            return HttpResponse(status, (*JSON, ("WWW-Authenticate", challenge)), body)

        return handler

    return make


SERVERS: dict[str, Run] = {
    "audience": _refuses('Bearer error="invalid_token", error_description="The audience api://other is not accepted"'),
    "refused-with-a-body-alone": lambda: house(
        challenge=None,
        instead={
            "/mcp": HttpResponse(401, JSON, b'{"error":"invalid_token","error_description":"introspection failed"}')
        },
    ),
    "basic": _refuses('Basic realm="Restricted"', b"{}"),
    "metadata-not-where-the-challenge-says": lambda: house(instead={PROTECTED: _NOT_FOUND}),
    "issuer": lambda: house(about={"issuer": "https://cf.mcp.acme.example"}),
    "no-authorization-servers": lambda: house(protected={"authorization_servers": None}),
    "http-behind-a-proxy": lambda: house(protected={"resource": "http://mcp.internal:8000/mcp"}),
    "no-token-endpoint": lambda: house(about={"token_endpoint": None}),
    "no-pkce": lambda: house(about={"code_challenge_methods_supported": None}),
    "metadata-fails": lambda: house(instead={ABOUT: HttpResponse(500, JSON, b'{"error":"server_error"}')}),
    "login-not-wanted": lambda: house(),
}
