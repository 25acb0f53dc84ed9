"""The same guard, of another library: 403, and a word on the Origin."""
# expects: host-rejected
# exit: 3
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(HttpResponse(403, (("Content-Type", "text/plain"),), b"Invalid Origin header"))
