"""Apps made with the official SDK in a real Chromium: shown, called back, resized, themed, refused, ended."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from inspector.features.apps.browser import Browser, BrowserTab, find_browser
from inspector.features.apps.browser import until as browser_until
from inspector.features.apps.context import Denial, HostSettings, Size
from inspector.features.apps.host import ViewState
from inspector.features.apps.site import AppSite
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ResultResponse, encode, read
from tests.entries import frames_to
from tests.features.apps.hosting import RESULT, View, app, hosted
from tests.servers.apps.document import SDK_APP, SDK_TABLE, document
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.real
_COUNTED = {"content": [{"type": "text", "text": "5"}], "structuredContent": {"count": 5}}
_READ = {"contents": [{"uri": "note://one", "text": "a note"}]}


def _reply(result: object) -> Replied:
    message = read(encode({"jsonrpc": "2.0", "id": 1, "result": result}))[0]
    assert isinstance(message, ResultResponse)
    return Replied(message, None)  # type: ignore[arg-type]


async def _frame(tab: BrowserTab) -> BrowserTab:
    """Return the app's frame. Asked with pauses, as the product does: each look attaches to every frame once more."""
    found: list[BrowserTab] = []

    async def is_there() -> bool:
        frame = await tab.app_frame()
        found[:] = [frame] if frame and await frame.evaluate("!!document.getElementById('out')") else []
        return bool(found)

    assert await browser_until(is_there, PATIENCE_S), "the app has a frame"
    return found[0]


async def _shows(frame: BrowserTab, expression: str, wanted: Any, heard: Callable[[], str] = str) -> None:
    async def is_shown() -> bool:
        return bool(await frame.evaluate(expression) == wanted)

    if not await browser_until(is_shown, PATIENCE_S):
        pytest.fail(f"{expression} is {await frame.evaluate(expression)!r}, not {wanted!r}; {heard()}")


def _sent(view: View, method: str) -> Callable[[], bool]:
    journal = view.host.session.journal

    def is_sent() -> bool:
        return any(method.encode() in each.payload for each in frames_to(journal, Direction.FROM_VIEW))

    return is_sent


async def test_app_of_the_sdk_is_shown_called_back_resized_themed_and_torn_down() -> None:
    server = {"tools/call": _COUNTED, "resources/read": _READ}
    async with hosted(shown=app(document(SDK_APP)), server=server) as view, AppSite(view.host, "test") as site:
        view.host.begin_call({"by": 3})
        view.host.end_call(_reply({**RESULT, "structuredContent": {"count": 3}}))
        async with Browser(find_browser(os.environ), os.environ) as browser:
            tab = await browser.open(site.url, 1200, 900)
            frame = await _frame(tab)
            title = "document.getElementById('title').textContent"
            heard = lambda: f"{view.host.state}; {view.told[-3:]}; {view.notices}"  # noqa: E731 - read when it fails
            await _shows(frame, title, "count 3", heard)
            await _shows(frame, "document.getElementById('input').textContent", '{"by":3}')
            await frame.evaluate("document.getElementById('read').click()")
            await _shows(frame, "document.getElementById('out').textContent", "a note")
            view.host.change(theme="dark")
            await _shows(frame, "document.getElementById('out').dataset.theme", "dark")
            view.host.change(size=Size(400))
            await _shows(frame, "document.getElementById('out').dataset.width", "400")
            await frame.evaluate("document.getElementById('full').click()")
            await _shows(frame, "document.getElementById('out').textContent", "mode fullscreen")
            assert (await tab.screenshot()).startswith(b"\x89PNG")
            await until(_sent(view, "ui/notifications/size-changed"), "the app has told its size")
            assert await view.host.end("the test is over")
            assert view.host.proposals.model_context == {"content": [{"type": "text", "text": "torn down"}]}
            assert not view.host.errors


async def test_table_of_the_sdk_gets_partial_arguments_copes_with_refusals_and_asks_to_be_ended() -> None:
    settings = HostSettings(is_partial=True, deny=frozenset({Denial.MESSAGE}))
    server = {"tools/call": {"content": [], "structuredContent": {"rows": [["c", "3"], ["d", "4"]]}}}
    async with hosted(settings, shown=app(document(SDK_TABLE)), server=server) as view, AppSite(view.host, "t") as site:
        view.host.begin_call({"customer": "Ada"})
        view.host.end_call(_reply({"content": [], "structuredContent": {"rows": [["a", "1"]]}}))
        async with Browser(find_browser(os.environ), os.environ) as browser:
            frame = await _frame(await browser.open(site.url, 800, 600))
            rows, out = "document.getElementById('rows').innerText", "document.getElementById('out').textContent"
            await _shows(frame, rows, "a\t1")
            await _shows(frame, "document.getElementById('query').textContent", "A… Ada… Ada")
            await frame.evaluate("document.getElementById('next').click()")
            await _shows(frame, rows, "c\t3\nd\t4")
            await frame.evaluate("document.getElementById('ask').click()")
            await _shows(frame, f"{out}.startsWith('failed') || {out}.includes('isError')", True)
            await frame.evaluate("document.getElementById('open').click()")
            await until(lambda: any("asks to open" in each.text for each in view.notices), "the user is asked")
            view.host.proposals.link_answered("link-1", opened=False)
            await until(lambda: view.notices[-1].kind == "refused", "it is refused")
            await frame.evaluate("document.getElementById('done').click()")
            await until(lambda: view.host.state is ViewState.ENDED, "the app is ended as it has asked")
            assert not view.host.errors
