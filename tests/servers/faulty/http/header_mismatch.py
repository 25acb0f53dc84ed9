"""A gateway rewrites Mcp-Method; the server compares it with the body, and refuses."""
# expects: header-body-mismatch
# url: /mcp

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import modern
from tests.servers.http_fixtures import JSON


def _refuse(request: HttpRequest) -> HttpResponse:
    error = {"code": -32020, "message": "Mcp-Method is 'tools/call', the body says 'tools/list'"}
    body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "error": error}
    return HttpResponse(400, JSON, json.dumps(body).encode())


answer = modern(tools_list=_refuse)
