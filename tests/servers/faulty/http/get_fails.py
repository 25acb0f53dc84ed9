"""GET, which asks for the server's own stream, meets an exception: 500, and some hosts try again for ever."""
# expects: get-response-invalid
# exit: 0
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy

answer = legacy(GET=lambda request: HttpResponse(500, (), b"Internal Server Error"))
