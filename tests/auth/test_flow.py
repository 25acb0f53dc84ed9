"""The login flow from a rejected request to a token."""

import base64
import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from inspector.auth.discovery import Challenge
from inspector.auth.flow import RefusedRequest, login, survey
from inspector.auth.steps import (
    AccessToken,
    Client,
    CompletedLogin,
    Dpop,
    LoginFailed,
    LoginOptions,
    LoginStep,
    OpenAddress,
    Redirected,
    StepVerdict,
    StoredLogin,
)
from inspector.present.logins import login_data, login_sections
from tests.auth.scripted import ABOUT, ISSUER, PROTECTED, REGISTER, SERVER, TOKEN, World, about, answer, page, protected

WISHES = LoginOptions(redirect_uri="http://127.0.0.1:5/callback")
OLD = AccessToken("old", ISSUER, refresh_token="again", asked=("read",), resource=SERVER)
ME = Client("me", registered=True, redirect_uri=WISHES.redirect_uri)
KNOWN = StoredLogin(OLD, {ISSUER: ME})


def challenged(**params: str) -> Challenge:
    return Challenge("bearer", params)


def run(
    world: World, challenge: Challenge | None = None, known: StoredLogin | None = None, **login_options: Any
) -> CompletedLogin:
    return world.play(login(SERVER, challenge, replace(WISHES, **login_options), known or StoredLogin()))


def test_a_first_login_climbs_the_whole_ladder() -> None:
    world = World()
    done = run(world, challenged(error="invalid_token"))
    assert world.urls() == [PROTECTED, ABOUT, REGISTER, TOKEN]
    assert [login_step.what for login_step in world.login_steps] == [
        "challenge",
        "protected resource metadata",
        "authorization server metadata",
        "client registration",
        "authorization request",
        "consent in the browser",
        "token for the code",
    ]
    assert {login_step.verdict for login_step in world.login_steps} == {StepVerdict.GOOD}
    assert done.token.access_token == "t0ken"
    assert done.known.clients[ISSUER].client_id == "registered"


def test_the_resource_is_the_one_that_the_metadata_names() -> None:
    world = World(prm=answer(protected(resource="https://api.example")))
    run(world)
    assert world.asked()["resource"] == world.form()["resource"] == "https://api.example"


@pytest.mark.parametrize(
    ("challenge", "metadata", "login_options", "asked"),
    [
        (challenged(scope="x y"), ["read"], None, "x y"),
        (None, ["read", "write"], None, "read write"),
        (challenged(), ["read"], None, "read"),
        (None, None, None, None),
        (challenged(scope="x"), ["read"], ("mine",), "mine"),
    ],
)
def test_the_scope_is_the_persons_else_the_challenges_else_all_that_are_named(
    challenge: Challenge | None, metadata: list[str] | None, login_options: tuple[str, ...] | None, asked: str | None
) -> None:
    world = World(prm=answer(protected(scopes_supported=metadata)))
    run(world, challenge, scopes=login_options)
    assert world.asked().get("scope") == asked


def test_a_step_up_asks_for_what_it_had_and_what_is_missing() -> None:
    world = World()
    known = StoredLogin(replace(OLD, refresh_token=""), {ISSUER: ME})
    done = run(world, challenged(error="insufficient_scope", scope="write"), known)
    assert world.asked()["scope"] == "read write"
    assert done.token.asked == ("read", "write")


def test_step_up_keeps_scopes_granted_without_request() -> None:
    world = World()
    known = StoredLogin(replace(OLD, asked=(), scopes=("read", "list")), {ISSUER: ME})
    run(world, challenged(error="insufficient_scope", scope="write"), known)
    assert world.asked()["scope"] == "read list write"


def test_step_up_visits_the_browser_for_a_scope_requested_before() -> None:
    world = World()
    run(world, challenged(error="insufficient_scope", scope="read"), KNOWN)
    assert world.asked()["scope"] == "read"
    assert len(world.visits) == 1


def test_step_up_without_a_user_advises_the_union_of_scopes() -> None:
    world = World()
    with pytest.raises(LoginFailed) as failed:
        run(world, challenged(error="insufficient_scope", scope="write"), KNOWN, has_person=False)
    assert f"mcp-inspect auth login --scope 'read write' {SERVER}. Pass a token" in failed.value.hint


@pytest.mark.parametrize("pkce", [None, [], ["plain"]])
def test_nothing_is_registered_at_a_server_without_pkce(pkce: list[str] | None) -> None:
    world = World(asm=answer(about(code_challenge_methods_supported=pkce)))
    with pytest.raises(LoginFailed, match="does not support S256"):
        run(world, challenged())
    assert world.urls() == [PROTECTED, ABOUT]


def test_offline_access_is_requested_only_if_supported() -> None:
    world = World(asm=answer(about(scopes_supported=["read", "offline_access"])))
    run(world)
    assert world.asked()["scope"] == "read offline_access"
    world = World(
        prm=answer(protected(scopes_supported=["read", "offline_access"])), asm=answer(about(scopes_supported=["read"]))
    )
    run(world)
    assert world.asked()["scope"] == "read"


def test_a_token_that_died_is_renewed_without_the_person() -> None:
    world = World()
    done = run(world, challenged(error="invalid_token"), KNOWN)
    assert world.visits == []
    assert world.form()["refresh_token"] == "again"
    assert (done.token.access_token, done.token.refresh_token) == ("t0ken", "again")


def test_a_renewal_that_brings_another_renewal_token_keeps_that() -> None:
    named = answer(protected(scopes_supported=["read", "write"]))  # more than the login asked for
    world = World(prm=named, token=answer({"access_token": "t", "refresh_token": "rotated"}))
    assert run(world, challenged(error="invalid_token"), KNOWN).token.refresh_token == "rotated"


def test_a_renewal_that_fails_leads_to_the_person() -> None:
    world = World(token=[answer({"error": "invalid_grant"}, 400), answer({"access_token": "t"})])
    assert run(world, None, KNOWN).token.access_token == "t"
    assert len(world.visits) == 1


def test_nothing_of_one_authorization_server_is_shown_to_another() -> None:
    other = "https://other.example"
    world = World(prm=answer(protected(authorization_servers=[other])))
    places = {
        "authorization_endpoint": f"{other}/a",
        "token_endpoint": f"{other}/t",
        "registration_endpoint": f"{other}/r",
    }
    world.pages[f"{other}/.well-known/oauth-authorization-server"] = answer(about(issuer=other, **places))
    world.pages[f"{other}/r"] = answer({"client_id": "new"})
    world.pages[f"{other}/t"] = answer({"access_token": "t"})
    done = run(world, None, KNOWN)
    assert world.form()["client_id"] == "new"
    assert not any(word in repr(world.fetched) for word in ("again", "'me'", "old"))
    assert set(done.known.clients) == {ISSUER, other}


def test_unknown_stored_client_is_registered_once_more() -> None:
    world = World(token=[answer({"error": "invalid_client"}, 401), answer({"access_token": "t"})])
    done = run(world, None, StoredLogin(None, {ISSUER: ME}))
    assert done.known.clients[ISSUER].client_id == "registered"
    world = World(token=answer({"error": "invalid_client"}, 401))
    with pytest.raises(LoginFailed, match="invalid_client"):
        run(world, None, StoredLogin(None, {ISSUER: ME}))
    assert world.urls().count(REGISTER) == 1


def test_a_client_that_was_registered_for_other_scopes_is_registered_again() -> None:
    world = World(token=answer({"access_token": "t"}))

    def consents(visit: OpenAddress) -> Redirected:
        came = {"code": "c0de"} if REGISTER in world.urls() else {"error": "invalid_scope"}
        return Redirected(came | {"state": visit.state})

    world.consents = consents
    done = run(world, challenged(error="insufficient_scope", scope="write"), KNOWN)
    assert done.known.clients[ISSUER].client_id == "registered"


def test_a_client_logs_in_by_itself_where_the_server_wants_no_person() -> None:
    world = World(asm=answer(about(grant_types_supported=["client_credentials"])))
    run(world, None, client_id="me", client_secret="s")
    assert (world.visits, world.form()["grant_type"]) == ([], "client_credentials")


def test_login_without_a_user_registers_no_client() -> None:
    world = World()
    with pytest.raises(LoginFailed, match="needs a user's consent"):
        run(world, None, has_person=False)
    assert REGISTER not in world.urls()
    assert "auth login" in world.broken.fix


@pytest.mark.parametrize(
    ("scheme", "resource", "listed", "wish", "bound"),
    [
        ("dpop", {}, ["ES256"], Dpop.AUTO, True),
        ("bearer", {}, ["ES256"], Dpop.AUTO, False),
        ("bearer", {"dpop_signing_alg_values_supported": ["ES256"]}, ["ES256"], Dpop.AUTO, True),
        ("bearer", {"dpop_bound_access_tokens_required": True}, ["ES256"], Dpop.AUTO, True),
        ("dpop", {}, ["RS256"], Dpop.AUTO, False),
        ("bearer", {}, [], Dpop.ON, True),
        ("dpop", {}, ["ES256"], Dpop.OFF, False),
    ],
)
def test_tokens_are_bound_to_a_key_where_the_resource_takes_that_or_it_is_wished(
    scheme: str, resource: dict[str, Any], listed: list[str], wish: Dpop, bound: bool
) -> None:
    world = World(prm=answer(protected(**resource)), asm=answer(about(dpop_signing_alg_values_supported=listed)))
    run(world, Challenge(scheme, {}), dpop=wish)
    assert bool(world.proofs) is bound


def test_missing_metadata_falls_back_to_paths_of_the_server_origin() -> None:
    world = World(prm=answer({}, 404))
    for name, value in {"register": {"client_id": "c"}, "token": {"access_token": "t"}}.items():
        world.pages[f"https://api.example/{name}"] = answer(value)
    run(world)
    assert world.visits[0].url.startswith("https://api.example/authorize?")


HOSTILE: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        10**400,
        -1e308,
        1e308,
        "",
        " ",
        "\0",
        "\n",
        "\r\nX: y",
        "\ud83d\ude00",
        "x" * 5000,
        "javascript:x",
    ),
    *("http://[", "https://[::1", "https://a:99999/", "//x", "https://127.1/", "https://exa\u202emple/", "none"),
    *(
        "private_key_jwt",
        "tls_client_auth",
        "client_secret_post",
        [],
        [1, None],
        ["\0"],
        {},
        {"a": {"b": []}},
        [["S256"]],
    ),
    *(
        "9" * 401,
        "-9",
        "1e5",
        "\u0661\u0662",
        "https://xn--\u0430/",
        "https://a..b/",
        "https://" + "a" * 300 + ".example/",
    ),
)
"""What a hostile authorization server may write anywhere."""
_MEMBERS = {
    "prm": ("resource", "authorization_servers", "scopes_supported"),
    "asm": (
        *("issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint", "scopes_supported"),
        *("code_challenge_methods_supported", "token_endpoint_auth_methods_supported", "grant_types_supported"),
        *("dpop_signing_alg_values_supported", "client_id_metadata_document_supported"),
        "authorization_response_iss_parameter_supported",
    ),
    "register": ("client_id", "client_secret", "token_endpoint_auth_method"),
    "token": ("access_token", "token_type", "expires_in", "refresh_token", "scope", "error", "error_description"),
}


@pytest.mark.parametrize(("place", "member"), [(place, each) for place, all_ in _MEMBERS.items() for each in all_])
def test_login_with_arbitrary_documents_succeeds_or_fails_with_a_reason(place: str, member: str) -> None:
    documents = {
        "prm": protected(),
        "asm": about(),
        "register": {"client_id": "registered"},
        "token": {"access_token": "t0ken", "token_type": "bearer", "expires_in": 60},
    }
    for hostile in HOSTILE:
        world = World(**{place: answer(documents[place] | {member: hostile})})
        try:
            done = world.play(login(SERVER, None, LoginOptions(), StoredLogin()))
        except LoginFailed:
            assert world.broken.found
            continue
        expires = done.token.expires_at
        assert expires is None or abs(expires) < 1e13
        assert done.token.access_token.isprintable()
        assert login_sections(SERVER, done.known, world.now)
        assert msgspec.json.decode(msgspec.json.encode(login_data(SERVER, done.known, world.now)))


@pytest.mark.parametrize("exp", [10**400, -(10**400), 1e308, -1e308, True, "soon", None])
def test_times_in_a_token_may_be_anything(exp: object) -> None:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": exp, "nbf": exp, "iat": exp, "aud": ["http://["]}).encode())
    token = AccessToken(f"e30.{claims.decode().rstrip('=')}.c2ln", ISSUER, expires_at=1e300)
    assert login_sections(SERVER, StoredLogin(token), 1000.0)
    assert login_data(SERVER, StoredLogin(token), 1000.0)


def test_a_client_that_was_registered_for_a_way_that_is_not_ours_ends_the_login_with_that_reason() -> None:
    for method in ("private_key_jwt", "tls_client_auth", "client_secret_jwt"):
        world = World(register=answer({"client_id": "me", "token_endpoint_auth_method": method}, 201))
        with pytest.raises(LoginFailed, match=method):
            world.play(login(SERVER, None, LoginOptions(), StoredLogin()))
        assert (world.signed, world.visits) == ([], [])
    world = World(register=answer({"client_id": "me", "token_endpoint_auth_method": "client_secret_basic"}, 201))
    assert world.play(login(SERVER, None, LoginOptions(), StoredLogin())).token.access_token == "t0ken"


CHALLENGE = Challenge("bearer", {"scope": "read write"})
REFUSED = RefusedRequest("POST", 401)


def climb(
    world: World, challenge: Challenge | None = CHALLENGE, refused: RefusedRequest | None = REFUSED, **more: object
) -> None:
    known = more.pop("known", StoredLogin())
    world.play(survey(SERVER, challenge, LoginOptions(**more), known, refused))  # type: ignore[arg-type]


def login_step(world: World, what: str) -> LoginStep:
    (found,) = [login_step for login_step in world.login_steps if login_step.what == what]
    return found


def test_a_way_that_holds_is_walked_to_its_end_and_nothing_is_sent_that_stays() -> None:
    world = World()
    climb(world)
    assert [each.what for each in world.login_steps] == [
        "challenge",
        "protected resource metadata",
        "authorization server metadata",
        "scope",
        "client",
        "endpoints",
        "PKCE",
        "iss",
        "DPoP",
    ]
    assert not [each for each in world.login_steps if each.verdict is StepVerdict.BROKEN]
    assert (login_step(world, "challenge").request, login_step(world, "challenge").status) == (f"POST {SERVER}", 401)
    assert {fetch.method for fetch in world.fetched} == {"GET"}
    assert REGISTER not in world.urls()
    assert TOKEN not in world.urls()
    assert world.visits == []


def test_a_server_without_metadata_is_judged_by_no_step_that_was_not_seen() -> None:
    world = World(prm=page(404), asm=page(404))
    climb(world)
    assert [each.what for each in world.login_steps][-2:] == ["authorization server metadata", "scope"]


@pytest.mark.parametrize(
    ("changes", "broken", "said"),
    [
        (
            {"prm": answer(protected(resource="https://other.example/mcp"))},
            "protected resource metadata",
            "other.example",
        ),
        ({"asm": answer(about(issuer="https://evil.example"))}, "authorization server metadata", "evil.example"),
        (
            {"asm": answer(about(authorization_endpoint="javascript:alert(1)"))},
            "authorization server metadata",
            "javascript",
        ),
        ({"asm": page()}, "authorization server metadata", "not found"),
        ({"asm": answer(about(code_challenge_methods_supported=None))}, "PKCE", "S256 is not supported"),
        ({"asm": answer(about(code_challenge_methods_supported=["plain"]))}, "PKCE", "it lists plain"),
        ({"asm": answer(about(registration_endpoint=None))}, "client", "no registration_endpoint"),
        ({"asm": answer(about(token_endpoint=None))}, "endpoints", "no token_endpoint"),
    ],
)
def test_the_rung_that_breaks_is_named(changes: dict[str, object], broken: str, said: str) -> None:
    world = World(**changes)  # type: ignore[arg-type]
    with suppress(LoginFailed):
        climb(world)
    assert world.broken.what == broken
    assert said in world.broken.found
    assert world.broken.fix or world.broken.clause


def test_a_client_that_is_given_or_known_needs_no_registration() -> None:
    alone = answer(about(registration_endpoint=None))
    given, known = World(asm=alone), World(asm=alone)
    climb(given, client_id="mine")
    climb(known, known=StoredLogin(clients={ISSUER: Client("before")}))
    assert login_step(given, "client").verdict is StepVerdict.GOOD
    assert login_step(known, "client").verdict is StepVerdict.GOOD


def test_a_document_about_the_client_is_of_use_only_where_one_is_given() -> None:
    takes = answer(about(registration_endpoint=None, client_id_metadata_document_supported=True))
    without, given = World(asm=takes), World(asm=takes)
    climb(without)
    climb(given, metadata_url="https://us.example/client.json")
    assert login_step(without, "client").verdict is StepVerdict.BROKEN
    assert "not given" in login_step(without, "client").found
    assert login_step(given, "client").verdict is StepVerdict.GOOD


def test_open_server_without_metadata_is_no_failure() -> None:
    world = World(prm=answer({}, 404))
    climb(world, None, None)
    assert world.login_steps[0].verdict is StepVerdict.GOOD
    assert all(each.verdict is not StepVerdict.BROKEN for each in world.login_steps)
    assert not any("authorization-server" in url for url in world.urls())


def test_clocks_that_differ_are_a_rung() -> None:
    world = World()
    world.now = 1_000_000.0
    climb(world, refused=RefusedRequest("POST", 401, "Mon, 12 Jan 1970 13:40:00 GMT"))
    assert login_step(world, "clock").found == "our clock is 7 min ahead of the server's"


def test_scopes_come_from_the_challenge_then_from_the_metadata() -> None:
    first, then = World(), World()
    climb(first)
    climb(then, Challenge("bearer", {}))
    assert "'read write' (the challenge names it)" in login_step(first, "scope").found
    assert "'read' (the resource's metadata names it)" in login_step(then, "scope").found
