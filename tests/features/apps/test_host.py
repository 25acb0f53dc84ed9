"""The host of MCP Apps: handshake, tool calls, requests of the view, and refusals."""

import json
from typing import Any

import pytest

from inspector.features.apps.context import BrowserFacts, Denial, HostSettings, Size
from inspector.features.apps.host import MOST_MESSAGE, ViewState
from inspector.protocol.flows.steps import GivenUp, Replied
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import ResultResponse, read
from tests.features.apps.hosting import RESULT, View, app, hosted, settled
from tests.waiting import until


def _reply(result: object = RESULT) -> Replied:
    message = read(json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())[0]
    assert isinstance(message, ResultResponse)
    return Replied(message, None)  # type: ignore[arg-type]


async def test_nothing_is_sent_before_initialized() -> None:
    async with hosted() as view:
        view.host.begin_call({"a": 1})
        view.host.end_call(_reply())
        view.host.change(theme="dark")
        await view.ask("ui/initialize", {})
        assert view.methods == []
        view.notify("ui/notifications/initialized")
        assert view.methods == ["ui/notifications/tool-input", "ui/notifications/tool-result"]
        assert view.of("ui/notifications/tool-input") == [{"arguments": {"a": 1}}]
        assert view.of("ui/notifications/tool-result") == [RESULT]


async def test_sandbox_gets_the_html_once_it_is_ready() -> None:
    async with hosted(shown=app(csp={"connectDomains": ["https://a.example"]})) as view:
        view.notify("ui/notifications/sandbox-proxy-ready")
        (given,) = view.of("ui/notifications/sandbox-resource-ready")
        assert "<title>app</title>" in given["html"]
        assert given["csp"] == {"connectDomains": ["https://a.example"]}


async def test_initialize_gives_capabilities_and_the_whole_context() -> None:
    settings = HostSettings(theme="dark", size=Size(400, 600), locale="de-DE")
    async with hosted(settings, facts=BrowserFacts(width=1000, timeZone="Europe/Oslo", touch=True)) as view:
        result = await view.start()
        context = result["hostContext"]
        assert (context["theme"], context["locale"], context["timeZone"]) == ("dark", "de-DE", "Europe/Oslo")
        assert context["containerDimensions"] == {"width": 400, "height": 600}
        assert context["deviceCapabilities"] == {"touch": True, "hover": True}
        assert context["toolInfo"]["tool"]["name"] == "show"
        assert context["styles"]["variables"]["--color-text-primary"].startswith("light-dark(")
        assert result["protocolVersion"] == "2026-01-26"
        assert {"openLinks", "serverTools", "serverResources", "logging"} <= result["hostCapabilities"].keys()


async def test_facts_of_the_browser_that_are_no_names_stay_out() -> None:
    facts = BrowserFacts(locale="<b>", timeZone="a;b")
    async with hosted(facts=facts) as view:
        context = (await view.start())["hostContext"]
        assert not {"locale", "timeZone"} & context.keys()


async def test_partial_arguments_come_before_the_whole() -> None:
    async with hosted(HostSettings(is_partial=True)) as view:
        view.host.begin_call({"city": "Oslo", "days": 3})
        await view.start()
        parts = view.of("ui/notifications/tool-input-partial")
        assert parts[0] == {"arguments": {"city": "Os"}}
        assert parts[-1] == {"arguments": {"city": "Oslo", "days": 3}}
        assert view.methods[-1] == "ui/notifications/tool-input"


async def test_no_result_is_sent_if_the_user_wants_none() -> None:
    async with hosted(HostSettings(sends_result=False)) as view:
        view.host.begin_call({})
        view.host.end_call(_reply())
        await view.start()
        assert view.methods[-1] == "ui/notifications/tool-input"


async def test_cancelled_call_is_reported_to_the_view() -> None:
    async with hosted() as view:
        view.host.begin_call({})
        await view.start()
        view.host.end_call(GivenUp(None, "no"))
        assert view.of("ui/notifications/tool-cancelled") == [{"reason": "the call was cancelled"}]


async def test_reloaded_page_gets_arguments_and_result_again() -> None:
    async with hosted() as view:
        view.host.begin_call({"a": 1})
        view.host.end_call(_reply())
        await view.start()
        again = View(view.host, view.notices)
        view.host.attach(again, BrowserFacts())
        assert ("replaced", {}) in view.told
        await again.start()
        assert again.methods[-2:] == ["ui/notifications/tool-input", "ui/notifications/tool-result"]


async def test_view_calls_a_tool_through_the_session() -> None:
    async with hosted() as view:
        await view.start()
        answer = await view.ask("tools/call", {"name": "for_app", "arguments": {}})
        assert answer["result"] == RESULT
        frames = [each.what for each in map(view.host.session.journal.store.entry, _entries(view))]
        ways = [(f.direction, f.channel) for f in frames if isinstance(f, Frame) and b"for_app" in f.payload]
        assert (Direction.FROM_VIEW, Channel.VIEW) in ways
        assert any(direction is Direction.TO_SERVER for direction, _ in ways)


def _entries(view: View) -> range:
    return range(1, view.host.session.journal.count + 1)


async def test_tool_without_app_in_its_visibility_is_refused() -> None:
    async with hosted() as view:
        await view.start()
        answer = await view.ask("tools/call", {"name": "for_model"})
        assert "visibility" in answer["error"]["message"]
        assert any(each.kind == "refused" for each in view.notices)
        unknown = await view.ask("tools/call", {"name": "nothing"})
        assert unknown["error"]["code"] == -32602


async def test_destructive_tool_is_called_only_if_the_user_allows_it() -> None:
    async with hosted() as view:
        await view.start()
        assert "denied" in (await view.ask("tools/call", {"name": "erase"}))["error"]["message"]
    async with hosted(allows=lambda tool: tool == "erase") as view:
        await view.start()
        assert (await view.ask("tools/call", {"name": "erase"}))["result"] == RESULT


@pytest.mark.parametrize(
    ("denial", "method", "params"),
    [
        (Denial.LINK, "ui/open-link", {"url": "https://example.com"}),
        (Denial.MESSAGE, "ui/message", {"role": "user", "content": {"type": "text", "text": "hi"}}),
        (Denial.CONTEXT, "ui/update-model-context", {"content": []}),
        (Denial.CALL, "tools/call", {"name": "show"}),
    ],
)
async def test_denied_request_gets_an_error(denial: Denial, method: str, params: object) -> None:
    async with hosted(HostSettings(deny=frozenset({denial}))) as view:
        await view.start()
        assert (await view.ask(method, params))["error"]["code"] == -32000


async def test_link_is_opened_or_refused_by_the_user() -> None:
    async with hosted() as view:
        await view.start()
        for id_, opened in ((5, True), (6, False)):
            view.told.clear()
            params = {"url": "https://example.com/x"}
            view.say({"jsonrpc": "2.0", "id": id_, "method": "ui/open-link", "params": params})
            await until(lambda: view.told and view.told[-1][0] == "link", "the page shows the link")
            view.host.proposals.link_answered(view.told[-1][1]["link"], opened=opened)
            await until(lambda asked=id_: view.answers(asked), "the request is answered")  # type: ignore[misc]
        assert ["result" in view.answers(id_)[0] for id_ in (5, 6)] == [True, False]
        bad = await view.ask("ui/open-link", {"url": "javascript:alert(1)"})
        assert bad["error"]["message"] == "Invalid URL"


async def test_message_and_context_are_shown() -> None:
    async with hosted() as view:
        await view.start()
        content = [{"type": "text", "text": "to the\x1b[31m model"}]
        assert (await view.ask("ui/message", {"role": "user", "content": content}))["result"] == {}
        assert (await view.ask("ui/update-model-context", {"structuredContent": {"a": 1}}))["result"] == {}
        assert view.host.proposals.model_context == {"structuredContent": {"a": 1}}
        assert not any("\x1b" in each.text for each in view.notices)
        assert (await view.ask("ui/message", {"content": 3}))["error"]["code"] == -32602


async def test_display_mode_changes_only_to_one_the_view_declares() -> None:
    async with hosted() as view:
        await view.start({"availableDisplayModes": ["inline", "fullscreen"]})
        assert (await view.ask("ui/request-display-mode", {"mode": "pip"}))["result"] == {"mode": "inline"}
        assert (await view.ask("ui/request-display-mode", {"mode": "fullscreen"}))["result"] == {"mode": "fullscreen"}
        assert view.of("ui/notifications/host-context-changed")[-1]["displayMode"] == "fullscreen"


async def test_changes_of_theme_and_size_are_sent() -> None:
    async with hosted() as view:
        await view.start()
        view.host.change(theme="dark")
        view.host.change(size=Size(300, 200))
        view.host.change(theme="dark")
        changed = view.of("ui/notifications/host-context-changed")
        assert changed == [{"theme": "dark"}, {"containerDimensions": {"width": 300, "height": 200}}]


async def test_teardown_waits_for_the_answer() -> None:
    async with hosted() as view:
        await view.start()
        view.host.close_soon("closed")
        await until(lambda: "ui/resource-teardown" in view.methods, "the View is told")
        assert view.host.state is ViewState.READY
        (asked,) = [each for each in view.got if each.get("method") == "ui/resource-teardown"]
        view.say({"jsonrpc": "2.0", "id": asked["id"], "result": {}})
        await view.host.ended.wait()
        assert ("state", {"state": "ended", "why": "closed"}) in view.told


async def test_requests_before_the_handshake_and_unknown_ones_get_errors() -> None:
    async with hosted() as view:
        assert "initialized" in (await view.ask("tools/call", {"name": "show"}))["error"]["message"]
        await view.start()
        assert (await view.ask("sampling/createMessage"))["error"]["code"] == -32601


async def test_forged_responses_and_values_of_any_type_change_nothing() -> None:
    async with hosted() as view:
        await view.start()
        for odd in (b"", b"null", b"[]", b'"text"', b"{", b'{"jsonrpc":"2.0","id":"teardown-1","result":{}}'):
            view.say(odd)
        for size in (float("inf"), "x", True, -5, 1e300):
            view.notify("ui/notifications/size-changed", {"height": size})
        view.notify("notifications/message", {"level": 3, "data": {"a": "\x07"}})
        assert (await view.ask("ping"))["result"] == {}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"id": 1, "method": "ui/nothing"}, "ui/nothing, a method that hosts do not have"),
        ({"method": "ui/notifications/nothing"}, "ui/notifications/nothing, a notification that hosts do not know"),
        ({"method": "ui/notifications/initialized"}, "ui/notifications/initialized without ui/initialize"),
        ({"id": 99, "result": {}}, "a response with the id 99, which no request has"),
        ({"id": 1, "method": "ui/request-display-mode", "params": {"mode": "pip"}}, "the display mode pip"),
        ({"id": 1, "method": "ui/message", "params": {}}, "ui/message without content blocks"),
        ({"id": 1, "method": "ui/update-model-context", "params": {"content": 1}}, "ui/update-model-context whose"),
        ({"id": 1, "method": "ui/open-link", "params": {"url": "file:///x"}}, "a link other than http or https"),
        ({"id": 1, "method": "tools/call", "params": {"name": "nothing"}}, "a call of nothing"),
        ([{"jsonrpc": "2.0", "method": "a"}, {"jsonrpc": "2.0", "method": "b"}], "a batch"),
        (b"hello", "a message that is not JSON-RPC: hello"),
    ],
)
async def test_refused_message_is_noted_once_in_words(message: Any, words: str) -> None:
    async with hosted() as view:
        await view.start()
        for _ in range(2):
            view.say({"jsonrpc": "2.0", **message} if isinstance(message, dict) else message)
        await settled(view)
        (refused,) = [each.text for each in view.notices if each.kind == "refused"]
        assert refused.startswith(f"refused: {words}")


async def test_request_before_initialized_is_noted() -> None:
    async with hosted() as view:
        await view.ask("tools/call", {"name": "show"})
        assert [each.text for each in view.notices if each.kind == "refused"] == [
            "refused: tools/call before ui/notifications/initialized"
        ]


async def test_link_that_the_user_refuses_is_noted() -> None:
    async with hosted() as view:
        await view.start()
        view.say({"jsonrpc": "2.0", "id": 1, "method": "ui/open-link", "params": {"url": "https://example.com/"}})
        await until(lambda: any(kind == "link" for kind, _ in view.told), "the user is asked")
        view.host.proposals.link_answered("link-1", opened=False)
        await until(lambda: view.answers(1), "it is answered")
        assert view.notices[-1].text == "refused: link https://example.com/, which the user denies"


async def test_cut_message_is_recorded_and_refused_with_its_size() -> None:
    async with hosted() as view:
        await view.start()
        view.host.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', cut=1000)
        await settled(view)
        assert not view.answers(1)
        assert [each.text for each in view.notices if each.kind == "refused"] == [
            f"refused: a message of 1,045 bytes; at most {MOST_MESSAGE:,} are accepted"
        ]
        frames = [each.what for each in map(view.host.session.journal.store.entry, _entries(view))]
        assert [each.cut for each in frames if isinstance(each, Frame) and each.cut] == [1000]


async def test_report_of_the_sandbox_becomes_a_sentence() -> None:
    async with hosted() as view:
        await view.start()
        report = {"kind": "csp", "directive": "connect-src", "blocked": "https://x.example/", "line": 12}
        view.notify("ui/notifications/sandbox-report", report)
        assert view.host.errors == [
            "the browser blocked https://x.example/: connect-src does not allow it (line 12 of the HTML)"
        ]
