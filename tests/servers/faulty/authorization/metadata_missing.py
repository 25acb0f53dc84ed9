"""The address in its challenge is not there: 404, here and at the root."""
# expects: resource-metadata-missing
# exit: 3
# url: /mcp

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.authorization._house import PROTECTED, house

answer = house(instead={PROTECTED: HttpResponse(404, (("Content-Type", "text/plain"),), b"not found")})
