"""A firewall drops the Content-Type; the server answers 415 to everything."""
# expects: content-type-rejected
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(HttpResponse(415, (("Content-Type", "text/plain"),), b"Unsupported Media Type"))
