"""What a refusal says about how to get in."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.auth.discovery import bearer, find_resource, find_server, parse_challenges
from inspector.auth.steps import HttpFetched, LoginFailed, StepVerdict
from tests.auth.scripted import ABOUT, ISSUER, PROTECTED, SERVER, World, about, answer, page, protected


def test_challenge_has_scopes_metadata_and_error() -> None:
    value = 'Bearer realm="x", error="insufficient_scope", scope="a b", resource_metadata="https://x.example/m"'
    (found,) = parse_challenges([value])
    assert (found.scheme, found.scopes, found.error) == ("bearer", ("a", "b"), "insufficient_scope")
    assert found.metadata == "https://x.example/m"


@pytest.mark.parametrize(
    "values",
    [
        ['Basic realm="files", Bearer scope=a'],
        ['Basic realm="files"', "bearer scope=a"],
        ["Negotiate YII==, BEARER scope=a"],
        ['Digest qop="auth, int", nonce="\\"q\\"", Bearer scope=a'],
    ],
)
def test_the_bearer_challenge_is_found_among_others(values: list[str]) -> None:
    found = bearer(parse_challenges(values))
    assert found is not None
    assert found.scopes == ("a",)


def test_a_challenge_without_a_scope_names_none_and_an_empty_one_names_an_empty_list() -> None:
    assert [each.scopes for each in parse_challenges(["Bearer", 'Bearer scope=""'])] == [None, ()]


def test_quoted_text_comes_without_its_backslashes() -> None:
    (found,) = parse_challenges(['Bearer error_description="a \\"b\\" c"'])
    assert found.params == {"error_description": 'a "b" c'}


def test_there_is_none_where_none_asks_for_a_token() -> None:
    assert bearer(parse_challenges(['Basic realm="x"', "", ",,,", "=="])) is None


@given(st.lists(st.text(), max_size=3))
def test_anything_can_be_read(values: list[str]) -> None:
    parse_challenges(values)


ROOT = "https://api.example/.well-known/oauth-protected-resource"


def test_resource_metadata_of_the_challenge_is_the_only_url_fetched() -> None:
    world = World()
    world.pages["https://api.example/custom"] = answer(protected())
    found = world.play(find_resource(SERVER, "https://api.example/custom"))
    assert found is not None
    assert (found.resource, found.issuers, found.scopes) == (SERVER, (ISSUER,), ("read",))
    assert world.urls() == ["https://api.example/custom"]


def test_well_known_url_with_path_is_fetched_before_the_root() -> None:
    world = World(prm=page(404))
    world.pages[ROOT] = answer(protected(resource="https://api.example"))
    assert world.play(find_resource(SERVER, "")) is not None
    assert world.urls() == [PROTECTED, ROOT]
    assert [login_step.verdict for login_step in world.login_steps] == [StepVerdict.MISSING, StepVerdict.GOOD]


def test_html_instead_of_metadata_is_reported() -> None:
    world = World(prm=page())
    assert world.play(find_resource(SERVER, "")) is None
    assert "which is not JSON" in world.login_steps[0].found
    assert "must return 404" in world.login_steps[0].fix


@pytest.mark.parametrize("resource", ["https://evil.example/mcp", "", None, "https://api.example/mcp2"])
def test_metadata_about_another_resource_ends_the_login(resource: Any) -> None:
    world = World(prm=answer(protected(resource=resource)))
    with pytest.raises(LoginFailed):
        world.play(find_resource(SERVER, ""))
    assert world.broken.clause == "RFC 9728, section 3.3"
    assert "https://api.example/mcp" in world.broken.found


def test_a_pointer_into_a_private_network_is_not_followed() -> None:
    world = World()
    with pytest.raises(LoginFailed, match="private network"):
        world.play(find_resource(SERVER, "https://169.254.169.254/latest/meta-data"))
    assert world.urls() == []


@pytest.mark.parametrize(
    ("issuer", "tried"),
    [
        (ISSUER, [ABOUT, f"{ISSUER}/.well-known/openid-configuration"]),
        (
            f"{ISSUER}/t1",
            [
                f"{ISSUER}/.well-known/oauth-authorization-server/t1",
                f"{ISSUER}/.well-known/openid-configuration/t1",
                f"{ISSUER}/t1/.well-known/openid-configuration",
            ],
        ),
    ],
)
def test_metadata_of_the_authorization_server_is_looked_for_in_the_order_of_the_standard(
    issuer: str, tried: list[str]
) -> None:
    world = World(asm=page(404))
    with pytest.raises(LoginFailed, match="not found"):
        world.play(find_server(issuer, SERVER, may_assume=False))
    assert world.urls() == tried


def test_metadata_of_another_issuer_is_not_used() -> None:
    world = World(asm=answer(about(issuer="https://evil.example")))
    with pytest.raises(LoginFailed):
        world.play(find_server(ISSUER, SERVER, may_assume=False))
    assert "it is not used" in world.broken.found


@pytest.mark.parametrize(
    "endpoint", ["javascript:alert(1)", "file:///etc/passwd", "-x", "http://as.example/a", "$(id)"]
)
@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "registration_endpoint"])
def test_an_endpoint_that_is_no_safe_address_ends_the_login(endpoint: str, name: str) -> None:
    world = World(asm=answer(about(**{name: endpoint})))
    with pytest.raises(LoginFailed):
        world.play(find_server(ISSUER, SERVER, may_assume=False))
    assert world.broken.found.startswith(f"its {name}: ")


def test_the_oldest_fallback_is_taken_only_where_nothing_named_an_issuer() -> None:
    world = World(asm=page(404))
    found = world.play(find_server("https://api.example", SERVER, may_assume=True))
    assert (found.assumed, found.token_endpoint) == (True, "https://api.example/token")
    assert world.login_steps[-1].verdict is StepVerdict.ASSUMED


@pytest.mark.parametrize(("named", "asked"), [(f"{ISSUER}/", ISSUER), (ISSUER, f"{ISSUER}/")])
@pytest.mark.parametrize(("may_assume", "verdict"), [(True, StepVerdict.GOOD), (False, StepVerdict.ODD)])
def test_find_server_when_the_issuer_differs_by_a_final_slash_uses_it_and_warns_if_it_was_named(
    named: str, asked: str, may_assume: bool, verdict: StepVerdict
) -> None:
    world = World(asm=answer(about(issuer=named)))
    assert world.play(find_server(asked, SERVER, may_assume=may_assume)).issuer == named
    assert world.login_steps[-1].verdict is verdict


def test_unreachable_server_is_reported_with_the_reason() -> None:
    world = World(prm=HttpFetched("", why="connection refused"))
    assert world.play(find_resource(SERVER, "")) is None
    assert world.login_steps[0].found == "no response: connection refused"


def test_redirect_of_metadata_is_reported_and_not_followed() -> None:
    world = World(prm=HttpFetched("", 302, (("location", "https://evil.example/x"),)))
    world.play(find_resource(SERVER, ""))
    assert "'https://evil.example/x', which was not followed" in world.login_steps[0].found
