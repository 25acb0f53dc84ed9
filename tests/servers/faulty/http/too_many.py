"""The free plan has ten requests a minute."""
# expects: rate-limited
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

answer = always(HttpResponse(429, (("Retry-After", "30"), ("Content-Type", "text/plain")), b"Too Many Requests"))
