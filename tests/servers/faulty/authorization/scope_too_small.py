"""The token is good, and not good enough: 403, with the scope that is missing."""
# expects: credentials-rejected
# exit: 3
# url: /mcp
# options: -H "Authorization: Bearer opens-nothing-much"

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

CHALLENGE = 'Bearer error="insufficient_scope", scope="weather:read"'
answer = always(HttpResponse(403, (("WWW-Authenticate", CHALLENGE),), b""))
