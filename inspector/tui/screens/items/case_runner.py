"""Runs saved calls over the connection of a screen, each after the calls that it depends on."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from textual.worker import Worker

from inspector.capture.compare.normal import Normal
from inspector.features.cases.collection import environments, open_collection, planned
from inspector.features.cases.model import CaseDefinition
from inspector.features.cases.running import CaseResponses, CaseRun, judged, response_of
from inspector.features.cases.values import Values, secret_from
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.listed_items import Tool
from inspector.session.inbox import TicketState
from inspector.tui.conversation import ConversationStage, OpenConversation, is_listed

_PAUSE_S = 0.02
"""Seconds between two looks at the connection, and at the server requests of a call with prepared responses."""


class CaseRunner:
    """Runs saved calls on one connection, and responds to the server requests that they define responses for."""

    def __init__(
        self, conversation: OpenConversation, begin: Callable[[Coroutine[Any, Any, None]], Worker[None]]
    ) -> None:
        """`begin` starts a task of the app."""
        self.conversation = conversation
        self._begin = begin
        self.confirmed: set[str] = set()
        """Destructive tools whose calls the user has confirmed."""
        self.sent: Exchange | None = None
        """The newest request."""

    async def connected(self, say: Callable[[str], None]) -> bool:
        """Wait for a connection that is being opened, and for its lists: they name destructive tools.

        `say` shows what is waited for. Return whether the connection is open.
        """
        conversation = self.conversation
        while conversation.stage is ConversationStage.CONNECTING:
            say("connecting")
            await asyncio.sleep(_PAUSE_S)
        while conversation.stage is ConversationStage.OPEN and not is_listed(conversation):
            say("waiting for the lists")
            await asyncio.sleep(_PAUSE_S)
        return conversation.stage is ConversationStage.OPEN

    async def run(self, values: Values, case: CaseDefinition) -> CaseRun:
        """Send the request of a case and judge the response. Raises: InspectError."""
        exchanges: list[Exchange] = []

        def opened(exchange: Exchange) -> None:
            self.sent = exchange
            exchanges.append(exchange)

        resolved, responses = values.resolved(case), CaseResponses()
        responses.turn_to(resolved)
        seen = {ticket.number for ticket in self.conversation.inbox.tickets}
        answering = self._begin(self._respond(responses, exchanges, seen)) if resolved.answers else None
        try:
            called = await self.conversation.call(resolved.request, resolved.params, opened)
        finally:
            if answering is not None:
                answering.cancel()
        tool = self._tool(resolved)
        response = response_of(called, exchanges, tool.output_schema if tool is not None else None)
        return await asyncio.to_thread(judged, case, resolved, response, values, Normal())

    async def _respond(self, responses: CaseResponses, exchanges: Sequence[Exchange], seen: set[int]) -> None:
        """Respond to the server requests of a call as its case defines; others wait in the Inbox.

        `seen` has the numbers of earlier requests.
        """
        inbox = self.conversation.inbox
        while True:
            for ticket in inbox.tickets:
                asked = ticket.server_request
                own = {None, *(each.number for each in exchanges)}
                if ticket.number in seen or asked.cause not in own:
                    continue
                seen.add(ticket.number)
                with suppress(TimeoutError):  # its pattern takes too long: the request waits in the Inbox
                    if ticket.state is TicketState.WAITING and (reply := await responses.answer(asked)) is not None:
                        await inbox.answer(ticket, reply)
            await asyncio.sleep(_PAUSE_S)

    async def cancel(self) -> bool:
        """Cancel the newest request; return whether it was open."""
        if self.sent is None or not self.sent.is_open:
            return False
        await self.conversation.cancel(self.sent)
        return True

    def _tool(self, case: CaseDefinition) -> Tool | None:
        if case.request != "tools/call":
            return None
        name = peek.text(case.params, "name")
        return next(
            (each for each in self.conversation.journal.conversation.catalogue.tools if each.name == name), None
        )

    def destructive(self, cases: Sequence[CaseDefinition]) -> list[str]:
        """Return the destructive tools of the cases that the user has not confirmed yet."""
        tools = filter(None, map(self._tool, cases))
        return list(dict.fromkeys(tool.name for tool in tools if tool.destructive and tool.name not in self.confirmed))


def plans(
    chosen: Sequence[tuple[Path, CaseDefinition]], environment: str
) -> list[tuple[Values, list[tuple[Path, CaseDefinition]]]]:
    """Return the values and the calls in execution order for each file. Raises: UsageError."""
    found = []
    for path in dict.fromkeys(path for path, _ in chosen):
        known = environment if environment in environments(path) else ""
        collection = open_collection(path, known)
        names = {case.name for each, case in chosen if each == path}
        plan = planned(collection, [case for case in collection.cases.cases if case.name in names])
        values = Values(collection, secret_from(os.environ))
        values.prepare(plan)
        found.append((values, [(each.file, each.case) for each in plan]))
    return found


def no_secret(source: str, name: str) -> None:
    """Resolve no secrets: they are neither shown nor filled into forms."""
