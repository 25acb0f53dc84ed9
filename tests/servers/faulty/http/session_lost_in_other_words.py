"""The session is lost, but the copy returns 400, while clients start a new session only after 404."""
# expects: expired-session-status
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import JSON, json_answer
from tests.servers.streams import HELLO, answer_to

BODY = b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}'
answer = legacy(
    initialize=lambda request: json_answer(answer_to(request, HELLO), headers=(("Mcp-Session-Id", "3f2a"),)),
    tools_list=lambda request: HttpResponse(400, JSON, BODY),
)
