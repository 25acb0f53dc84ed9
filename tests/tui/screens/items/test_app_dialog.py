"""The app of a tool, opened from the Tools screen: what the dialog reads, and the result that the app gets."""

import asyncio
from typing import Any

from inspector.capture.journal import Journal, start_capture
from inspector.features.apps.context import BrowserFacts
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import encode
from inspector.protocol.listed_items import Tool
from inspector.tui.screens.items.app_dialog import ShownApp, result_of
from tests.features.apps.hosting import RESULT, SERVER, TOOLS, URI, View, content
from tests.session.talking import answering, session
from tests.waiting import until


def _called(result: Any) -> Journal:
    journal = start_capture(None)
    call = {"name": "show", "arguments": {"a": 1}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    journal.frame(Direction.TO_SERVER, Channel.STDIN, encode(asked))
    journal.frame(Direction.FROM_SERVER, Channel.STDOUT, encode({"jsonrpc": "2.0", "id": 1} | result))
    return journal


def test_result_of_a_call_comes_with_its_arguments() -> None:
    journal = _called({"result": RESULT})
    found = result_of(journal, journal.conversation.exchanges[0])
    assert found is not None
    assert found[0] == {"a": 1}
    assert found[1].message.result == RESULT  # type: ignore[union-attr]


def test_call_with_an_error_or_without_a_response_has_no_result() -> None:
    journal = _called({"error": {"code": 1, "message": "no"}})
    assert result_of(journal, journal.conversation.exchanges[0]) is None
    assert result_of(journal, None) is None


async def test_shown_app_asks_about_a_destructive_tool_and_takes_the_answer() -> None:
    journal = _called({"result": RESULT})
    found = result_of(journal, journal.conversation.exchanges[0])
    assert found is not None
    server = SERVER | {"resources/read": {"contents": [content()]}}
    async with session(answering(server)) as live:
        await live.list_all("tools")
        shown = ShownApp(Tool(TOOLS[0]), *found, "dark")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(shown.show(live))
            await until(lambda: shown.url, "the page is open")
            host = shown._run.host  # type: ignore[union-attr]
            view = View(host, [])
            host.attach(view, BrowserFacts())
            result = await view.start()
            assert result["hostContext"]["theme"] == "dark"
            assert view.of("ui/notifications/tool-result") == [RESULT]
            view.say({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "erase"}})
            await until(lambda: shown.question, "the user is asked")
            assert shown.question is not None
            assert shown.question[0] == "erase"
            shown.answer(True)
            await until(lambda: view.answers(7), "the tool is called")
            assert view.answers(7)[0]["result"] == RESULT
            shown.end()
            await until(lambda: "ui/resource-teardown" in view.methods, "the View is told")
            host.detach(view)
        assert shown.has_ended
        assert not shown.why


async def test_unreadable_app_has_a_reason() -> None:
    journal = _called({"result": RESULT})
    found = result_of(journal, journal.conversation.exchanges[0])
    assert found is not None
    async with session(answering(SERVER | {"resources/read": {"contents": []}})) as live:
        shown = ShownApp(Tool(TOOLS[0]), *found, "light")
        await shown.show(live)
    assert URI in shown.why
