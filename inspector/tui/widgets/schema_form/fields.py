"""One field of a form: its editor sets its value, and its head offers actions.

A field may contain other fields. A value that the field's own editor can't show is edited as JSON instead. A single
value is a row of text until it has the focus: only then are the widgets of its editor built.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    ChoiceField,
    Field,
    JsonField,
    Opened,
    opened,
)
from inspector.forms.interpret import branches_of, interpret, interpret_json, json_kind
from inspector.forms.paths import Path
from inspector.forms.values import FormValue, fresh_value, from_json
from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.schema_form.bodies import FieldsBody, Inner, body_of
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
from inspector.tui.widgets.schema_form.resting import (
    RESTING,
    RestingRow,
    Shown,
    choices_of,
    head_row,
    indent_of,
    is_secret,
    problem_rows,
    roomy,
    with_value,
    written,
)
from inspector.tui.widgets.schema_form.state import FormState, Shape, is_container, shape_of
from inspector.tui.widgets.schema_form.view import (
    GROUPS,
    FieldAction,
    FieldPlace,
    FormBar,
    about,
    classes_of,
    field_actions,
    has_head,
    head_spans,
    is_row,
    state_of,
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
    FieldNode { height: auto; layout: vertical; margin: 0; }
    FieldNode.-group { margin: 0 0 1 0; }
    FieldNode.-group.-bare, FieldNode.-group.-last { margin: 0; }
    FieldNode > .field--about { color: $text-muted; height: auto; max-height: 12; }
    FieldNode > Segments { background: $panel; }
    FieldNode > .field--wrong { color: $text-error; height: auto; }
    FieldNode.-leaf { border-left: blank; padding-left: 1; }
    FieldNode.-leaf.-wrong { border-left: heavy $error; }
    FieldNode.-leaf.-here { border-left: outer $accent; }
    FieldNode.-group { border-left: vkey $border-blurred; padding-left: 1; }
    FieldNode.-group.-wrong { border-left: heavy $error; }
    FieldNode.-group.-bare { border-left: none; padding-left: 0; }
    FieldNode.-group.-at-head, FieldNode.-leaf.-wrong.-here { border-left: outer $accent; }
    FieldNode.-folded > .field--body { display: none; }
    FieldNode.-row.-bar { layout: grid; grid-size: 2; grid-rows: auto; }
    FieldNode.-row > .field--about, FieldNode.-row > .field--wrong { padding-left: 1; }
    FieldNode.-row.-bar > .field--about, FieldNode.-row.-bar > .field--wrong { column-span: 2; }
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
        self._own_problem, self._own_note = state.why_unread(path), ""
        self._kind = ""
        """Kind of the current value, if the field allows several."""
        self._problems: Sequence[str] = ()
        self._within = 0
        """Number of problems in the fields within."""
        self._shape: Shape = shape_of(field, self.value, self.selected)
        self._is_open = False
        """Whether the widgets of its editor are built."""
        self.can_focus = self.is_at_rest
        self.drawn = 0
        """Number of the fields within that were drawn so far."""
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

    def inner(self, inner: Inner) -> "FieldNode":
        """Return a field within this one, to be drawn."""
        return FieldNode(self.state, inner.path, inner.field, inner.place)

    @property
    def is_at_rest(self) -> bool:
        """Whether it is text, and gets an editor with the focus."""
        return self._shape in RESTING and not self._is_open

    # Drawing

    def compose(self) -> ComposeResult:
        """Draw the field for its current value."""
        self._shape = shape_of(self.field, self.value, self.selected)
        self._is_open = self._is_open and self._shape in RESTING
        self.can_focus = self.is_at_rest
        if self.is_at_rest:
            self._text = None
            self._kind = self._kind_now()
            self.update_classes(classes_of(self.field, self.place, self._shape))
            return
        self._kind = self._kind_now()
        row = is_row(self.place, self._shape)
        lines = about(self.field, self._shape, self.place)
        spans, actions = self._head()
        has_bar = has_head(self.place) and bool(actions or not row or self._shape not in RESTING)
        self.update_classes(classes_of(self.field, self.place, self._shape) | {"-bar": has_bar})
        if has_bar:
            self.styles.grid_columns = f"{self.place.head_width} 1fr"
            yield FormBar(spans, actions, classes="field--head", letters=not row)
        said = [Static(Text(lines), classes="field--about")] if lines else []
        body = list(self._body())
        self._text = next((each.written for each in body if isinstance(each, LineEdit | BlockEdit)), None)
        for each in said if has_bar else [*said, *body]:
            each.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))
        yield from [*body, *said] if row else [*said, *body]  # in a row, the description is below the editor

    @property
    def _width(self) -> int:
        return self.content_size.width or self.app.size.width

    def on_resize(self) -> None:
        """Leave room for the head."""
        if self._shape in RESTING and not self.has_class("-bar"):
            for each in self.children:
                each.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))

    def _body(self) -> ComposeResult:
        value = self.value
        match self._shape:
            case "line" | "block" | "json":
                yield self._edit(value)
            case "opener" | "picker":
                ghost, _ = state_of(self._as_read, value, self._shape)
                yield ValueLine(self._written[0], ghost=ghost)
            case "options" | "several":
                choices = choices_of(self.asked, value)
                yield Segments(choices.labels, choices.chosen, multi=choices.multi, faint=choices.faint)
            case "object" | "list" | "union":
                yield body_of(self)

    def _edit(self, value: FormValue) -> LineEdit | BlockEdit:
        """Return the editor of a text; the branch that reads it back as the value is selected."""
        ghost, spare = state_of(self.asked, value, self._shape)
        text, selected = self._written
        if selected is not None:
            self.state.selected[self.path] = selected
        if self._shape == "line":
            return ValueLine(text, ghost=ghost, spare=spare, secret=is_secret(self.asked))
        return block_of(text, ghost=ghost, wrap=self._shape == "block")

    def _rows(self, width: int) -> list[RestingRow]:
        """Return the field at rest: its head, its value and what is wrong with it."""
        shape, asked, value = self._shape, self._as_read, self.value
        place = roomy(self.place, shape, width)
        ghost, _ = state_of(asked, value, shape)
        text, _ = self._written
        shown: Shown = (ghost, "claimed")
        if shape in ("options", "several"):
            shown = choices_of(asked, value)
        elif text:
            shown = ("•" * len(text) if is_secret(asked) else visible(text, limit=400), "text")
        heads = [head_row(*self._head(place), place)] if has_head(place) else []
        rows = with_value(heads, shown, about(self.field, shape, self.place), width, below=not is_row(place, shape))
        return [*rows, *problem_rows(self._said, indent_of(place, shape, width), width)]

    @property
    def _written(self) -> tuple[str, int | None]:
        """The text of the value, "" for a state of a line, and the branch that reads it back."""
        return written(self.field, self._as_read, self.value, self._shape, self.selected)

    @property
    def _as_read(self) -> Field:
        """The field's schema, unread as long as it is closed: a form can have many that are large."""
        return self.field if self._shape == "opener" else self.asked

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows."""
        if self._shape not in RESTING or self.children:
            return super().get_content_height(container, viewport, width)
        if self._said:
            return len(self._rows(width))
        return 1 if is_row(self.place, self._shape) or not has_head(self.place) else 2

    def render(self) -> RenderResult:
        """Draw the field as it is at rest; the widgets of its editor cover it."""
        if self._shape not in RESTING:
            return super().render()
        width, dark = self.content_size.width, self.app.current_theme.dark
        shown, *more = (row.text(width, dark=dark) for row in self._rows(width))
        for line in more:
            shown = shown.append("\n").append_text(line)
        return shown

    async def on_focus(self) -> None:
        """Build the editor, which gets the focus unless it has moved on."""
        await self._open_editor()
        if self.screen.focused is self:
            self.screen.set_focus(next(iter(self.query_children("ValueLine, Segments")), None))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Consume printable keys: they are typed into the editor that is built."""
        return self._shape in RESTING and keys.types(key, character)

    async def on_key(self, event: events.Key) -> None:
        """Type a key that was pressed before the editor had the focus."""
        typed, focused = event.character or "", self.screen.focused
        is_action = isinstance(focused, FormBar) or (isinstance(focused, Segments) and not typed.isalnum())
        if self._shape in RESTING and event.is_printable and not is_action:
            event.stop()
            put_text(await self.focus_editor(), typed)

    def on_descendant_focus(self) -> None:
        """Mark the field."""
        self.set_class(self._shape not in GROUPS, "-here")

    async def on_descendant_blur(self) -> None:
        """Be text again, unless the whole terminal has lost the focus."""
        if self.screen.focused is None or self.has_focus_within:
            return
        if self._is_open:
            self.read_editor()
            self._is_open = False
            await self.recompose()
            self._say()
        self.remove_class("-here")

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked before the editor was built: an action, a choice, or opening a closed field."""
        if event.widget is not self:
            return
        event.stop()
        x, y = event.x - self.gutter.left, event.y - self.gutter.top
        rows = self._rows(self.content_size.width)
        zones = rows[y].zones if 0 <= y < len(rows) else ()
        found = next((each for zone, each in zones if x in zone), None)
        if isinstance(found, str):
            await self.act(found)
        elif found is not None:
            await self._take_choice(found)
        else:
            await self._opens()

    @property
    def selected(self) -> int | None:
        """The branch that the user has selected."""
        return self.state.selected.get(self.path) if self.place.chooses else None

    def _head(self, place: FieldPlace | None = None) -> tuple[list[Span], list[FieldAction]]:
        folded, place = self.has_class("-folded"), place or self.place
        spans = head_spans(self.field, place, self._shape, self.value, folded=folded, kind=self._kind)
        actions = field_actions(self.field, place, self._shape, folded=folded)
        return with_problems(spans, self._within) if folded else spans, actions

    async def redraw(self) -> None:
        """Draw the field again, because its value has changed its shape."""
        self._own_problem, self._own_note = self.state.why_unread(self.path), ""
        await self.recompose()
        self._say()

    async def draw_and_focus(self) -> None:
        """Draw the field again, with the focus in it."""
        await self.redraw()
        await self.focus_editor()

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
            if problems and self.has_focus_within:  # it may have been scrolled into view without them
                self.call_after_refresh(self.scroll_visible, animate=False)

    @property
    def _said(self) -> list[str]:
        """What is wrong with the value, or a note about it."""
        lines = [self._own_problem] if self._own_problem else list(self._problems)
        if self._own_note and not lines:
            return [f"{glyphs().warning} {visible(self._own_note, limit=400)}"]
        return [f"{glyphs().error} {visible(line, limit=400)}" for line in lines[:5]]

    def _say(self) -> None:
        self.set_class(bool(self._own_problem or self._problems), "-wrong")
        if self.is_at_rest:
            self.refresh(layout=True)
            return
        shown = self._said
        found = self.query_children(".field--wrong").results(Static)
        static = next(iter(found), None)
        if static is None and shown and self.is_mounted:
            static = Static("", classes="field--wrong")
            static.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))
            self.mount(static)
        if static is not None:
            static.display = bool(shown)
            static.update(Text("\n".join(shown)))

    def _renew_head(self) -> None:
        self.refresh()
        for head in self.query_children(".field--head").results(FormBar):
            head.show(*self._head())

    async def focus_at(self, path: Path, *, at_head: bool = False) -> Widget | None:
        """Focus the field at a path within this one, its editor or its head. Return the focused widget."""
        return await (await node_at(self, path)).focus_editor(at_head=at_head)

    async def focus_editor(self, *, at_head: bool = False) -> Widget | None:
        """Focus the first editor of this field, or its head, if there is one. Return the focused widget."""
        await self._open_editor()
        able = [widget for widget in self.query("*") if widget.focusable]
        editors = [widget for widget in able if not isinstance(widget, FormBar)]
        return await _focused(able if at_head else editors or able)

    async def _open_editor(self) -> None:
        if self.is_at_rest:
            self._is_open = True
            self.add_class("-here")
            await self.recompose()
            self._say()
            if self._said:  # below the editor, which alone is scrolled into view
                self.call_after_refresh(self.scroll_visible, animate=False)

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
        elif event.value not in (self._text, self._written[0]):  # the latter is a value that was just chosen
            text, self._text = event.value, event.value
            await self._opens(text.removeprefix(self._written[0]))

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
        await self._take_choice(event.index)

    async def _take_choice(self, index: int) -> None:
        asked = self.asked
        if self._shape == "several" and isinstance(asked, ChoiceField):
            chosen = sorted(toggled(choices_of(asked, self.value).chosen, index))
            await self.write([asked.options[at].value for at in chosen])
        elif self._shape == "options":
            await self.write(ChoiceSegments(asked, self.value).values[index])
        for segments in self.query_children(Segments):
            segments.choose(*choices_of(asked, self.value).chosen)

    def on_segments_typed(self, event: Segments.Typed) -> None:
        """Stop the event: no choice begins with this letter, and the field has no other place to type."""
        event.stop()

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Run an action of the head."""
        event.stop()
        await self.act(event.action)

    async def act(self, action: str) -> None:
        """Run an action of the head."""
        match action:
            case "fold":
                self.fold(folded=not self.has_class("-folded"))
            case "remove" if not self.place.removable:
                await self.write(UNSET)
                await self.focus_editor(at_head=True)
            case _:
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
        await self.focus_at(path, at_head=event.action != "remove")

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
        put_text(await self.focus_editor(), typed)

    async def add_item(self, typed: str = "") -> None:
        """Add an item to a list, with the cursor in it, where the text goes."""
        value, asked = self.value, self.asked
        if not isinstance(value, list) or not isinstance(asked, ArrayField):
            return
        item = asked.item_at(len(value))
        self.state.put(self.path, [*value, UNSET if item is None else fresh_value(item)])
        await self.redraw()
        put_text(await self.focus_at((*self.path, len(value))), typed)

    def _choose(self, typed: str = "") -> None:
        asked = self.asked
        assert isinstance(asked, ChoiceField)

        async def chosen(index: int | None) -> None:
            await self.write(self.value if index is None else asked.options[index].value)
            await self.focus_editor()

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


async def node_at(node: FieldNode, path: Path) -> FieldNode:
    """Return the field at a path within another one, or else the nearest around it. It is drawn if it was not."""
    while node.path != path:
        bodies = list(node.query_children(FieldsBody))
        for body in bodies:
            await body.draw_to(path)
        children = [each for body in bodies for each in body.query_children(FieldNode)]
        inner = next((each for each in children if each.path == path[: len(each.path)]), None)
        if inner is None:
            break
        node = inner
    return node


async def _focused(able: Sequence[Widget]) -> Widget | None:
    """Focus the first of these widgets, or the editor of a field at rest. Return the focused widget."""
    if not able:
        return None
    if isinstance(able[0], FieldNode):
        return await able[0].focus_editor()
    return able[0].focus()


def _around(node: FieldNode, wanted: Callable[[FieldNode], bool]) -> FieldNode | None:
    """Return the nearest field around a field, below the root, that meets a condition."""
    nodes = (each for each in node.ancestors if isinstance(each, FieldNode) and each.path)
    return next((each for each in nodes if wanted(each)), None)
