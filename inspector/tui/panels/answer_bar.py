"""The line below a question: yes, no, neither, and what a press does now. Each stands with its key."""

from collections.abc import Sequence

import msgspec
from textual import events
from textual.message import Message

from inspector.protocol.questions import Kind, Question
from inspector.tui import keys
from inspector.tui.panels.call_bar import wrong_or_awaited
from inspector.tui.styles import glyphs
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.answers import has_form
from inspector.viewmodels.links import read_link
from inspector.viewmodels.roles import Role, Span


class Standing(msgspec.Struct, frozen=True):
    """How an answer stands."""

    problems: int = 0
    """How many things are wrong in the form."""
    armed: bool = False
    """Whether the next press sends it all the same."""
    as_json: bool = False
    talk: str = ""
    """With a model: "answer" is written and it can be asked, its "request" is edited, it is "asking"; "" without."""
    fixed: bool = False
    """Whether it is JSON and can't be a form."""
    awaited: int = 0
    """How many of the problems are only what must be given and is still to come."""


class AnswerBar(ItemBar, can_focus=True):
    """Enter answers yes; a letter, a click or a key from anywhere does the rest."""

    BINDINGS = [keys.binding(keys.action("line.press"))]  # noqa: RUF012 - Textual's way
    DEFAULT_CSS = """
    AnswerBar { height: 1; width: 1fr; }
    AnswerBar:focus { background: $block-cursor-background; }
    """

    class Pressed(Message):
        """What a press asks for: "accept", "decline", "dismiss", "open" or "json"."""

        def __init__(self, deed: str) -> None:
            super().__init__()
            self.deed = deed

    def say(self, question: Question | None, standing: Standing, *, roots: bool = False) -> None:
        """Offer what can be answered; None if nothing waits for an answer. `roots`: a list of roots is edited."""
        if question is None and not roots:
            self.show([Line(inset=1)])
            return
        left = _roots(standing) if question is None else _answers(question, standing)
        both = (question is None or has_form(question)) and not standing.fixed and standing.talk != "asking"
        right = (_form_or_json(standing),) if both else ()
        self.show([Line(left=tuple(left), right=right, inset=1)])

    def pressed(self, name: str) -> None:
        """Tell what was clicked."""
        self.post_message(self.Pressed(name))

    def action_press(self) -> None:
        """Say yes."""
        self.post_message(self.Pressed("accept"))

    def on_focus(self, event: events.Focus) -> None:
        """Show that Enter answers."""
        self.refresh()

    def on_blur(self, event: events.Blur) -> None:
        """Show that it does not."""
        self.refresh()


def _answers(question: Question, standing: Standing) -> Sequence[Item]:
    if standing.talk in ("request", "asking"):
        return _with_the_model(standing)
    items = [_yes("Call again" if question.visit else "Answer", standing)]
    if standing.talk:
        items.append(_button("Ask the model", "inbox.model", "model", "accent"))
    if not has_form(question) and read_link(question.url).openable:
        items.insert(0, _button(f"{glyphs().closed} Open link", "inbox.open", "open", "title"))
    items.append(_button("Decline", "inbox.decline", "decline", "text", rank=1))
    if question.kind is Kind.ELICITATION:
        items.append(_button("Cancel", "inbox.dismiss", "dismiss", "text", rank=2))
    return [*items, *(_wrong(standing) if has_form(question) else ())]


def _with_the_model(standing: Standing) -> Sequence[Item]:
    if standing.talk == "asking":
        first = [_button(f"{glyphs().error} Stop", "inbox.model", "model", "title")]
    else:
        ask = _button(f"{glyphs().closed} Ask the model", "inbox.accept", "accept", "title")
        first = [ask, _button("Back", "inbox.model", "model", "text", rank=1)]
    return [*first, _button("Decline", "inbox.decline", "decline", "text", rank=1)]


def _roots(standing: Standing) -> Sequence[Item]:
    return [_yes("List these roots", standing), *_wrong(standing)]


def _yes(words: str, standing: Standing) -> Item:
    if standing.problems and standing.armed:
        return _button(f"{glyphs().closed} {words} anyway", "inbox.accept", "accept", "warning")
    return _button(f"{glyphs().closed} {words}", "inbox.accept", "accept", "title")


def _button(words: str, action: str, deed: str, role: Role, rank: int = 0) -> Item:
    key: Span = (f" {keys.key_name(keys.action(action).keys[0])}", "faint")
    return Item(((words, role), key), deed, rank)


def _wrong(standing: Standing) -> Sequence[Item]:
    count = standing.problems
    if not count:
        return (Item(((f"{glyphs().ok} valid", "ok"),), rank=4),)
    return (Item((wrong_or_awaited(count, standing.awaited),), rank=3),)


def _form_or_json(standing: Standing) -> Item:
    form: Role = "faint" if standing.as_json else "accent"
    json: Role = "accent" if standing.as_json else "faint"
    return Item((("Form", form), (" / ", "faint"), ("JSON", json), (" e", "faint")), "json", 5)
