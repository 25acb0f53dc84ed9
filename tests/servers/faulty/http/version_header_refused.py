"""It agrees on a version, and refuses that very version in the header of the next request."""
# expects: version-header-rejected
# exit: 1
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy
from tests.servers.http_fixtures import JSON

SAID = b"Bad Request: Unsupported protocol version (supported versions: 2024-11-05)"
BODY = b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"' + SAID + b'"},"id":null}'
answer = legacy(tools_list=lambda request: HttpResponse(400, JSON, BODY))
