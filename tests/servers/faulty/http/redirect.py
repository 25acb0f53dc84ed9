"""The route is registered with a slash at its end: each POST is sent on with 307, and some clients lose the body."""
# expects: http-redirect
# exit: 0
# url: /mcp

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import legacy

_server = legacy()


async def answer(request: HttpRequest) -> HttpResponse:
    """Send on what has no slash."""
    if not request.target.endswith("/"):
        return HttpResponse(307, (("Location", f"{request.target}/"),))
    return await _server(request)
