"""Screen 0 with a server: a typed message is sent unchanged, and the response is shown."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.drafts import Draft
from inspector.protocol.frames import Direction
from inspector.tui.screens.compose.panel import ComposerPanel
from tests.architecture.sources import ROOT
from tests.stories.persons import Person, at_the_screen
from tests.waiting import until


@asynccontextmanager
async def writing(tmp_path: Path, *flags: str, **sitting: Any) -> AsyncIterator[Person]:
    """A person on the screen, with the demo behind it."""
    environment = build_environment({"PYTHONPATH": str(ROOT)}, inherit_all=True)
    target = StdioTarget((sys.executable, "-m", "inspector.demo", *flags), environment, str(ROOT))
    async with at_the_screen(target, tmp_path / "demo.mcpcap", **sitting) as person:
        await person.sees("Connected")
        await person.press("g o", shows="Composer")
        panel = person.pilot.app.query_one(ComposerPanel)
        await until(lambda: panel.form.has_focus_within, "the form has the focus")
        yield person


def sent(person: Person) -> list[bytes]:
    """All payloads that went to the server."""
    return [frame.payload for frame in person.wire().frames if frame.direction is Direction.TO_SERVER]


async def test_a_request_goes_out_with_what_the_revision_wants_and_its_answer_is_shown(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("skills/", shows="skills/list  skills/get")
        await person.press("ctrl+u", *"prompts/list")
        await person.press("ctrl+j", shows=("1 frame received in", "received frame 2 of 2", '"prompts"'))
        message = json.loads(sent(person)[-1])
        assert message["method"] == "prompts/list"
        assert "io.modelcontextprotocol/protocolVersion" in message["params"]["_meta"]
        panel = person.pilot.app.query_one(ComposerPanel)
        await panel.take_draft(b'{"jsonrpc":"2.0","method":"notifications/acme"}')
        await person.press("ctrl+j", shows=("notification", "sent frame 1 of 1"))
        assert sent(person)[-1] == b'{"jsonrpc":"2.0","method":"notifications/acme"}'


async def test_invalid_params_are_sent_with_a_notice_and_a_wait_is_cancelled(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("tools/call", "enter")
        await person.types("oops", shows="invalid JSON: line 1, column 1")
        await person.press("ctrl+j", shows=("-32700", "The params are no JSON and go out as they are"))
        assert sent(person)[-1].endswith(b'"method":"tools/call","params":oops}')
        person.pilot.app.query_one(ComposerPanel).form.take(
            Draft(method="tools/call", text='{"name":"long_running","arguments":{"steps":900,"seconds_per_step":9}}')
        )
        await person.press("ctrl+j", shows="waiting for a response")
        await person.press("ctrl+c", shows="cancelled")


async def test_exact_text_is_sent_byte_by_byte_and_written_again_from_the_list(tmp_path: Path) -> None:
    async with writing(tmp_path, "--legacy-only") as person:
        await person.press("shift+tab", "e", shows="sent exactly as typed")
        await person.press("tab", "tab")
        await person.types('{"jsonrpc":"1.0","id":"x","method":"ping"}', shows='"jsonrpc" is not "2.0"')
        await person.press("ctrl+j", shows=("exact text", "frame"))
        assert sent(person)[-1] == b'{"jsonrpc":"1.0","id":"x","method":"ping"}'


async def test_a_message_of_the_traffic_is_written_again(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.press("escape", "escape", "1", "g g", "j", "j", shows="server/discover")
        await person.press("x e", shows=("Composer", "server/discover", "clientCapabilities"))
        before = len(sent(person))
        await person.press("ctrl+j", shows=("1 frame received in", "supportedVersions"))
        assert len(sent(person)) == before + 1


async def test_narrow_composer_shows_the_outcome_until_escape(tmp_path: Path) -> None:
    async with writing(tmp_path, size=(80, 24)) as person:
        await person.types("prompts/list", "ctrl+j", shows="received frame 2 of 2")
        assert "Method" not in person.screen
        await person.press("[", shows="sent frame 1 of 2")
        await person.press("escape", shows="Method")
