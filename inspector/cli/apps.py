"""Shows the app of a tool from the command line: address, browser, questions, what happens."""

import asyncio
from pathlib import Path
from typing import Any

from inspector import atomic_write
from inspector.auth.addresses import open_browser, out_of_reach, tunnel
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession
from inspector.cli.typed_lines import TypedLines
from inspector.features.apps.context import HostSettings
from inspector.features.apps.headless import Observed, observe
from inspector.features.apps.host import FoundApp
from inspector.features.apps.outlet import HostNotice
from inspector.features.apps.run import AppRun
from inspector.features.apps.site import AppSite
from inspector.protocol import jsonrpc
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.text import visible

_WARNED = ("refused", "violation", "error")


class TerminalApp:
    """An app that is shown in the user's browser, with the terminal for questions."""

    def __init__(self, visit: CommandSession, app: FoundApp, settings: HostSettings, *, allows: bool) -> None:
        """Prepare it. `allows`: destructive tools are called without asking."""
        self._output, self._allows = visit.output, allows
        self._run = AppRun(visit.session, app, settings, ask=self._ask, notify=self._show_notice)
        self._question: asyncio.Future[bool] | None = None
        self._typed: TypedLines | None = None

    async def show(self, arguments: Any, *, opens: bool) -> ExitStatus:
        """Call the tool, show the app, and return once it has ended."""

        async def announce(site: AppSite) -> None:
            self._announce(site, opens=opens)

        try:
            await self._run.show(arguments, announce)
        finally:
            if self._typed is not None:
                self._typed.stop()
        return ExitStatus.OK if self._has_result else ExitStatus.TOOL_ERROR

    async def test(self, arguments: Any, *, picture: Path | None, wait_for: str, seconds: float) -> ExitStatus:
        """Show the app in a browser without a window; print what was found, and return its status."""
        env, run, found = self._output.env.environ, self._run, list[Observed]()

        async def look(site: AppSite) -> None:
            found.append(await observe(run.host, site, env, wait_for=wait_for, seconds=seconds))

        await run.show(arguments, look)
        if picture is not None and found[0].picture:
            atomic_write.replace(picture, found[0].picture)
        return self._report(found[0], wait_for)

    def _report(self, found: Observed, wait_for: str) -> ExitStatus:
        host = self._run.host
        has_failed = not self._has_result
        if self._output.as_json:
            self._output.data(
                {
                    "tool": host.app.tool.name,
                    "uri": host.app.link.uri,
                    "ready": found.is_ready,
                    "found": found.has_element,
                    "width": found.size[0],
                    "height": found.size[1],
                    "text": found.text,
                    "view": host.view_info,
                    "errors": host.errors,
                    "refused": [each.text for each in host.out.notices if each.kind == "refused"],
                    "model_context": host.proposals.model_context,
                    "outcome": "failed" if has_failed else "ok",
                }
            )
        elif found.text:
            self._output.text(found.text)
        if not found.is_ready:
            hint = "The app must send ui/initialize and ui/notifications/initialized. --timeout waits longer."
            return self._output.report("timeout", "the app has not started", hint, ExitStatus.TIMEOUT)
        if found.has_element is False:
            return self._output.report("timeout", f"the app shows no {wait_for}", "", ExitStatus.TIMEOUT)
        if has_failed:
            return ExitStatus.TOOL_ERROR
        return ExitStatus.FINDINGS if host.errors else ExitStatus.OK

    @property
    def _has_result(self) -> bool:
        reply = self._run.reply
        return isinstance(reply, Replied) and isinstance(reply.message, ResultResponse)

    def _announce(self, site: AppSite, *, opens: bool) -> None:
        env = self._output.env.environ
        self._output.text(site.url)
        if why_not := out_of_reach(env):
            self._output.narrate(f"not opened: {why_not}; open the address where there is a browser")
            self._output.narrate(f"to forward both ports, there: {tunnel(*site.ports, env=env)}")
        elif opens and not open_browser(site.url):
            self._output.warn("no browser was found: open the address yourself")
        self._output.narrate("Ctrl+C ends the app")

    def _show_notice(self, notice: HostNotice) -> None:
        if notice.kind in _WARNED:
            self._output.warn(notice.text)
        else:
            self._output.narrate(notice.text)

    async def _ask(self, tool: str, arguments: Any) -> bool:
        """Ask in the terminal; without one, refuse."""
        if self._allows:
            return True
        stdin, named = self._output.env.stdin, visible(tool, limit=100)
        if not stdin.isatty():
            self._output.warn(f"{named} is destructive; --allow-destructive lets the app call it")
            return False
        if self._question is not None:
            return False  # one question at a time
        given = visible(jsonrpc.encode(arguments).decode("utf-8", "replace"), limit=300)
        self._output.warn(f"the app wants to call {named}, which is destructive: {given}")
        self._output.narrate("type yes to allow it, anything else to refuse")
        self._question = asyncio.get_running_loop().create_future()
        if self._typed is None:
            self._typed = TypedLines(stdin, self._take)
        try:
            return await self._question
        finally:
            self._question = None

    def _take(self, line: str) -> None:
        if self._question is not None and not self._question.done():
            self._question.set_result(line.strip().lower() in ("y", "yes"))
