"""A lodge with a porter, built with whichever Python package runs it: its own OAuth guards a server with one tool.

    PYTHON lodge.py http PORT

With `fastmcp` the porter is that package's in-memory provider; with `mcp` 1 or 2 the package brings the endpoints
and only the memory is here. The porter says yes to everybody. Nothing of this project is used here.
"""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"

import secrets
import sys
import time
from importlib import import_module
from typing import Any

from harbour import Package

PACKAGE = Package()
LASTS_S = 3600


def rest() -> str:
    """Rest in the lodge."""
    return "rested"


class Porter:
    """What the packages named `mcp` want of a provider: clients, codes and tokens, in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, Any] = {}
        self.codes: dict[str, Any] = {}
        self.tokens: dict[str, Any] = {}
        self.renewals: dict[str, Any] = {}
        self.of = import_module("mcp.server.auth.provider")

    async def get_client(self, client_id: str) -> Any:
        return self.clients.get(client_id)

    async def register_client(self, client_info: Any) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: Any, params: Any) -> str:
        code = self.of.AuthorizationCode(
            code=secrets.token_hex(16),
            client_id=client.client_id,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            expires_at=time.time() + 60,
            scopes=params.scopes or [],
            code_challenge=params.code_challenge,
            resource=params.resource,
        )
        self.codes[code.code] = code
        answer: str = self.of.construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)
        return answer

    async def load_authorization_code(self, client: Any, authorization_code: str) -> Any:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client: Any, authorization_code: Any) -> Any:
        del self.codes[authorization_code.code]
        return self._given(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> Any:
        return self.renewals.get(refresh_token)

    async def exchange_refresh_token(self, client: Any, refresh_token: Any, scopes: list[str]) -> Any:
        del self.renewals[refresh_token.token]
        return self._given(client, scopes or refresh_token.scopes, None)

    async def load_access_token(self, token: str) -> Any:
        return self.tokens.get(token)

    async def revoke_token(self, token: Any) -> None:
        self.tokens.pop(token.token, None)

    def _given(self, client: Any, scopes: list[str], resource: str | None) -> Any:
        access, renew = secrets.token_hex(24), secrets.token_hex(24)
        ends, who = int(time.time()) + LASTS_S, client.client_id
        self.tokens[access] = self.of.AccessToken(
            token=access, client_id=who, scopes=scopes, expires_at=ends, resource=resource
        )
        self.renewals[renew] = self.of.RefreshToken(token=renew, client_id=who, scopes=scopes)
        token = import_module("mcp.shared.auth").OAuthToken
        return token(
            access_token=access, token_type="Bearer", expires_in=LASTS_S, scope=" ".join(scopes), refresh_token=renew
        )


def lodge(port: int) -> Any:
    """The server behind its porter."""
    url, scopes = f"http://127.0.0.1:{port}", ["rest"]
    settings = import_module("mcp.server.auth.settings")
    registration = settings.ClientRegistrationOptions(enabled=True, valid_scopes=scopes, default_scopes=scopes)
    if PACKAGE.name == "fastmcp":
        provider = import_module("fastmcp.server.auth.providers.in_memory").InMemoryOAuthProvider
        porter = provider(base_url=url, client_registration_options=registration, required_scopes=scopes)
        return PACKAGE.server_class("lodge", auth=porter)
    auth = settings.AuthSettings(
        issuer_url=url,
        resource_server_url=f"{url}/mcp",
        required_scopes=scopes,
        client_registration_options=registration,
        validate_token_resource=False,
    )
    where = {"port": port} if PACKAGE.name == "mcp1" else {}
    return PACKAGE.server_class("lodge", auth=auth, auth_server_provider=Porter(), **where)


def main(transport: str, port: int) -> None:
    """Serve for ever."""
    server = lodge(port)
    server.tool()(rest)
    if PACKAGE.name == "mcp1":
        server.run("streamable-http")
    else:
        server.run("streamable-http", port=port, **({"show_banner": False} if PACKAGE.name == "fastmcp" else {}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
