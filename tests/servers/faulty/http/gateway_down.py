"""The gateway answers, and what is behind it does not: 502 to everything."""
# expects: http-server-error
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(HttpResponse(502, (("Content-Type", "text/plain"), ("Via", "1.1 gateway")), b"Bad Gateway"))
