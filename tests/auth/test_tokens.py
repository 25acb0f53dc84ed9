"""What a token says of itself: read without trust, shown without giving it away."""

import base64
import json
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from inspector.auth.discovery import ServerMetadata
from inspector.auth.steps import (
    AccessToken,
    Client,
    HttpFetch,
    HttpFetched,
    IdentityProvider,
    LoginFailed,
    LoginOptions,
    StepVerdict,
)
from inspector.auth.tokens import (
    TokenRequest,
    ask,
    by_assertion,
    by_client,
    by_code,
    by_refresh,
    exchanged,
    shortened,
    skew_s,
    skew_sentence,
    token_warnings,
)
from inspector.protocol.claims import read_claims
from tests.auth.scripted import ISSUER as SCRIPTED_ISSUER
from tests.auth.scripted import SERVER as SCRIPTED_SERVER
from tests.auth.scripted import TOKEN, World, answer, page

SERVER, ISSUER = "https://api.example/mcp", "https://as.example"


def jwt(**claims: object) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none'})}.{part(claims)}.signature"


def test_the_claims_of_a_jwt_are_read_without_its_key() -> None:
    assert read_claims(jwt(aud=SERVER, exp=12)) == {"aud": SERVER, "exp": 12}


@pytest.mark.parametrize(
    "token", ["", "opaque", "a.b.c", "a..b", "ä.ö.ü", "e30.W10.x", "x" * 100_000, "a." + "W" * 50_000 + ".c"]
)
def test_claims_of_a_non_jwt_are_none(token: str) -> None:
    assert read_claims(token) is None


def test_shortened_shows_ends_of_long_tokens_only() -> None:
    token = "abcd" + "S" * 40 + "wxyz"
    assert shortened(token) == "abcd…wxyz (48 characters)"
    assert shortened("hunter2") == "(7 characters)"


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"aud": "https://other.example"}, f"it is for https://other.example, and not for {SERVER}"),
        ({"aud": ["https://other.example", SERVER]}, ""),
        ({"aud": "https://api.example"}, ""),
        ({"iss": "https://evil.example"}, f"its issuer is https://evil.example, but {ISSUER} issued it"),
        ({"iss": f"{ISSUER}/"}, ""),
        ({"nbf": 2000}, "it is not valid before 1000 s from now: are both clocks right?"),
        ({"exp": 400}, "it expired 600 s ago"),
        ({"exp": True, "aud": 7, "nbf": "soon"}, ""),
        ({"aud": "http://[broken"}, f"it is for http://[broken, and not for {SERVER}"),
    ],
)
def test_token_warnings_name_reasons_for_refusal(claims: dict[str, object], said: str) -> None:
    assert "; ".join(token_warnings(AccessToken(jwt(**claims), ISSUER), SERVER, 1000.0)) == said


def test_token_warnings_of_an_opaque_token_name_its_expiry() -> None:
    assert list(token_warnings(AccessToken("opaque", ISSUER, expires_at=990.0), SERVER, 1000.0)) == [
        "it expired 10 s ago"
    ]


def test_clock_skew_comes_from_the_date_header() -> None:
    date = format_datetime(datetime.fromtimestamp(1000, UTC), usegmt=True)
    assert skew_s(date, 1420.0) == 420
    assert skew_sentence(420) == "our clock is 7 min ahead of the server's"
    assert skew_sentence(-420) == "our clock is 7 min behind the server's"
    assert skew_sentence(30) == ""
    assert skew_s("no date", 0.0) is None
    assert skew_s("", 0.0) is None


AT = ServerMetadata(SCRIPTED_ISSUER, token_endpoint=TOKEN)
FORM = by_code("c0de", "verifier", "http://127.0.0.1:5/callback")

_CLIENT, _OPTIONS = Client("me"), LoginOptions()


def asking(client: Client = _CLIENT, *, dpop: bool = False, login_options: LoginOptions = _OPTIONS) -> TokenRequest:
    return TokenRequest(AT, client, login_options, SCRIPTED_SERVER, ("a",), dpop)


def test_a_code_is_redeemed_with_the_verifier_the_resource_and_the_same_address() -> None:
    world = World()
    token = world.play(ask(asking(), "token", FORM))
    assert world.form() == {
        "grant_type": "authorization_code",
        "code": "c0de",
        "redirect_uri": "http://127.0.0.1:5/callback",
        "code_verifier": "verifier",
        "resource": SCRIPTED_SERVER,
        "client_id": "me",
    }
    assert token == AccessToken(
        "t0ken", SCRIPTED_ISSUER, "Bearer", expires_at=1060.0, asked=("a",), resource=SCRIPTED_SERVER
    )


def test_client_secret_basic_is_escaped_and_not_in_the_form() -> None:
    world = World()
    world.play(ask(asking(Client("m:e", "s%t", "client_secret_basic")), "token", FORM))
    header = dict(world.fetched[0].headers)["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"m%3Ae:s%25t"
    assert "client_secret" not in world.form()
    assert world.form()["client_id"] == "m:e"


def test_client_secret_post_is_not_in_a_header() -> None:
    world = World()
    world.play(ask(asking(Client("me", "s", "client_secret_post")), "token", FORM))
    assert (world.form()["client_id"], world.form()["client_secret"]) == ("me", "s")
    assert "Authorization" not in dict(world.fetched[0].headers)


def test_a_client_with_a_key_signs_who_it_is_for_this_server_alone() -> None:
    world = World()
    world.play(ask(asking(Client("me", method="private_key_jwt")), "token", by_client(("a", "b"))))
    (claims,) = world.signed
    assert (claims["iss"], claims["sub"], claims["aud"]) == ("me", "me", SCRIPTED_ISSUER)
    assert claims["exp"] - claims["iat"] == 300
    assert world.form()["client_assertion"] == "signed"
    assert (world.form()["grant_type"], world.form()["scope"]) == ("client_credentials", "a b")


def test_a_proof_goes_along_and_once_more_with_the_nonce_that_is_wanted() -> None:
    wants = answer({"error": "use_dpop_nonce"}, 400, dpop_nonce="n1")
    world = World(token=[wants, answer({"access_token": "t", "token_type": "DPoP"})])
    token = world.play(ask(asking(dpop=True), "token", FORM))
    assert [proof.nonce for proof in world.proofs] == ["", "n1"]
    assert [dict(fetch.headers)["DPoP"] for fetch in world.fetched] == ["proof 1", "proof 2"]
    assert token.kind == "DPoP"


def test_endless_nonce_demand_is_followed_once() -> None:
    world = World(token=answer({"error": "use_dpop_nonce"}, 400, dpop_nonce="n"))
    with pytest.raises(LoginFailed, match="use_dpop_nonce"):
        world.play(ask(asking(dpop=True), "token", FORM))
    assert len(world.fetched) == 2


@pytest.mark.parametrize(
    ("came", "says"),
    [
        (answer({"error": "invalid_grant", "error_description": "used"}, 400), "invalid_grant: used"),
        (answer({"error": "bad"}, 200), "bad .with status 200, which means success"),
        (answer({"token_type": "bearer"}), "no token in the response"),
        (answer([]), "no token in the response"),
        (page(), "which is not JSON"),
        (HttpFetched("", why="timed out"), "no response: timed out"),
        (answer({"access_token": 5}), "no token in the response"),
    ],
)
def test_invalid_token_response_is_reported_with_evidence(came: HttpFetched, says: str) -> None:
    world = World(token=came)
    with pytest.raises(LoginFailed, match=says):
        world.play(ask(asking(), "token", FORM))
    assert world.broken.request == f"POST {TOKEN}"


def test_invalid_client_error_names_method_and_supported_methods() -> None:
    at = ServerMetadata(SCRIPTED_ISSUER, token_endpoint=TOKEN, token_methods=("private_key_jwt",))
    world = World(token=answer({"error": "invalid_client"}, 401))
    with pytest.raises(LoginFailed):
        world.play(ask(TokenRequest(at, Client("me"), LoginOptions(), SCRIPTED_SERVER), "token", FORM))
    assert "by none" in world.broken.fix
    assert "private_key_jwt" in world.broken.fix


def test_an_answer_that_is_a_form_is_taken_and_called_odd() -> None:
    kind = (("content-type", "application/x-www-form-urlencoded"),)
    world = World(token=HttpFetched("", 200, kind, b"access_token=t&expires_in=9&scope=a+b"))
    token = world.play(ask(asking(), "token", FORM))
    assert (token.access_token, token.expires_at, token.scopes) == ("t", 1009.0, ("a", "b"))
    assert world.login_steps[-1].verdict is StepVerdict.ODD


def test_a_token_that_has_expired_as_it_comes_is_odd() -> None:
    world = World(token=answer({"access_token": "t", "expires_in": -5}))
    world.play(ask(asking(), "token", FORM))
    assert "clocks" in world.login_steps[-1].fix


def test_tokens_are_never_in_the_ladder() -> None:
    world = World(token=answer({"access_token": "t0psecret", "refresh_token": "ag4in", "expires_in": 5}))
    world.play(ask(asking(), "token", FORM))
    assert not any(word in repr(world.login_steps) for word in ("t0psecret", "ag4in", "c0de", "verifier"))


def test_without_an_endpoint_there_is_nothing_to_ask() -> None:
    with pytest.raises(LoginFailed, match="no token_endpoint"):
        World().play(
            ask(
                TokenRequest(ServerMetadata(SCRIPTED_ISSUER), Client("me"), LoginOptions(), SCRIPTED_SERVER),
                "token",
                FORM,
            )
        )


def test_the_grants_that_need_no_browser() -> None:
    assert by_refresh(AccessToken("a", SCRIPTED_ISSUER, refresh_token="r")) == {
        "grant_type": "refresh_token",
        "refresh_token": "r",
    }
    assert by_client(()) == {"grant_type": "client_credentials"}
    assert by_assertion("jwt", ("a",)) == {
        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "assertion": "jwt",
        "scope": "a",
    }


def test_an_enterprises_login_is_exchanged_for_a_grant_to_this_server() -> None:
    world = World()
    world.pages["https://idp.example/token"] = lambda fetch: granted(fetch)
    login_options = LoginOptions(provider=IdentityProvider("https://idp.example/token", "us", "id-token"))
    assert world.play(exchanged(login_options, SCRIPTED_ISSUER, SCRIPTED_SERVER)) == "id-jag"
    form = world.form()
    assert (form["audience"], form["resource"], form["subject_token"]) == (SCRIPTED_ISSUER, SCRIPTED_SERVER, "id-token")
    world.pages["https://idp.example/token"] = answer({"error": "invalid_target"}, 400)
    with pytest.raises(LoginFailed, match="invalid_target"):
        world.play(exchanged(login_options, SCRIPTED_ISSUER, SCRIPTED_SERVER))


def granted(fetch: HttpFetch) -> HttpFetched:
    return answer({"access_token": "id-jag", "token_type": "N_A"})


def test_a_form_with_too_many_fields_is_a_failed_login() -> None:
    kind = (("content-type", "application/x-www-form-urlencoded"),)
    many = "&".join(f"a{number}=1" for number in range(60))
    world = World(token=HttpFetched("", 200, kind, many.encode()))
    with pytest.raises(LoginFailed):
        world.play(ask(asking(), "token", FORM))
    assert world.broken.request == f"POST {TOKEN}"
