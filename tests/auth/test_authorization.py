"""The authorization request, and validation of the redirect."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import pytest

from inspector.auth.authorization import authorize, challenge_of, check_server, return_address
from inspector.auth.discovery import ServerMetadata
from inspector.auth.guide import redirected
from inspector.auth.steps import Abandoned, Client, LoginFailed, LoginOptions, OpenAddress, Redirected
from tests.auth.scripted import CONSENT, ISSUER, SERVER, World

WISHES = LoginOptions(redirect_uri="http://127.0.0.1:5/callback")
ME = Client("me")


def server(**changes: object) -> ServerMetadata:
    facts = {"authorization_endpoint": CONSENT, "pkce": ("S256",)} | changes
    return ServerMetadata(ISSUER, **facts)  # type: ignore[arg-type]


def ask(world: World, at: ServerMetadata, scopes: tuple[str, ...] = ("a", "b")) -> str:
    return world.play(authorize(at, ME, WISHES, scopes, SERVER)).code


def test_the_browser_is_sent_away_with_everything_that_the_standard_asks_for() -> None:
    world = World()
    code = world.play(authorize(server(), ME, WISHES, ("a", "b"), SERVER))
    asked = world.asked()
    assert asked == {
        "response_type": "code",
        "client_id": "me",
        "redirect_uri": WISHES.redirect_uri,
        "state": world.visits[0].state,
        "code_challenge": challenge_of(code.verifier),
        "code_challenge_method": "S256",
        "resource": SERVER,
        "scope": "a b",
    }
    assert code.code == "c0de"


def test_the_challenge_is_the_one_of_the_standards_example() -> None:
    # RFC 7636, appendix B
    assert challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_without_scopes_the_parameter_is_left_out() -> None:
    world = World()
    ask(world, server(), ())
    assert "scope" not in world.asked()


def test_authorization_url_keeps_its_own_query() -> None:
    world = World()
    ask(world, server(authorization_endpoint=f"{CONSENT}?tenant=7#x"))
    query = parse_qsl(urlsplit(world.visits[0].url).query)
    assert query[0] == ("tenant", "7")
    assert "#" not in world.visits[0].url


@pytest.mark.parametrize("pkce", [None, (), ("plain",)])
def test_server_without_s256_is_refused(pkce: tuple[str, ...] | None) -> None:
    world = World()
    with pytest.raises(LoginFailed, match="does not support S256"):
        world.play(check_server(server(pkce=pkce)))
    assert world.visits == []


def test_assumed_server_without_pkce_metadata_is_accepted() -> None:
    World().play(check_server(server(pkce=None, assumed=True)))


def test_server_without_authorization_endpoint_is_refused() -> None:
    with pytest.raises(LoginFailed, match="no authorization endpoint"):
        World().play(check_server(server(authorization_endpoint="")))


def back(**params: str) -> Callable[[OpenAddress], Redirected]:
    return lambda visit: Redirected({"code": "c0de", "state": visit.state} | params)


@pytest.mark.parametrize(
    ("came", "says", "at"),
    [
        (back(state="other"), "does not match", server()),
        (back(iss="https://evil.example"), "of 'https://evil.example'", server()),
        (back(iss=f"{ISSUER}/"), "not redeemed", server()),
        (back(iss=""), "not redeemed", server(declares_issuer=True)),
        (back(), "has no `iss`", server(declares_issuer=True)),
        (back(code=""), "has no code", server()),
        (back(error="access_denied", error_description="no"), "access_denied: no", server()),
    ],
)
def test_a_redirect_that_is_not_the_answer_ends_the_login(
    came: Callable[[OpenAddress], Redirected], says: str, at: ServerMetadata
) -> None:
    world = World()
    world.consents = came
    with pytest.raises(LoginFailed, match=says):
        ask(world, at)


def test_error_text_of_a_foreign_issuer_is_not_shown() -> None:
    world = World()
    world.consents = back(iss="https://evil.example", error="call", error_description="0900-EVIL")
    with pytest.raises(LoginFailed) as failed:
        ask(world, server())
    assert "0900" not in str(failed.value)


def test_a_person_who_does_not_come_back_is_no_fault_of_the_server() -> None:
    world = World()
    world.consents = lambda visit: Abandoned("the window was closed")
    with pytest.raises(LoginFailed, match="the window was closed"):
        ask(world, server())


def test_offline_access_requests_consent() -> None:
    world = World()
    ask(world, server(), ("a", "offline_access"))
    assert world.asked()["prompt"] == "consent"


def test_return_address_hides_code_and_state() -> None:
    came = {"code": "c0de", "state": "5tate", "iss": "https://as.example", "other": "x"}
    told = return_address("http://127.0.0.1:1/callback?a=1", came)
    assert "iss=https%3A%2F%2Fas.example" in told
    assert not [secret for secret in ("c0de", "5tate", "other=x") if secret in told]


@pytest.mark.parametrize(
    ("token_endpoint", "declares", "host"),
    [
        ("https://evil.example/token", False, "evil.example"),
        ("https://evil.example:8443/token", False, "evil.example:8443"),
        ("https://evil.example/token", True, ""),
        (CONSENT, False, ""),
        ("", False, ""),
    ],
)
def test_authorize_names_the_other_host_that_gets_the_code(token_endpoint: str, declares: bool, host: str) -> None:
    world = World()
    made = server(token_endpoint=token_endpoint, declares_issuer=declares)
    if declares:
        world.consents = lambda visit: Redirected({"code": "c", "state": visit.state, "iss": ISSUER})
    ask(world, made)
    assert world.visits[0].code_host == host


@pytest.mark.parametrize("name", ["code", "state", "iss"])
def test_redirect_with_a_repeated_parameter_is_refused(name: str) -> None:
    world = World()
    world.consents = lambda visit: redirected(f"code=a&state={visit.state}&iss={ISSUER}&{name}=b")
    with pytest.raises(LoginFailed, match=f"more than one `{name}`"):
        ask(world, server())
