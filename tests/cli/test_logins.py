"""What the deeds of `auth` print, and what they end with, for servers that are open, guarded, or known already."""

import asyncio
import time
from pathlib import Path

import pytest

from inspector.auth.store import TokenStore
from inspector.auth.wishes import Client, Known, Token
from inspector.cli import logins
from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.config.environment import Environment
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.session.wishes import Clocks
from inspector.transports.http.listener import HttpResponse
from tests.cli.running import Ran, inspect
from tests.servers.guarded import PROTECTED, Guarded

SECRET = "s3cret-token-that-nobody-may-see"
ISSUER = "https://as.example"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"MCP_INSPECT_HOME": str(tmp_path)}


def kept(env: dict[str, str]) -> TokenStore:
    return TokenStore(Path(env["MCP_INSPECT_HOME"]) / "state")


async def auth(*words: str, env: dict[str, str]) -> Ran:
    return await asyncio.to_thread(inspect, "auth", *words, env=env)


async def test_the_way_in_is_told_as_text_and_as_json(env: dict[str, str]) -> None:
    async with Guarded() as house:
        text = await auth("explain", house.url, env=env)
        data = await auth("explain", house.url, "--json", env=env)
    assert text.status == data.status == 0
    assert text.stdout.endswith("Nothing is broken on the way.\n")
    assert (data.data["refused"], data.data["broken"]) == (True, None)
    assert data.data["steps"][0]["request"] == f"POST {house.url}"


async def test_a_header_of_ones_own_does_not_hide_the_way(env: dict[str, str]) -> None:
    async with Guarded() as house:
        ran = await auth("explain", house.url, "-H", "Authorization: Bearer mine", env=env)
    assert "challenge" in ran.stdout
    assert not [request for request in house.requests if request.header("authorization")]


async def test_what_can_not_be_reached_can_not_be_explained(env: dict[str, str]) -> None:
    async with Guarded() as house:
        url = house.url
    assert (await auth("explain", url, env=env)).status == 4


async def test_an_open_server_needs_no_login(env: dict[str, str]) -> None:
    async with Guarded() as house:
        house.is_open = True
        house.instead[PROTECTED] = house.instead["/.well-known/oauth-protected-resource"] = HttpResponse(404)
        ran = await auth("login", house.url, env=env)
    assert ran.status == 0
    assert "lets everybody in" in ran.stderr


async def test_nobody_at_the_keys_may_still_give_up(env: dict[str, str]) -> None:
    async with Guarded() as house:
        ran = await asyncio.to_thread(inspect, "auth", "login", house.url, env=env, stdin="q\n")
    assert ran.status == 3
    assert "it was called off" in ran.stderr


def test_status_shows_all_or_one_and_never_the_token(env: dict[str, str]) -> None:
    assert "no logins are kept" in inspect("auth", "status", env=env).stderr
    known = Known(Token(SECRET, ISSUER, expires_at=time.time() + 600), {ISSUER: Client("us", SECRET)})
    kept(env).put("https://one.example/mcp", known)
    kept(env).put("https://two.example/mcp", Known(Token(SECRET, ISSUER, expires_at=1.0)))
    every = inspect("auth", "status", env=env)
    one = inspect("auth", "status", "https://one.example/mcp", env=env)
    two = inspect("auth", "status", "--json", "https://two.example/mcp", env=env)
    assert "https://one.example/mcp" in every.stdout
    assert "expired" in every.stdout
    assert (one.status, two.status) == (0, 3)
    assert two.data["token"]["expired"] is True
    assert len(inspect("auth", "status", "--json", env=env).data["logins"]) == 2
    assert SECRET not in every.stdout + one.stdout + two.stdout


def test_logging_out_forgets_the_token_and_with_all_the_registration(env: dict[str, str]) -> None:
    url, other = "https://one.example/mcp", "https://two.example/mcp"
    for each in (url, other):
        kept(env).put(each, Known(Token(SECRET, ISSUER), {ISSUER: Client("us", registered=True)}))
    assert f"forgotten: {url}" in inspect("auth", "logout", url, env=env).stdout
    assert kept(env).get(url) == Known(None, {ISSUER: Client("us", registered=True)})
    assert "nothing to forget" in inspect("auth", "logout", url, env=env).stdout
    assert inspect("auth", "logout", "--all", url, "--json", env=env).data == {"forgotten": [url]}
    assert kept(env).servers() == (other,)
    assert inspect("auth", "logout", env=env).status == 2
    assert f"forgotten: {other}" in inspect("auth", "logout", "--all", env=env).stdout
    assert kept(env).servers() == ()


def test_what_can_not_be_renewed_says_why(env: dict[str, str]) -> None:
    url = "https://one.example/mcp"
    without = inspect("auth", "refresh", url, env=env)
    kept(env).put(url, Known(Token(SECRET, ISSUER)))
    unable = inspect("auth", "refresh", url, env=env)
    assert (without.status, unable.status) == (3, 3)
    assert "no token is kept" in without.stderr
    assert "nothing came with the token" in unable.stderr
    assert f"mcp-inspect auth login {url}" in unable.stderr


def test_a_server_that_is_started_asks_for_no_login() -> None:
    chosen = Chosen(StdioTarget(("node", "x.js"), Environment({}, {}), "/"), None, "", Clocks(), None)
    for deed in (logins.explain, logins.login, logins.refresh):
        with pytest.raises(UsageError, match="asks for no login"):
            deed(Output(), chosen)
