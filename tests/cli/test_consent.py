"""Consent at a terminal: what is shown, and what each word that is typed does."""

import io
import os
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from inspector.auth.steps import Abandoned, Redirected, Visit
from inspector.cli.consent import Consent
from inspector.cli.output import Output
from inspector.cli.world import World
from tests.waiting import until

URL = "https://ὅ.example/authorize?client_id=us"
HERE = {"DISPLAY": ":0"}
AWAY = {"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22", "USER": "ann"}


class Person:
    """Somebody at a terminal."""

    def __init__(self, env: dict[str, str]) -> None:
        reading, self._writing = os.pipe()
        self.stdin = os.fdopen(reading, "r")
        self.stderr = io.StringIO()
        self.consent = Consent(Output(World(None, env, self.stdin, io.StringIO(), self.stderr)))
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
    import asyncio

    person = Person(env)
    guide = person.consent.guide
    redirect = await guide.begin("")
    try:
        async with asyncio.TaskGroup() as tasks:
            visit = tasks.create_task(guide.visit(Visit(URL, redirect, "st4te")))
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
    assert person.came == Abandoned("it was called off")


async def test_over_ssh_the_tunnel_is_told_and_nothing_is_opened() -> None:
    async with at_the_terminal(AWAY) as person:
        assert person.consent.guide.waiting is not None
        port = person.consent.guide.waiting.port
        await person.sees("no browser", f"ssh -N -L {port}:127.0.0.1:{port} ann@10.0.0.2")
        person.types("")
        await person.sees("not opened: this terminal is on another machine")
        person.types(f"http://127.0.0.1:{port}/callback?code=c0de&state=st4te")
    assert person.came == Redirected({"code": "c0de", "state": "st4te"})


async def test_what_is_pasted_wrongly_is_said_and_waited_on() -> None:
    async with at_the_terminal(AWAY) as person:
        person.types("two words")
        await person.sees("neither the address")
        person.types("c0de")
    assert person.came == Redirected({"code": "c0de", "state": "st4te"})


async def test_a_camera_gets_its_code_if_the_terminal_is_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_terminal(AWAY) as person:
        monkeypatch.setenv("COLUMNS", "20")
        person.types("qr")
        await person.sees("The QR code takes")
        monkeypatch.setenv("COLUMNS", "200")
        person.types("QR")
        await person.sees("▀", "█")
        person.types("q")
