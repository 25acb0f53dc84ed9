"""Dialog with switches for the client capabilities. Closing it changes nothing; applying does.

If each request declares the capabilities, a change applies from the next request on. After a handshake it requires a
new connection.
"""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from inspector.present.rows import RowSource, RowView
from inspector.protocol.capabilities import ALL
from inspector.protocol.revisions._shape import Revision, Stamp
from inspector.tui import keys
from inspector.tui.screens.server.capabilities_model import declaration, switch_row, switches, toggled
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.virtual_list import LogList


class CapabilityRows(RowSource):
    """Switches as rows."""

    def __init__(self, now: frozenset[str], revision: Revision | None) -> None:
        self._now, self._revision = now, revision
        self.chosen = now

    def toggle(self, index: int) -> None:
        """Toggle the switch in a row."""
        self.chosen = toggled(self.chosen, ALL[index])
        self._generation += 1

    @property
    def count(self) -> int:
        return len(ALL)

    def row(self, index: int, width: int) -> RowView:
        switch = switches(self.chosen, self._now, self._revision)[index]
        return RowView(switch_row(switch, on=glyphs().ok, off=glyphs().disconnected, width=width))


class CapabilitiesScreen(Dialog[frozenset[str] | None]):
    """Switches and the resulting declaration. Returns the chosen capabilities; None if closed."""

    BINDINGS = keys.bindings_of("capabilities.switch", "capabilities.apply", "capabilities.leave")
    DEFAULT_CSS = """
    CapabilitiesScreen { align: center middle; }
    CapabilitiesScreen > Vertical {
        width: 78; max-width: 96%; height: auto; max-height: 90%;
        background: $background; border: round $primary; border-title-color: $text-primary;
    }
    CapabilitiesScreen LogList { height: 6; margin: 1 1; }
    CapabilitiesScreen VerticalScroll { height: auto; max-height: 8; padding: 0 2; scrollbar-size-vertical: 1; }
    CapabilitiesScreen StatusLine { padding: 0 2; margin: 1 0 0 0; }
    CapabilitiesScreen Static { height: auto; }
    """

    def __init__(self, now: frozenset[str], revision: Revision | None) -> None:
        super().__init__()
        self._revision = revision
        self.rows = CapabilityRows(now, revision)
        self._list = LogList(self.rows)
        self._declaration = Static("")
        self._then = StatusLine()

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Client capabilities"
            yield self._list
            with VerticalScroll(can_focus=False):
                yield self._declaration
            yield self._then
        yield FooterBar()

    def on_mount(self) -> None:
        self._list.focus()
        self._renew()

    def _renew(self) -> None:
        self._list.sync()
        message = declaration(self.rows.chosen, self._revision)
        self._declaration.update(Text.assemble(("sent as  ", "dim"), message) if message else "")
        at_once = self._revision is not None and self._revision.stamp is Stamp.META
        when = "applies from the next request" if at_once else "requires a new connection (sent with initialize)"
        self._then.show([(f"{keys.shown_key('capabilities.apply')} applies ", "accent"), (when, "muted")])

    def action_switch(self) -> None:
        self.rows.toggle(max(0, self._list.cursor_key))
        self._renew()

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Toggle the capability on Enter too."""
        event.stop()
        self.action_switch()

    def action_take(self) -> None:
        """Apply the chosen capabilities."""
        self.dismiss(self.rows.chosen)
