"""The token in the configuration was made for another server; it is refused as invalid."""
# expects: credentials-rejected
# exit: 3
# url: /mcp
# options: -H "Authorization: Bearer made-for-somebody-else"

from inspector.transports.http.listener import HttpResponse
from tests.servers.http_fixtures import always

CHALLENGE = 'Bearer error="invalid_token", error_description="wrong audience"'
answer = always(HttpResponse(401, (("WWW-Authenticate", CHALLENGE),), b""))
