"""The line below a form: the button that calls, what it would do, and the switch between form and JSON."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.roles import Span


class CallBar(ItemBar, can_focus=True):
    """Press it with Enter or a click. Its words say what a press does now."""

    BINDINGS = keys.bindings(keys.Where.FORM_LINE)
    DEFAULT_CSS = """
    CallBar { height: 1; width: 1fr; }
    CallBar:focus { background: $block-cursor-background; }
    """

    class Pressed(Message):
        """What a press asks for: "call" or "json"."""

        def __init__(self, deed: str) -> None:
            super().__init__()
            self.deed = deed

    def say(
        self, *, problems: int, armed: bool, as_json: bool, why_not: str, verb: str = "Call", bare: bool = False
    ) -> None:
        """Say what a press does: call, call in spite of problems, or nothing, and why.

        `verb` is what calling is; `bare` says that there are no fields.
        """
        right = (
            ()
            if bare
            else (
                Item(
                    (
                        ("Form", "faint" if as_json else "accent"),
                        (" / ", "faint"),
                        ("JSON", "accent" if as_json else "faint"),
                        (" e", "faint"),
                    ),
                    "json",
                ),
            )
        )
        self.show([Line(left=tuple(_left(problems, armed, why_not, verb, bare)), right=right, inset=1)])

    def pressed(self, name: str) -> None:
        """Tell what was clicked."""
        self.post_message(self.Pressed(name))

    def action_press(self) -> None:
        """Call."""
        self.post_message(self.Pressed("call"))

    def action_do(self, name: str) -> None:
        """Nothing here has a letter."""

    def on_focus(self, event: events.Focus) -> None:
        """Show that Enter calls."""
        self.refresh()

    def on_blur(self, event: events.Blur) -> None:
        """Show that it does not."""
        self.refresh()


def _left(problems: int, armed: bool, why_not: str, verb: str, bare: bool) -> Sequence[Item]:
    if why_not:
        return (Item(((f"{glyphs().warning} {why_not}", "warning"),)),)
    key: Span = (f" {keys.key_name('ctrl+j')}", "faint")
    errors = f"{problems} error{'' if problems == 1 else 's'}"
    if problems and armed:
        return (Item(((f"{glyphs().closed} {verb} anyway ({errors})", "warning"), key), "call"),)
    items = [Item(((f"{glyphs().closed} {verb}", "title"), key), "call")]
    if problems:
        items.append(Item(((f"{glyphs().error} {errors}", "error"),)))
    elif not bare:
        items.append(Item(((f"{glyphs().ok} valid", "ok"),)))
    return items
