"""Behind a proxy the server's guard against DNS rebinding does not know the name that it is called by."""
# expects: host-rejected
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(HttpResponse(421, (("Content-Type", "text/plain"),), b"Invalid Host header"))
