"""Three copies behind a balancer, sessions in memory: the next request reaches a copy that knows no such session."""
# expects: session-expired
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import JSON, json_answer
from tests.servers.streams import HELLO, answer_to

BODY = b'{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}'
answer = legacy(
    initialize=lambda request: json_answer(answer_to(request, HELLO), headers=(("Mcp-Session-Id", "3f2a"),)),
    tools_list=lambda request: HttpResponse(404, JSON, BODY),
)
