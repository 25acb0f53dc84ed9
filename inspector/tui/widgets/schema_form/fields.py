"""One field of a form: its editor sets its value, and its head offers actions.

A field may contain other fields. A value that the field's own editor can't show is edited as JSON instead.
"""

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
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
from inspector.forms.interpret import interpret
from inspector.forms.paths import Path
from inspector.forms.typed import Parsed, json_text, parse_json, text_of
from inspector.forms.values import FormValue, branch_of, fits, fresh_value
from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.schema_form.editors import BlockEdit, ChoiceSegments, LineEdit
from inspector.tui.widgets.schema_form.state import FormState, Shape, member_field, shape_of
from inspector.tui.widgets.schema_form.view import (
    ADD,
    GROUPS,
    FieldAction,
    FieldPlace,
    FormBar,
    about,
    field_actions,
    has_head,
    head_spans,
    is_row,
    name_width,
    type_width,
    with_problems,
)
from inspector.tui.widgets.segments import Segments

# How the focus moves through a form: down from value to value, up from line to line.


class FormScroll(VerticalScroll):
    """Scroll container of a form. The focused field stays visible when the size changes or the user types.

    If the user scrolls away with the mouse, the position stays until then.
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

    def action_step(self, by: int) -> None:
        """Focus the next value (1), or leave the form after the last one; or focus the previous line (-1), if any."""


def only_heads(line: Widget) -> bool:
    """Whether a line is only the head of focusable lines below it."""
    node = line.parent
    if not isinstance(line, FormBar) or not line.has_class("field--head") or not isinstance(node, Widget):
        return False
    return not node.has_class("-folded") and any(other.focusable for other in node.query("*") if other is not line)


def steps_of(widget: Widget) -> FormLines | None:
    """Return the form that contains a widget."""
    return next((around for around in widget.ancestors if isinstance(around, FormLines)), None)


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
    FieldNode > .field--wrong { color: $text-error; height: auto; display: none; }
    FieldNode.-wrong > .field--wrong { display: block; }
    FieldNode.-leaf { border-left: blank; padding-left: 1; }
    FieldNode.-leaf.-wrong { border-left: heavy $error; }
    FieldNode.-leaf:focus-within { border-left: outer $accent; }
    FieldNode.-group { border-left: vkey $border-blurred; padding-left: 1; }
    FieldNode.-group.-wrong { border-left: heavy $error; }
    FieldNode.-group.-bare { border-left: none; padding-left: 0; }
    FieldNode.-group.-at-head, FieldNode.-leaf.-wrong:focus-within { border-left: outer $accent; }
    FieldNode.-folded > .field--body { display: none; }
    FieldNode.-row { layout: grid; grid-size: 2; grid-rows: auto; }
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
        self._own_problem = ""
        self._problems: Sequence[str] = ()
        self._within = 0
        """Number of problems in the fields within."""
        self._shape: Shape = "json"

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
        self._shape = shape_of(self.field, self.value)
        group = self._shape in GROUPS
        self.set_class(self.place.bare, "-bare")
        self.set_class(self.place.last, "-last")
        self.set_class(group, "-group")
        self.set_class(not group, "-leaf")
        row = is_row(self.place, self._shape)
        self.set_class(row, "-row")
        if has_head(self.place, self._shape):
            yield FormBar(self._head(), self._actions(), classes="field--head")
        lines = about(self.field, self._shape, self.place)
        said = [Static(Text(lines), classes="field--about")] if lines else []
        wrong = Static("", classes="field--wrong")
        if row:  # the description is below the editor
            self.styles.grid_columns = f"{self.place.head_width} 1fr"
            for each in (*said, wrong):
                each.styles.padding = (0, 0, 0, self.place.head_width)
            yield from self._body()
            yield from said
        else:
            yield from said
            yield from self._body()
        yield wrong

    def _body(self) -> ComposeResult:
        value, asked = self.value, self.asked if self._shape != "lazy" else None
        match self._shape:
            case "line" | "block" if isinstance(asked, TextField):
                secret = asked.write_only or asked.format == "password"
                text, unset = text_of(asked, value), value is UNSET
                line = self._shape == "line"
                yield self._known(LineEdit(text, unset=unset, secret=secret) if line else _block(text, unset=unset))
            case "number":
                yield self._known(LineEdit(text_of(self.field, value), unset=True))
            case "options" if asked is not None:
                yield ChoiceSegments(asked, value).segments(value)
            case "several" if isinstance(asked, ChoiceField):
                yield self._several(asked)
            case "json":
                yield self._known(_block(json_text(value), unset=True, wrap=False))
            case "object" | "list" | "union":
                yield body_of(self)
            case _:
                pass

    def _known(self, edit: LineEdit | BlockEdit) -> Widget:
        """Remember the initial text of an editor: a different text was typed by the user."""
        self._text = edit.written
        return edit

    def _several(self, asked: ChoiceField) -> Segments:
        value = self.value if isinstance(self.value, list) else []
        on = [at for at, option in enumerate(asked.options) if option.value in value]
        return Segments([option.title for option in asked.options], on, multi=True)

    def _head(self) -> list[Span]:
        asked = self.field if self._shape == "lazy" else self.asked
        folded = self.has_class("-folded")
        spans = head_spans(asked, self.place, self._shape, self.value, folded=folded)
        return with_problems(spans, self._within) if folded else spans

    def _actions(self) -> list[FieldAction]:
        return field_actions(self.field, self.place, self._shape, folded=self.has_class("-folded"))

    async def redraw(self) -> None:
        """Draw the field again, because its value has changed its shape."""
        self._own_problem = ""
        await self.recompose()
        self._say()

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
        for static in self.query_children(".field--wrong").results(Static):
            static.update(Text("\n".join(shown)))

    def _renew_head(self) -> None:
        for head in self.query_children(".field--head").results(FormBar):
            head.show(self._head(), self._actions())

    def focus_at(self, path: Path, skip: int = 0, *, fresh: bool = False) -> None:
        """Focus the first editor of the field at a path within this one; see `focus_first`."""
        for node in self.query(FieldNode):
            if node.path == path:
                node.focus_first(skip, fresh=fresh)
                return
        self.focus_first()

    def focus_editor(self) -> None:
        """Focus the editor rather than the head."""
        self.focus_first(0 if self._shape in GROUPS else 1)

    def focus_first(self, skip: int = 0, *, fresh: bool = False) -> None:
        """Focus the first editor; up to `skip` widgets are skipped if the first one is a head.

        A `fresh` value was generated by the form: it is selected, so that typing replaces it.
        """
        able = [widget for widget in self.query("*") if widget.focusable]
        if not able:
            return
        first = able[min(skip, len(able) - 1) if isinstance(able[0], FormBar) else 0]
        if fresh and isinstance(first, LineEdit):
            first.select_all()
        first.focus()

    # Setting values

    async def write(self, value: FormValue) -> None:
        """Set the value, and draw the field again if it needs another editor."""
        self.state.put(self.path, value)
        if shape_of(self.field, self.value) != self._shape:
            await self.redraw()
        else:
            self._renew_head()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Set the value from the line."""
        event.stop()
        self._typed(event.value)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Set the value from the block."""
        event.stop()
        self._typed(event.text_area.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Focus the next value."""
        event.stop()
        if steps := steps_of(self):
            steps.action_step(1)

    def read_editor(self) -> None:
        """Set the value from the editor, in case Textual has not reported the last change yet."""
        for edit in self.query_children("LineEdit, BlockEdit"):
            if isinstance(edit, LineEdit | BlockEdit):
                self._typed(edit.written)

    def _typed(self, text: str) -> None:
        if text == self._text:
            return
        run, self._text = _run(self._text or "", text), text
        if self._shape == "json":
            parsed = parse_json(text)
            self._own_problem = parsed.problem
        else:
            read = interpret(self.asked, text)
            parsed = Parsed(read.value, read.problem)
        if self._shape == "number" and parsed.problem:
            self.state.put(self.path, text, run)
        elif not parsed.problem:
            self.state.put(self.path, parsed.value, run)
        for edit in self.query_children("LineEdit, BlockEdit"):
            if isinstance(edit, LineEdit | BlockEdit):
                edit.say(unset=self.value is UNSET)
        self._say()

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        asked = self.asked
        if self._shape == "several" and isinstance(asked, ChoiceField):
            event.control.choose(*_toggled(event.control.chosen, event.index))
            chosen = event.control.chosen
            self.state.put(self.path, [asked.options[at].value for at in chosen])
        elif self._shape == "options":
            event.control.choose(event.index)
            await self.write(ChoiceSegments(asked, self.value).values[event.index])

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Run an action of the head."""
        event.stop()
        match event.action:
            case "fold":
                self.fold(folded=not self.has_class("-folded"))
            case "add" | "write":
                await self._begin()
            case "choose":
                self._choose()
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
        self.focus_at(path)

    async def _begin(self) -> None:
        """Set the simplest value of the type, or append an item if it is a list."""
        if self._shape == "list" and isinstance(self.asked, ArrayField) and isinstance(self.value, list):
            item = self.asked.item_at(len(self.value))
            await self._grow(UNSET if item is None else fresh_value(item))
            return
        fresh = fresh_value(self.field)
        self.state.put(self.path, [] if fresh is UNSET and isinstance(self.asked, ArrayField) else fresh)
        await self.redraw()
        self.focus_first(1, fresh=True)

    async def _grow(self, item: FormValue) -> None:
        value = self.value
        assert isinstance(value, list)
        self.state.put(self.path, [*value, item])
        await self.redraw()
        self.focus_at((*self.path, len(value)), skip=1, fresh=True)

    def _choose(self) -> None:
        asked = self.asked
        assert isinstance(asked, ChoiceField)

        async def chosen(index: int | None) -> None:
            if index is not None:
                await self.write(asked.options[index].value)

        self.app.push_screen(ChooseScreen(visible(self.place.name), [each.title for each in asked.options]), chosen)

    async def action_unset(self) -> None:
        self._own_problem = ""
        self.state.put(self.path, UNSET)
        await self.redraw()
        self.focus_first()

    async def action_null(self) -> None:
        """Set the value to null, or back to the simplest value of its type."""
        self.state.put(self.path, fresh_value(self.field) if self.value is None else None)
        await self.redraw()
        self.focus_first()


def _run(before: str, text: str) -> str:
    """Return the kind of an edit, for undo: typing up to a space and consecutive deletions are each undone together."""
    more = len(text) - len(before)
    return "type" if more == 1 and not text[-1:].isspace() else "delete" if more == -1 else ""


def _toggled(chosen: tuple[int, ...], index: int) -> list[int]:
    return [each for each in chosen if each != index] if index in chosen else [*chosen, index]


# A union: a line to choose the branch, and the fields of that branch below.


class UnionBody(Vertical):
    """The branches of a union, one of them drawn."""

    DEFAULT_CSS = """
    UnionBody { height: auto; }
    UnionBody > Segments { margin: 0 0 0 1; }
    """

    def __init__(self, node: "FieldNode", asked: UnionField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked
        self._kept: dict[int, FormValue] = {}
        self._branch = None if node.value is UNSET else branch_of(asked, node.value)

    def compose(self) -> ComposeResult:
        """Draw the choice and the chosen branch."""
        node, titles = self._node, [branch.title for branch in self._asked.branches]
        chosen = 0 if self._branch is None else self._branch + 1
        yield Segments(["unset", *titles], (chosen,), faint=1)
        if self._branch is not None:
            branch = self._asked.branches[self._branch]
            yield FieldNode(node.state, node.path, branch.field, FieldPlace(bare=True))
        elif node.value is not UNSET:
            yield FieldNode(node.state, node.path, _ODD, FieldPlace(bare=True))

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Draw another branch, with its previous input or the simplest value of its type."""
        event.stop()
        node = self._node
        if self._branch is not None:
            self._kept[self._branch] = node.value
        self._branch = event.index - 1 if event.index else None
        node.state.put(node.path, self._value_for(self._branch))
        await self.recompose()
        self.query_one(Segments).focus()

    def _value_for(self, branch: int | None) -> FormValue:
        if branch is None:
            return UNSET
        if branch in self._kept:
            return self._kept[branch]
        field, now = self._asked.branches[branch].field, self._node.value
        return now if now is not UNSET and not isinstance(now, dict | list) and fits(field, now) else fresh_value(field)


_ODD = JsonField(schema=True, why="the value matches none of these types")


# The body of a field that contains fields: the members of an object, the items of a list.

MOST_ITEMS = 100


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
    ObjectBody > Input:focus { background: $panel; }
    ObjectBody > .body--none { color: $text-muted; padding: 0 2; }
    """

    def __init__(self, node: FieldNode, asked: ObjectField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked

    def compose(self) -> ComposeResult:
        """Draw the members."""
        node, asked = self._node, self._asked
        value = node.value if isinstance(node.value, dict) else {}
        named = dict(asked.properties)
        names = [*named, *(name for name in value if name not in named)]
        invites = _invites(asked)
        widths = {name: name_width(name, field) for name, field in named.items()}
        types = max((type_width(field) for field in named.values()), default=0)
        for name in names:
            field = named.get(name) or member_field(asked, name) or _any(asked)
            last = name == names[-1] and not invites and bool(node.path)
            columns = (max(widths.values()), types) if widths.get(name) else (0, 0)
            place = FieldPlace(name, removable=name not in named, last=last, columns=columns)
            yield FieldNode(node.state, (*node.path, name), field, place)
        if not names:
            yield Static(_nothing(root=not node.path, open_=invites), classes="body--none")
        if invites:
            more = "+ name of the property to add"
            yield Input(placeholder=more, compact=True, select_on_focus=False, classes="body--more")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the event: the name of a new member is not the value of a field."""
        event.stop()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a member with this name."""
        event.stop()
        name, node = event.value, self._node
        value = node.value if isinstance(node.value, dict) else {}
        if not name or name in value:
            return
        field = member_field(self._asked, name)
        node.state.put((*node.path, name), UNSET if field is None else fresh_value(field))
        await node.redraw()
        node.focus_at((*node.path, name))


def _invites(asked: ObjectField) -> bool:
    """Whether to offer more members: if the schema mentions them or names none. As JSON, any can be added."""
    schema = asked.schema if isinstance(asked.schema, dict) else {}
    spoken = "additionalProperties" in schema or "patternProperties" in schema or not asked.properties
    return asked.is_open() and spoken


def _nothing(*, root: bool, open_: bool) -> str:
    """Return the text for an object without named members."""
    if open_:
        return "No arguments in the schema." if root else "No properties in the schema."
    return "No arguments." if root else "No properties."


def _any(asked: ObjectField) -> Field:
    why = "not in the schema" + ("" if asked.is_open() else ", no others allowed")
    return JsonField(schema=True, why=why)


class ListBody(Vertical):
    """The items of a list, and a line to add one."""

    DEFAULT_CSS = """
    ListBody { height: auto; }
    ListBody > .body--none { color: $text-warning; padding: 0 2; }
    ListBody > FormBar { margin: 0 0 0 2; }
    ListBody > FormBar:focus { margin: 0 0 0 1; border-left: outer $accent; }
    """

    def __init__(self, node: FieldNode) -> None:
        super().__init__(classes="field--body")
        self._node = node

    def compose(self) -> ComposeResult:
        """Draw the items."""
        node = self._node
        value = node.value if isinstance(node.value, list) else []
        asked = node.asked
        for index in range(min(len(value), MOST_ITEMS)):
            field = asked.item_at(index) if isinstance(asked, ArrayField) else None
            place = FieldPlace(f"{index + 1}", item=index, of=len(value), removable=True)
            yield FieldNode(node.state, (*node.path, index), field or _BEYOND, place)
        if len(value) > MOST_ITEMS:
            yield Static("Too many items to show. JSON shows all.", classes="body--none")
        label = "+ Add item"
        yield FormBar((), (FieldAction(ADD.name, label),))


_BEYOND = JsonField(schema=True, why="no items allowed")


def _block(text: str, *, unset: bool, wrap: bool = True) -> BlockEdit:
    """Return a block without its own undo: the form undoes changes, as for all fields."""
    return BlockEdit(text, unset=unset, wrap=wrap, undoes=False)
