"""The form of the chosen item: what it says of itself, its arguments, and the line that sends the request.

What was typed for an item is kept by its key. Wrong input can be sent: the first press goes to what is wrong and
says so on the button, the second one sends.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any, Literal, TypeAlias

import msgspec
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.dom import DOMNode
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.checks.findings import Finding
from inspector.forms.fields import UNSET
from inspector.forms.paths import Path
from inspector.forms.values import FormValue, initial_value
from inspector.present.spans import Span
from inspector.protocol.things import ListedItem
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.screens.items.model import finding_spans
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar, button_spans, form_or_json
from inspector.tui.widgets.schema_form.fields import FieldNode, FormScroll
from inspector.tui.widgets.schema_form.form import SchemaForm, awaited_count, wrong_or_awaited

_FOLDED = 2
"""Lines of what an item says of itself that stay while a field has the focus."""
_SETTLED_S, _CLICK_S = 0.05, 0.2
"""Seconds after which it is known whether a focus came by mouse, and until a button that was let go was a click."""
_FEW = 3
"""Lines of a description, and so many characters each, that are shown at first."""
_LINE = 160

# The line below the form: the button that sends, what it would do, and the switch between form and JSON


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
    """Whether the person has pressed all the same."""
    verb: str = "Call"
    """What calling is."""
    bare: bool = False
    """Whether there are no fields."""
    gone: bool = False
    """Whether no longer listed by the server."""
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
                    form_or_json(keys.key_name("ctrl+o"), as_json=as_json),
                    "json",
                    rank=1 if saying.why_not else 0,
                ),
            )
        )
        self.show([BarLine(left=tuple(_left(saying)), right=right, inset=1)])

    def pressed(self, name: str) -> None:
        """Report what was clicked."""
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
        nothing = "Not sent: " if saying.tried else ""
        return (BarItem(((f"{glyphs().warning} {nothing}{saying.why_not}", "warning"),)),)
    key = keys.key_name("ctrl+j")
    errors = f"{problems} error{'' if problems == 1 else 's'}"
    if problems and saying.armed:
        return (BarItem(button_spans(f"{saying.verb} anyway ({errors})", key, "warning"), "call"),)
    anyway = " anyway" if saying.gone else ""
    items = [BarItem(button_spans(f"{saying.verb}{anyway}", key, "title"), "call")]
    if saying.gone:
        items.append(BarItem(((f"{glyphs().warning} no longer listed by the server", "warning"),)))
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


_VERDICTS: dict[str, Span] = {
    "fine": (f"{glyphs().ok} Valid", "ok"),
    "awaited": (glyphs().pending, "faint"),
    "none": (f"{glyphs().warning} Not validated", "warning"),
}


# What an item says of itself

Description: TypeAlias = Callable[[ListedItem, bool, Sequence[list[Span]]], Iterable[list[Span]]]
"""The lines about an item, what matters most first: of the item, whether all is shown, and what checks have found."""


class ItemHead(Static):
    """What an item says of itself. Long descriptions show their beginning until somebody asks for all."""

    DEFAULT_CSS = """
    ItemHead { height: auto; padding: 0 2; margin: 0 0 1 0; }
    ItemHead.-folded { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, describe: Description) -> None:
        super().__init__("")
        self._describe = describe
        self._thing: ListedItem | None = None
        self._findings: Sequence[Finding] = ()
        self._used = ""
        self._full = False
        self._folded = False

    def show(self, thing: ListedItem | None) -> None:
        """Show another item."""
        self._thing, self._full = thing, False
        self._renew()

    def toggle(self) -> None:
        """Show all of the description, or its beginning."""
        self._full = not self._full
        self._renew()

    def fold(self, folded: bool) -> None:
        """Show two lines, each cut at the edge, so that the fields have the room; or all of it again."""
        if folded is not self._folded:
            self._folded = folded
            self.set_class(folded, "-folded")
            self._renew()

    def say_findings(self, findings: Sequence[Finding]) -> None:
        """Say what was found, worst first; nearly free if it is what was said already."""
        if list(findings) != list(self._findings):
            self._findings = findings
            self._renew()

    def say_used(self, used: str) -> None:
        """Say how it has been used so far; "" for nothing."""
        if used != self._used:
            self._used = used
            self._renew()

    def _renew(self) -> None:
        lines = self._lines(self._thing) if self._thing is not None else []
        if self._folded and len(lines) > _FOLDED:
            last, cut = lines[_FOLDED - 1], lines[_FOLDED]
            is_one_text = bool(last and cut) and last[0][1] == cut[0][1]
            lines = [*lines[: _FOLDED - 1], [*last, (f" {glyphs().ellipsis}", "faint")] if is_one_text else last]
        inks = role_styles(dark=self.app.current_theme.dark)
        text = Text("\n").join(Text.assemble(*((part, inks[role]) for part, role in line)) for line in lines)
        self.update(text)

    def _lines(self, thing: ListedItem) -> list[list[Span]]:
        found: list[list[Span]] = []
        if self._findings and not self._folded:
            more_key, evidence_key = keys.key_name("i"), keys.shown_key("screen.findings")
            found = finding_spans(self._findings, full=self._full, more_key=more_key, evidence_key=evidence_key)
        if self._used and not self._folded:
            found = [[(self._used, "muted")], *found]
        return list(self._describe(thing, self._full, found))


def beginning(described: list[list[Span]]) -> Iterator[list[Span]]:
    """The first lines of a description, and the key that shows the others."""
    left = _FEW * _LINE
    for at, line in enumerate(described):
        length = sum(len(part) for part, _ in line)
        if at >= _FEW or length > left:
            words, role = line[0]
            cut = words[: max(left, 0)] if at < _FEW else ""
            yield [(cut, role), (f"{glyphs().ellipsis} i shows all", "accent")]
            return
        left -= length
        yield line


class ItemForm(Widget):
    """The form of one item."""

    DEFAULT_CSS = """
    ItemForm { layout: vertical; }
    ItemForm > VerticalScroll { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    ItemForm > .item--none { display: none; width: 1fr; height: 1fr; content-align: center middle; }
    ItemForm > .item--none { color: $text-muted; }
    ItemForm.-none > .item--none { display: block; }
    ItemForm.-none > VerticalScroll, ItemForm.-none > CallBar { display: none; }
    ItemForm > CallBar { margin: 0; }
    """

    class CallWanted(Message):
        """The person wants the thing to be asked for."""

        def __init__(self, thing: ListedItem, arguments: object) -> None:
            super().__init__()
            self.thing = thing
            self.arguments = arguments
            """Any JSON; UNSET for none."""

    def __init__(self, head: ItemHead, *, one: str, verb: str) -> None:
        """`one` names the kind; `verb` is what the button does."""
        super().__init__(classes="-none")
        self.thing: ListedItem | None = None
        self._one, self._verb = one, verb
        self._kept: dict[tuple[type[ListedItem], str], _Kept] = {}
        self._schema: object = None
        self._gone = False
        self._armed: FormValue = None
        """The value for which the button has said that it is wrong."""
        self._why_not = ""
        self._is_pressed = False
        """Whether a mouse button is held: nothing may move below it until it is let go."""
        self._tried = False
        """Whether it was wanted when it could not be asked for."""
        self._head = head
        self._bar = CallBar()
        self.form = SchemaForm()
        """The form."""

    def compose(self) -> ComposeResult:
        """Head and form scroll together; the bar stays."""
        yield Static(Text(f"No {self._one} selected"), classes="item--none")
        with FormScroll(can_focus=False):
            yield self._head
            yield self.form
        yield from self.more()
        yield self._bar

    def more(self) -> ComposeResult:
        """What stands between form and bar."""
        yield from ()

    def schema(self, thing: ListedItem) -> object:
        """The schema to draw."""
        raise NotImplementedError

    def task_words(self) -> str:
        """Whether the call is a task, in a few words; "" where that means nothing."""
        return ""

    def toggle_task(self) -> None:
        """Call as a task from now on, or not, where there is the choice."""

    def cautions(self) -> tuple[str, ...]:
        """What should be known before the thing is asked for with these arguments, a sentence each."""
        return ()

    def withheld(self) -> str:
        """Why the thing can't be asked for with these arguments, however much somebody wants to; "" if it can."""
        return ""

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self._bar.is_mounted and self.form.is_ready

    async def show(self, thing: ListedItem | None) -> None:
        """Show another thing, or the same one as it is now, with what was typed for it before.

        While its schema is the same, nothing of the form is touched.
        """
        if self.thing is not None:
            self.form.read_editors()
            self._kept[_place(self.thing)] = _kept(self.form, self._schema)
        same = thing is not None and self.thing is not None and _place(thing) == _place(self.thing)
        self.thing = thing
        self.set_class(thing is None, "-none")
        if thing is None:
            return
        self._head.show(thing)
        schema = self.schema(thing)
        if same and schema == self._schema:
            return
        self._schema = schema
        focused = focused_path(self.form) if same else None
        await _load(self.form, schema, self._kept.get(_place(thing)))
        if not same:
            self.query_one(FormScroll).scroll_home(animate=False)
        elif focused is not None:
            self.call_after_refresh(focus_at, self.form, focused)

    @property
    def params(self) -> dict[str, Any]:
        """The params of the request that would be sent."""
        found: dict[str, Any] = {"name": self.thing.name} if self.thing is not None else {}
        arguments = self.form.arguments
        return found if arguments is UNSET else found | {"arguments": arguments}

    async def take(self, arguments: object) -> None:
        """Take the arguments of an earlier call."""
        await self.form.take({} if arguments is None or arguments is UNSET else arguments)

    def say_why_not(self, why_not: str, *, gone: bool = False) -> None:
        """Say why nothing can be called now; "" if it can. `gone`: it is listed no more, which hinders nothing."""
        if gone is not self._gone:
            self._gone = gone
            self._renew_bar()
        if why_not != self._why_not:
            self._why_not, self._tried = why_not, False
            self._renew_bar()

    def _renew_bar(self) -> None:
        form = self.form
        verdict = form.state.verdict
        unreadable = "invalid JSON" if form.json_problem and self._tried else ""
        self._bar.say(
            Saying(
                form.problem_count,
                awaited_count(form),
                verdict="awaited" if verdict is None else "none" if verdict.ok is None else "fine",
                armed=self._armed is not None and self._armed is form.state.value,
                as_json=form.as_json,
                why_not=self._why_not or unreadable or self.withheld(),
                tried=self._tried,
                verb=self._verb,
                bare=self.has_class("-bare"),
                gone=self._gone,
                cautions=self.cautions(),
                task=self.task_words(),
            )
        )

    def decline(self) -> None:
        """Say on the bar that nothing was sent."""
        self._tried = True
        self._renew_bar()

    async def send(self) -> None:
        """Want it, or say first what is wrong with its arguments."""
        thing, form = self.thing, self.form
        if thing is None:
            return
        if self._why_not:
            self.decline()
            return
        form.read_editors()
        if form.json_problem:
            self.decline()
            form.focus_first()
            return
        if self.withheld():
            self.decline()
            return
        verdict = await form.judge()
        if verdict.ok is False and self._armed is not form.state.value:
            self._armed = form.state.value
            await form.insist()
            self._renew_bar()
            return
        self._armed = None
        self._renew_bar()
        self.post_message(self.CallWanted(thing, form.arguments))

    def arm(self) -> None:
        """Take the value as it is for what the person wants, right or wrong: it was sent before."""
        self._armed = self.form.state.value

    async def toggle_json(self) -> None:
        """Between form and JSON text."""
        if self.thing is not None:
            await self.form.toggle_json()
            self._renew_bar()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Give the fields the room once one of them is typed into."""
        self.set_timer(_SETTLED_S, self._fold_behind_press)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Show the text above again once no field has the focus."""
        self.set_timer(_SETTLED_S, self._fold_behind_press)

    def on_mouse_down(self) -> None:
        """Let everything stay where it is while something is clicked."""
        self._is_pressed = True

    def on_mouse_up(self) -> None:
        """Fold what a focus by mouse left as it was, once the click has been taken."""
        self._is_pressed = False
        self.set_timer(_CLICK_S, self._fold)

    def on_key(self) -> None:
        """A button that was let go elsewhere is not held any more."""
        self._is_pressed = False

    def _fold_behind_press(self) -> None:
        focused = self.screen.focused if self.is_attached else None
        way = [] if focused is None or self not in focused.ancestors else focused.ancestors_with_self
        self._climb(iter(takewhile(lambda node: node is not self, way)))

    def _climb(self, way: Iterator[DOMNode]) -> None:
        """Fold behind all that the widgets between the focus and this have to do: a press that focused it is there."""
        for node in way:
            if isinstance(node, Widget) and node.call_later(self._climb, way):
                return
        self._fold()

    def _fold(self) -> None:
        if self._is_pressed or not self.is_attached:
            return
        self._head.fold(self.form.has_focus_within)
        focused = self.screen.focused
        if focused is not None and self.form in focused.ancestors:
            self.call_after_refresh(focused.scroll_visible, animate=False)

    def say_findings(self, findings: Sequence[Finding]) -> None:
        """Say what checks have found about the item."""
        self._head.say_findings(findings)

    def say_used(self, used: str) -> None:
        """Say how the thing has been used so far."""
        self._head.say_used(used)

    def toggle_about(self) -> None:
        """Show all of the description, or its beginning."""
        self._head.toggle()

    def focus_first(self) -> None:
        """Focus the first field, or the button where there is none."""
        self._bar.focus()
        self.form.focus_first()

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Say on the bar what a press would do now."""
        event.stop()
        self._tried = self._tried and bool(self._why_not or self.form.json_problem or self.withheld())
        self._renew_bar()

    async def on_call_bar_pressed(self, event: CallBar.Pressed) -> None:
        """Call, or show the other view."""
        event.stop()
        if event.deed == "json":
            await self.toggle_json()
        elif event.deed == "task":
            self.toggle_task()
        else:
            await self.send()


class _Kept(msgspec.Struct, frozen=True):
    """What was typed for a thing."""

    schema: object
    """Of the form that it was typed into."""
    value: FormValue
    arguments: object
    """The JSON that it came to; UNSET for none."""
    touched: bool


def _kept(form: SchemaForm, schema: object) -> _Kept:
    """What has been typed into a form so far."""
    state = form.state
    return _Kept(schema, state.value, form.arguments, state.value != initial_value(state.root))


async def _load(form: SchemaForm, schema: object, kept: _Kept | None) -> None:
    """Draw a form with what was typed: exactly that if the schema is the same, else the JSON that it came to."""
    if kept is None or kept.schema == schema:
        await form.load(schema, kept.value if kept else UNSET)
        return
    await form.load(schema, UNSET)
    if kept.arguments is not UNSET and kept.touched:
        await form.take(kept.arguments)


def focused_path(form: SchemaForm) -> Path | None:
    """The place of the field that has the focus; None if none has."""
    focused = form.screen.focused
    if focused is None or form not in focused.ancestors:
        return None
    node = next((each for each in focused.ancestors if isinstance(each, FieldNode)), None)
    return node.path if node is not None else None


def focus_at(form: SchemaForm, path: Path) -> None:
    """Focus the field at a place, or the first one if there is none any more."""
    node = next((each for each in form.query(FieldNode) if each.path == path), None)
    if node is not None and node.path:
        node.focus_editor()
    else:
        form.focus_first()


def _place(thing: ListedItem) -> tuple[type[ListedItem], str]:
    return type(thing), thing.key
