"""A proxy in between replaces the Accept header, and the server takes offence: 406, whatever is asked."""
# expects: accept-header-rejected
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import JSON, always

SAID = b"Not Acceptable: Client must accept both application/json and text/event-stream"
BODY = b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"' + SAID + b'"},"id":null}'
answer = always(HttpResponse(406, JSON, BODY))
