"""Messages of a View, and what its browser reports."""

from typing import Any

from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import encode
from tests.checks.talks import Cases, Script, Talk, ids

_TYPE = "text/html;profile=mcp-app"
V2H, H2V = Direction.FROM_VIEW, Direction.TO_VIEW
INITIALIZE = {"appInfo": {"name": "a", "version": "1"}, "appCapabilities": {}, "protocolVersion": "2026-01-26"}


class Shown:
    """A talk with a View that is loaded."""

    def __init__(self, tools: list[dict[str, Any]] | None = None, *, ready: bool = True) -> None:
        self.talk = Talk()
        if tools is not None:
            self.talk.ask("tools/list").answer({"tools": tools})
        self.send(H2V, method="ui/notifications/sandbox-resource-ready", params={"html": ""})
        if ready:
            self.send(V2H, id=0, method="ui/initialize", params=INITIALIZE)
            self.send(H2V, id=0, result={})
            self.send(V2H, method="ui/notifications/initialized")

    def send(self, direction: Direction, **message: Any) -> "Shown":
        """Send a message between View and host."""
        self.talk.frame(encode({"jsonrpc": "2.0", **message}), direction, channel=Channel.VIEW)
        return self

    def view(self, **message: Any) -> "Shown":
        return self.send(V2H, **message)

    def report(self, **params: Any) -> "Shown":
        """Report something as the sandbox."""
        return self.view(method="ui/notifications/sandbox-report", params=params)


def _tool(name: str, *visibility: str) -> dict[str, Any]:
    ui = {"ui": {"visibility": list(visibility)}} if visibility else {}
    return {"name": name, "description": "d", "inputSchema": {"type": "object"}, "_meta": ui}


def _call(tool: dict[str, Any]) -> Script:
    params = {"name": tool["name"], "arguments": {}}
    return lambda: Shown([tool]).view(id=1, method="tools/call", params=params).talk


def _waited(seconds: float, *, ready: bool) -> Script:
    def script() -> Talk:
        shown = Shown(ready=ready)
        shown.talk.wait(seconds)
        return shown.report(kind="none").talk

    return script


def _torn_down(answered: bool) -> Script:
    def script() -> Talk:
        shown = Shown().send(H2V, id="teardown-1", method="ui/resource-teardown", params={"reason": "closed"})
        if answered:
            shown.view(id="teardown-1", result={})
        shown.talk.wait(3.0)
        return shown.report(kind="none").talk

    return script


def _html(text: str, **csp: Any) -> Script:
    content = {"uri": "ui://a", "mimeType": _TYPE, "text": text, "_meta": {"ui": {"csp": csp}}}
    return lambda: Talk().ask("resources/read", {"uri": "ui://a"}).answer({"contents": [content]})


_CDN = "<!doctype html>\n<script src='https://cdn.example/a.js'></script>"
CASES: Cases = {
    "app-not-initialized": (_waited(6, ready=False), _waited(6, ready=True)),
    "app-request-before-initialized": (
        lambda: Shown(ready=False).view(id=1, method="tools/call", params={"name": "a"}).talk,
        lambda: Shown(ready=False).view(id=1, method="ping").talk,
    ),
    "app-initialize-incomplete": (
        lambda: Shown(ready=False).view(id=1, method="ui/initialize", params={"appInfo": {}}).talk,
        lambda: Shown(ready=False).view(id=1, method="ui/initialize", params=INITIALIZE).talk,
    ),
    "app-blocked-by-policy": (
        lambda: Shown().report(kind="csp", directive="img-src", blocked="https://a.example/x", line=3).talk,
        lambda: Shown().report(kind="other").talk,
    ),
    "app-script-error": (
        lambda: Shown().report(kind="error", message="x is not defined", line=2).talk,
        lambda: Shown().report(kind="csp", directive="img-src", blocked="data").talk,
    ),
    "app-floods": (lambda: Shown().report(kind="flood", dropped=9).talk, lambda: Shown().report(kind="x").talk),
    "app-navigates-away": (lambda: Shown().report(kind="navigated").talk, lambda: Shown().report(kind="x").talk),
    "app-uses-reserved-method": (
        lambda: Shown().report(kind="reserved", method="ui/notifications/sandbox-x").talk,
        lambda: Shown().report(kind="x").talk,
    ),
    "app-calls-hidden-tool": (_call(_tool("a", "model")), _call(_tool("a", "app"))),
    "app-reuses-id": (lambda: Shown().view(id=0, method="ping").talk, lambda: Shown().view(id="0", method="ping").talk),
    "app-answers-extra": (
        lambda: Shown().view(id=7, result={}).talk,
        lambda: Shown().send(H2V, id=7, method="ui/resource-teardown").view(id=7, result={}).talk,
    ),
    "app-message-not-json-rpc": (lambda: Shown().view(type="x").talk, lambda: Shown().view(method="x").talk),
    "app-method-unknown": (
        lambda: Shown().view(id=3, method="ui/fly").send(H2V, id=3, error={"code": -32601, "message": "no"}).talk,
        lambda: Shown().view(id=3, method="ping").send(H2V, id=3, error={"code": -32000, "message": "no"}).talk,
    ),
    "app-size-invalid": (
        lambda: Shown().view(method="ui/notifications/size-changed", params={"width": "3px"}).talk,
        lambda: Shown().view(method="ui/notifications/size-changed", params={"width": 3.5}).talk,
    ),
    "app-teardown-unanswered": (_torn_down(False), _torn_down(True)),
    "app-domain-undeclared": (_html(_CDN), _html(_CDN, resourceDomains=["https://*.example"])),
    "app-ignores-result": (
        _html("<!doctype html><script>parent.postMessage({}, '*')</script>"),
        _html(
            "<!doctype html><script>addEventListener('message', (e) => e.data.method == 'ui/notifications/tool-result')"
        ),
    ),
}


def test_blocked_origin_is_named_with_the_member_that_allows_it() -> None:
    found = Shown().report(kind="csp", directive="connect-src", blocked="https://api.example/v1?q=1").talk.findings()
    (finding,) = [each for each in found if each.id == "app-blocked-by-policy"]
    assert finding.fix == 'Add "https://api.example" to _meta.ui.csp.connectDomains of the resource.'


def test_eval_is_only_a_hint() -> None:
    found = Shown().report(kind="csp", directive="script-src", blocked="eval").talk.findings()
    assert [each.severity.value for each in found if each.id == "app-blocked-by-policy"] == ["hint"]


def test_messages_of_a_view_are_not_judged_as_those_of_the_server() -> None:
    talk = Shown([_tool("a")]).view(id=1, method="tools/call", params={"name": "a"}).send(H2V, id=1, result={"x": 1})
    assert not ids(talk.talk)


def test_teardown_of_a_closed_page_needs_no_answer() -> None:
    shown = Shown().send(H2V, id="t", method="ui/resource-teardown", params={"reason": "the page was closed"})
    shown.talk.wait(9)
    assert not ids(shown.report(kind="none").talk)
