"""What the detail of a message does with what is in sight: copies it, hands it on to be written anew, names it."""

from textual.widget import Widget

from inspector.protocol.exchanges import Exchange
from inspector.tui.panels import Panel
from inspector.tui.panels.payload_view import PayloadView
from inspector.tui.subject import Subject
from inspector.tui.widgets.payload_deeds import PayloadDeeds
from inspector.viewmodels.copies import Copy, copied, of_request
from inspector.viewmodels.text import decode


class DetailDeeds(Widget):
    """A mixin of the detail."""

    takes_edits = True
    """A message that was changed in an editor becomes a draft."""
    is_laid_out: bool
    _subject: Subject
    _reveal: bool

    @property
    def entry(self) -> int:
        """The entry that is shown; 0 without one."""
        raise NotImplementedError

    @property
    def payload_view(self) -> PayloadView:
        """The payload that keys mean: the one with the focus, else the first."""
        second = self.query_one("#second", PayloadView)
        return second if second.has_focus_within else self.query_one("#first", PayloadView)

    def chosen_value(self) -> tuple[str, bytes] | None:
        """Where in a message the cursor is, and the JSON there; None if it is in no tree."""
        if not self.is_laid_out:
            return None
        view = self.payload_view
        return (view.path, view.value) if view.path else None

    def copy(self) -> None:
        """Copy the value under the cursor, or the message."""
        if not self.is_laid_out:
            return
        found = copied("", decode(self.payload_view.value))
        if found.text:
            self.app.copy_to_clipboard(found.text)
        self.notify(found.said, markup=False, timeout=3)

    @property
    def exchange(self) -> Exchange | None:
        """The exchange that the entry belongs to; None if to none."""
        journal = self._subject.journal
        number = journal.store.exchange(self.entry) if 0 < self.entry <= journal.count else 0
        return journal.conversation.exchanges[number - 1] if number > 0 else None

    def more_to_copy(self) -> list[Copy]:
        """How to send the request again."""
        return of_request(self._subject.journal, self.entry, reveal=self._reveal)

    def on_payload_deeds_edited(self, message: PayloadDeeds.Edited) -> None:
        """Write the message anew, as it now is."""
        message.stop()
        self.post_message(Panel.DraftWanted(message.payload))
