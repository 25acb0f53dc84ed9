"""Form of the chosen item: its description, its arguments, and the bar that sends the request.

Typed arguments are kept per item. Invalid input can be sent: the first press focuses the problem and shows it on the
button, the second one sends.
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
from inspector.forms.values import FormValue
from inspector.present.spans import Span, clip, spans_width
from inspector.present.words import badge
from inspector.protocol.listed_items import ListedItem
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.input_queue import drop_typed_ahead
from inspector.tui.screens.items.model import finding_spans
from inspector.tui.theme import glyphs, role_styles, spans_to_text
from inspector.tui.widgets.bars import BarItem, BarLine, PressBar, button_spans, form_or_json
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.schema_form.form import SchemaForm, awaited_count, hint_count, hints_span, wrong_or_awaited
from inspector.tui.widgets.schema_form.moves import FormScroll

_FOLDED = 2
"""Lines of the description that stay visible while a field has the focus."""
_SETTLED_S, _CLICK_S = 0.05, 0.2
"""Seconds until a focus change is known to come from the mouse, and until a released button has become a click."""
_FEW = 3
"""Lines that are visible otherwise, until the user asks for all."""
_ROOMY = 12
"""The same if there are no fields below."""
_LEAST = 20
"""Minimum width for which lines are wrapped."""

_VERDICTS: dict[str, Span] = {
    "fine": (f"{glyphs().ok} Valid", "ok"),
    "awaited": (glyphs().pending, "faint"),
    "none": (f"{glyphs().warning} Not validated", "warning"),
}


# The bar below the form: the button that sends, what it does now, and the switch between form and JSON


class CallBarContent(msgspec.Struct, frozen=True):
    problems: int = 0
    awaited: int = 0
    """Number of problems that are only required fields not filled in yet, which are no errors so far."""
    hints: int = 0
    """Number of texts of another format than the schema's, which can be sent."""
    verdict: Literal["fine", "awaited", "none"] = "fine"
    """State without problems: validated, not validated yet, or impossible to validate."""
    armed: bool = False
    """Whether the next press sends in spite of the problems."""
    as_json: bool = False
    why_not: str = ""
    """Why a press sends nothing, in our own text; "" if it sends."""
    tried: bool = False
    """Whether the user has pressed anyway."""
    verb: str = "Call"
    """Label of the button."""
    bare: bool = False
    """Whether there are no fields."""
    gone: bool = False
    """Whether the server no longer lists the item."""
    cautions: tuple[str, ...] = ()
    """Warnings to show before the request, one sentence each. May quote server text."""
    touched: bool = False
    """Whether any field differs from its initial value."""
    typing: bool = False
    """Whether a field has the focus, which takes letters: a button shows no key that would be typed."""
    task: str = ""
    """Whether the call runs as a task, as a short text of our own; "" if not applicable."""


class CallBar(PressBar):
    """Bar that sends the request: "call", "json", "task", "save", "reset". Its text shows what Enter does now."""

    BINDINGS = keys.bindings(keys.ActionScope.FORM_LINE)
    first = "call"

    def say(self, content: CallBarContent) -> None:
        """Show what a press does: send, send in spite of problems, or nothing and why."""
        as_json = content.as_json
        right: tuple[BarItem, ...] = (
            ()
            if content.bare
            else (
                BarItem(
                    form_or_json(keys.key_name("ctrl+o"), as_json=as_json), "json", rank=1 if content.why_not else 0
                ),
            )
        )
        left = tuple(_left(content))
        line = BarLine(left=left, right=right, inset=1)
        if not content.bare and not content.why_not:
            reset = (BarItem(button_spans("Reset", ""), "reset", rank=2),) if content.touched else ()
            for key in ("", "" if content.typing else keys.shown_key("saved.save")):
                save = BarItem(button_spans("Save call", key), "save", rank=3)
                keyed = BarLine(left=left, right=(*right, save, *reset), inset=1)
                line = keyed if not key or keyed.width <= self.size.width else line
        self.show([line])

    def action_do(self, name: str) -> None:
        """Do nothing: this bar has no letter keys."""


Description: TypeAlias = Callable[[ListedItem, bool, Sequence[list[Span]]], Iterable[list[Span]]]
"""Returns the lines about an item, most important first, given the item, whether to show all, and its findings."""


class _Kept(msgspec.Struct, frozen=True):
    """Input that was typed for an item."""

    schema: object
    """Schema of the form that it was typed into."""
    value: FormValue
    arguments: object
    """The input as JSON; UNSET for none."""
    touched: bool


def _left(content: CallBarContent) -> Sequence[BarItem]:
    problems = content.problems
    if content.why_not:
        nothing = "Not sent: " if content.tried else ""
        return (BarItem(((f"{glyphs().warning} {nothing}{content.why_not}", "warning"),)),)
    key = keys.key_name("ctrl+j")
    errors = counted(problems, "error")
    if problems and content.armed:
        return (BarItem(button_spans(f"{content.verb} anyway ({errors})", key, "warning"), "call"),)
    anyway = " anyway" if content.gone else ""
    items = [BarItem(button_spans(f"{content.verb}{anyway}", key, "button"), "call")]
    if content.gone:
        items.append(BarItem(((f"{glyphs().warning} no longer listed", "warning"),)))
    for caution in content.cautions[:1]:
        more = f" (+{len(content.cautions) - 1})" if len(content.cautions) > 1 else ""
        items.append(BarItem(((f"{glyphs().warning} {visible(caution, limit=200)}{more}", "warning"),)))
    if problems:
        items.append(BarItem((wrong_or_awaited(problems, content.awaited),)))
    elif content.hints:
        items.append(BarItem((hints_span(content.hints),)))
    elif not content.bare:
        items.append(BarItem((_VERDICTS[content.verdict],), rank=1))
    if content.task:
        items.append(BarItem(((content.task, "accent"),), "task", rank=1))
    return items


# Description of an item


class ItemHead(Static):
    """Description of an item: its beginning, and all of it on request, by a key or a click."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ItemHead { height: auto; padding: 0 2; margin: 0 0 1 0; }
    """

    def __init__(self, describe: Description) -> None:
        super().__init__("")
        self._describe = describe
        self._thing: ListedItem | None = None
        self._findings: Sequence[Finding] = ()
        self._used = ""
        self._full = False
        self._most = _FEW
        self._folded = False
        self._width = 0
        """Width for which the lines are wrapped."""

    def show(self, item: ListedItem | None, *, most: int = _FEW) -> None:
        """Show another item, in at most that many rows until the user asks for all."""
        self._thing, self._full, self._most = item, False, most
        self._renew()

    def toggle(self) -> None:
        """Toggle between the whole description and its beginning."""
        self._full = not self._full
        self._renew()

    def fold(self, folded: bool) -> bool:
        """Leave two lines to make room for the fields, or show the others again. Return whether it changed."""
        changed = folded is not self._folded
        if changed:
            self._folded = folded
            self._renew()
        return changed

    def list_findings(self, findings: Sequence[Finding]) -> None:
        """Show the findings, worst first. Cheap if they have not changed."""
        if list(findings) != list(self._findings):
            self._findings = findings
            self._renew()

    def show_usage(self, used: str) -> None:
        """Show the usage statistics of the item; "" for none."""
        if used != self._used:
            self._used = used
            self._renew()

    def on_resize(self, event: events.Resize) -> None:
        if self.content_size.width != self._width:
            self._renew()

    def on_click(self) -> None:
        """Show or hide the rest."""
        self.toggle()

    def _renew(self) -> None:
        self._width = self.content_size.width
        item, width = self._thing, self._width or self.app.size.width // 3
        lines = []
        if item is not None:
            lines = self._whole(item, width) if self._full and not self._folded else self._beginning(item, width)
        shown = Text("\n").join(lines)
        self.update(shown)

    def _whole(self, item: ListedItem, width: int) -> list[Text]:
        found: list[list[Span]] = [[(self._used, "muted")]] if self._used else []
        found += finding_spans(self._findings, full=True, evidence_key=keys.shown_key("screen.findings"))
        title, *lines = self._describe(item, True, found)
        dark = self.app.current_theme.dark
        return [spans_to_text(line, dark=dark) for line in (self._title(title, width), *lines)]

    def _beginning(self, item: ListedItem, width: int) -> list[Text]:
        """Return the title and as many rows of the next lines as there is space for."""
        found: list[list[Span]] = []
        if self._most == _ROOMY:
            evidence_key = keys.shown_key("screen.findings")
            found = finding_spans(self._findings, full=False, more_key=keys.key_name("i"), evidence_key=evidence_key)
        title, *lines = self._describe(item, False, found)
        dark = self.app.current_theme.dark
        most = (_FOLDED if self._folded else self._most) - 1
        rows: list[Text] = []
        is_cut = False
        before = ""
        for line in filter(spans_width, lines):
            role = line[0][1]
            if len(rows) >= most:
                is_cut = role == before == "foreign"
                break
            shown_text = spans_to_text(clip(line, (most + 1) * width), dark=dark)
            rows += shown_text.wrap(self.app.console, max(width, _LEAST), no_wrap=False, overflow="fold")
            before = role
        if is_cut or len(rows) > most:
            rows = rows[:most]
            rows[-1].truncate(max(0, width - 2))
            rows[-1].append(f" {glyphs().ellipsis}", role_styles(dark=dark)["faint"])
        return [spans_to_text(self._title(title, width), dark=dark), *rows]

    def _title(self, title: Sequence[Span], width: int) -> list[Span]:
        """Return the title, with the number of findings and the key for the rest at the right edge."""
        found = badge(self._findings)
        right: list[Span] = [found, (f" {glyphs().note} ", "faint")] if found is not None else []
        is_full = self._full and not self._folded
        right += [(keys.key_name("i"), "accent"), (" Less" if is_full else " Info", "muted")]
        room = max(0, width - spans_width(right) - 2)
        left = clip(title, room)
        return [*left, (" " * (room - spans_width(left) + 2), "text"), *right]


class ItemForm(Widget):
    DEFAULT_CSS = """
    ItemForm { layout: vertical; }
    ItemForm > .item--none { display: none; width: 1fr; height: 1fr; content-align: center middle; }
    ItemForm > .item--none { color: $text-muted; }
    ItemForm.-none > .item--none { display: block; }
    ItemForm.-none > VerticalScroll, ItemForm.-none > CallBar { display: none; }
    ItemForm > CallBar { margin: 0; dock: bottom; }
    """

    class CallWanted(Message):
        """The user sends a request for the item."""

        def __init__(self, item: ListedItem, arguments: object) -> None:
            super().__init__()
            self.item = item
            self.arguments = arguments
            """Any JSON; UNSET for none."""

    def __init__(self, head: ItemHead, *, one: str, verb: str) -> None:
        """`one` names the kind of item; `verb` is the label of the button."""
        super().__init__(classes="-none")
        self.item: ListedItem | None = None
        self.asks_later: Callable[[ListedItem], bool] = lambda item: False
        """Whether a dialog asks before the request of an item; it then also names the problems."""
        self._one, self._verb = one, verb
        self._kept: dict[tuple[type[ListedItem], str], _Kept] = {}
        self._schema: object = None
        self._gone = False
        self._armed: FormValue = None
        """Invalid value that the next press sends anyway: the button has shown its problems."""
        self._why_not = ""
        self._is_pressed = False
        """Whether a mouse button is held. The layout must not move until it is released."""
        self._tried = False
        """Whether the user pressed send while nothing could be sent."""
        self._head = head
        self._bar = CallBar()
        self.form = SchemaForm()

    def compose(self) -> ComposeResult:
        yield Static(Text(f"No {self._one} selected"), classes="item--none")
        with FormScroll(can_focus=False):
            yield self._head
            yield self.form
        yield from self.more()
        yield self._bar

    def more(self) -> ComposeResult:
        """Yield the widgets between form and bar."""
        yield from ()

    def schema(self, item: ListedItem) -> object:
        raise NotImplementedError

    def task_words(self) -> str:
        """Return whether the call runs as a task, as a short text; "" if not applicable."""
        return ""

    def toggle_task(self) -> None:
        """Toggle whether calls run as a task, if there is a choice."""

    def cautions(self) -> tuple[str, ...]:
        """Return the warnings to show before a request with these arguments, one sentence each."""
        return ()

    def withheld(self) -> str:
        """Return why no request with these arguments can be sent, not even on a second press; "" if one can."""
        return ""

    @property
    def is_ready(self) -> bool:
        return self._bar.is_mounted and self.form.is_ready

    async def show(self, item: ListedItem | None) -> None:
        """Show another item, or the current definition of the same one, with the arguments typed for it earlier.

        While the item's schema is unchanged, the form stays untouched.
        """
        if self.item is not None:
            self.form.read_editors()
            self._kept[_place(self.item)] = _kept(self.form, self._schema)
        same = item is not None and self.item is not None and _place(item) == _place(self.item)
        self.item = item
        self.set_class(item is None, "-none")
        if item is None:
            return
        schema = self.schema(item)
        self._head.show(item, most=_ROOMY if self.has_class("-bare") else _FEW)
        if same and schema == self._schema:
            return
        self._schema = schema
        focused = focused_path(self.form) if same else None
        await _load(self.form, schema, self._kept.get(_place(item)))
        if not same:
            self.query_one(FormScroll).scroll_home(animate=False)
        elif focused is not None:
            self.call_after_refresh(focus_at, self.form, focused)

    @property
    def params(self) -> dict[str, Any]:
        """Params of the request that would be sent."""
        found: dict[str, Any] = {"name": self.item.name} if self.item is not None else {}
        arguments = self.form.arguments
        return found if arguments is UNSET else found | {"arguments": arguments}

    async def take(self, arguments: object) -> None:
        """Fill in the arguments of an earlier call."""
        await self.form.take({} if arguments is None or arguments is UNSET else arguments)

    def show_why_not(self, why_not: str, *, gone: bool = False) -> None:
        """Show why no request can be sent now; "" if one can. `gone`: no longer listed, but can be requested."""
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
            CallBarContent(
                form.problem_count,
                awaited_count(form),
                hint_count(form),
                verdict="awaited" if verdict is None else "none" if verdict.ok is None else "fine",
                armed=self._armed is not None and self._armed is form.state.value,
                as_json=form.as_json,
                why_not=self._why_not or unreadable or self.withheld(),
                tried=self._tried,
                verb=self._verb,
                bare=self.has_class("-bare"),
                gone=self._gone,
                cautions=self.cautions(),
                touched=form.is_touched,
                typing=self.is_attached and form.has_focus_within,
                task=self.task_words(),
            )
        )

    def decline(self) -> None:
        """Show that nothing was sent: on the bar, or as a toast if the result hides it."""
        drop_typed_ahead(self)
        if not self.region and (why := self._why_not or self.withheld()):
            self.app.notify(why)
        self._tried = True
        self._renew_bar()

    async def send(self) -> None:
        """Request the item, or first show what is wrong with the arguments."""
        item, form = self.item, self.form
        if item is None:
            self.app.bell()
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
        await form.judge()
        if form.state.is_wrong and self._armed is not form.state.value:
            await form.show_all_problems()
            if not self.asks_later(item):
                drop_typed_ahead(self)
                self._armed = form.state.value
                self._renew_bar()
                return
        self._armed = None
        self._renew_bar()
        self.post_message(self.CallWanted(item, form.arguments))

    def arm(self) -> None:
        """Accept the current value as intended, valid or not, because it was sent before."""
        self._armed = self.form.state.value

    async def toggle_json(self) -> None:
        """Switch between form and JSON text."""
        if self.item is not None:
            await self.form.toggle_json()
            self._renew_bar()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Fold the description once a field has the focus."""
        self.set_timer(_SETTLED_S, self._fold_behind_press)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Unfold the description once no field has the focus."""
        self.set_timer(_SETTLED_S, self._fold_behind_press)

    def on_mouse_down(self) -> None:
        """Keep the layout still during a click."""
        self._is_pressed = True

    def on_mouse_up(self) -> None:
        """Fold or unfold after a focus change by mouse, once the click was handled."""
        self._is_pressed = False
        self.set_timer(_CLICK_S, self._fold)

    def on_key(self) -> None:
        """Note that no mouse button is held any more, even if it was released elsewhere."""
        self._is_pressed = False

    def _fold_behind_press(self) -> None:
        focused = self.screen.focused if self.is_attached else None
        way = [] if focused is None or self not in focused.ancestors else focused.ancestors_with_self
        self._fold_behind_ancestors(iter(takewhile(lambda node: node is not self, way)))

    def _fold_behind_ancestors(self, way: Iterator[DOMNode]) -> None:
        """Fold after all pending messages of the focused widget's ancestors, among them the press that focused it."""
        for node in way:
            if isinstance(node, Widget) and node.call_later(self._fold_behind_ancestors, way):
                return
        self._fold()

    def _fold(self) -> None:
        if self._is_pressed or not self.is_attached:
            return
        self._renew_bar()
        if self._head.fold(self.form.has_focus_within):
            self.call_after_refresh(self._reveal_from_top)
        else:
            self.call_after_refresh(self.query_one(FormScroll).reveal)

    def _reveal_from_top(self) -> None:
        """Scroll no further than the focused field needs: the head was longer when the field was scrolled into view."""
        scroll = self.query_one(FormScroll)
        if self.form.has_focus_within:
            scroll.scroll_home(animate=False, immediate=True)
        scroll.reveal()

    def list_findings(self, findings: Sequence[Finding]) -> None:
        """Show the findings about the item."""
        self._head.list_findings(findings)

    def show_usage(self, used: str) -> None:
        """Show the usage statistics of the item."""
        self._head.show_usage(used)

    def toggle_about(self) -> None:
        """Toggle between the whole description and its beginning."""
        self._head.toggle()

    def focus_first(self) -> None:
        """Focus the first field, or the button if there is none."""
        if self.form.focus_first():
            self._head.fold(True)  # now, so that no row moves a moment later, below a click
        else:
            self._bar.focus()

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Show on the bar what a press does now."""
        event.stop()
        self._tried = self._tried and bool(self._why_not or self.form.json_problem or self.withheld())
        self._renew_bar()

    async def on_press_bar_pressed(self, event: CallBar.Pressed) -> None:
        """Run the action of the bar."""
        event.stop()
        if event.action == "json":
            await self.toggle_json()
        elif event.action == "task":
            self.toggle_task()
        elif event.action == "reset":
            await self.form.reset()
        elif event.action == "save":
            panel = next(each for each in self.ancestors if hasattr(each, "action_do"))
            self.app.call_later(self.app.run_action, keys.action("saved.save").action, panel)
        else:
            await self.send()


def _kept(form: SchemaForm, schema: object) -> _Kept:
    """Return the current input of a form."""
    return _Kept(schema, form.state.value, form.arguments, form.is_touched)


async def _load(form: SchemaForm, schema: object, kept: _Kept | None) -> None:
    """Draw a form with kept input: its exact state if the schema is the same, else the arguments as JSON."""
    if kept is None or kept.schema == schema:
        await form.load(schema, kept.value if kept else UNSET)
        return
    await form.load(schema, UNSET)
    if kept.arguments is not UNSET and kept.touched:
        await form.take(kept.arguments)


def focused_path(form: SchemaForm) -> Path | None:
    """Return the path of the focused field; None if no field has the focus."""
    focused = form.screen.focused
    if focused is None or form not in focused.ancestors:
        return None
    node = next((each for each in focused.ancestors if isinstance(each, FieldNode)), None)
    return node.path if node is not None else None


async def focus_at(form: SchemaForm, path: Path) -> None:
    """Focus the field at a path, or the first one if that field no longer exists."""
    if form.has_field(path):
        await form.focus_at(path)
    else:
        form.focus_first()


def _place(item: ListedItem) -> tuple[type[ListedItem], str]:
    return type(item), item.key
