"""How long lines of exact text are shown: going on below, or to the right, where one goes with the arrows.

What was chosen holds for all payloads of a view.
"""

from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from inspector.tui import keys
from inspector.tui.widgets.lines_view import LinesView
from inspector.viewmodels.payload_lines import RawLines


class RawText(Widget):
    """The keys for it, of a view that may show exact text."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.TEXT)

    wraps = True
    """Whether long lines go on below."""

    _raw: RawLines | None = None
    _laid: object = None
    """What is shown, in whatever form."""

    @property
    def raw(self) -> RawLines | None:
        """The exact text, if that is what is shown."""
        view = self.text_view
        return self._raw if self._raw is self._laid and not view.has_class("hidden") else None

    @property
    def text_view(self) -> LinesView:
        """What shows it."""
        return self.query_one(LinesView)

    def raw_lines(self, payload: bytes) -> RawLines:
        """The exact text of a payload, as it is to be shown."""
        self._raw = RawLines(payload)
        self._raw.wraps = self.wraps
        return self._raw

    def action_wrap(self) -> None:
        """Let long lines go on below, or to the right."""
        raw, view = self.raw, self.text_view
        self.wraps = not self.wraps
        if raw is not None:
            offset = raw.offset_at(max(0, view.view.cursor), view.line_width)
            raw.wrap(self.wraps, offset, view.line_width)
            view.lay_anew()
            view.go_to(raw.row_at(offset, view.line_width))
        said = "Long lines go on below." if self.wraps else "Long lines go on to the right: ← and → show more of them."
        self.app.notify(said, markup=False, timeout=3)

    def action_sideways(self, by: int) -> None:
        """Show what is further to the right, or to the left."""
        if self.raw is not None and self.raw.move(by, self.text_view.line_width):
            self.text_view.forget()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer them where there is exact text, and the arrows where its lines are long."""
        if action == "wrap":
            return self.raw is not None
        return self.raw is not None and not self.raw.wraps if action == "sideways" else True
