"""The guide: takes a person to the authorization server and waits for what comes back, from the browser or by hand.

It lives on the loop of the connection. Whoever shows it, a dialog or a terminal, reads `rungs` and `waiting` from any
thread, and calls `take` and `give_up` on that loop. It listens on 127.0.0.1 while a login goes on and no longer.
"""

import asyncio
import errno
from collections.abc import Callable
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import msgspec

from inspector.auth.loopback import PATH, Loopback, pasted
from inspector.auth.steps import Abandoned, Redirected, Rung, Verdict, Visit
from inspector.errors import AuthorizationNeeded
from inspector.protocol.hosts import is_loopback

PATIENCE_S = 600.0
"""How long a person may take: consent may need a password to be found first."""


class Waiting(msgspec.Struct, frozen=True):
    """What the person is waited for with."""

    url: str
    """Where to consent: foreign text, checked to be an address of the web."""
    redirect_uri: str
    port: int
    """Where on this machine the browser is awaited; 0 where it is not, and what comes back has to be pasted."""


def _quietly(waiting: Waiting) -> None:
    """Whoever wants to know looks."""


class Guide:
    """A Visitor for people."""

    def __init__(
        self,
        *,
        port: int = 0,
        callback: str = "",
        patience_s: float = PATIENCE_S,
        show: Callable[[Waiting], None] = _quietly,
    ) -> None:
        """`port` 0: that of the client that was registered before, or a free one.

        `callback`: a redirect address that was registered by hand; it may be on another machine.
        """
        self.waiting: Waiting | None = None
        """None while nobody is waited for."""
        self.logins = 0
        """How many have begun."""
        self.busy = False
        """Whether one goes on."""
        self._port = port
        self._callback = callback
        self._patience_s = patience_s
        self._show = show
        self._rungs: tuple[Rung, ...] = ()
        self._stack = AsyncExitStack()
        self._loopback: Loopback | None = None
        self._redirect_uri = callback
        self._by_hand: asyncio.Future[Redirected | Abandoned] | None = None
        self._state = ""

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The ladder of the last login, or the one that goes on."""
        return self._rungs

    @property
    def failed(self) -> bool:
        """Whether that one ended at a broken rung."""
        return bool(self._rungs) and self._rungs[-1].verdict is Verdict.BROKEN

    def hear(self, rung: Rung) -> None:
        """A rung was climbed."""
        self._rungs = (*self._rungs, rung)

    async def begin(self, known_redirect: str) -> str:
        """Listen; where the browser will be sent back to.

        Raises: AuthorizationNeeded if the port that was named is taken.
        """
        self._rungs = ()
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

    async def visit(self, visit: Visit) -> Redirected | Abandoned:
        """Show the address, and wait for the browser, for what is pasted, for a person who gives up, or too long."""
        loop = asyncio.get_running_loop()
        self._state = visit.state
        by_hand = self._by_hand = loop.create_future()
        port = urlsplit(visit.redirect_uri).port or 0 if self._loopback else 0
        self.waiting = Waiting(visit.url, visit.redirect_uri, port)
        self._show(self.waiting)
        try:
            came = {self._loopback.expect(visit.state)} if self._loopback else set()
            done, _ = await asyncio.wait(
                {by_hand, *came}, timeout=self._patience_s, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                ignored = self._loopback.ignored if self._loopback else 0
                more = f"; {ignored} requests to the callback lacked the login's state" if ignored else ""
                return Abandoned(f"nobody came back from the browser within {self._patience_s / 60:g} minutes{more}")
            return by_hand.result() if by_hand.done() else next(iter(came)).result()
        finally:
            self.waiting, self._by_hand = None, None

    async def end(self) -> None:
        """Listen no more."""
        self.busy = False
        self._loopback = None
        await self._stack.aclose()

    def take(self, text: str) -> str:
        """Go on with what a person has copied: the address that the browser ended at, or the code.

        Returns "" if that will do, else what is wrong with it.
        """
        if self._by_hand is None or self._by_hand.done():
            return "nothing is waited for now"
        came = pasted(text, self._state)
        if came is None or not {"code", "error"} & came.params.keys():
            return "that is neither the address that the browser ended at (it has code= in it) nor a code"
        self._by_hand.set_result(came)
        return ""

    def give_up(self, why: str = "it was called off") -> None:
        """End the login."""
        if self._by_hand is not None and not self._by_hand.done():
            self._by_hand.set_result(Abandoned(why))

    async def _listen_for(self, callback: str) -> None:
        """Listen where the browser comes back to, if that is on this machine."""
        parts = urlsplit(callback)
        if parts.scheme != "http" or not parts.port or not is_loopback(parts.hostname or ""):
            return
        try:
            self._loopback = await self._stack.enter_async_context(Loopback(parts.port, parts.path or "/"))
        except OSError as error:
            raise _taken(parts.port, error, "Stop what listens there, or give another --oauth-callback.") from None


def _taken(port: int, error: OSError, hint: str) -> AuthorizationNeeded:
    why = "is in use" if error.errno == errno.EADDRINUSE else f"can't be had: {error.strerror}"
    return AuthorizationNeeded(f"The port {port}, where the browser is to come back to, {why}.", hint=hint)
