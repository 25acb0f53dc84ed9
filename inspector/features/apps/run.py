"""One run of an app: the tool is called, the site is open, until the View has ended."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from inspector.errors import ConnectError
from inspector.features.apps.context import HostSettings
from inspector.features.apps.forwarding import Ask
from inspector.features.apps.host import AppHost, FoundApp
from inspector.features.apps.outlet import HostNotice
from inspector.features.apps.site import AppSite
from inspector.protocol import peek
from inspector.protocol.flows.steps import Reply
from inspector.session.session import Session


class AppRun:
    """Shows one app. It must run on the loop of its session."""

    def __init__(
        self, session: Session, app: FoundApp, settings: HostSettings, *, ask: Ask, notify: Callable[[HostNotice], None]
    ) -> None:
        self.host = AppHost(session, app, settings, ask=ask, notify=notify)
        server = session.opening.server if session.opening is not None else {}
        self.site = AppSite(self.host, peek.text(server, "name") or "a server without a name")
        self.reply: Reply | None = None
        """Outcome of the tool call; None before it."""
        self._session = session

    async def show(
        self, arguments: Any, opened: Callable[[AppSite], Awaitable[None]], reply: Reply | None = None
    ) -> None:
        """Open the site, call the tool, and return once the View has ended. `opened` is called with the open site.

        `reply`: the outcome of a call that was made before; the tool is not called again. If this is cancelled, the
        View is ended first.

        Raises: ConnectError if no port can be opened.
        """
        try:
            await self.site.__aenter__()
        except OSError as error:
            raise ConnectError(f"no port of this machine can be opened: {error.strerror}") from None
        try:
            async with self.host, asyncio.TaskGroup() as tasks:
                others = [tasks.create_task(self._call(arguments, reply)), tasks.create_task(self._end_with_session())]
                try:
                    await opened(self.site)
                    await self.host.ended.wait()
                finally:
                    await self.host.end("mcp-inspect ends")
                    for each in others:
                        each.cancel()
        finally:
            await self.site.__aexit__(None, None, None)

    async def _call(self, arguments: Any, reply: Reply | None) -> None:
        self.host.begin_call(arguments)
        if reply is None:
            params = {"name": self.host.app.tool.name, "arguments": arguments}
            called = await self._session.call("tools/call", params, opened=self.host.call_sent)
            reply = called.reply
        self.reply = reply
        self.host.end_call(reply)

    async def _end_with_session(self) -> None:
        await self._session.ended.wait()
        await self.host.end("the connection to the server has ended")
