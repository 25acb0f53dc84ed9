"""Logins over HTTP: what is sent where, and what is kept."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from inspector.auth.driver import MOST_LOGINS, NoAuthorizer, OAuthAuthorizer, Prover, Surveyor, _fetched, sign
from inspector.auth.guide import Loopback
from inspector.auth.steps import (
    Abandoned,
    AccessToken,
    HttpFetch,
    LoginFailed,
    LoginOptions,
    OpenAddress,
    Redirected,
    StoredLogin,
)
from inspector.auth.storage import TokenStore
from inspector.errors import UsageError
from inspector.protocol.credentials import MASK
from inspector.protocol.facts import Headers, HttpEvent, HttpFact
from inspector.transports.http.authorizing import Heard
from inspector.transports.http.endpoint import Endpoint, HttpOptions
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from inspector.transports.http.reply import read_body
from tests.transports.recording import Recorder

JSON = (("Content-Type", "application/json"),)
Guard = Callable[[HttpRequest], HttpResponse | None]


def said(value: object, status: int = 200, *more: tuple[str, str]) -> HttpResponse:
    return HttpResponse(status, (*JSON, *more), json.dumps(value).encode())


class House:
    """A guarded server and, at another port, who guards it. `good` is the token that opens."""

    def __init__(self) -> None:
        self.good = "t1"
        self.given = 0
        self.seen: list[HttpRequest] = []
        self.at_guard: list[HttpRequest] = []
        self.challenge = 'Bearer error="invalid_token"'
        self.status = 401
        self.door = Listener(self._door)
        self.guard = Listener(self._guard)

    async def _door(self, request: HttpRequest) -> HttpResponse:
        if request.target.startswith("/.well-known/"):
            return said({"resource": f"{self.door.url}/mcp", "authorization_servers": [self.guard.url]})
        self.seen.append(request)
        if request.header("authorization") == f"Bearer {self.good}":
            return said({"in": True})
        return said({}, self.status, ("WWW-Authenticate", self.challenge))

    async def _guard(self, request: HttpRequest) -> HttpResponse:
        self.at_guard.append(request)
        parts, here = urlsplit(request.target), self.guard.url
        if parts.path.startswith("/.well-known/"):
            endpoints = {f"{name}_endpoint": f"{here}/{name}" for name in ("authorization", "token", "registration")}
            return said({"issuer": here, "code_challenge_methods_supported": ["S256"], **endpoints})
        if parts.path == "/registration":
            return said({"client_id": "us"}, 201)
        if parts.path == "/authorization":
            asked = dict(parse_qsl(parts.query))
            back = f"{asked['redirect_uri']}?code=c&state={asked['state']}"
            return HttpResponse(302, (("Location", back),))
        self.given += 1
        return said({"access_token": f"t{self.given}", "token_type": "bearer", "refresh_token": f"r{self.given}"})


class Willing:
    """Says yes, with a browser that follows redirects."""

    def __init__(self) -> None:
        self.visits = 0
        self.redirects: list[str] = []
        self._loopback: Loopback | None = None

    async def begin(self, known_redirect: str) -> str:
        self.redirects.append(known_redirect)
        self._loopback = await Loopback().__aenter__()
        return self._loopback.redirect_uri

    async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
        assert self._loopback is not None
        self.visits += 1
        came = self._loopback.expect(visit.state)
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            await browser.get(visit.url)
        return await came

    async def end(self) -> None:
        assert self._loopback is not None
        await self._loopback.__aexit__(None, None, None)


@asynccontextmanager
async def opened(
    house: House, keeper: OAuthAuthorizer | None, **options: object
) -> AsyncIterator[tuple[Endpoint, Recorder]]:
    endpoint = Endpoint(f"{house.door.url}/mcp", HttpOptions(authorizer=keeper, **options))  # type: ignore[arg-type]
    recorder = Recorder()
    endpoint.open(recorder)
    try:
        yield endpoint, recorder
    finally:
        await endpoint.close()


@pytest.fixture
async def house() -> AsyncIterator[House]:
    made = House()
    async with made.door, made.guard:
        yield made


def keeper_of(
    house: House, visitor: object = None, store: TokenStore | None = None, **login_options: object
) -> OAuthAuthorizer:
    made = LoginOptions(**login_options)  # type: ignore[arg-type]
    return OAuthAuthorizer(f"{house.door.url}/mcp", made, store or TokenStore(None), visitor or Willing())  # type: ignore[arg-type]


async def post(endpoint: Endpoint) -> int:
    async with await endpoint.request("POST", JSON, body=b"{}") as reply:
        await read_body(reply)
        return reply.status


async def test_a_refused_request_is_made_again_once_the_login_is_through(house: House) -> None:
    keeper = keeper_of(house)
    async with opened(house, keeper) as (endpoint, recorder):
        assert await post(endpoint) == 200
        assert await post(endpoint) == 200
    assert [request.header("authorization") for request in house.seen] == [None, "Bearer t1", "Bearer t1"]
    assert recorder.sent() == [b"{}"] * 3
    asked = [
        f"{fact.method} {urlsplit(fact.target).path}"
        for fact in recorder.of(HttpFact)
        if fact.event is HttpEvent.REQUEST
    ]
    assert asked == [
        "POST /mcp",
        "GET /.well-known/oauth-protected-resource/mcp",
        "GET /.well-known/oauth-authorization-server",
        "POST /registration",
        "GET /callback",
        "POST /token",
        "POST /mcp",
        "POST /mcp",
    ]
    back = next(fact.target for fact in recorder.of(HttpFact) if "/callback?" in fact.target)
    assert {name: value for name, value in parse_qsl(urlsplit(back).query) if value != MASK}.keys() <= {"iss"}
    assert MASK in dict(parse_qsl(urlsplit(back).query))["code"]
    assert [login_step.what for login_step in keeper.login_steps][-1] == "token for the code"


async def test_many_that_are_refused_at_once_cost_one_login(house: House) -> None:
    visitor = Willing()
    async with opened(house, keeper_of(house, visitor)) as (endpoint, _):
        assert await asyncio.gather(*(post(endpoint) for _ in range(5))) == [200] * 5
    assert (visitor.visits, house.given) == (1, 1)


async def test_failed_login_is_not_repeated_for_waiting_requests(house: House) -> None:
    class Unwilling(Willing):
        async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
            self.visits += 1
            return Abandoned("no")

    visitor = Unwilling()
    async with opened(house, keeper_of(house, visitor)) as (endpoint, _):
        failed = await asyncio.gather(*(post(endpoint) for _ in range(5)), return_exceptions=True)
        assert [type(each) for each in failed] == [LoginFailed] * 5
        assert visitor.visits == 1
        with pytest.raises(LoginFailed, match="no"):
            await post(endpoint)
        assert visitor.visits == 1


async def test_login_when_the_new_token_is_refused_asks_for_one_consent_and_names_the_audience(house: House) -> None:
    house.good = "never"
    visitor = Willing()
    async with opened(house, keeper_of(house, visitor)) as (endpoint, _):
        with pytest.raises(LoginFailed, match=r"refuses the token that .* has just issued: most likely its audience"):
            await post(endpoint)
    assert (visitor.visits, house.given) == (1, 1)


async def test_login_when_renewed_tokens_are_refused_ends_after_three(house: House) -> None:
    house.good = "t1"
    visitor = Willing()
    async with opened(house, keeper_of(house, visitor)) as (endpoint, _):
        assert await post(endpoint) == 200
        house.good, house.challenge = "never", 'Bearer error="insufficient_scope"'
        assert await post(endpoint) == 401
    assert house.given == MOST_LOGINS


async def test_a_prohibition_that_no_login_changes_is_the_answer(house: House) -> None:
    house.status, house.challenge = 403, "Bearer"
    async with opened(house, keeper_of(house)) as (endpoint, _):
        assert await post(endpoint) == 403
    assert house.at_guard == []


async def test_stored_login_is_refreshed_without_the_user(house: House) -> None:
    url = f"{house.door.url}/mcp"
    visitor = Willing()
    store = _Kept(StoredLogin(AccessToken("dead", house.guard.url, refresh_token="r0")))
    async with opened(house, keeper_of(house, visitor, store, client_id="us")) as (endpoint, _):
        assert await post(endpoint) == 200
    assert [request.header("authorization") for request in house.seen] == ["Bearer dead", "Bearer t1"]
    assert visitor.visits == 0
    assert store.get(url).token == AccessToken("t1", house.guard.url, refresh_token="r1", resource=url)


class _Kept(TokenStore):
    def __init__(self, known: StoredLogin) -> None:
        super().__init__(None)
        self.known = known

    def get(self, url: str) -> StoredLogin:
        return self.known

    def put(self, url: str, known: StoredLogin) -> None:
        self.known = known


async def test_user_headers_go_to_the_resource_server_only(house: House) -> None:
    async with opened(house, keeper_of(house), headers=(("X-Mine", "secret"),)) as (endpoint, _):
        assert await post(endpoint) == 200
    assert {request.header("x-mine") for request in house.seen} == {"secret"}
    assert {request.header("x-mine") for request in house.at_guard} == {None}
    assert {request.header("authorization") for request in house.at_guard} == {None}


async def test_user_authorization_header_disables_login(house: House) -> None:
    async with opened(house, keeper_of(house), headers=(("authorization", "Bearer mine"),)) as (endpoint, _):
        assert await post(endpoint) == 401
    assert (house.at_guard, house.seen[0].header("authorization")) == ([], "Bearer mine")


async def test_login_without_a_user_ends_with_advice(house: House) -> None:
    async with opened(house, keeper_of(house, NoAuthorizer(f"{house.door.url}/mcp"))) as (endpoint, recorder):
        with pytest.raises(LoginFailed, match=r"^the server answered with HTTP 401 .*; consent.*a user's consent"):
            await post(endpoint)
        ends = [fact.event for fact in recorder.of(HttpFact)]
    assert ends.count(HttpEvent.REQUEST) == ends.count(HttpEvent.END)


async def test_keeper_is_busy_during_a_login(house: House) -> None:
    busy: list[bool] = []

    class Looking(Willing):
        async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
            busy.append(keeper.busy)
            return await super().visit(visit)

    keeper = keeper_of(house, Looking())
    async with opened(house, keeper) as (endpoint, _):
        await post(endpoint)
    assert (busy, keeper.busy) == ([True], False)


async def test_a_surveyor_looks_once_and_is_let_in_nowhere(house: House) -> None:
    surveyor = Surveyor(f"{house.door.url}/mcp", LoginOptions(), TokenStore(None))
    async with opened(house, surveyor) as (endpoint, _):
        assert await post(endpoint) == 401
        assert await post(endpoint) == 401
    assert surveyor.was_refused
    assert [login_step.what for login_step in surveyor.login_steps].count("challenge") == 1
    assert {request.method for request in house.at_guard} == {"GET"}


async def test_a_token_can_be_renewed_before_it_is_sent(house: House) -> None:
    url, visitor = f"{house.door.url}/mcp", Willing()
    token = AccessToken("t0", house.guard.url, refresh_token="r0")
    keeper = OAuthAuthorizer(url, LoginOptions(client_id="us"), _Kept(StoredLogin(token)), visitor, renew=True)
    async with opened(house, keeper) as (endpoint, _):
        assert await post(endpoint) == 200
    assert [request.header("authorization") for request in house.seen] == [None, "Bearer t1"]
    assert visitor.visits == 0


def test_signed_jwt_verifies_with_the_public_key() -> None:
    for algorithm, key in (("ES256", ECKey.generate_key("P-256")), ("RS256", RSAKey.generate_key(2048))):
        signed = sign({"iss": "me"}, key.as_pem(private=True).decode(), algorithm)
        assert jwt.decode(signed, key, algorithms=[algorithm]).claims == {"iss": "me"}


@pytest.mark.parametrize(
    ("key", "algorithm", "says"),
    [
        ("no key", "ES256", "can't sign"),
        ("x", "none", "not a signature algorithm"),
        ("x", "HS256", "not a signature algorithm"),
    ],
)
def test_invalid_key_is_a_usage_error(key: str, algorithm: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        sign({}, key, algorithm)


def test_a_proof_is_for_one_request_and_one_token() -> None:
    prover = Prover()
    proof = prover.proof("POST", "https://api.example/mcp?x=1#y", nonce="n", access_token="t")
    header = jwt.decode(proof, prover._key, algorithms=["ES256"]).header
    claims = jwt.decode(proof, prover._key, algorithms=["ES256"]).claims
    assert header["typ"] == "dpop+jwt"
    assert "d" not in header["jwk"]
    assert (claims["htm"], claims["htu"], claims["nonce"]) == ("POST", "https://api.example/mcp", "n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"t").digest()).rstrip(b"=").decode()
    assert claims["ath"] == digest
    other = jwt.decode(prover.proof("POST", "https://api.example/mcp"), prover._key, algorithms=["ES256"]).claims
    assert other["jti"] != claims["jti"]
    later = jwt.decode(Prover(prover.key).proof("POST", "https://api.example/mcp"), prover._key, algorithms=["ES256"])
    assert later.header["jwk"] == header["jwk"]
    assert not {"ath", "nonce"} & set(other)


async def test_secrets_that_an_error_response_echoes_are_masked() -> None:
    form = {"grant_type": "refresh_token", "refresh_token": "r0-secret", "code_verifier": "v-secret", "scope": "echo"}

    async def ask(method: str, url: str, headers: Headers, body: bytes | None, most: int) -> Heard:
        text = b'{"error": "invalid_grant", "error_description": "r0-secret and v-secret are not valid, echo"}'
        return Heard(url, 400, (("www-authenticate", 'Bearer error_description="v-secret"'),), text)

    fetched = await _fetched(HttpFetch("token", "https://as.example/token", "POST", form=tuple(form.items())), ask)
    told = f"{fetched.headers} {fetched.value}"
    assert "secret" not in told.replace("refresh_token", "")
    assert "are not valid, echo" in told
