"""It takes a request for a notification: 202, and no answer, ever."""
# expects: response-type-unsupported
# exit: 7
# url: /mcp
# options: --timeout 2.5

from inspector.transports.http.listener import HttpResponse
from tests.servers.faulty.http._healthy import legacy

answer = legacy(tools_list=lambda request: HttpResponse(202))
