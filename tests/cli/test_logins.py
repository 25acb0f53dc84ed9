"""Consent at a terminal: what is shown, and what each word that is typed does."""

import asyncio
import io
import os
import time
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest

from inspector.auth.steps import Abandoned, AccessToken, Client, OpenAddress, Redirected, StoredLogin
from inspector.auth.storage import TokenStore
from inspector.cli.commands.auth import Consent, explain, login, refresh
from inspector.cli.env import CliEnv
from inspector.cli.output import Output
from inspector.cli.targets import TargetOptions
from inspector.cli.typed_lines import TypedLines
from inspector.config.environment import Environment
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.session.options import Timeouts
from inspector.transports.http.listener import HttpResponse
from tests.cli.running import Ran, inspect
from tests.servers.guarded import PROTECTED, Guarded
from tests.waiting import until

URL = "https://ὅ.example/authorize?client_id=us"
HERE = {"DISPLAY": ":0"}
AWAY = {"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22", "USER": "ann"}


class Person:
    def __init__(self, env: dict[str, str]) -> None:
        reading, self._writing = os.pipe()
        self.stdin = os.fdopen(reading, "r")
        self.stderr = io.StringIO()
        self.consent = Consent(Output(CliEnv(None, env, self.stdin, io.StringIO(), self.stderr)))
        self.came: Redirected | Abandoned | None = None

    def types(self, line: str) -> None:
        """Types it and presses Enter."""
        os.write(self._writing, f"{line}\n".encode())

    async def sees(self, *words: str) -> None:
        """Waits for words on the terminal."""
        for word in words:
            await until(lambda word=word: word in self.stderr.getvalue(), f"{word!r}: {self.stderr.getvalue()}")  # type: ignore[misc]

    def leaves(self) -> None:
        """Nothing is typed any more."""
        self.consent.stop()
        os.close(self._writing)
        self.stdin.close()


@asynccontextmanager
async def at_the_terminal(env: dict[str, str]) -> AsyncIterator[Person]:
    """A person, while consent is waited for."""
    person = Person(env)
    guide = person.consent.guide
    redirect = await guide.begin("")
    try:
        async with asyncio.TaskGroup() as tasks:
            visit = tasks.create_task(guide.visit(OpenAddress(URL, redirect, "st4te")))
            await until(lambda: guide.waiting is not None, "somebody is waited for")
            yield person
        person.came = visit.result()
    finally:
        await guide.end()
        person.leaves()


async def test_the_address_is_shown_whole_with_its_host_as_browsers_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: not opened.append(url))  # type: ignore[func-returns-value]
    for name in ("SSH_CONNECTION", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    async with at_the_terminal(HERE) as person:
        await person.sees("xn--", URL, "Enter", "another alphabet")
        assert opened == []
        person.types("")
        await person.sees("opened in the browser: xn--")
        person.types("q")
    assert len(opened) == 1
    assert opened[0].startswith("https://xn--")
    assert person.came == Abandoned("it was cancelled")


async def test_login_over_ssh_shows_the_tunnel_and_opens_nothing() -> None:
    async with at_the_terminal(AWAY) as person:
        assert person.consent.guide.waiting is not None
        port = person.consent.guide.waiting.port
        await person.sees("no browser", f"ssh -N -L {port}:127.0.0.1:{port} ann@10.0.0.2")
        person.types("")
        await person.sees("not opened: this terminal is on another machine")
        person.types(f"http://127.0.0.1:{port}/callback?code=c0de&state=st4te")
    assert person.came == Redirected({"code": "c0de", "state": "st4te"})


async def test_wrong_paste_is_reported_and_may_be_repeated() -> None:
    async with at_the_terminal(AWAY) as person:
        person.types("two words")
        await person.sees("neither the address")
        person.types("c0de")
    assert person.came == Redirected({"code": "c0de", "state": "st4te"})


async def test_a_camera_gets_its_code_if_the_terminal_is_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_terminal(AWAY) as person:
        monkeypatch.setenv("COLUMNS", "20")
        person.types("qr")
        await person.sees("The QR code needs")
        monkeypatch.setenv("COLUMNS", "200")
        person.types("QR")
        await person.sees("▀", "█")
        person.types("q")


SECRET = "s3cret-token-that-nobody-may-see"
ISSUER = "https://as.example"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"MCP_INSPECT_HOME": str(tmp_path)}


def kept(env: dict[str, str]) -> TokenStore:
    return TokenStore(Path(env["MCP_INSPECT_HOME"]) / "state")


async def auth(*words: str, env: dict[str, str]) -> Ran:
    return await asyncio.to_thread(inspect, "auth", *words, env=env)


async def test_auth_explain_prints_steps_as_text_and_json(env: dict[str, str]) -> None:
    async with Guarded() as house:
        text = await auth("explain", house.url, env=env)
        data = await auth("explain", house.url, "--json", env=env)
    assert text.status == data.status == 0
    assert text.stdout.endswith("All steps OK.\n")
    assert (data.data["refused"], data.data["broken"]) == (True, None)
    assert data.data["steps"][0]["request"] == f"POST {house.url}"


async def test_a_header_of_ones_own_does_not_hide_the_way(env: dict[str, str]) -> None:
    async with Guarded() as house:
        ran = await auth("explain", house.url, "-H", "Authorization: Bearer mine", env=env)
    assert "challenge" in ran.stdout
    assert not [request for request in house.requests if request.header("authorization")]


async def test_auth_explain_of_an_unreachable_server_fails(env: dict[str, str]) -> None:
    async with Guarded() as house:
        url = house.url
    assert (await auth("explain", url, env=env)).status == 4


async def test_an_open_server_needs_no_login(env: dict[str, str]) -> None:
    async with Guarded() as house:
        house.is_open = True
        house.instead[PROTECTED] = house.instead["/.well-known/oauth-protected-resource"] = HttpResponse(404)
        ran = await auth("login", house.url, env=env)
    assert ran.status == 0
    assert "requires no authorization" in ran.stderr


async def test_login_can_be_cancelled_from_stdin(env: dict[str, str]) -> None:
    async with Guarded() as house:
        ran = await asyncio.to_thread(inspect, "auth", "login", house.url, env=env, stdin="q\n")
    assert ran.status == 3
    assert "it was cancelled" in ran.stderr


def test_status_shows_all_or_one_and_never_the_token(env: dict[str, str]) -> None:
    assert "no stored logins" in inspect("auth", "status", env=env).stderr
    known = StoredLogin(AccessToken(SECRET, ISSUER, expires_at=time.time() + 600), {ISSUER: Client("us", SECRET)})
    kept(env).put("https://one.example/mcp", known)
    kept(env).put("https://two.example/mcp", StoredLogin(AccessToken(SECRET, ISSUER, expires_at=1.0)))
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
        kept(env).put(each, StoredLogin(AccessToken(SECRET, ISSUER), {ISSUER: Client("us", registered=True)}))
    assert f"deleted: {url}" in inspect("auth", "logout", url, env=env).stdout
    assert kept(env).get(url) == StoredLogin(None, {ISSUER: Client("us", registered=True)})
    assert "nothing to delete" in inspect("auth", "logout", url, env=env).stdout
    assert inspect("auth", "logout", "--all", url, "--json", env=env).data == {"deleted": [url]}
    assert kept(env).servers() == (other,)
    assert inspect("auth", "logout", env=env).status == 2
    assert f"deleted: {other}" in inspect("auth", "logout", "--all", env=env).stdout
    assert kept(env).servers() == ()


def test_auth_refresh_without_refresh_token_reports_why(env: dict[str, str]) -> None:
    url = "https://one.example/mcp"
    without = inspect("auth", "refresh", url, env=env)
    kept(env).put(url, StoredLogin(AccessToken(SECRET, ISSUER)))
    unable = inspect("auth", "refresh", url, env=env)
    assert (without.status, unable.status) == (3, 3)
    assert "no stored token" in without.stderr
    assert "no refresh token" in unable.stderr
    assert f"mcp-inspect auth login {url}" in unable.stderr


def test_a_server_that_is_started_asks_for_no_login() -> None:
    chosen = TargetOptions(StdioTarget(("node", "x.js"), Environment({}, {}), "/"), None, "", Timeouts(), None)
    for action in (explain, login, refresh):
        with pytest.raises(UsageError, match="have no OAuth login"):
            action(Output(), chosen)


async def test_lines_are_taken_as_they_come_from_a_pipe() -> None:
    taken: list[str] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as stream:
        typed = TypedLines(stream, taken.append)
        os.write(writing, b"one\ntw")
        await until(lambda: taken == ["one"], "the first line")
        os.write(writing, b"o\n\nlast")
        await until(lambda: taken == ["one", "two", ""], "the second")
        os.close(writing)
        await until(lambda: taken[-1] == "last", "what has no end")
        typed.stop()
        typed.stop()


async def test_a_file_is_there_at_once(tmp_path: Path) -> None:
    taken: list[str] = []
    (tmp_path / "answers").write_text("one\ntwo")
    with (tmp_path / "answers").open() as stream:
        typed = TypedLines(stream, taken.append)
        assert taken == []
        await until(lambda: taken == ["one", "two"], "both lines")
        typed.stop()


async def test_a_stream_without_a_descriptor_does_too() -> None:
    taken: list[str] = []
    TypedLines(io.StringIO("one\n"), taken.append)
    await until(lambda: taken == ["one"], "the line")


async def test_typed_lines_are_not_read_after_the_end() -> None:
    taken: list[str] = []
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as stream:
        TypedLines(cast(io.TextIOBase, stream), taken.append).stop()  # type: ignore[arg-type]
        os.write(writing, b"late\n")
        assert os.read(reading, 10) == b"late\n"
    os.close(writing)
    assert taken == []
