"""Marks lines of the traffic, and sends their requests again."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from inspector.errors import UsageError
from inspector.filters.language.fields import Has, Ref
from inspector.present.spans import Span
from inspector.protocol.exchanges import Exchange
from inspector.text import visible
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.screens.traffic.list import TrafficList
from inspector.tui.tabs import Tab

if TYPE_CHECKING:
    from inspector.features.resend.resend_diff import Again


_MARKED = "mark"
"""The filter that lets only marked lines through."""


class TrafficMarking:
    """Marks and comments on the lines of a list."""

    def __init__(self, traffic: TrafficList) -> None:
        self.list = traffic

    def action_mark(self) -> None:
        """Mark the chosen line, or take its mark away."""
        n = self.list.chosen
        if not n:
            return
        from inspector.tui.noted import noted_of

        noted = noted_of(self.list.filters.subject)
        self._note(lambda: noted.unmark(n) if n in noted.notes.marks else noted.mark(n))

    def action_comment(self) -> None:
        """Mark the chosen line with a colour and a comment."""
        n = self.list.chosen
        if not n:
            return
        from inspector.tui.noted import noted_of
        from inspector.tui.widgets.prompts import CommentScreen

        noted = noted_of(self.list.filters.subject)
        before = noted.mark_at(n)

        def written(found: tuple[str, str] | None) -> None:
            if found is not None:
                self._note(lambda: noted.mark(n, color=found[0], text=found[1]))

        self.list.app.push_screen(CommentScreen(n, before.color, before.text), written)

    def action_only_marked(self) -> None:
        """Show only what is marked, or what was shown before."""
        from inspector.tui.screens.traffic.filter_model import combined

        pane = self.list.filters
        before = pane.text.strip()
        if before == _MARKED or before.endswith(f" and {_MARKED}"):
            pane.set(before.removesuffix(_MARKED).removesuffix(" and "))
        else:
            pane.set(combined(before, Has(Ref(_MARKED)), "and"))

    def _note(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UsageError as error:
            said = visible(f"{error}. {error.hint}", limit=300)
            self.list.notify(said, severity="error", markup=False)
        self.list.show_notes()


# To its own server, or from a recording to the one that is open.


class Resending:
    """Sends a request of a list again."""

    def __init__(self, traffic: TrafficList) -> None:
        self.list = traffic

    def action_resend(self) -> None:
        """Send the chosen line's request again."""
        from inspector.features.resend.resend_diff import again, may_destroy

        subject = self.list.filters.subject
        asked = again(subject.journal, self.list.chosen)
        if isinstance(asked, str):
            self._tell(asked)
            return
        receiver = self._receiver(subject)
        if isinstance(receiver, str):
            self._tell(receiver)
        elif receiver is subject and not may_destroy(asked, subject.journal.conversation.catalogue.tools):
            self.list.run_worker(self._resend(receiver, asked), group="resending")
        else:
            self._ask(receiver, asked, destroys=may_destroy(asked, receiver.journal.conversation.catalogue.tools))

    def _receiver(self, subject: OpenConversation) -> OpenConversation | str:
        """The server that gets it, or why there is none."""
        if subject.can_act:
            return subject if subject.stage is ConversationStage.OPEN else "Not connected: ^r connects again."
        tabs: Iterable[Tab] = getattr(self.list.app, "tabs", ())
        there = [tab.subject for tab in tabs if tab.subject.can_act and tab.subject.stage is ConversationStage.OPEN]
        if not there:
            return "This is a recording, and no server is open: O opens one beside it."
        return (
            there[0]
            if len(there) == 1
            else "Several servers are open: show the one that is meant, and write it with 0."
        )

    def _ask(self, receiver: OpenConversation, asked: "Again", *, destroys: bool) -> None:
        from inspector.tui.widgets.dialogs import ConfirmScreen

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
                self.list.run_worker(self._resend(receiver, asked), group="resending")

        self.list.app.push_screen(ConfirmScreen("Send again", lines, quoted, ways), answered)

    async def _resend(self, receiver: OpenConversation, asked: "Again") -> None:
        from inspector.features.resend.resend_diff import outcome

        def opened(exchange: Exchange) -> None:
            if receiver is self.list.filters.subject:
                self.list.call_for(exchange.request_frame)

        called = await receiver.call(asked.method, asked.params, opened)
        self._tell(f"{asked.method} {asked.target}: {outcome(asked, called)}".replace(" :", ":"))

    def _tell(self, said: str) -> None:
        self.list.app.notify(visible(said, limit=300), markup=False, timeout=5)
