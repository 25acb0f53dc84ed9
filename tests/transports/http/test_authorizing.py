"""An endpoint passes a rejection to the authorizer, with a function for additional requests."""

from inspector.protocol.facts import Headers
from inspector.transports.http.authorizing import REFUSED, Ask, Refusal
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import REQUEST, connected, json_answer, serving


class Doorman:
    """Lets in with a word, once he was asked."""

    busy = False

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self.heard = b""

    async def headers(self, method: str, url: str) -> Headers:
        return (("Authorization", "Word swordfish"),) if self.refusals else ()

    async def refused(self, refusal: Refusal, ask: Ask) -> bool:
        self.refusals.append(refusal)
        heard = await ask("GET", str(refusal.values("X-Where")[0]), (), None, 5)
        self.heard = heard.body
        return len(self.refusals) == 1


async def test_refused_request_is_retried_after_authorization() -> None:
    async def door(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return HttpResponse(200, (), b"swordfish is the word")
        if request.header("authorization") == "Word swordfish":
            return json_answer()
        return HttpResponse(401, (("x-where", f"{site.listener.url}/aside"), ("X-WHERE", "twice")))

    doorman = Doorman()
    async with serving(door) as site, connected(site.url, options=HttpOptions(authorizer=doorman)) as (transport, _):
        delivery = await transport.send(REQUEST)
    (refusal,) = doorman.refusals
    assert refusal.status in REFUSED
    assert (refusal.method, refusal.sent) == ("POST", "")
    assert refusal.values("x-where")[1:] == ["twice"]
    assert doorman.heard == b"sword"
    assert delivery.status == 200
