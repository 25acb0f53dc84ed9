"""The ladder without a login: each rung, where it breaks, and that nothing is left behind."""

from contextlib import suppress

import pytest

from inspector.auth.challenge import Challenge
from inspector.auth.steps import LoginFailed, Rung, Verdict
from inspector.auth.survey import Refused, survey
from inspector.auth.wishes import Client, Known, LoginWishes
from tests.auth.scripted import ISSUER, REGISTER, SERVER, TOKEN, World, about, answer, page, protected

CHALLENGE = Challenge("bearer", {"scope": "read write"})
REFUSED = Refused("POST", 401)


def climb(
    world: World, challenge: Challenge | None = CHALLENGE, refused: Refused | None = REFUSED, **more: object
) -> None:
    known = more.pop("known", Known())
    world.play(survey(SERVER, challenge, LoginWishes(**more), known, refused))  # type: ignore[arg-type]


def rung(world: World, what: str) -> Rung:
    (found,) = [rung for rung in world.ladder if rung.what == what]
    return found


def test_a_way_that_holds_is_walked_to_its_end_and_nothing_is_sent_that_stays() -> None:
    world = World()
    climb(world)
    assert [each.what for each in world.ladder] == [
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
    assert not [each for each in world.ladder if each.verdict is Verdict.BROKEN]
    assert (rung(world, "challenge").request, rung(world, "challenge").status) == (f"POST {SERVER}", 401)
    assert {fetch.method for fetch in world.fetched} == {"GET"}
    assert REGISTER not in world.urls()
    assert TOKEN not in world.urls()
    assert world.visits == []


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
        ({"asm": page()}, "authorization server metadata", "none was found"),
        ({"asm": answer(about(code_challenge_methods_supported=None))}, "PKCE", "S256 is not offered"),
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
    climb(known, known=Known(clients={ISSUER: Client("before")}))
    assert rung(given, "client").verdict is Verdict.GOOD
    assert rung(known, "client").verdict is Verdict.GOOD


def test_a_document_about_the_client_is_of_use_only_where_one_is_given() -> None:
    takes = answer(about(registration_endpoint=None, client_id_metadata_document_supported=True))
    without, given = World(asm=takes), World(asm=takes)
    climb(without)
    climb(given, metadata_url="https://us.example/client.json")
    assert rung(without, "client").verdict is Verdict.BROKEN
    assert "none is given" in rung(without, "client").found
    assert rung(given, "client").verdict is Verdict.GOOD


def test_a_server_that_lets_everybody_in_and_names_nobody_is_no_failure() -> None:
    world = World(prm=answer({}, 404))
    climb(world, None, None)
    assert world.ladder[0].verdict is Verdict.GOOD
    assert all(each.verdict is not Verdict.BROKEN for each in world.ladder)
    assert not any("authorization-server" in url for url in world.urls())


def test_clocks_that_differ_are_a_rung() -> None:
    world = World()
    world.now = 1_000_000.0
    climb(world, refused=Refused("POST", 401, "Mon, 12 Jan 1970 13:40:00 GMT"))
    assert rung(world, "clock").found == "our clock is 7 min ahead of the server's"


def test_scopes_come_from_the_challenge_then_from_the_metadata() -> None:
    first, then = World(), World()
    climb(first)
    climb(then, Challenge("bearer", {}))
    assert "'read write' (the challenge names it)" in rung(first, "scope").found
    assert "'read' (the resource's metadata names it)" in rung(then, "scope").found
