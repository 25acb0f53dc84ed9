"""Logging in from a terminal: the browser comes back, or what it ended at is pasted; and all that goes wrong there."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from tests.servers.guarded import Guarded, said
from tests.stories.commands import Ran, mcp_inspect
from tests.stories.logins import logging_in


async def run(*words: str, place: Path) -> Ran:
    return await mcp_inspect(*words, place=place)


async def test_one_login_lets_every_command_in(tmp_path: Path) -> None:
    async with Guarded() as house:
        before = await run("list", "tools", house.url, place=tmp_path)
        async with logging_in(house.url, tmp_path) as person:
            page = await person.browses()
            assert await person.ends() == 0
        after = await run("list", "tools", "--json", house.url, place=tmp_path)
    assert before.status == 3
    assert f"mcp-inspect auth login {house.url}" in before.messages
    assert house.asked.count("POST /register") == 1
    assert "can be closed" in page.text
    assert "received a code" in person.stderr
    assert "stored in a file" in person.stderr
    assert after.json["tools"][0]["name"] == "look"
    assert house.tokens[0] not in person.stderr + person.out + after.capture.read_text()


async def test_redirect_url_pasted_from_elsewhere_completes_the_login(tmp_path: Path) -> None:
    async with Guarded() as house, logging_in(house.url, tmp_path) as person:
        await person.pastes_from_elsewhere()
        assert await person.ends() == 0
    assert "opens-the-door" not in person.out + person.stderr
    assert "open…xxxx" in person.out


async def test_a_login_is_shown_renewed_and_forgotten(tmp_path: Path) -> None:
    async with Guarded() as house:
        async with logging_in(house.url, tmp_path, "--json") as person:
            await person.browses()
            assert await person.ends() == 0
        assert json.loads(person.out)["token"]["scopes"] == ["look"]
        every = await run("auth", "status", place=tmp_path)
        renewed = await run("auth", "refresh", house.url, place=tmp_path)
        shown = await run("auth", "status", "--json", house.url, place=tmp_path)
        out = await run("auth", "logout", house.url, place=tmp_path)
        gone = await run("auth", "status", house.url, place=tmp_path)
        again = await run("auth", "refresh", house.url, place=tmp_path)
    assert "renewable" in every.stdout.decode()
    assert (renewed.status, len(house.tokens)) == (0, 2)
    assert "token renewal" in renewed.messages
    assert shown.json["token"]["renewable"] is True
    assert shown.json["clients"][0]["client_id"] == "client-1"
    assert f"deleted: {house.url}" in out.stdout.decode()
    assert (gone.status, again.status) == (3, 3)
    assert "no stored token" in again.messages
    for ran in (every, renewed, shown, out):
        assert not [token for token in house.tokens if token in (ran.stdout + ran.stderr).decode()]


async def test_a_token_that_is_not_taken_any_more_is_renewed_by_the_way(tmp_path: Path) -> None:
    async with Guarded() as house:
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            await person.ends()
        house.tokens[-1] = "revoked"
        ran = await run("list", "tools", house.url, place=tmp_path)
        house.tokens.append("revoked-too")
        late = await run("list", "tools", house.url, place=tmp_path)
    assert ran.status == 0
    assert late.status == 3
    assert "auth login" in late.messages


async def test_a_scope_that_is_added_later_comes_beside_those_of_the_login_before(tmp_path: Path) -> None:
    async with Guarded() as house:
        async with logging_in(house.url, tmp_path, "--scope", "read") as person:
            assert "scope=read&" in f"{await person.address()}&"
            await person.browses()
            assert await person.ends() == 0
        async with logging_in(house.url, tmp_path, "--scope", "write") as person:
            assert "scope=read+look+write&" in f"{await person.address()}&"
            await person.browses()
            assert await person.ends() == 0
        assert "the scopes of the previous login: read look; to drop them" in person.stderr
        await run("auth", "logout", house.url, place=tmp_path)
        async with logging_in(house.url, tmp_path, "--scope", "write") as person:
            assert "scope=write&" in f"{await person.address()}&"


async def test_forgotten_client_is_registered_again(tmp_path: Path) -> None:
    async with Guarded() as house:
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            await person.ends()
        house.clients[:] = ["somebody-else"]
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            await person.reads("is unknown now")
            await person.reads("client_id=client-2")
            await person.browses()
            assert await person.ends() == 0
    assert house.clients == ["somebody-else", "client-2"]


@pytest.mark.parametrize(
    ("comes_back", "words"),
    [
        ({"iss": "https://evil.example"}, "the answer is of 'https://evil.example'"),
        ({"error": "access_denied", "error_description": "she said no"}, "access_denied: she said no"),
        ({"code": ""}, "has no code"),
    ],
)
async def test_an_answer_that_is_not_ours_is_not_redeemed(
    comes_back: dict[str, str], words: str, tmp_path: Path
) -> None:
    async with Guarded() as house:
        house.comes_back = comes_back
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            assert await person.ends() == 3
    assert words in person.stderr
    assert "POST /token" not in house.asked


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (said({"error": "invalid_grant", "error_description": "too late"}), "invalid_grant: too late (with status 200"),
        (HttpResponse(200, (("Content-Type", "text/html"),), b"<p>"), "text/html, which is not JSON"),
        (HttpResponse(503), "503"),
        (said({"token_type": "bearer"}), "no token in the response"),
    ],
)
async def test_a_token_endpoint_that_gives_none_is_quoted(answer: HttpResponse, words: str, tmp_path: Path) -> None:
    async with Guarded() as house:
        house.instead["/token"] = answer
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            assert await person.ends() == 3
    assert words in person.stderr


async def test_a_token_endpoint_that_never_answers_is_given_up(tmp_path: Path) -> None:
    gone = asyncio.Event()

    async def never(request: HttpRequest) -> HttpResponse:
        await gone.wait()
        return HttpResponse(500)

    async with Guarded() as house:
        house.instead["/token"] = never
        async with logging_in(house.url, tmp_path, "--timeout", "1") as person:
            await person.browses()
            assert await person.ends() == 3
        gone.set()
    assert "sent no complete response within 1 s" in person.stderr


async def test_token_expired_on_receipt_is_reported(tmp_path: Path) -> None:
    async with Guarded() as house:
        house.lasts = 0
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            assert await person.ends() == 0
    assert "already expired when received" in person.stderr


async def test_form_encoded_token_response_is_accepted_with_a_notice(tmp_path: Path) -> None:
    async with Guarded() as house:
        token = "opens-the-door-as-a-form-xxxxxxxxxxxx"

        async def form(request: HttpRequest) -> HttpResponse:
            house.tokens.append(token)
            kind = (("Content-Type", "application/x-www-form-urlencoded"),)
            return HttpResponse(200, kind, f"access_token={token}&token_type=bearer".encode())

        house.instead["/token"] = form
        async with logging_in(house.url, tmp_path) as person:
            await person.browses()
            assert await person.ends() == 0
    assert "The response must be JSON, not a form." in person.stderr


async def test_occupied_redirect_port_is_reported(tmp_path: Path) -> None:
    async def nothing(request: HttpRequest) -> HttpResponse:
        return HttpResponse(404)

    async with Guarded() as house, Listener(nothing) as other:
        async with logging_in(house.url, tmp_path, "--oauth-port", str(other.port)) as person:
            assert await person.ends() == 3
    assert f"Port {other.port} for the redirect is in use" in person.stderr
    assert "--oauth-port" in person.stderr


async def test_a_person_may_give_up_and_may_press_ctrl_c(tmp_path: Path) -> None:
    async with Guarded() as house:
        async with logging_in(house.url, tmp_path) as person:
            await person.address()
            person.types("q")
            assert await person.ends() == 3
        assert "it was cancelled" in person.stderr
        async with logging_in(house.url, tmp_path) as other:
            await other.address()
            other.process.send_signal(signal.SIGINT)
            assert await other.ends() == 130
    assert "POST /token" not in house.asked
