"""The worker crashes in every request: the connection is closed without a response."""
# expects: server-unreachable
# exit: 4
# url: /mcp

from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse


async def answer(request: HttpRequest) -> HttpResponse:
    """Be gone."""
    raise HangUp
