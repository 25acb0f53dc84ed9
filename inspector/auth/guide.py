"""Directs the user to the authorization server and waits for the redirect, or a pasted URL.

It runs on the loop of the connection. Its view, a dialog or a terminal, reads `login_steps` and `waiting` from any
thread, and calls `take` and `give_up` on that loop. It listens on 127.0.0.1 only while a login is running.
"""

import asyncio
import errno
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Self
from urllib.parse import parse_qsl, urlsplit

import msgspec

from inspector.auth.steps import Abandoned, LoginStep, OpenAddress, Redirected, StepVerdict
from inspector.errors import AuthorizationNeeded
from inspector.protocol.url_hosts import is_loopback
from inspector.transports.http.listener import Allowance, HttpRequest, HttpResponse, Listener

# Loopback redirect (RFC 8252, section 7.3)

PATH = "/callback"
_MOST = 50
"""Maximum number of parameters of a redirect: real ones have four."""
_END_PAGE = b"""<!doctype html><meta charset="utf-8"><title>mcp-inspect</title>
<body style="font: 16px system-ui; margin: 4em"><p>mcp-inspect has what it waited for. This window can be closed."""
_OTHER_PAGE = b"""<!doctype html><meta charset="utf-8"><title>mcp-inspect</title>
<body style="font: 16px system-ui; margin: 4em"><p>This is not the answer to the login that mcp-inspect waits for: its
<code>state</code> is missing or another. The login continues. If you did log in just now, paste this page's address
into mcp-inspect."""
_HTML_TYPE = ("Content-Type", "text/html; charset=utf-8")
_GUARD = (("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"))

PATIENCE_S = 600.0
"""Seconds that the user may take: consent may require a password to be found first."""


class Loopback:
    """Waits for the browser's redirect. An async context manager that listens inside."""

    def __init__(self, port: int = 0, path: str = PATH) -> None:
        """Create a listener. `port` 0 selects a free one."""
        self._path = path
        self._listener = Listener(self._answer, port=port, allowance=Allowance(body=1024))
        self._came: asyncio.Future[Redirected] | None = None
        self._state = ""
        self.ignored = 0
        """Number of requests to the callback without the state of the login."""

    @property
    def redirect_uri(self) -> str:
        """Redirect URI for the browser."""
        return f"{self._listener.url}{self._path}"

    def expect(self, state: str) -> asyncio.Future[Redirected]:
        """Return a future for the redirect with this state.

        Any other request gets a response and changes nothing: another open web page must not end the login.
        """
        if self._came is None or self._came.done():
            self._came = asyncio.get_running_loop().create_future()
        self._state = state
        return self._came

    async def __aenter__(self) -> Self:
        """Start listening. Raises: OSError if the port is taken."""
        await self._listener.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._listener.close()

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            parts = urlsplit(request.target)
        except ValueError:  # not a valid URL
            return HttpResponse(404)
        if request.method != "GET" or parts.path != self._path:
            return HttpResponse(404)
        came = redirected(parts.query)
        if self._came is None or not self._is_answer(came):
            self.ignored += 1
            return HttpResponse(400, (_HTML_TYPE, *_GUARD), _OTHER_PAGE)
        if self._came.done():
            return HttpResponse(410)
        self._came.set_result(came)
        return HttpResponse(200, (_HTML_TYPE, *_GUARD), _END_PAGE)

    def _is_answer(self, came: Redirected) -> bool:
        """Return whether a redirect ends the current login."""
        state = came.params.get("state", "")
        return bool(self._state) and secrets.compare_digest(state.encode("utf-8", "replace"), self._state.encode())


class WaitingForLogin(msgspec.Struct, frozen=True):
    """What the user is shown during a login."""

    url: str
    """URL for consent: untrusted text, checked to be an http or https URL."""
    redirect_uri: str
    port: int
    """Local port where the redirect is awaited; 0 if it is not, and the final URL has to be pasted."""
    code_host: str = ""
    """Host that gets the code if that is to be confirmed; see OpenAddress."""


def redirected(query: str) -> Redirected:
    """Parse a redirect. Of two parameters with the same name the first is kept; too many are all dropped."""
    found: dict[str, str] = {}
    repeated: list[str] = []
    with suppress(ValueError):
        for name, value in parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST):
            if name in found:
                repeated.append(name)
            found.setdefault(name, value)
    return Redirected(found, tuple(repeated))


def pasted(text: str, state: str) -> Redirected | None:
    """Parse what the user has pasted: the complete redirect URL, or only the code. None for anything else."""
    text = text.strip()
    if "?" in text or "=" in text:
        query = text.partition("?")[2].partition("#")[0] if "?" in text else text
        came = redirected(query)
        return came if came.params else None
    return Redirected({"code": text, "state": state}) if text and " " not in text else None


def _quietly(waiting: WaitingForLogin) -> None:
    """Do nothing."""


class Guide:
    """A Visitor that involves the user."""

    def __init__(
        self,
        *,
        port: int = 0,
        callback: str = "",
        patience_s: float = PATIENCE_S,
        show: Callable[[WaitingForLogin], None] = _quietly,
    ) -> None:
        """Create a guide.

        `port` 0: that of the client that was registered before, or a free one. `callback`: a redirect URI that was
        registered manually; it may be on another machine.
        """
        self.waiting: WaitingForLogin | None = None
        """Login that waits for the user; None if none does."""
        self.logins = 0
        """Number of logins started."""
        self.busy = False
        """Whether a login is running."""
        self._port = port
        self._callback = callback
        self._patience_s = patience_s
        self._show = show
        self.login_steps: tuple[LoginStep, ...] = ()
        """Steps of the last or the current login."""
        self._stack = AsyncExitStack()
        self._loopback: Loopback | None = None
        self._by_hand: asyncio.Future[Redirected | Abandoned] | None = None
        self._state = ""

    @property
    def failed(self) -> bool:
        """Whether that login ended at a broken step."""
        return bool(self.login_steps) and self.login_steps[-1].verdict is StepVerdict.BROKEN

    def hear(self, login_step: LoginStep) -> None:
        """Add a login step."""
        self.login_steps = (*self.login_steps, login_step)

    async def begin(self, known_redirect: str) -> str:
        """Start listening; return the redirect URI. Raises: AuthorizationNeeded if the configured port is taken."""
        self.login_steps = ()
        self.logins += 1
        self.busy = True
        if self._callback:
            await self._listen_for(self._callback)
            return self._callback
        known = urlsplit(known_redirect)
        wanted = self._port or (known.port or 0)
        path = known.path if known.path and not self._port else PATH
        try:
            self._loopback = await self._stack.enter_async_context(Loopback(wanted, path))
        except OSError as error:
            if self._port:
                raise _taken(
                    self._port, error, "Another one: --oauth-port; any that is free: --oauth-port 0."
                ) from None
            self._loopback = await self._stack.enter_async_context(Loopback())
        return self._loopback.redirect_uri

    async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
        """Show the URL; wait for the redirect, for pasted text, for the user to give up, or for the timeout."""
        loop = asyncio.get_running_loop()
        self._state = visit.state
        by_hand = self._by_hand = loop.create_future()
        port = urlsplit(visit.redirect_uri).port or 0 if self._loopback else 0
        self.waiting = WaitingForLogin(visit.url, visit.redirect_uri, port, visit.code_host)
        self._show(self.waiting)
        try:
            came = {self._loopback.expect(visit.state)} if self._loopback else set()
            done, _ = await asyncio.wait(
                {by_hand, *came}, timeout=self._patience_s, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                ignored = self._loopback.ignored if self._loopback else 0
                more = f"; {ignored} requests to the callback lacked the login's state" if ignored else ""
                return Abandoned(f"no redirect from the browser within {self._patience_s / 60:g} minutes{more}")
            return by_hand.result() if by_hand.done() else next(iter(came)).result()
        finally:
            self.waiting, self._by_hand = None, None

    async def end(self) -> None:
        """Stop listening."""
        self.busy = False
        self._loopback = None
        await self._stack.aclose()

    def take(self, text: str) -> str:
        """Continue with the text that the user has pasted: the redirect URL, or the code.

        Return "", or what is wrong with it.
        """
        if self._by_hand is None or self._by_hand.done():
            return "the login is not waiting for a code"
        came = pasted(text, self._state)
        if came is None or not {"code", "error"} & came.params.keys():
            return "that is neither the address that the browser ended at (it has code= in it) nor a code"
        self._by_hand.set_result(came)
        return ""

    def give_up(self, why: str = "it was cancelled") -> None:
        """Cancel the login."""
        if self._by_hand is not None and not self._by_hand.done():
            self._by_hand.set_result(Abandoned(why))

    async def _listen_for(self, callback: str) -> None:
        """Listen at the callback, if it is on this machine."""
        parts = urlsplit(callback)
        if parts.scheme != "http" or not parts.port or not is_loopback(parts.hostname or ""):
            return
        try:
            self._loopback = await self._stack.enter_async_context(Loopback(parts.port, parts.path or "/"))
        except OSError as error:
            raise _taken(parts.port, error, "Stop what listens there, or give another --oauth-callback.") from None


def _taken(port: int, error: OSError, hint: str) -> AuthorizationNeeded:
    why = "is in use" if error.errno == errno.EADDRINUSE else f"is not available: {error.strerror}"
    return AuthorizationNeeded(f"Port {port} for the redirect {why}.", hint=hint)
