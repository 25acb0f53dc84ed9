"""Sending a request of the traffic again, as it was: to its own server, or from a recording to the one that is open.

It asks first where a tool may destroy something, and where the server is another one than that of the row.
"""

from typing import TYPE_CHECKING, cast

from textual import work

from inspector.protocol.exchanges import Exchange
from inspector.tui.panels import Part
from inspector.tui.panels.traffic_list import TrafficList
from inspector.tui.subject import Stage, Subject
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import visible

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.viewmodels.again import Again


class Resending(Part):
    """The one action."""

    list: TrafficList

    def action_resend(self) -> None:
        """Send the chosen line's request again."""
        from inspector.viewmodels.again import again, may_destroy

        subject = self.list.filters.subject
        asked = again(subject.journal, self.list.chosen)
        if isinstance(asked, str):
            self._tell(asked)
            return
        receiver = self._receiver(subject)
        if isinstance(receiver, str):
            self._tell(receiver)
        elif receiver is subject and not may_destroy(asked, subject.journal.conversation.catalogue.tools):
            self._resend(receiver, asked)
        else:
            self._ask(receiver, asked, destroys=may_destroy(asked, receiver.journal.conversation.catalogue.tools))

    def _receiver(self, subject: Subject) -> Subject | str:
        """The server that gets it, or why there is none."""
        if subject.can_act:
            return subject if subject.stage is Stage.OPEN else "Not connected: ^r connects again."
        tabs = getattr(cast("InspectApp", self.app), "tabs", [])
        there = [tab.subject for tab in tabs if tab.subject.can_act and tab.subject.stage is Stage.OPEN]
        if not there:
            return "This is a recording, and no server is open: O opens one beside it."
        return (
            there[0]
            if len(there) == 1
            else "Several servers are open: show the one that is meant, and write it with 0."
        )

    def _ask(self, receiver: Subject, asked: "Again", *, destroys: bool) -> None:
        from inspector.tui.screens.confirm import ConfirmScreen

        about = visible(f"{asked.method} {asked.target}".rstrip(), limit=100)
        to = visible(receiver.about.label)
        lines: list[list[Span]] = [
            [("Send ", "text"), (about, "method"), (" again, to ", "text"), (to, "strong"), (".", "text")]
        ]
        if destroys:
            lines.append([("It may destroy something: the server does not say that it doesn't.", "warning")])
        quoted = visible(asked.quoted, limit=2000) or "no params"
        ways = ("no, leave it (n)", "yes, send it (y)")

        def answered(yes: bool | None) -> None:
            if yes:
                self._resend(receiver, asked)

        self.app.push_screen(ConfirmScreen("Send again", lines, quoted, ways), answered)

    @work(group="resending")
    async def _resend(self, receiver: Subject, asked: "Again") -> None:
        from inspector.viewmodels.again import outcome

        def opened(exchange: Exchange) -> None:
            if receiver is self.list.filters.subject:
                self.list.call_for(exchange.request_frame)

        called = await receiver.call(asked.method, asked.params, opened)
        self._tell(f"{asked.method} {asked.target}: {outcome(asked, called)}".replace(" :", ":"))

    def _tell(self, said: str) -> None:
        self.app.notify(visible(said, limit=300), markup=False, timeout=5)
