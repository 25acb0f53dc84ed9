"""Screen 0: what is written by hand crosses the wire as it is, and what comes stands on the screen."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.frames import Direction
from inspector.tui.panels.raw import RawPanel
from tests.architecture.sources import ROOT
from tests.stories.persons import Person, at_the_screen
from tests.waiting import until


@asynccontextmanager
async def writing(tmp_path: Path, *flags: str, **sitting: Any) -> AsyncIterator[Person]:
    """A person on the screen, with the demo behind it."""
    environment = build_environment({"PYTHONPATH": str(ROOT)}, inherit_all=True)
    target = StdioTarget((sys.executable, "-m", "inspector.demo", *flags), environment, str(ROOT))
    async with at_the_screen(target, tmp_path / "demo.mcpcap", **sitting) as person:
        await person.sees("connected")
        await person.press("0")
        await person.sees("Write a message")
        panel = person.pilot.app.query_one(RawPanel)
        await until(lambda: panel.form.has_focus_within, "the form has the focus")
        yield person


def sent(person: Person) -> list[bytes]:
    """All payloads that went to the server."""
    return [frame.payload for frame in person.wire().frames if frame.direction is Direction.TO_SERVER]


async def test_a_request_goes_out_with_what_the_revision_wants_and_its_answer_is_shown(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("prompts/list")
        await person.press("ctrl+j")
        await person.sees("1 frame came in", "came frame 2 of 2", '"prompts"')
        message = json.loads(sent(person)[-1])
        assert message["method"] == "prompts/list"
        assert "io.modelcontextprotocol/protocolVersion" in message["params"]["_meta"]


async def test_params_that_are_no_json_are_said_and_sent_all_the_same(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("tools/call")
        await person.press("enter")
        await person.types("oops")
        await person.sees("no JSON: line 1, column 1", "sent all the same")
        await person.press("ctrl+j")
        await person.sees("-32700", "The params are no JSON and go out as they are")
        assert sent(person)[-1].endswith(b'"method":"tools/call","params":oops}')


async def test_exact_text_is_sent_byte_by_byte_and_written_again_from_the_list(tmp_path: Path) -> None:
    async with writing(tmp_path, "--legacy-only") as person:
        await person.press("shift+tab", "e")
        await person.sees("exactly what is sent")
        await person.press("tab", "tab")
        await person.types('{"jsonrpc":"1.0","id":"x","method":"ping"}')
        await person.sees('"jsonrpc" is not "2.0"')
        await person.press("ctrl+j")
        await person.sees("exact text", "frame")
        assert sent(person)[-1] == b'{"jsonrpc":"1.0","id":"x","method":"ping"}'


async def test_a_message_of_the_traffic_is_written_again(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.press("escape", "escape", "1", "g", "j", "j")
        await person.sees("server/discover")
        await person.press("e")
        await person.sees("Write a message", "server/discover", "clientCapabilities")
        before = len(sent(person))
        await person.press("ctrl+j")
        await person.sees("1 frame came in", "supportedVersions")
        assert len(sent(person)) == before + 1


async def test_in_a_narrow_terminal_what_came_takes_the_forms_place_and_escape_brings_it_back(tmp_path: Path) -> None:
    async with writing(tmp_path, size=(80, 24)) as person:
        await person.types("prompts/list")
        await person.press("ctrl+j")
        await person.sees("came frame 2 of 2")
        assert "Method" not in person.screen
        await person.press("[")
        await person.sees("sent frame 1 of 2")
        await person.press("escape")
        await person.sees("Method")


async def test_methods_that_are_near_are_proposed(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("skills/")
        await person.sees("skills/list  skills/get")


async def test_what_is_not_waited_for_any_longer_is_told(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("tools/call")
        await person.press("enter")
        await person.types('{"name":"sweep_horizon","arguments":{"steps":900,"seconds_per_step":9}}')
        await person.press("ctrl+j")
        await person.sees("waiting for what comes")
        await person.press("ctrl+c")
        await person.sees("nobody waited any longer")


async def test_a_notification_is_sent_and_not_waited_for(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        panel = person.pilot.app.query_one(RawPanel)
        await panel.take_draft(b'{"jsonrpc":"2.0","method":"notifications/acme"}')
        await person.press("ctrl+j")
        await person.sees("notification", "sent frame 1 of 1")
        assert sent(person)[-1] == b'{"jsonrpc":"2.0","method":"notifications/acme"}'
