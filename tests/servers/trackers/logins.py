"""Logins that can't begin, or that do not help."""

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.authorization._house import ABOUT, PROTECTED, house
from tests.servers.http_fixtures import JSON, Handler
from tests.servers.trackers import Fault, Run

_NOT_FOUND = HttpResponse(404, (("Content-Type", "text/html"),), b"<title>404</title>")


def _refuses(challenge: str, body: bytes = b'{"error":"invalid_token"}', status: int = 401) -> Run:
    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            if request.target != "/mcp":
                return HttpResponse(404, (("Content-Type", "text/plain"),), b"not found")
            return HttpResponse(status, (*JSON, ("WWW-Authenticate", challenge)), body)

        return handler

    return make


FAULTS = (
    Fault(
        "audience",
        "The login succeeds, and the token is refused; the challenge says why.",
        "Stirling-Tools/Stirling-PDF#6700",
        ("credentials-rejected",),
        ("audience", "reject"),
        _refuses('Bearer error="invalid_token", error_description="The audience api://other is not accepted"'),
        options="--header 'Authorization: Bearer abc.def.ghi'",
        url="/mcp",
    ),
    Fault(
        "refused-with-a-body-alone",
        "401 to a fresh token without WWW-Authenticate; the body names the reason.",
        "SocketDev/socket-mcp#185",
        ("credentials-rejected",),
        ("reject", "introspection failed"),
        lambda: house(
            challenge=None,
            instead={
                "/mcp": HttpResponse(401, JSON, b'{"error":"invalid_token","error_description":"introspection failed"}')
            },
        ),
        options="--header 'Authorization: Bearer abc.def.ghi'",
        url="/mcp",
    ),
    Fault(
        "basic",
        "The proxy before the server wants Basic credentials.",
        "servers behind nginx",
        ("non-bearer-challenge",),
        ("Basic",),
        _refuses('Basic realm="Restricted"', b"{}"),
        url="/mcp",
    ),
    Fault(
        "metadata-not-where-the-challenge-says",
        "The challenge names a document that does not exist.",
        "Swiggy/swiggy-mcp-server-manifest#88",
        ("resource-metadata-missing",),
        ("metadata", "oauth-protected-resource"),
        lambda: house(instead={PROTECTED: _NOT_FOUND}),
        url="/mcp",
    ),
    Fault(
        "issuer",
        "The issuer is not the address that its metadata is at; strict clients stop.",
        "atlassian/atlassian-mcp-server#148",
        ("authorization-server-metadata-invalid", "authorization-server-metadata-invalid"),
        ("issuer",),
        lambda: house(about={"issuer": "https://cf.mcp.acme.example"}),
        url="/mcp",
    ),
    Fault(
        "no-authorization-servers",
        "The resource's metadata names no authorization server.",
        "modelcontextprotocol/inspector#738",
        ("resource-metadata-invalid", "resource-metadata-invalid"),
        ("authorization_servers",),
        lambda: house(protected={"authorization_servers": None}),
        url="/mcp",
    ),
    Fault(
        "http-behind-a-proxy",
        "The server believes that it is reached by another address than it is: resource differs.",
        "servers behind TLS termination",
        ("resource-metadata-invalid", "resource-metadata-invalid"),
        ("metadata", "mcp.internal"),
        lambda: house(protected={"resource": "http://mcp.internal:8000/mcp"}),
        url="/mcp",
    ),
    Fault(
        "no-token-endpoint",
        "The authorization server's metadata has no token_endpoint.",
        "servers with metadata written by hand",
        ("oauth-endpoint-missing",),
        ("token_endpoint",),
        lambda: house(about={"token_endpoint": None}),
        url="/mcp",
    ),
    Fault(
        "no-pkce",
        "The metadata does not say that PKCE is supported; clients must refuse.",
        "servers behind older authorization servers",
        ("authorization-server-metadata-invalid", "authorization-server-metadata-invalid"),
        ("S256|PKCE",),
        lambda: house(about={"code_challenge_methods_supported": None}),
        url="/mcp",
    ),
    Fault(
        "metadata-fails",
        "The authorization server's metadata answers 500.",
        "servers behind gateways",
        ("authorization-server-metadata-missing",),
        ("oauth-authorization-server|authorization server", "500|no metadata|metadata"),
        lambda: house(instead={ABOUT: HttpResponse(500, JSON, b'{"error":"server_error"}')}),
        url="/mcp",
    ),
    Fault(
        "login-not-wanted",
        "The server wants a login, and the run is without one: nothing was said of it.",
        "users of servers with OAuth in CI",
        ("authentication-required",),
        ("authentication required", "401", "Bearer", "resource_metadata"),
        lambda: house(),
        options="--no-oauth",
        url="/mcp",
        exit=3,
    ),
)
