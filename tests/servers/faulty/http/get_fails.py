"""GET, which requests the server's own stream, raises an exception: 500, and some hosts retry forever."""
# expects: get-response-invalid
# exit: 0
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy

answer = legacy(GET=lambda request: HttpResponse(500, (), b"Internal Server Error"))
