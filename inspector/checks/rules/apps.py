"""Rules for apps (MCP Apps): the messages of a View, and what its browser reports."""

import re
from collections.abc import Iterator

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import CheckMoment
from inspector.checks.view_state import is_hidden_from_apps
from inspector.protocol import peek
from inspector.protocol.app_reports import REPORT
from inspector.protocol.apps import is_app, page_of
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, NotJsonRpc, Request, ResultResponse
from inspector.text import cut

error, warning, hint = rules_of(
    "https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx"
)
_START_NS = 5_000_000_000
"""Time in which an app is expected to send `ui/initialize`."""
_TEARDOWN_NS = 2_500_000_000
_REPORT = f"view {REPORT}"
_MEMBERS = {
    "connect-src": "connectDomains",
    "frame-src": "frameDomains",
    "base-uri": "baseUriDomains",
    **dict.fromkeys(
        ("script-src", "script-src-elem", "style-src", "style-src-elem", "img-src", "font-src", "media-src"),
        "resourceDomains",
    ),
}
"""Member of `_meta.ui.csp` by the directive that blocks."""

_LOADED = re.compile(
    r"<(?:script|img|iframe|audio|video|source|embed)\b[^>]{0,250}?\ssrc\s{0,20}=\s{0,20}[\"']?(https?://[^/\"'\s>]{1,200})"
    r"|<link\b[^>]{0,250}?\shref\s{0,20}=\s{0,20}[\"']?(https?://[^/\"'\s>]{1,200})",
    re.IGNORECASE,
)

_MOST_HTML = 2 * 1024 * 1024


def _from_view(case: CheckMoment) -> bool:
    return case.frame is not None and case.frame.direction is Direction.FROM_VIEW


def _not_started(case: CheckMoment, now_ns: int) -> Iterator[Violation]:
    view = case.state.view
    if view.loaded is not None and view.initialize is None and now_ns - view.loaded_ns > _START_NS:
        waited = f"{(now_ns - view.loaded_ns) / 1e9:.0f} s"
        yield Violation(f"the app has sent no ui/initialize {waited} after its HTML was loaded", frames=(view.loaded,))


@error("App does not start: no `ui/initialize`", "end", "view")
def app_not_initialized(case: CheckMoment) -> Iterator[Violation]:
    """A View begins with `ui/initialize`. It is judged when a later message, or the end, shows that time has passed.

    Fix: Send ui/initialize to window.parent as soon as the script runs; with the SDK, await app.connect().
    """
    view, now_ns = case.state.view, case.time_ns or case.state.last_ns
    if view.is_judged_late:
        return
    for found in _not_started(case, now_ns):
        view.is_judged_late = True
        yield found


@error("App asks for more before it is initialized", "view")
def app_request_before_initialized(case: CheckMoment) -> Iterator[Violation]:
    """Until `ui/notifications/initialized` a View sends only `ui/initialize` and `ping`.

    Fix: Wait for the result of ui/initialize, send ui/notifications/initialized, then everything else.
    """
    message, view = case.message, case.state.view
    if not _from_view(case) or not isinstance(message, Request) or view.initialized is not None:
        return
    if message.method not in ("ui/initialize", "ping"):
        yield Violation(f"{cut(message.method, 80)} was sent before ui/notifications/initialized")


@warning("`ui/initialize` lacks a member", "view ui/initialize")
def app_initialize_incomplete(case: CheckMoment) -> Iterator[Violation]:
    """It has `appInfo`, `appCapabilities` (an object, may be empty) and `protocolVersion`.

    Fix: Send all three; hosts may reject the app without them.
    """
    if not _from_view(case):
        return
    for member, kind in (("appInfo", dict), ("appCapabilities", dict), ("protocolVersion", str)):
        if not isinstance(peek.at(case.value, member), kind):
            yield Violation(f"ui/initialize has no {member}", f"/params/{member}")


@error("The browser blocked a part of the app", _REPORT)
def app_blocked_by_policy(case: CheckMoment) -> Iterator[Violation]:
    """The Content Security Policy is made of `_meta.ui.csp`; what it does not declare is blocked by every host.

    Fix: Declare the origin in _meta.ui.csp of the resource, or put what is needed into the HTML.
    """
    if peek.text(case.value, "kind") != "csp":
        return
    directive, blocked = peek.text(case.value, "directive") or "?", peek.text(case.value, "blocked") or "?"
    line = peek.integer(case.value, "line")
    where = f", at line {line} of the HTML" if line else ""
    if blocked == "eval":
        sentence = f"a script evaluates text as code{where}; some libraries only probe whether they may"
        yield Violation(sentence, severity=Severity.HINT, fix="Use no eval and no new Function: no host allows them.")
        return
    origin = re.match(r"(?:https?|wss?)://[^/\s]{1,200}", blocked)
    member = _MEMBERS.get(directive)
    fix = f'Add "{origin[0]}" to _meta.ui.csp.{member} of the resource.' if origin and member else ""
    yield Violation(f"{cut(directive, 40)} blocks {cut(blocked, 120)}{where}", fix=fix)


@warning("Error in a script of the app", _REPORT)
def app_script_error(case: CheckMoment) -> Iterator[Violation]:
    """An uncaught exception, or a rejected promise that nothing handles.

    Fix: Correct the script, or catch the error and show it in the app.
    """
    if peek.text(case.value, "kind") == "error":
        line = peek.integer(case.value, "line")
        where = f" (line {line} of the HTML)" if line else ""
        yield Violation(f"{cut(peek.text(case.value, 'message') or 'unknown error', 200)}{where}")


@warning("App sends too many messages", _REPORT)
def app_floods(case: CheckMoment) -> Iterator[Violation]:
    """Hosts limit the rate; this one accepts about 200 messages a second.

    Fix: Send at most one message per animation frame, and combine what belongs together.
    """
    if peek.text(case.value, "kind") == "flood":
        yield Violation(f"{peek.integer(case.value, 'dropped') or 0:,} messages of the app were dropped")


@error("App leaves its document", _REPORT)
def app_navigates_away(case: CheckMoment) -> Iterator[Violation]:
    """The frame belongs to the app's HTML; links are opened with `ui/open-link`.

    Fix: Ask the host with ui/open-link instead of setting location or following a link.
    """
    if peek.text(case.value, "kind") == "navigated":
        yield Violation("the app navigated its frame to another document")


@error("App sends a message of the sandbox", _REPORT)
def app_uses_reserved_method(case: CheckMoment) -> Iterator[Violation]:
    """Methods that begin with `ui/notifications/sandbox-` belong to the host and its sandbox.

    Fix: Do not send it.
    """
    if peek.text(case.value, "kind") == "reserved":
        yield Violation(f"the app sent {cut(peek.text(case.value, 'method') or '?', 80)}")


@error("App calls a tool that it may not call", "view tools/call")
def app_calls_hidden_tool(case: CheckMoment) -> Iterator[Violation]:
    """A host rejects calls of tools whose `visibility` does not include "app", and of unknown tools.

    Fix: Add "app" to _meta.ui.visibility of the tool, or call another tool.
    """
    name = peek.text(case.value, "name") or ""
    known = case.listed_as("tools", name)
    if not _from_view(case) or "tools/list" not in case.state.lists.complete:
        return
    if known is None:
        yield Violation(f"the app calls {cut(name, 80)!r}, which the server does not list", "/params/name")
    elif is_hidden_from_apps(known.item):
        sentence = f"the app calls {cut(name, 80)!r}, whose visibility does not include app"
        yield Violation(sentence, "/params/name", frames=(known.frame,))


@error("App uses a request id twice", "view")
def app_reuses_id(case: CheckMoment) -> Iterator[Violation]:
    """The response could not be matched.

    Fix: Count the ids up; with several scripts in the app, let one of them send.
    """
    if _from_view(case) and isinstance(case.message, Request):
        before = case.state.view.ids.get(case.message.id)
        if before is not None:
            yield Violation(f"{cut(case.message.method, 80)} has an id that was used before", "/id", frames=(before,))


@error("App answers what it was not asked", "view")
def app_answers_extra(case: CheckMoment) -> Iterator[Violation]:
    """A response has the id of an open request of the host.

    Fix: Answer each request of the host once, with its id.
    """
    view = case.state.view
    if _from_view(case) and isinstance(case.message, ResultResponse | ErrorResponse):
        if case.message.id not in view.asked:
            again = "a second time" if case.message.id in view.answered else "without a request"
            yield Violation(f"the app sent a response {again}", "/id")


@hint("App sends what is not JSON-RPC", "view", confidence=Confidence.LIKELY)
def app_message_not_json_rpc(case: CheckMoment) -> Iterator[Violation]:
    """Hosts ignore it. Development tools and other frameworks send such messages to the parent window.

    Fix: Send JSON-RPC 2.0 messages only.
    """
    if _from_view(case) and isinstance(case.message, NotJsonRpc):
        yield Violation("a message of the app is not JSON-RPC 2.0")


@hint("App asks for a method that the specification does not have", "view")
def app_method_unknown(case: CheckMoment) -> Iterator[Violation]:
    """The specification has no such method; a host may answer it nevertheless.

    Fix: Look at hostCapabilities in the result of ui/initialize first.
    """
    message = case.message
    if case.frame is None or case.frame.direction is not Direction.TO_VIEW or not isinstance(message, ErrorResponse):
        return
    if message.code == -32601 and message.id is not None and (method := case.state.view.methods.get(message.id)):
        yield Violation(f"the host has no method {cut(method, 80)}", frames=(case.state.view.ids.get(message.id, 0),))


@warning("Invalid size in `size-changed`", "view ui/notifications/size-changed")
def app_size_invalid(case: CheckMoment) -> Iterator[Violation]:
    """`width` and `height` are numbers of pixels.

    Fix: Send the size of the document as numbers, such as document.documentElement.scrollHeight.
    """
    for member in ("width", "height") if _from_view(case) else ():
        value = peek.at(case.value, member)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
            yield Violation(f"{member} is not a number of pixels", f"/params/{member}")


@warning("App does not answer `ui/resource-teardown`", "end", "view", confidence=Confidence.LIKELY)
def app_teardown_unanswered(case: CheckMoment) -> Iterator[Violation]:
    """The host waits for the answer before it removes the app, so that no data is lost.

    Fix: Answer the request with an empty result once everything is saved; with the SDK, set app.onteardown.
    """
    now_ns = case.time_ns or case.state.last_ns
    for method, n, asked_ns in case.state.view.asked.values():
        if method == "ui/resource-teardown" and now_ns - asked_ns > _TEARDOWN_NS:
            yield Violation("the app did not answer ui/resource-teardown within 3 s", frames=(n,), instead=True)


@warning("HTML of the app loads from an undeclared domain", "answer resources/read", heavy=True)
def app_domain_undeclared(case: CheckMoment) -> Iterator[Violation]:
    """Hosts block what `_meta.ui.csp` does not declare: the part will be missing.

    Fix: Declare the origin in _meta.ui.csp of the resource, or put the file into the HTML.
    """
    for at, content in enumerate(peek.items(case.value, "contents")):
        if not is_app(content) or not isinstance(peek.at(content, "_meta", "ui"), dict):
            continue  # its settings may be in the list of resources
        page = page_of(content)
        declared = {each.rstrip("/").lower() for _, domains in page.domains for each in domains}
        text = page.source[:_MOST_HTML].decode("utf-8", "replace")
        seen = set[str]()
        for found in _LOADED.finditer(text):
            origin = (found[1] or found[2]).lower()
            host = origin.partition("://")[2]
            if origin in seen or _is_declared(origin, host, declared):
                continue
            seen.add(origin)
            line = text.count("\n", 0, found.start()) + 1
            yield Violation(
                f"{cut(page.uri, 80)} loads from {origin} (line {line}), which its csp does not declare",
                f"/result/contents/{at}/text",
            )


def _is_declared(origin: str, host: str, declared: set[str]) -> bool:
    scheme = f"{origin.partition(':')[0]}:"
    if {origin, host, "*", scheme} & declared:
        return True
    wild = (each.partition("://")[2] or each for each in declared)
    return any(each.startswith("*.") and host.endswith(each[1:]) for each in wild) or any(
        each.startswith(f"{origin}/") for each in declared
    )


@hint("App does not handle the tool's result", "answer resources/read", heavy=True, confidence=Confidence.LIKELY)
def app_ignores_result(case: CheckMoment) -> Iterator[Violation]:
    """The result comes as `ui/notifications/tool-result`. Judged by the text of HTML without external scripts.

    Fix: Handle ui/notifications/tool-result; with the SDK, set app.ontoolresult.
    """
    for at, content in enumerate(peek.items(case.value, "contents")):
        text = (peek.text(content, "text") or "")[:_MOST_HTML] if is_app(content) else ""
        if not text or re.search(r"tool-?result|<script\b[^>]{0,250}\ssrc\b", text, re.IGNORECASE):
            continue
        if "postMessage" in text or "addEventListener" in text:
            yield Violation("the HTML mentions no ui/notifications/tool-result", f"/result/contents/{at}/text")
