"""Real servers at the screen: reading, forms, pictures and long calls."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.protocol.exchanges import ExchangeState
from inspector.tui import keys
from tests.stories.persons import Person, at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until

pytestmark = [
    pytest.mark.real,
    pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning"),  # of the library that draws pictures
]

TRANSPORTS = ("everything-stdio", "everything-http")


async def _settled(person: Person) -> None:
    await person.sees("● Connected", "→ prompts/list")


async def _find(person: Person, screen: str, words: str, shown: str) -> None:
    """Go to a screen, search, and open the only one that is found."""
    await person.press(screen)
    await person.sees(f"[{screen} ", " Tool" if screen == "2" else "size" if screen == "3" else "prompt")
    await person.press("slash")
    await person.types(words, shows=(f"search {words}", "✓ 1 of", shown))
    await person.press("enter", "enter")


def _last(person: Person, method: str) -> tuple[Any, Any]:
    """The newest request of a method as it was sent, and its result."""
    saw = person.wire()
    exchange = [each for each in saw.exchanges if each.method == method][-1]
    request, answer = (json.loads(saw.frame(n).payload) for n in (exchange.request_frame, exchange.answer_frame))
    return request["params"], answer["result"]


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_resource_is_read_and_shown_as_what_it_is(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "3", "startup", "startup.md")
        await person.sees("demo://resource/static/document/startup.md", "text/markdown", "Read ^j")
        await person.press("ctrl+j", shows=("✓ OK", "Everything Server - Startup Process"))
        params, result = _last(person, "resources/read")
        assert params["uri"] == "demo://resource/static/document/startup.md"
        assert result["contents"][0]["text"].startswith("# Everything Server")


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_template_is_filled_previewed_completed_and_its_bytes_are_shown(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "3", "Blob", "Dynamic Blob")
        await person.sees("resourceId *", "Read ^j")
        await person.types("7", shows=("▸ demo://resource/dynamic/blob/7", "1 value"))
        params, result = _last(person, "completion/complete")
        assert params["ref"] == {"type": "ref/resource", "uri": "demo://resource/dynamic/blob/{resourceId}"}
        assert params["argument"] == {"name": "resourceId", "value": "7"}
        assert result["completion"]["values"] == ["7"]
        await person.press("ctrl+j", shows=("✓ OK", "00000000  52 65 73 6f 75 72 63 65  20 37", "Resource 7: This"))
        params, result = _last(person, "resources/read")
        assert params["uri"] == "demo://resource/dynamic/blob/7"
        assert base64.b64decode(result["contents"][0]["blob"]).startswith(b"Resource 7: This is a base64 blob")


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_prompt_is_completed_and_the_second_argument_knows_the_first(name: str, tmp_path: Path) -> None:
    take = keys.action("prompts.complete").keys[0]
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "4", "completable", "Team Management")
        await person.sees("department *", "Get ^j")
        await person.types("Sal", shows="1 value")
        await person.press(take)
        await until(lambda: person.line("department *").rstrip().endswith("Sales"), "the value is taken")
        await person.press("tab")
        await person.types("D", shows=("1 value", "David"))
        params, result = _last(person, "completion/complete")
        assert params["ref"] == {"type": "ref/prompt", "name": "completable-prompt"}
        assert params["argument"] == {"name": "name", "value": "D"}
        assert params["context"] == {"arguments": {"department": "Sales"}}
        assert result["completion"]["values"] == ["David"]
        await person.press(take)
        await until(lambda: "David" in person.line("David"), "the value is taken")
        await person.press("ctrl+j", shows=("✓ OK", "Please promote David to the head of the Sales team."))
        params, _ = _last(person, "prompts/get")
        assert params["arguments"] == {"department": "Sales", "name": "David"}


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_picture_in_a_result_is_drawn_with_its_size_and_type(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "2", "tiny-image", "get-tiny-image")
        await person.press("ctrl+j", shows=("✓ OK", "2/3 image · image/png · 20 × 20", "v i shows it"))
        _, result = _last(person, "tools/call")
        assert [block["type"] for block in result["content"]] == ["text", "image", "text"]
        await person.press("escape", "v", "i", shows=("20 × 20", "▀"))


async def test_annotations_say_for_whom_and_how_important_a_part_of_a_result_is(tmp_path: Path) -> None:
    async with running(named("everything-stdio"), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "2", "annotated", "get-annotated-message")
        await person.sees("messageType *")
        await person.press("right", "tab", "left", "ctrl+j")
        await person.sees("✓ OK", "Error: Operation failed", "user", "assistant", "priority", "image/png")
        params, result = _last(person, "tools/call")
        assert params["arguments"] == {"messageType": "error", "includeImage": True}
        assert result["content"][0]["annotations"] == {"priority": 1, "audience": ["user", "assistant"]}


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_long_call_shows_progress_and_is_cancelled(name: str, tmp_path: Path) -> None:
    async with running(named(name), tmp_path) as target, at_the_screen(target, None) as person:
        await _settled(person)
        await _find(person, "2", "long-running", "trigger-long-running")
        await person.sees("duration ", "steps ")
        await person.press("ctrl+u")
        await person.types("60", "tab", "ctrl+u")
        await person.types("600", shows="✓ Valid")
        await person.press("ctrl+j", shows=("Running", "of 600"))
        await person.press("ctrl+c", shows="Cancelled")
        (call,) = [each for each in person.wire().exchanges if each.method == "tools/call"]
        (notice,) = person.wire().sent("notifications/cancelled")
        assert notice["params"]["requestId"] == call.id
        assert call.state is ExchangeState.CANCELLED
        assert call.progress is not None
        assert call.progress.total == 600
