"""A page that scrolls by the keys of every list of ours, at once and without animation.

A page of cards is walked through as well: down goes on to the next card once the end of this one is in sight.
"""

from typing import ClassVar

from textual.binding import BindingType
from textual.containers import VerticalScroll

from inspector.tui import keys
from inspector.tui.widgets.section_card import SectionCard

_STEP = 2
"""Lines that one key moves a page."""


class Scroller(VerticalScroll, can_focus=True, inherit_bindings=False):
    """What is higher than its place."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.MOVING)
    DEFAULT_CSS = """
    Scroller { scrollbar-size-vertical: 1; background: $background; }
    """

    def action_move(self, by: int) -> None:
        """Go on: to the next card if the end of this one is in sight, else by some lines."""
        card = self._card_after(by)
        if card is None:
            self.scroll_relative(y=by * _STEP, animate=False)
        else:
            card.focus(scroll_visible=False)
            self.scroll_to_widget(card, animate=False)

    def _card_after(self, by: int) -> SectionCard | None:
        """The neighbour of the card that has the focus; None if this one isn't read to its end, or none is there."""
        cards = [card for card in self.query(SectionCard) if card.display]
        here = next((place for place, card in enumerate(cards) if card.has_focus), None)
        if here is None:
            return None
        now, window = cards[here].region, self.window_region
        if (by > 0 and now.bottom > window.bottom) or (by < 0 and now.y < window.y):
            return None
        return cards[here + by] if 0 <= here + by < len(cards) else None

    def action_page(self, by: int) -> None:
        """Scroll by a window that keeps one line."""
        self.scroll_relative(y=by * max(1, self.size.height - 1), animate=False)

    def action_first(self) -> None:
        """Go to the beginning."""
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        """Go to the end."""
        self.scroll_end(animate=False)
