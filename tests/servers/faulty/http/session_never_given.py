"""A proxy drops the Mcp-Session-Id of the answer to initialize; the server misses it in everything that follows."""
# expects: session-id-not-issued
# exit: 1
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import JSON

BODY = b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Mcp-Session-Id header is required"},"id":null}'
answer = legacy(tools_list=lambda request: HttpResponse(400, JSON, BODY))
