"""Explaining why logins fail: setups with one defect each, and the check that names it."""

from pathlib import Path
from typing import Any

import pytest

from inspector.protocol.frames import Direction
from inspector.transports.http.listener import HttpResponse
from tests.servers.guarded import ABOUT, PAGE, PROTECTED, Guarded, said
from tests.stories.commands import Ran, mcp_inspect

PRM, ASM = "protected resource metadata", "authorization server metadata"


async def explained(house: Guarded, place: Path, *words: str) -> Ran:
    return await mcp_inspect("auth", *words, "explain", house.url, place=place)


async def test_a_way_in_that_holds_is_explained_to_its_end(tmp_path: Path) -> None:
    async with Guarded() as house:
        ran = await explained(house, tmp_path)
    told = ran.stdout.decode()
    assert ran.status == 0
    for word in ("challenge", PRM, ASM, "scope", "client", "PKCE", "iss", "DPoP", "RFC 9728", "GET http://", "401"):
        assert word in told
    assert "All steps OK." in told
    assert not [each for each in house.asked if each.startswith(("POST /register", "POST /token"))]


_OPENID = "/.well-known/openid-configuration"
_ONWARD = HttpResponse(302, (("Location", "https://evil.example/metadata"),))


@pytest.mark.parametrize(
    ("where", "wrong", "broken", "words"),
    [
        ("instead", {ABOUT: PAGE, _OPENID: PAGE}, ASM, ("200 with text/html, which is not JSON", "must return 404")),
        ("protected", {"resource": "https://other.example/mcp"}, PRM, ("it is about 'https://other.example/mcp'",)),
        ("about", {"issuer": "https://evil.example"}, ASM, ("its issuer is 'https://evil.example'",)),
        ("about", {"code_challenge_methods_supported": ["plain"]}, "PKCE", ("S256 is not supported: it lists plain",)),
        (
            "about",
            {"authorization_endpoint": "javascript:fetch('//evil.example')"},
            ASM,
            ("not a web URL", "an attack"),
        ),
        ("about", {"authorization_endpoint": "file:///etc/passwd"}, ASM, ("file:///etc/passwd", "not a web URL")),
        ("about", {"authorization_endpoint": "--help;$(reboot)"}, ASM, ("not a web URL",)),
        ("about", {"registration_endpoint": None}, "client", ("no registration_endpoint", "--client-id")),
        ("instead", {ABOUT: _ONWARD, _OPENID: _ONWARD}, ASM, ("302, a redirect to 'https://evil", "was not followed")),
        ("protected", {"authorization_servers": ["http://169.254.169.254"]}, PRM, ("is not encrypted",)),
    ],
)
async def test_a_broken_set_up_names_the_step_that_breaks(
    where: str, wrong: dict[str, Any], broken: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    async with Guarded() as house:
        getattr(house, where).update(wrong)
        ran = await explained(house, tmp_path)
        data = (await explained(house, tmp_path, "--json")).json
    told = ran.stdout.decode()
    assert ran.status == 1
    assert f"Fails at: {broken}." in told
    assert all(word in told for word in words), told
    assert data["broken"] == broken
    (step,) = [step for step in data["steps"] if step["verdict"] == "broken"]
    assert step["clause"] or step["fix"]
    assert "POST /token" not in house.asked


async def test_metadata_of_fifty_megabytes_is_not_read_to_its_end(tmp_path: Path) -> None:
    async with Guarded() as house:
        house.instead[PROTECTED] = HttpResponse(
            200, (("Content-Type", "application/json"),), b'{"a":"' + b"x" * 50_000_000
        )
        house.instead["/.well-known/oauth-protected-resource"] = HttpResponse(404)
        house.instead[ABOUT] = house.instead[_OPENID] = HttpResponse(404)
        ran = await explained(house, tmp_path)
    told = ran.stdout.decode()
    assert "longer than 1024 KiB: the rest was not read" in told
    assert ran.capture.stat().st_size < 100_000


async def test_every_exchange_is_in_the_capture_and_no_body_of_the_dance_is(tmp_path: Path) -> None:
    async with Guarded() as house:
        ran = await explained(house, tmp_path)
    http = [record for record in ran.capture.read_text().splitlines() if '"r":"http"' in record]
    assert len([each for each in http if '"ev":"request"' in each and "/.well-known/" in each]) == 2
    assert not [frame for frame in ran.seen.frames if b"authorization_servers" in frame.payload]
    assert [frame.direction for frame in ran.seen.frames] == [Direction.TO_SERVER]


async def test_a_server_that_lets_everybody_in_needs_no_login(tmp_path: Path) -> None:
    async with Guarded() as house:
        house.instead[PROTECTED] = HttpResponse(404)
        house.instead["/.well-known/oauth-protected-resource"] = HttpResponse(404)
        house.is_open = True
        ran = await explained(house, tmp_path)
    assert ran.status == 0
    assert "accepts requests without credentials" in ran.stdout.decode()


async def test_explained_refusal_without_metadata_is_a_deviation(tmp_path: Path) -> None:
    async with Guarded() as house:
        house.instead["/mcp"] = said({}, 401)
        ran = await explained(house, tmp_path)
    assert ran.status == 0
    assert "deviations from the standard: challenge" in ran.stdout.decode()
