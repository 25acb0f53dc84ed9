"""The line of tabs of an app with several conversations, the timeline of all of them first.

Where room is short, the tabs furthest from the one in sight go first.
"""

from typing import TYPE_CHECKING

from inspector.session.desk import TicketState
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.subject import Stage
from inspector.tui.tabs import ALL, Tab
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.roles import Span
from inspector.viewmodels.tab_line import TabState, spans_of

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp


class ConversationBar(ItemBar):
    """One line; a click on a tab shows it."""

    DEFAULT_CSS = """
    ConversationBar { height: 1; background: $surface; }
    """

    def __init__(self, inspect: "InspectApp") -> None:
        super().__init__()
        self._inspect = inspect

    def sync(self) -> None:
        """Look again."""
        inspect = self._inspect
        here = ALL if inspect.shows_timeline else inspect.tab.number
        numbers = [ALL, *(tab.number for tab in inspect.tabs)]
        place = numbers.index(here)
        tabs = [_item(tab, abs(at - place), here=tab.number == here) for at, tab in enumerate(inspect.tabs, 1)]
        self.show([Line((_all(place), *tabs), _hint(), gap=0, says_more=True)])

    def pressed(self, name: str) -> None:
        """Show the tab that was clicked."""
        self.app.call_later(self._inspect.action_show_tab, int(name))


def _item(tab: Tab, distance: int, *, here: bool) -> Item:
    return Item(spans_of(state_of(tab), here=here), name=str(tab.number), rank=2 * distance, chosen=here)


def _all(distance: int) -> Item:
    key = keys.action("tabs.timeline").keys[0]
    spans: tuple[Span, ...] = ((f" {key}", "accent"), (" All ", "muted" if distance else "title"))
    return Item(spans, name=str(ALL), rank=min(1, distance), chosen=not distance)


def _hint() -> tuple[Item, ...]:
    key = keys.key_name(keys.action("tabs.next").keys[0])
    return (Item(((key, "accent"), (" next tab ", "faint")), rank=99),)


def state_of(tab: Tab) -> TabState:
    """A conversation as its tab tells of it."""
    subject = tab.subject
    waiting = sum(ticket.state is TicketState.WAITING for ticket in subject.tickets)
    failed = subject.journal.conversation.exchanges.failures.count(1)
    sign = _sign(subject.stage, lost=bool(subject.why))
    if subject.stage is Stage.OPEN and subject.journal.surroundings.unreachable is not None:
        sign = glyphs().error, "error"
    return TabState(tab.name, sign, failed, waiting)


def _sign(stage: Stage, *, lost: bool) -> Span:
    signs = glyphs()
    match stage:
        case Stage.CONNECTING | Stage.LOADING:
            return signs.pending, "pending"
        case Stage.OPEN:
            return signs.connected, "ok"
        case Stage.CLOSED:
            return signs.disconnected, "warning" if lost else "muted"
        case Stage.FAILED:
            return signs.error, "error"
        case Stage.RECORDED:
            return signs.closed, "accent"
