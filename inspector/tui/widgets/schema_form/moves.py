"""How the focus moves through a form: down from value to value, up from line to line."""

from typing import Protocol, runtime_checkable

from textual.containers import VerticalScroll
from textual.widget import Widget

from inspector.tui.widgets.schema_form.view import FormBar


class FormScroll(VerticalScroll):
    """Scroll container of a form. The focused field stays visible when the size changes or the user types.

    If the user scrolls away with the mouse, the position stays until then. The scroll bar always has its column:
    one that appears takes a column from each field, and the whole form would be laid out a second time.
    """

    DEFAULT_CSS = """
    FormScroll { height: 1fr; padding: 0 0 0 1; scrollbar-size-vertical: 1; overflow-y: scroll; }
    """

    def on_resize(self) -> None:
        """Reveal the focused field: another part of the screen may have grown."""
        self.call_after_refresh(self.reveal)

    def on_descendant_focus(self) -> None:
        """Reveal the newly focused field, which may have become higher."""
        self.call_after_refresh(self.reveal)

    def on_schema_form_changed(self) -> None:
        """Reveal the focused field when its value changes."""
        self.reveal()

    def reveal(self) -> None:
        """Scroll to the focused widget if it is in here and hidden."""
        focused = self.screen.focused if self.is_attached else None
        if focused is not None and self in focused.ancestors:
            focused.scroll_visible(animate=False, immediate=True)


@runtime_checkable
class FormLines(Protocol):
    """A form, as seen by its fields."""

    def step(self, by: int) -> Widget | None:
        """Focus the next value (1), or leave the form after the last one; or focus the previous line (-1), if any.

        Return the focused widget.
        """


def only_heads(line: Widget) -> bool:
    """Whether a line is only the head of focusable lines below it."""
    node = line.parent
    if not isinstance(line, FormBar) or not line.has_class("field--head") or not isinstance(node, Widget):
        return False
    return not node.has_class("-folded") and any(other.focusable for other in node.query("*") if other is not line)


def steps_of(widget: Widget) -> FormLines | None:
    """Return the form that contains a widget."""
    return next((around for around in widget.ancestors if isinstance(around, FormLines)), None)
