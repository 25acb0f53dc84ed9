"""One field of a form: its editor sets its value, and its head offers actions.

A field may contain other fields. A value that the field's own editor can't show is edited as JSON instead.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    ChoiceField,
    Field,
    JsonField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.interpret import branches_of, interpret, interpret_json, json_kind, text_for
from inspector.forms.paths import Path
from inspector.forms.typed import json_text, same, text_of
from inspector.forms.values import FormValue, branch_of, fresh_value, from_json
from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.schema_form.editors import (
    BlockEdit,
    ChoiceSegments,
    LineEdit,
    ValueLine,
    block_of,
    put_text,
    run_of,
    toggled,
)
from inspector.tui.widgets.schema_form.moves import steps_of
from inspector.tui.widgets.schema_form.state import FormState, Shape, is_container, member_field, shape_of
from inspector.tui.widgets.schema_form.view import (
    FieldAction,
    FieldPlace,
    FormBar,
    about,
    classes_of,
    field_actions,
    has_head,
    head_spans,
    invites,
    is_row,
    kind_width,
    name_width,
    nothing_words,
    state_of,
    unknown_member,
    with_problems,
)
from inspector.tui.widgets.segments import Segments


class FieldNode(Widget):
    """A field of a form, drawn for its current value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("form.unset")),
        keys.binding(keys.action("form.null")),
    ]

    DEFAULT_CSS = """
    FieldNode { height: auto; layout: vertical; margin: 0 0 1 0; }
    FieldNode.-bare { margin: 0; }
    FieldNode.-last { margin: 0; }
    FieldNode > .field--about {
        color: $text-muted; height: auto; max-height: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    FieldNode.-leaf:focus-within > .field--about { max-height: 12; text-wrap: wrap; }
    FieldNode > .field--wrong { color: $text-error; height: auto; }
    FieldNode.-leaf { border-left: blank; padding-left: 1; }
    FieldNode.-leaf.-wrong { border-left: heavy $error; }
    FieldNode.-leaf:focus-within { border-left: outer $accent; }
    FieldNode.-group { border-left: vkey $border-blurred; padding-left: 1; }
    FieldNode.-group.-wrong { border-left: heavy $error; }
    FieldNode.-group.-bare { border-left: none; padding-left: 0; }
    FieldNode.-group.-at-head, FieldNode.-leaf.-wrong:focus-within { border-left: outer $accent; }
    FieldNode.-folded > .field--body { display: none; }
    FieldNode.-row { layout: grid; grid-size: 2; grid-rows: auto; }
    FieldNode.-row.-plain { margin: 0; }
    FieldNode.-row > .field--about, FieldNode.-row > .field--wrong { column-span: 2; }
    """

    class Asked(Message):
        """A member or an item requests an action of its container: "remove", "up", "down"."""

        def __init__(self, control: "FieldNode", action: str) -> None:
            super().__init__()
            self._control = control
            self.action = action

        @property
        def control(self) -> "FieldNode":
            """The member or item."""
            return self._control

    def __init__(self, state: FormState, path: Path, field: Field, place: FieldPlace) -> None:
        super().__init__()
        self.state = state
        self.path = path
        self.field = field
        self.place = place
        self._asked: Opened | None = None
        self._text: str | None = None
        self._own_problem = self._own_note = ""
        self._kind = ""
        """Kind of the current value, if the field allows several."""
        self._problems: Sequence[str] = ()
        self._within = 0
        """Number of problems in the fields within."""
        self._shape: Shape = shape_of(field, self.value, self.selected)
        self.update_classes(classes_of(field, place, self._shape), update=False)

    @property
    def value(self) -> FormValue:
        """Current value."""
        return self.state.at(self.path)

    @property
    def asked(self) -> Opened:
        """The field's schema, read on first access."""
        if self._asked is None:
            self._asked = opened(self.field)
        return self._asked

    @property
    def is_wrong(self) -> bool:
        """Whether the field itself has a problem."""
        return self.has_class("-wrong")

    # Drawing

    def compose(self) -> ComposeResult:
        """Draw the field for its current value."""
        self._shape = shape_of(self.field, self.value, self.selected)
        self._kind = self._kind_now()
        row = is_row(self.place, self._shape)
        lines = about(self.field, self._shape, self.place)
        self.update_classes(classes_of(self.field, self.place, self._shape))
        if has_head(self.place):
            yield FormBar(*self._head(), classes="field--head", letters=not row)
        said = [Static(Text(lines), classes="field--about")] if lines else []
        if row:  # the description is below the editor
            self.styles.grid_columns = f"{self.place.head_width} 1fr"
            for each in said:
                each.styles.padding = (0, 0, 0, self.place.head_width)
            yield from self._body()
            yield from said
        else:
            yield from said
            yield from self._body()

    def _body(self) -> ComposeResult:
        value = self.value
        match self._shape:
            case "line" | "block" | "json":
                yield self._known(self._edit(value))
            case "opener":
                yield self._known(ValueLine("", ghost=state_of(self.field, value, "opener")[0]))
            case "picker":
                ghost, _ = state_of(self.asked, value, "picker")
                yield self._known(
                    ValueLine("" if _is_state(self.field, value) else text_of(self.asked, value), ghost=ghost)
                )
            case "options":
                yield ChoiceSegments(self.asked, value).segments(value)
            case "several":
                yield _several(self.asked, self.value)
            case "object" | "list" | "union":
                yield body_of(self)

    def _edit(self, value: FormValue) -> LineEdit | BlockEdit:
        """Return the editor of a text; the branch that reads it back as the value is selected."""
        asked = self.asked
        ghost, spare = state_of(asked, value, self._shape)
        found = None if self._shape == "json" else text_for(asked, value, self.selected)
        text, selected = found or (json_text(value), self.selected)
        if self._shape == "line" and _is_state(self.field, value):
            text = ""
        if selected is not None:
            self.state.selected[self.path] = selected
        secret = isinstance(asked, TextField) and (asked.write_only or asked.format == "password")
        if self._shape == "line":
            return ValueLine(text, ghost=ghost, spare=spare, secret=secret)
        return block_of(text, ghost=ghost, wrap=self._shape == "block")

    @property
    def selected(self) -> int | None:
        """The branch that the user has selected."""
        return self.state.selected.get(self.path) if self.place.chooses else None

    def _known(self, edit: LineEdit | BlockEdit) -> Widget:
        """Remember the initial text of an editor: a different text was typed by the user."""
        self._text = edit.written
        return edit

    def _head(self) -> tuple[list[Span], list[FieldAction]]:
        folded = self.has_class("-folded")
        spans = head_spans(self.field, self.place, self._shape, self.value, folded=folded, kind=self._kind)
        actions = field_actions(self.field, self.place, self._shape, folded=folded)
        return with_problems(spans, self._within) if folded else spans, actions

    async def redraw(self) -> None:
        """Draw the field again, because its value has changed its shape."""
        self._own_problem = self._own_note = ""
        await self.recompose()
        self._say()

    async def draw_and_focus(self) -> None:
        """Draw the field again, with the focus in it."""
        await self.redraw()
        self.focus_editor()

    def _kind_now(self) -> str:
        """Return the kind of the current value if the field allows several; "" if it has none."""
        if self.value is UNSET and self.selected is not None:
            return branches_of(self.asked)[self.selected].title
        if self.value is UNSET or self.value is None or not branches_of(self.field):
            return ""
        return interpret(self.asked, self._text, self.selected).kind if self._text else json_kind(self.value)

    def fold(self, *, folded: bool) -> None:
        """Hide or show the fields within."""
        self.set_class(folded, "-folded")
        self._renew_head()

    def show_problems(self, problems: Sequence[str], *, within: int = 0) -> None:
        """Show the problems of this field, and the number of problems in the fields `within`."""
        if within != self._within:
            self._within = within
            self._renew_head()
        if list(problems) != list(self._problems):
            self._problems = list(problems)
            self._say()

    def _say(self) -> None:
        lines = [self._own_problem] if self._own_problem else list(self._problems)
        self.set_class(bool(lines), "-wrong")
        shown = [f"{glyphs().error} {visible(line, limit=400)}" for line in lines[:5]]
        if self._own_note and not lines:
            shown = [f"{glyphs().warning} {visible(self._own_note, limit=400)}"]
        found = self.query_children(".field--wrong").results(Static)
        static = next(iter(found), None)
        if static is None and shown and self.is_mounted:
            static = Static("", classes="field--wrong")
            if self.has_class("-row"):
                static.styles.padding = (0, 0, 0, self.place.head_width)
            self.mount(static)
        if static is not None:
            static.display = bool(shown)
            static.update(Text("\n".join(shown)))

    def _renew_head(self) -> None:
        for head in self.query_children(".field--head").results(FormBar):
            head.show(*self._head())

    def focus_at(self, path: Path, *, at_head: bool = False) -> Widget | None:
        """Focus the field at a path within this one, its editor or its head. Return the focused widget."""
        node = next((node for node in self.query(FieldNode) if node.path == path), self)
        return node.focus_first() if at_head else node.focus_editor()

    def focus_editor(self) -> Widget | None:
        """Focus the first editor of this field, or else its head. Return the focused widget."""
        able = [widget for widget in self.query("*") if widget.focusable]
        editors = [widget for widget in able if not isinstance(widget, FormBar)]
        for widget in editors or able:
            widget.focus()
            return widget
        return None

    def focus_first(self) -> Widget | None:
        """Focus the head of this field, or its editor. Return the focused widget."""
        for widget in self.query("*"):
            if widget.focusable:
                widget.focus()
                return widget
        return None

    # Setting values

    async def write(self, value: FormValue) -> None:
        """Set the value, and draw the field again if it needs another editor."""
        self.state.put(self.path, value)
        if shape_of(self.field, self.value, self.selected) != self._shape or self._shape == "picker":
            await self.redraw()
        else:
            self._renew_head()

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Set the value from the line; in a closed field, open it."""
        event.stop()
        if self._shape not in ("opener", "picker"):
            self._typed(event.value)
        elif event.value != self._text:
            text, self._text = event.value, event.value
            await self._opens(text.removeprefix(self._chosen) if self._shape == "picker" else text)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Set the value from the block."""
        event.stop()
        self._typed(event.text_area.text)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open a closed field, or focus the next value."""
        event.stop()
        if not await self._opens() and (steps := steps_of(self)):
            steps.action_step(1)

    async def on_value_line_clicked(self, event: ValueLine.Clicked) -> None:
        """Open a closed field."""
        event.stop()
        await self._opens()

    async def _opens(self, typed: str = "") -> bool:
        """Open a closed field; return whether it was closed."""
        shape = self._shape
        if shape == "opener":
            await self._open(typed)
        elif shape == "picker":
            self._choose(typed)
        return shape in ("opener", "picker")

    async def on_value_line_turned(self, event: ValueLine.Turned) -> None:
        """Select the next or previous branch, and read the text as its value if it can be."""
        event.stop()
        branches = branches_of(self.asked)
        if len(branches) < 2:
            return
        now = self.selected
        if now is None and self._text:
            now = interpret(self.asked, self._text).branch or 0
        number = len(branches)
        to = (0 if event.by > 0 else number - 1) if now is None else (now + event.by) % number
        self.state.selected[self.path] = to
        text, self._text = self._text or "", None
        if text:
            self._typed(text)
        elif is_container(branches[to].field):
            self.state.put(self.path, fresh_value(branches[to].field))
            await self.draw_and_focus()
        self._text = text
        self._kind = self._kind_now()
        self._renew_head()

    def read_editor(self) -> None:
        """Set the value from the editor, in case Textual has not reported the last change yet."""
        for edit in self.query_children("LineEdit, BlockEdit"):
            if isinstance(edit, LineEdit | BlockEdit) and self._shape not in ("opener", "picker"):
                self._typed(edit.written)

    def _typed(self, text: str) -> None:
        if text == self._text:
            return
        run, self._text = run_of(self._text or "", text), text
        as_json = self._shape == "json" and not isinstance(self.asked, JsonField)
        reading = interpret_json(text) if as_json else interpret(self.asked, text, self.selected)
        self._own_problem, self._own_note = reading.problem, reading.note
        self.state.type(self.path, reading, run)
        for edit in self.children:
            if isinstance(edit, ValueLine | BlockEdit):
                edit.show_state(*state_of(self.asked, self.value if self.value in (UNSET, "") else UNSET, self._shape))
        kind = self._kind_now()
        if kind != self._kind:
            self._kind = kind
            self._renew_head()
        self._say()

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        asked = self.asked
        if self._shape == "several" and isinstance(asked, ChoiceField):
            event.control.choose(*toggled(event.control.chosen, event.index))
            chosen = event.control.chosen
            self.state.put(self.path, [asked.options[at].value for at in chosen])
        elif self._shape == "options":
            event.control.choose(event.index)
            await self.write(ChoiceSegments(asked, self.value).values[event.index])

    def on_segments_typed(self, event: Segments.Typed) -> None:
        """Stop the event: no choice begins with this letter, and the field has no other place to type."""
        event.stop()

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Run an action of the head."""
        event.stop()
        match event.action:
            case "fold":
                self.fold(folded=not self.has_class("-folded"))
            case "remove" if not self.place.removable:
                await self.write(UNSET)
                self.focus_first()
            case action:
                self.post_message(self.Asked(self, action))

    async def on_field_node_asked(self, event: Asked) -> None:
        """Remove or move a member or an item."""
        if event.control is self:
            return
        event.stop()
        path = event.control.path
        if event.action == "remove":
            self.state.remove(path)
        else:
            to = int(path[-1]) + (1 if event.action == "down" else -1)
            self.state.move(path, to)
            path = (*path[:-1], to)
        await self.redraw()
        self.focus_at(path, at_head=event.action != "remove")

    async def _open(self, typed: str = "") -> None:
        """Open a closed field with the cursor in its first place, where the text goes. JSON is typed as a whole."""
        self.field = self.asked
        if typed[:1] in ("{", "["):
            self.state.type(self.path, interpret(self.field, typed))
            typed = ""
        else:
            fresh = fresh_value(self.field)
            if fresh == [] and isinstance(self.field, ArrayField):
                item = self.field.item_at(0)
                fresh = [] if item is None else [fresh_value(item)]
            self.state.put(self.path, fresh)
        await self.redraw()
        put_text(self.focus_editor(), typed)

    async def add_item(self, typed: str = "") -> None:
        """Add an item to a list, with the cursor in it, where the text goes."""
        value, asked = self.value, self.asked
        if not isinstance(value, list) or not isinstance(asked, ArrayField):
            return
        item = asked.item_at(len(value))
        self.state.put(self.path, [*value, UNSET if item is None else fresh_value(item)])
        await self.redraw()
        put_text(self.focus_at((*self.path, len(value))), typed)

    @property
    def _chosen(self) -> str:
        """The title of the chosen option in the line of a picker."""
        return "" if _is_state(self.field, self.value) else text_of(self.asked, self.value)

    def _choose(self, typed: str = "") -> None:
        asked = self.asked
        assert isinstance(asked, ChoiceField)

        async def chosen(index: int | None) -> None:
            await self.write(self.value if index is None else asked.options[index].value)
            self.focus_editor()

        titles = [each.title for each in asked.options]
        self.app.push_screen(ChooseScreen(visible(self.place.name), titles, typed), chosen)

    async def action_unset(self) -> None:
        """Set no value. A field without a value gets its default; without a default the field around it is unset."""
        default = self.field.default
        around = _around(self, lambda node: node.value is not UNSET)
        if self.value is UNSET and default is UNSET and around is not None:
            await around.action_unset()
        else:
            again = self.value is UNSET and default is not UNSET
            await self._set_state(from_json(self.field, default) if again else UNSET)

    async def action_null(self) -> None:
        """Set null, or null back to no value: the nearest field that can be null, or else this one."""
        around = None if self.field.nullable or self.value is None else _around(self, lambda node: node.field.nullable)
        if around is not None:
            await around.action_null()
        else:
            await self._set_state(UNSET if self.value is None else None)

    async def _set_state(self, value: FormValue) -> None:
        self.state.selected.pop(self.path, None)
        self.state.put(self.path, value)
        await self.draw_and_focus()


def _is_state(field: Field, value: FormValue) -> bool:
    """Return whether a value is shown as a state of the field rather than as its text."""
    return value is UNSET or value is None or (field.default is not UNSET and same(field.default, value))


def _several(asked: Opened, value: FormValue) -> Segments:
    """Return the options of a list of choices; those in the list are on."""
    assert isinstance(asked, ChoiceField)
    chosen = value if isinstance(value, list) else []
    on = [at for at, option in enumerate(asked.options) if option.value in chosen]
    return Segments([option.title for option in asked.options], on, multi=True)


def _around(node: FieldNode, wanted: Callable[[FieldNode], bool]) -> FieldNode | None:
    """Return the nearest field around a field, below the root, that meets a condition."""
    nodes = (each for each in node.ancestors if isinstance(each, FieldNode) and each.path)
    return next((each for each in nodes if wanted(each)), None)


# A union: a line to choose the branch, and the fields of that branch below.


class UnionBody(Vertical):
    """The branches of a union, one of them drawn."""

    DEFAULT_CSS = """
    UnionBody { height: auto; }
    UnionBody > Segments { margin: 0 0 0 1; }
    UnionBody > Segments:focus { margin: 0; border-left: outer $accent; }
    """

    def __init__(self, node: "FieldNode", asked: UnionField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked
        self._kept: dict[int, FormValue] = {}
        has_value = node.value is not UNSET and node.value is not None
        self._branch = branch_of(asked, node.value) if has_value else None

    def compose(self) -> ComposeResult:
        """Draw the choice and the chosen branch."""
        node, titles = self._node, [branch.title for branch in self._asked.branches]
        null = ["null"] if self._asked.nullable or node.value is None else []
        chosen = len(titles) + 1 if node.value is None else 0 if self._branch is None else self._branch + 1
        yield Segments(["unset", *titles, *null], (chosen,), faint=1)
        if self._branch is not None:
            branch = self._asked.branches[self._branch]
            yield FieldNode(node.state, node.path, branch.field, FieldPlace(bare=True, chooses=False))

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Draw another branch, with its previous input or what it needs."""
        event.stop()
        node, number = self._node, len(self._asked.branches)
        if self._branch is not None:
            self._kept[self._branch] = node.value
        self._branch = event.index - 1 if 0 < event.index <= number else None
        if self._branch is None:
            node.state.selected.pop(node.path, None)
        else:
            node.state.selected[node.path] = self._branch
        node.state.put(node.path, None if event.index > number else self._value_for(self._branch))
        if shape_of(node.field, node.value, node.selected) != "union":
            node.call_later(node.draw_and_focus)  # not from here: this widget is removed by that
            return
        await self.recompose()
        self.query_one(Segments).focus()

    async def on_segments_typed(self, event: Segments.Typed) -> None:
        """Type a text that begins no branch into the first place of the branch, the first one if none is chosen."""
        event.stop()
        if self._branch is None:
            await self.on_segments_chosen(Segments.Chosen(event.control, 1))
        put_text(self.query_one(FieldNode).focus_editor(), event.text)

    def _value_for(self, branch: int | None) -> FormValue:
        if branch is None:
            return UNSET
        return self._kept.get(branch, fresh_value(self._asked.branches[branch].field))


# The body of a field that contains fields: the members of an object, the items of a list.

MOST_ITEMS = 100
_AT_ONCE = 40
"""Number of members that are drawn at once; the others follow."""


def body_of(node: FieldNode) -> Vertical:
    """Return the body of a field that contains fields."""
    if isinstance(node.asked, UnionField):
        return UnionBody(node, node.asked)
    return ObjectBody(node, node.asked) if isinstance(node.asked, ObjectField) else ListBody(node)


class ObjectBody(Vertical):
    """The members of an object: those in the schema, in its order, then the others."""

    DEFAULT_CSS = """
    ObjectBody { height: auto; }
    ObjectBody > Input, ObjectBody > Input.-textual-compact {
        background: $background; border: none; height: 1; padding: 0 2;
    }
    ObjectBody > Input.-textual-compact:focus {
        background: $panel; border-left: outer $accent !important; padding: 0 1;
    }
    ObjectBody > .body--none { color: $text-muted; padding: 0 2; }
    """

    def __init__(self, node: FieldNode, asked: ObjectField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked
        self._later: list[FieldNode] = []

    class Grown(Message):
        """More members have been drawn."""

    def compose(self) -> ComposeResult:
        """Draw the members, at once as many as a screen shows."""
        node, asked = self._node, self._asked
        value = node.value if isinstance(node.value, dict) else {}
        named = dict(asked.properties)
        names = [*named, *(name for name in value if name not in named)]
        more_wanted = invites(asked)
        fields = {name: named.get(name) or member_field(asked, name) or unknown_member(asked) for name in names}
        widths = {name: name_width(name, field) for name, field in fields.items()}
        kinds = max((kind_width(field) for field in fields.values()), default=0)
        nodes = []
        for name, field in fields.items():
            last = name == names[-1] and not more_wanted and bool(node.path)
            columns = (max(widths.values()), kinds) if widths[name] else (0, 0)
            place = FieldPlace(name, removable=name not in named, last=last, columns=columns)
            nodes.append(FieldNode(node.state, (*node.path, name), field, place))
        yield from nodes[:_AT_ONCE]
        self._later = nodes[_AT_ONCE:]
        if self._later:
            self.call_after_refresh(self._grow)
        if not names:
            yield Static(nothing_words(root=not node.path, open_=more_wanted), classes="body--none")
        if more_wanted:
            more = "+ name of the property to add"
            yield Input(placeholder=more, compact=True, select_on_focus=False, classes="body--more")

    async def _grow(self) -> None:
        """Draw the next members."""
        more, self._later = self._later[:_AT_ONCE], self._later[_AT_ONCE:]
        if not self.is_attached:
            return
        end = self.query_children(".body--more")
        await self.mount(*more, before=end.first() if end else None)
        if self._later:
            self.call_after_refresh(self._grow)
        else:
            self.post_message(self.Grown())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the event: the name of a new member is not the value of a field."""
        event.stop()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a member with this name."""
        event.stop()
        await self._add(event.value)

    async def on_input_blurred(self, event: Input.Blurred) -> None:
        """Add a member with this name."""
        if event.input.parent is self:
            event.stop()
            await self._add(event.value)

    async def _add(self, name: str) -> None:
        node = self._node
        value = node.value if isinstance(node.value, dict) else {}
        if not name or name in value:
            return
        field = member_field(self._asked, name)
        node.state.put((*node.path, name), UNSET if field is None else fresh_value(field))
        await node.redraw()
        node.focus_at((*node.path, name))


class ListBody(Vertical):
    """The items of a list, and a line to add one."""

    DEFAULT_CSS = """
    ListBody { height: auto; }
    ListBody > .body--none { color: $text-warning; padding: 0 2; }
    ListBody > ValueLine.-textual-compact { margin: 0 0 0 2; background: $background; padding: 0; }
    ListBody > ValueLine.-textual-compact:focus {
        background: $block-cursor-background; margin: 0 0 0 1; border-left: outer $accent !important;
    }
    """

    def __init__(self, node: FieldNode) -> None:
        super().__init__(classes="field--body")
        self._node = node

    def compose(self) -> ComposeResult:
        """Draw the items."""
        node = self._node
        value = node.value if isinstance(node.value, list) else []
        asked = node.asked
        width = len(str(len(value)))
        for index in range(min(len(value), MOST_ITEMS)):
            field = asked.item_at(index) if isinstance(asked, ArrayField) else None
            place = FieldPlace(f"{index + 1}", item=index, of=len(value), removable=True, columns=(width, 0))
            yield FieldNode(node.state, (*node.path, index), field or _BEYOND, place)
        if len(value) > MOST_ITEMS:
            yield Static("Too many items to show. JSON shows all.", classes="body--none")
        yield ValueLine("", ghost=f"+ Add item {keys.key_name('enter')}")

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Add an item that begins with the typed text."""
        event.stop()
        if event.value:
            await self._node.add_item(event.value)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add an item."""
        event.stop()
        await self._node.add_item()

    async def on_value_line_clicked(self, event: ValueLine.Clicked) -> None:
        """Add an item."""
        event.stop()
        await self._node.add_item()


_BEYOND = JsonField(schema=True, why="no items allowed")
