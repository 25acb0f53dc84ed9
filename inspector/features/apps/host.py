"""The host of a View: answers its requests, forwards calls to the server, and records every message.

It runs on the session's event loop. The page in the browser is only a `PagePort`: it can be reloaded, and then a new
View begins.
"""

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any, Self

import msgspec

from inspector.features.apps.context import BrowserFacts, HostContext, HostSettings, host_capabilities
from inspector.features.apps.document import document_of, permissions_policy
from inspector.features.apps.forwarding import FORWARDED, Ask, ForwardedCalls, why_not
from inspector.features.apps.outlet import HostNotice, PagePort, ViewOutlet
from inspector.features.apps.proposals import Proposals
from inspector.protocol import jsonrpc, peek
from inspector.protocol.app_reports import REPORT, is_probe, report_sentence
from inspector.protocol.apps import SANDBOX, AppLink, Page
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Replied, Reply
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions.table import APPS_VERSION
from inspector.session.session import Session
from inspector.text import cut, decode, visible

MOST_MESSAGE = 4 * 1024 * 1024
"""Maximum size of a message of a View in bytes."""
MOST_MESSAGES = 100_000
"""Maximum number of messages of one View; then it is ended."""
_MOST_CALLS = 50
"""Maximum number of requests of a View that the server works on at once."""
_MOST_NOTICES = 100
TEARDOWN_S = 3.0
"""Seconds that a View may take to answer `ui/resource-teardown`."""
NO_METHOD = -32601


class FoundApp(msgspec.Struct, frozen=True):
    tool: Tool
    link: AppLink
    page: Page


class ViewState(StrEnum):
    WAITING = "waiting for the browser"
    LOADING = "loading"
    INITIALIZING = "initializing"
    READY = "ready"
    ENDED = "ended"


class AppHost:
    """The host of one tool's app. An async context manager: requests of the View are handled inside."""

    def __init__(
        self, session: Session, app: FoundApp, settings: HostSettings, *, ask: Ask, notify: Callable[[HostNotice], None]
    ) -> None:
        self.session = session
        self.app = app
        self.settings = settings
        self.context = HostContext(settings, app.tool)
        self.state = ViewState.WAITING
        self.view_info: dict[str, Any] = {}
        """Name and version that the View gives itself (`appInfo`)."""
        self.ended = asyncio.Event()
        self.ready = asyncio.Event()
        """Set once the View has sent `initialized`, and has got what is known of the tool call."""
        self.errors: list[str] = []
        """Errors and violations of the current View, safe to show."""
        self.out = ViewOutlet(session.journal, notify)
        self.proposals = Proposals(settings.deny, self.out)
        self._calls = ForwardedCalls(session, settings.deny, ask, self.out, self._spawn)
        self._modes: tuple[str, ...] | None = None
        self._arguments: Any = None
        self._has_arguments = False
        self._outcome: bytes | None = None
        self._sent_outcome = False
        self._count = 0
        self._work: set[asyncio.Task[Any]] = set()
        self._tasks = asyncio.TaskGroup()
        self._teardown: asyncio.Future[bool] | None = None
        self._teardowns = 0
        self._requests: dict[str, Callable[[Request], Coroutine[Any, Any, None]]] = {
            "ui/initialize": self._initialize,
            "ping": self._ping,
            "ui/open-link": self.proposals.open_link,
            "ui/message": self.proposals.message,
            "ui/update-model-context": self.proposals.update_context,
            "ui/request-display-mode": self._request_mode,
            "tools/call": self._calls.call,
            **dict.fromkeys(FORWARDED, self._calls.forward),
        }
        self._notifications: dict[str, Callable[[Any], None]] = {
            "ui/notifications/initialized": self._initialized,
            "ui/notifications/size-changed": self._size_changed,
            "ui/notifications/request-teardown": self._teardown_requested,
            "notifications/message": self._logged,
            "notifications/cancelled": self._calls.cancelled,
            f"{SANDBOX}proxy-ready": self._load,
            REPORT: self._reported,
        }

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> None:
        self._finish("mcp-inspect ends")
        await self._tasks.__aexit__(*exc_info)

    @property
    def has_delivered(self) -> bool:
        """Whether the View has all that there is of the tool call."""
        waits = self._outcome is None and self.settings.sends_result
        return self.ready.is_set() and not waits and (self._outcome is None or self._sent_outcome)

    # The tool call

    def begin_call(self, arguments: Any) -> None:
        """Take the arguments of the tool call; the View gets them once it is ready."""
        self._arguments, self._has_arguments = arguments, True
        self._deliver()

    def call_sent(self, exchange: Exchange) -> None:
        """Take the exchange of the tool call, for `toolInfo`."""
        self.context.call_id = exchange.id

    def end_call(self, reply: Reply) -> None:
        """Take the outcome of the tool call; the View gets it after the arguments."""
        match reply:
            case Replied(message=ResultResponse() as message):
                self._outcome = _notification("ui/notifications/tool-result", msgspec.Raw(message.result_part.raw))
            case _:
                self.cancel_call(why_not(reply))
                return
        if not self.settings.sends_result:
            self._outcome = None
        self._deliver()

    def cancel_call(self, reason: str) -> None:
        """Tell the View that the tool call was cancelled, or failed."""
        self._outcome = _notification("ui/notifications/tool-cancelled", {"reason": reason})
        self._deliver()

    def _deliver(self) -> None:
        """Send what is known of the tool call and was not sent to this View: first the arguments, then the outcome."""
        if self.state is not ViewState.READY or not self._has_arguments:
            return
        if not self.ready.is_set():
            for part in _growing(self._arguments) if self.settings.is_partial else ():
                self.out.notification("ui/notifications/tool-input-partial", {"arguments": part})
            arguments = {} if self._arguments is None else self._arguments
            self.out.notification("ui/notifications/tool-input", {"arguments": arguments})
            self.ready.set()
        if self._outcome is not None and not self._sent_outcome:
            self._sent_outcome = True
            self.out.send(self._outcome)

    # The page

    def attach(self, port: PagePort, facts: BrowserFacts) -> None:
        """Take a page that was opened or loaded again: a new View begins."""
        if self.state is ViewState.ENDED:
            port.tell("state", {"state": ViewState.ENDED})
            return
        if self.out.port is not None:
            self.out.port.tell("replaced", {})
        self.out.port = port
        self._abandon_work()
        self.context.browser, self.context.mode = facts, "inline"
        self.ready.clear()
        self._sent_outcome, self._count, self._modes = False, 0, None
        self.errors.clear()
        self._become(ViewState.LOADING)
        self._tell_look()

    def detach(self, port: PagePort) -> None:
        """Take the end of a page. The session continues: the page may be opened again."""
        if self.out.port is port:
            self.out.port = None
            self._abandon_work()
            if self._teardown is not None and not self._teardown.done():
                self._teardown.set_result(False)
            if self.state is not ViewState.ENDED:
                self._become(ViewState.WAITING)

    def set_mode(self, mode: str) -> None:
        """Change the display mode, if the View declares it."""
        if mode in self._available_modes():
            self.change(mode=mode)

    def change(self, **members: Any) -> None:
        """Change attributes of the context: theme, size, browser. The View gets the difference."""
        changed = self.context.change(**members)
        self._tell_look()
        if changed and self.state is ViewState.READY:
            self.out.notification("ui/notifications/host-context-changed", changed)

    def _tell_look(self) -> None:
        context = self.context
        self.out.tell(
            "look",
            {
                "theme": context.theme,
                "mode": context.mode,
                "width": context.size.width,
                "height": context.size.height,
                "border": self.app.page.prefers_border is not False,
                "modes": self._available_modes(),
            },
        )

    def _available_modes(self) -> tuple[str, ...]:
        return self._modes if self._modes is not None else ("inline",)

    # Messages of the View

    def receive(self, payload: bytes, cut: int = 0) -> None:
        """Process a message of the View. `cut`: number of bytes at its end that were left out."""
        if self.out.port is None or self.state is ViewState.ENDED:
            return
        self._count += 1
        if self._count > MOST_MESSAGES:
            self._give_up(f"it has sent more than {MOST_MESSAGES:,} messages")
            return
        self.session.journal.frame(Direction.FROM_VIEW, Channel.VIEW, payload, cut=cut)
        if cut:
            size = len(payload) + cut
            self.out.note("refused", f"a message of {size:,} bytes; at most {MOST_MESSAGE:,} are accepted")
            return
        messages = jsonrpc.read(payload)
        if len(messages) != 1:
            self.out.note("refused", "a batch: MCP Apps has none")
            return
        match messages[0]:
            case Request() as request:
                self._requested(request)
            case Notification() as notification:
                self._notified(notification)
            case ResultResponse() | ErrorResponse() as response:
                self._answered(response)
            case _:
                self.out.note("refused", f"a message that is not JSON-RPC: {visible(decode(payload[:300]), limit=100)}")

    def _requested(self, request: Request) -> None:
        handle, named = self._requests.get(request.method), visible(request.method, limit=100)
        if handle is None:
            self.out.note("refused", f"{named}, a method that hosts do not have")
            self.out.refuse(request, f"this host has no method {cut(request.method, 100)}", NO_METHOD)
        elif self.state is not ViewState.READY and request.method not in ("ui/initialize", "ping"):
            self.out.note("refused", f"{named} before ui/notifications/initialized")
            self.out.refuse(request, "the View has not sent ui/notifications/initialized")
        elif len(self._work) >= _MOST_CALLS:
            self.out.note("refused", f"{named}: more than {_MOST_CALLS} requests at once")
            self.out.refuse(request, f"more than {_MOST_CALLS} requests at once")
        else:
            task = self._spawn(handle(request))
            self._work.add(task)
            task.add_done_callback(self._work.discard)

    def _notified(self, notification: Notification) -> None:
        if known := self._notifications.get(notification.method):
            known(notification.params)
        else:
            self.out.note(
                "refused", f"{visible(notification.method, limit=100)}, a notification that hosts do not know"
            )

    def _answered(self, message: ResultResponse | ErrorResponse) -> None:
        if self._teardown is None or message.id != self._teardown_id:
            self.out.note(
                "refused", f"a response with the id {visible(str(message.id), limit=60)}, which no request has"
            )
        elif not self._teardown.done():
            self._teardown.set_result(True)

    # Handshake

    def _load(self, params: Any) -> None:
        """Answer the sandbox page, which is ready for the app's HTML."""
        page = self.app.page
        self._become(ViewState.LOADING)
        given: dict[str, Any] = {"html": document_of(page), "sandbox": "allow-scripts allow-forms"}
        given["csp"] = {name: list(found) for name, found in page.domains}
        given["permissions"] = {name: {} for name in page.permissions}
        self.out.notification(f"{SANDBOX}resource-ready", given)
        self.out.tell("allow", permissions_policy(page))

    async def _initialize(self, request: Request) -> None:
        self.view_info = peek.mapping(request.params, "appInfo")
        modes = peek.at(request.params, "appCapabilities", "availableDisplayModes")
        self._modes = tuple(each for each in modes if isinstance(each, str)) if isinstance(modes, list) else None
        self.ready.clear()
        self._sent_outcome = False
        self._become(ViewState.INITIALIZING)
        self.out.reply(
            request,
            {
                "protocolVersion": APPS_VERSION,
                "hostInfo": {"name": "mcp-inspect", "version": self.context.whole()["userAgent"].partition("/")[2]},
                "hostCapabilities": host_capabilities(self.app.page, self.settings.deny),
                "hostContext": self.context.whole(),
            },
        )
        self._tell_look()

    def _initialized(self, params: Any) -> None:
        if self.state is ViewState.INITIALIZING:
            self._become(ViewState.READY)
            self._deliver()
        else:
            self.out.note("refused", "ui/notifications/initialized without ui/initialize")

    async def _ping(self, request: Request) -> None:
        self.out.reply(request, {})

    async def _request_mode(self, request: Request) -> None:
        wanted = peek.text(request.params, "mode") or ""
        if wanted in self._available_modes() and wanted in self.context.whole()["availableDisplayModes"]:
            self.set_mode(wanted)
            self.out.note("mode", f"the app is shown {visible(wanted, limit=20)}")
        else:
            self.out.note("refused", f"the display mode {visible(wanted, limit=20)}: host and app do not both have it")
        self.out.reply(request, {"mode": self.context.mode})

    # Notifications of the View and its sandbox

    def _size_changed(self, params: Any) -> None:
        width, height = (peek.at(params, name) for name in ("width", "height"))
        found = {
            name: min(100_000, max(0, round(value)))
            for name, value in (("width", width), ("height", height))
            if isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e9
        }
        self.out.tell("size", found)

    def _logged(self, params: Any) -> None:
        level, data = peek.text(params, "level") or "info", peek.at(params, "data")
        text = data if isinstance(data, str) else jsonrpc.encode(data).decode("utf-8", "replace")
        self.out.note("log", f"{visible(level, limit=20)}: {visible(text, limit=300)}")

    def _teardown_requested(self, params: Any) -> None:
        self.close_soon("the app asked for it")

    def _reported(self, params: Any) -> None:
        """Note what the sandbox page reports. Only it can send this: it forwards no such message of the View."""
        sentence, kind = report_sentence(params), peek.text(params, "kind")
        if is_probe(params):
            self.out.note("log", sentence)
            return
        if kind == "refused":  # libraries try such things in order to know whether they may
            self.out.note("refused", sentence)
            return
        if len(self.errors) < _MOST_NOTICES:
            self.errors.append(sentence)
        self.out.note("violation" if kind == "csp" else "error", sentence)

    # Ending

    def close_soon(self, reason: str) -> None:
        """End the View without waiting for it."""
        self._spawn(self.end(reason))

    async def end(self, reason: str) -> bool:
        """End the View: send `ui/resource-teardown` and wait for the answer. Return whether it came."""
        if self.state is ViewState.ENDED:
            return True
        answered = await self._torn_down(reason)
        self._finish(reason if answered else f"{reason}; the app did not answer ui/resource-teardown")
        return answered

    @property
    def _teardown_id(self) -> str:
        return f"teardown-{self._teardowns}"

    def page_left(self, reason: str) -> None:
        """Record the `ui/resource-teardown` that the page has sent while it was closed."""
        if self.ready.is_set() and self.state is not ViewState.ENDED:
            self.ready.clear()
            self.session.journal.frame(Direction.TO_VIEW, Channel.VIEW, self.prepared_teardown(reason))

    def prepared_teardown(self, reason: str) -> bytes:
        """Return the request that the page sends itself if it is closed, when nothing can be sent to it any more."""
        return jsonrpc.write_request(self._teardown_id, "ui/resource-teardown", {"reason": reason})

    async def _torn_down(self, reason: str) -> bool:
        if self.out.port is None or self.state is not ViewState.READY:
            return True
        self._teardowns += 1
        self._teardown = asyncio.get_running_loop().create_future()
        self.out.send(jsonrpc.write_request(self._teardown_id, "ui/resource-teardown", {"reason": reason}))
        try:
            async with asyncio.timeout(TEARDOWN_S):
                return await self._teardown
        except TimeoutError:
            return False

    def _give_up(self, why: str) -> None:
        self.out.note("error", f"the app was ended: {why}")
        self._finish(why)

    def _finish(self, why: str) -> None:
        if self.state is ViewState.ENDED:
            return
        self._become(ViewState.ENDED, why)
        self.out.port = None
        self._abandon_work()
        self._calls.close()
        self.ended.set()

    def _abandon_work(self) -> None:
        self.proposals.forget()
        for task in self._work:
            task.cancel()
        self._calls.forget()

    # State and tasks

    def _become(self, state: ViewState, why: str = "") -> None:
        if state is not self.state or why:
            self.state = state
            self.out.tell("state", {"state": state, "why": why})
            self.out.note("state", f"{state}{f': {visible(why, limit=200)}' if why else ''}")

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        return self._tasks.create_task(work)


def _notification(method: str, params: Any) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "method": method, "params": params})


def _growing(arguments: Any) -> list[Any]:
    """Return the arguments in growing parts, as a host recovers them from JSON that is still being written."""
    parts: list[Any] = []
    known: dict[str, Any] = {}
    for name, value in peek.mapping(arguments).items():
        if isinstance(value, str) and len(value) > 1:
            parts.append({**known, name: value[: len(value) // 2]})
        known[name] = value
        parts.append(dict(known))
    return parts
