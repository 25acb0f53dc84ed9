"""Servers over HTTP of the eleventh round."""

import gzip
import json
from dataclasses import replace

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import TOOL
from tests.servers.http_fixtures import JSON, Handler
from tests.servers.trackers import Run
from tests.servers.trackers.may_http import _login
from tests.servers.trackers.written_http import HELLO, handler_of, older


def _zipped() -> Handler:
    inner = handler_of({}, "strict", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if (
            not isinstance(response.body, bytes)
            or not response.body
            or "gzip" not in (request.header("accept-encoding") or "")
        ):
            return response
        headers = (*response.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
        return replace(response, headers=headers, body=gzip.compress(response.body))

    return handler


def _answers_in_the_body() -> Handler:
    """The older transport, whose stream has the endpoint and nothing else."""
    inner = older("/sse", HttpResponse(404))

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return await inner(request)
        message = json.loads(request.body)
        known = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}}.get(message["method"], {})
        whole = {"jsonrpc": "2.0", "id": message.get("id"), "result": known}
        return HttpResponse(200, JSON, json.dumps(whole).encode()) if "id" in message else HttpResponse(202)

    return handler


SERVERS: dict[str, Run] = {
    "bodies-are-compressed": _zipped,
    "answers-in-the-wrong-place": _answers_in_the_body,
    "challenge-is-spelt-otherwise": _login(
        challenge='Bearer resource-metadata="{here}/.well-known/oauth-protected-resource/mcp"'
    ),
    "scopes-are-a-text": _login(
        protected={"scopes_supported": "read write"},
        challenge='Bearer resource_metadata="{here}/.well-known/oauth-protected-resource/mcp"',
    ),
    "metadata-says-not-found": _login(
        protected={"resource": None, "authorization_servers": None, "error": "not_found"}
    ),
    "server-is-a-word": _login(protected={"authorization_servers": "{here}"}),
    "only-machines-may-log-in": _login(about={"grant_types_supported": ["client_credentials"]}),
    "tokens-have-to-be-bound": _login(
        protected={"dpop_bound_access_tokens_required": True, "dpop_signing_alg_values_supported": ["ES256"]}
    ),
    "token-in-the-body": _login(protected={"bearer_methods_supported": ["body"]}),
    "form-is-posted-back": _login(about={"response_modes_supported": ["form_post"]}),
}
