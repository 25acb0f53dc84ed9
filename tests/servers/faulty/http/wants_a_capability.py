"""It works for clients that can ask their user only, and says so."""
# expects: client-capability-required
# exit: 5
# url: /mcp
# options: --no-capability all

import json
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import modern
from tests.servers.http_fixtures import JSON

DATA: dict[str, Any] = {"requiredCapabilities": {"elicitation": {}}}


def _refuse(request: HttpRequest) -> HttpResponse:
    error = {"code": -32021, "message": "Missing required client capability", "data": DATA}
    body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "error": error}
    return HttpResponse(400, JSON, json.dumps(body).encode())


answer = modern(tools_list=_refuse)
