"""Every screen on a server whose every text is markup, and on the capture of it: nothing is parsed, started or reached.

No parser of markup is asked about a text of the server's; a capture that is looked at starts no program, resolves no
name, connects to nothing and opens no browser.
"""

import os
import re
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rich.markup
import textual.content
import textual.markup
from textual.keys import _character_to_key

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.capabilities import ALL
from tests.servers.acts import COUNT
from tests.servers.real import ROOT
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.stories.test_nothing_acts_on_the_terminal import ESC, LOOK
from tests.waiting import until

FOREIGN = re.compile(r"x\d{1,3}x")
NAMES = {b"\r": "enter", b"\n": "ctrl+j", b"\t": "tab", ESC: "escape", b"\x06": "pagedown"} | {
    bytes((code,)): f"ctrl+{letter}" for code, letter in ((0x19, "y"), (0x10, "p"), (0x14, "t"), (0x04, "d"))
}


def keys_of(raw: bytes) -> list[str]:
    """The names of what a terminal sends for a key, or for several letters."""
    if raw in NAMES:
        return [NAMES[raw]]
    return [NAMES.get(char.encode()) or _character_to_key(char) for char in raw.decode()]


async def look_at(person: Person, *names: str) -> None:
    """Go through these screens."""
    for name in names:
        keys = [key for raw in LOOK[name] for key in keys_of(raw)]
        for at in range(0, len(keys), 4):
            await person.press_quickly(*keys[at : at + 4])


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the server that a parser of markup was asked about."""
    found: list[str] = []

    def watched(parser: Callable[..., Any]) -> Callable[..., Any]:
        def parse(markup: object, *args: Any, **kwargs: Any) -> Any:
            if isinstance(markup, str) and FOREIGN.search(markup):
                found.append(markup)
            return parser(markup, *args, **kwargs)

        return parse

    from_markup = textual.content.Content.from_markup
    monkeypatch.setattr(textual.content.Content, "from_markup", staticmethod(watched(from_markup)))
    monkeypatch.setattr(textual.markup, "to_content", watched(textual.markup.to_content))
    monkeypatch.setattr(textual.markup, "_to_content", watched(textual.markup._to_content), raising=False)
    monkeypatch.setattr(rich.markup, "render", watched(rich.markup.render))
    return found


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was started, resolved, connected to or opened."""
    found: list[str] = []

    def refusing(name: str) -> Callable[..., Any]:
        def refuse(*args: object, **kwargs: object) -> Any:
            found.append(f"{name}{args}")
            raise OSError(f"nothing may use {name} here")

        return refuse

    for module, name in ((socket, "getaddrinfo"), (socket, "create_connection"), (webbrowser, "open")):
        monkeypatch.setattr(module, name, refusing(name))
    for name in ("connect", "connect_ex", "bind"):
        monkeypatch.setattr(socket.socket, name, refusing(name))
    monkeypatch.setattr(subprocess.Popen, "__init__", refusing("Popen"))  # noqa: TID251 - nothing is started by it
    for name in ("posix_spawn", "posix_spawnp", "execv", "execve", "fork", "system"):
        monkeypatch.setattr(os, name, refusing(name))
    return found


def test_the_watch_on_markup_sees_what_it_is_for(parsed: list[str]) -> None:
    textual.content.Content.from_markup("[b]x1x[/]")
    textual.markup.to_content("x2x")
    assert parsed == ["[b]x1x[/]", "x2x"] or {"[b]x1x[/]", "x2x"} <= set(parsed)


async def test_no_text_of_a_server_is_markup_and_the_capture_of_it_starts_and_reaches_nothing(
    parsed: list[str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    environment = build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((sys.executable, "-S", "-m", "tests.servers.acting"), environment, str(ROOT))
    asking: dict[str, Any] = {"offers": frozenset(ALL), "has_person": True}
    capture = tmp_path / "acting.mcpcap"
    async with at_the_screen(target, capture, **asking) as person:
        await until(lambda: person.journal.count > COUNT, "the server has said all it has to say")
        await person.sees("● Connected")
        await look_at(person, *LOOK)
        assert FOREIGN.search(person.screen)
    assert parsed == []
    reached = request.getfixturevalue("reached")
    async with at_a_replay(capture) as person:
        await look_at(person, "resources", "server", "http", "traffic", "values", "tasks", "write and skills")
        assert FOREIGN.search(person.screen)
    assert (reached, parsed) == ([], [])
