"""How the focus goes through a form: downwards from value to value, upwards from line to line.

The line of an unfolded group only heads what is below it, so the way down passes it by; the way up does not, and so
every line can be reached by keys.
"""

from textual.containers import VerticalScroll
from textual.widget import Widget

from inspector.tui.widgets.form_bar import FormBar


class FormScroll(VerticalScroll):
    """What a form scrolls in: the field that has the focus stays in sight when the room changes or it is typed into.

    A reader who scrolls away with the mouse is left alone until then.
    """

    def on_resize(self) -> None:
        """Another part of the screen has grown or gone."""
        self.call_after_refresh(self.reveal)

    def on_descendant_focus(self) -> None:
        """Another field has the focus; it may show more of itself now."""
        self.call_after_refresh(self.reveal)

    def on_schema_form_changed(self) -> None:
        """The value has changed: it is being typed, wherever the field is."""
        self.reveal()

    def reveal(self) -> None:
        """Scroll to what has the focus, if that is in here and out of sight."""
        focused = self.screen.focused if self.is_attached else None
        if focused is not None and self in focused.ancestors:
            focused.scroll_visible(animate=False, immediate=True)


class Steps(Widget):
    """What holds the lines of a form."""

    def action_step(self, by: int) -> None:
        """Go to the next value (1), behind the last one out of the form; or to the line before (-1), if any."""
        chain = self.screen.focus_chain
        inside = [widget for widget in chain if self in widget.ancestors]
        focused = self.screen.focused
        if focused is None or focused not in inside:
            return
        at = chain.index(focused)
        before = [widget for widget in reversed(chain[:at]) if widget in inside]
        for widget in [*chain[at + 1 :], *chain[:at]] if by > 0 else before:
            if by < 0 or widget not in inside or not only_heads(widget):
                widget.focus()
                return


def only_heads(line: Widget) -> bool:
    """Whether a line only heads what can be reached below it."""
    node = line.parent
    if not isinstance(line, FormBar) or not line.has_class("field--head") or not isinstance(node, Widget):
        return False
    return not node.has_class("-folded") and any(other.focusable for other in node.query("*") if other is not line)


def steps_of(widget: Widget) -> Steps | None:
    """The form that a widget stands in."""
    return next((around for around in widget.ancestors if isinstance(around, Steps)), None)
