"""The line below a form: the button that calls, what it would do, and the switch between form and JSON."""

from collections.abc import Sequence
from typing import Literal

import msgspec
from textual import events
from textual.message import Message

from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar


class Saying(msgspec.Struct, frozen=True):
    """What the line says."""

    problems: int = 0
    awaited: int = 0
    """How many of them are only what must be given and is still to come: no reason for alarm."""
    verdict: Literal["fine", "awaited", "none"] = "fine"
    """Without problems: whether that was judged, will be, or can't be."""
    armed: bool = False
    """Whether the next press calls in spite of the problems."""
    as_json: bool = False
    why_not: str = ""
    """Why a press calls nothing; "" if it does. Our own words."""
    tried: bool = False
    """Whether somebody has pressed all the same."""
    verb: str = "Call"
    """What calling is."""
    bare: bool = False
    """Whether there are no fields."""
    gone: bool = False
    """Whether the server lists it no more."""
    cautions: tuple[str, ...] = ()
    """What should be known before it is called, a sentence each. May quote foreign names."""
    task: str = ""
    """Whether the call is a task, in a few words of ours; "" where that means nothing."""


class CallBar(ItemBar, can_focus=True):
    """Press it with Enter or a click. Its words say what a press does now."""

    BINDINGS = keys.bindings(keys.ActionScope.FORM_LINE)
    DEFAULT_CSS = """
    CallBar { height: 1; width: 1fr; }
    CallBar:focus { background: $block-cursor-background; }
    """

    class Pressed(Message):
        """What a press asks for: "call", "json" or "task"."""

        def __init__(self, deed: str) -> None:
            super().__init__()
            self.deed = deed

    def say(self, saying: Saying) -> None:
        """Say what a press does: call, call in spite of problems, or nothing, and why."""
        as_json = saying.as_json
        right = (
            ()
            if saying.bare
            else (
                BarItem(
                    (
                        ("Form", "faint" if as_json else "accent"),
                        (" / ", "faint"),
                        ("JSON", "accent" if as_json else "faint"),
                        (f" {keys.key_name('ctrl+o')}", "faint"),
                    ),
                    "json",
                    rank=1 if saying.why_not else 0,
                ),
            )
        )
        self.show([BarLine(left=tuple(_left(saying)), right=right, inset=1)])

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


def _left(saying: Saying) -> Sequence[BarItem]:
    problems = saying.problems
    if saying.why_not:
        nothing = "Nothing was sent: " if saying.tried else ""
        return (BarItem(((f"{glyphs().warning} {nothing}{saying.why_not}", "warning"),)),)
    key: Span = (f" {keys.key_name('ctrl+j')}", "faint")
    errors = f"{problems} error{'' if problems == 1 else 's'}"
    if problems and saying.armed:
        return (BarItem(((f"{glyphs().closed} {saying.verb} anyway ({errors})", "warning"), key), "call"),)
    anyway = " anyway" if saying.gone else ""
    items = [BarItem(((f"{glyphs().closed} {saying.verb}{anyway}", "title"), key), "call")]
    if saying.gone:
        items.append(BarItem(((f"{glyphs().warning} the server lists it no more", "warning"),)))
    for caution in saying.cautions[:1]:
        more = f" (+{len(saying.cautions) - 1})" if len(saying.cautions) > 1 else ""
        items.append(BarItem(((f"{glyphs().warning} {visible(caution, limit=200)}{more}", "warning"),)))
    if problems:
        items.append(BarItem((wrong_or_awaited(problems, saying.awaited),)))
    elif not saying.bare:
        items.append(BarItem((_VERDICTS[saying.verdict],)))
    if saying.task:
        items.append(BarItem(((saying.task, "accent"),), "task", rank=1))
    return items


def wrong_or_awaited(problems: int, awaited: int) -> Span:
    """How many errors a form has; calmly, how many fields it still waits for where that is all there is."""
    wrong = problems - awaited
    if not wrong:
        return f"{awaited} required", "muted"
    return f"{glyphs().error} {wrong} error{'' if wrong == 1 else 's'}", "error"


_VERDICTS: dict[str, Span] = {
    "fine": (f"{glyphs().ok} valid", "ok"),
    "awaited": (glyphs().pending, "faint"),
    "none": (f"{glyphs().warning} not validated", "warning"),
}
