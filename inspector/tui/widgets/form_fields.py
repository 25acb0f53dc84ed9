"""One field of a form: its head, its editor, and what is wrong with it. Fields within fields are fields again.

Every widget is known by the place of its value; no name from a schema ever becomes an id or a class. What the field's
own editor can't show is edited as JSON in its place.
"""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    ChoiceField,
    Field,
    Opened,
    TextField,
    opened,
)
from inspector.forms.paths import Path
from inspector.forms.typed import json_text, parse_json, parse_text, text_of
from inspector.forms.values import FormValue, fresh_value
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.widgets import form_head
from inspector.tui.widgets.form_bar import Deed, FormBar
from inspector.tui.widgets.form_editors import BlockEdit, LineEdit, Options
from inspector.tui.widgets.form_head import Place
from inspector.tui.widgets.form_shapes import Shape, shape_of
from inspector.tui.widgets.form_state import FormState
from inspector.tui.widgets.segments import Segments
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import visible


class FieldNode(Widget):
    """A field of a form."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("form.unset")),
        keys.binding(keys.action("form.null")),
    ]
    DEFAULT_CSS = """
    FieldNode { height: auto; layout: vertical; margin: 0 0 1 0; }
    FieldNode.-bare { margin: 0; }
    FieldNode.-compact { margin: 0; }
    FieldNode > .field--about { color: $text-muted; height: auto; max-height: 1; }
    FieldNode.-leaf:focus-within > .field--about { max-height: 12; }
    FieldNode > .field--wrong { color: $text-error; height: auto; display: none; }
    FieldNode.-wrong > .field--wrong { display: block; }
    FieldNode.-wrong > LineEdit, FieldNode.-wrong > BlockEdit { border-left: outer $error; }
    FieldNode.-group { border-left: outer $border-blurred; padding-left: 1; }
    FieldNode.-group.-bare { border-left: none; padding-left: 0; }
    FieldNode.-group:focus-within { border-left: outer $border; }
    FieldNode.-group.-bare:focus-within { border-left: none; }
    FieldNode.-folded > .field--body { display: none; }
    """

    class Asked(Message):
        """A member or an item wants something of what it stands in: "remove", "up", "down"."""

        def __init__(self, control: "FieldNode", deed: str) -> None:
            super().__init__()
            self._control = control
            self.deed = deed

        @property
        def control(self) -> "FieldNode":
            """The member or item."""
            return self._control

    def __init__(self, state: FormState, path: Path, field: Field, place: Place) -> None:
        super().__init__()
        self.state = state
        self.path = path
        self.field = field
        self.place = place
        self._asked: Opened | None = None
        self._text: str | None = None
        self._own_problem = ""
        self._told: Sequence[str] = ()
        self._shape: Shape = "json"

    @property
    def value(self) -> FormValue:
        """The value at its place."""
        return self.state.at(self.path)

    @property
    def asked(self) -> Opened:
        """The field, read by now."""
        if self._asked is None:
            self._asked = opened(self.field)
        return self._asked

    @property
    def is_wrong(self) -> bool:
        """Whether something is wrong with it itself."""
        return self.has_class("-wrong")

    # Drawing

    def compose(self) -> ComposeResult:
        """Draw it for the value of the moment."""
        self._shape = shape_of(self.field, self.value)
        group = self._shape in form_head.GROUPS
        self.set_class(self.place.bare, "-bare")
        self.set_class(group, "-group")
        self.set_class(not group, "-leaf")
        if form_head.has_head(self.place, self._shape):
            yield FormBar(self._head(), self._deeds(), classes="field--head")
        about = form_head.about(self.field, self._shape)
        if about:
            yield Static(Text(about), classes="field--about")
        yield from self._body()
        yield Static("", classes="field--wrong")

    def _body(self) -> ComposeResult:
        value, asked = self.value, self.asked if self._shape != "lazy" else None
        match self._shape:
            case "line" | "block" if isinstance(asked, TextField):
                secret = asked.write_only or asked.format == "password"
                self._text = text_of(asked, value)
                if self._shape == "line":
                    yield LineEdit(self._text, unset=value is UNSET, secret=secret)
                else:
                    yield BlockEdit(self._text, unset=value is UNSET)
            case "number":
                self._text = text_of(self.field, value)
                yield LineEdit(self._text, unset=True)
            case "options" if asked is not None:
                yield Options(asked, value).segments(value)
            case "several" if isinstance(asked, ChoiceField):
                yield self._several(asked)
            case "json":
                self._text = json_text(value)
                yield BlockEdit(self._text, unset=True, wrap=False)
            case "object" | "list" | "union":
                from inspector.tui.widgets.form_groups import body_of

                yield body_of(self)
            case _:
                pass

    def _several(self, asked: ChoiceField) -> Segments:
        value = self.value if isinstance(self.value, list) else []
        on = [at for at, option in enumerate(asked.options) if option.value in value]
        return Segments([option.title for option in asked.options], on, multi=True)

    def _head(self) -> list[Span]:
        asked = self.field if self._shape == "lazy" else self.asked
        return form_head.head_spans(asked, self.place, self._shape, self.value, folded=self.has_class("-folded"))

    def _deeds(self) -> list[Deed]:
        return form_head.deeds(self.field, self.place, self._shape, folded=self.has_class("-folded"))

    async def redraw(self) -> None:
        """Draw it anew, because its value has taken another shape."""
        self._own_problem = ""
        await self.recompose()
        self._say()

    def tell(self, told: Sequence[str]) -> None:
        """Show what is wrong with it."""
        if list(told) != list(self._told):
            self._told = list(told)
            self._say()

    def _say(self) -> None:
        lines = [self._own_problem] if self._own_problem else list(self._told)
        self.set_class(bool(lines), "-wrong")
        shown = [f"{glyphs().error} {visible(line, limit=400)}" for line in lines[:5]]
        for static in self.query_children(".field--wrong").results(Static):
            static.update(Text("\n".join(shown)))

    def _renew_head(self) -> None:
        for head in self.query_children(".field--head").results(FormBar):
            head.show(self._head(), self._deeds())

    # Typing

    async def write(self, value: FormValue) -> None:
        """Take a value, and draw the field anew if that needs another editor."""
        self.state.put(self.path, value)
        if shape_of(self.field, self.value) != self._shape:
            await self.redraw()
        else:
            self._renew_head()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take what was typed into the line."""
        event.stop()
        self._typed(event.value)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Take what was typed into the block."""
        event.stop()
        self._typed(event.text_area.text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the next field."""
        event.stop()
        self.screen.focus_next()

    def _typed(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        if self._shape == "json":
            parsed = parse_json(text)
            self._own_problem = parsed.problem
        else:
            parsed = parse_text(self.asked, text)
        if self._shape == "number" and parsed.problem:
            self.state.put(self.path, text)
        elif not parsed.problem:
            self.state.put(self.path, parsed.value)
        for edit in self.query_children("LineEdit, BlockEdit"):
            if isinstance(edit, LineEdit | BlockEdit):
                edit.say(unset=self.value is UNSET)
        self._say()

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Take what was chosen."""
        event.stop()
        asked = self.asked
        if self._shape == "several" and isinstance(asked, ChoiceField):
            event.control.choose(*_toggled(event.control.chosen, event.index))
            chosen = event.control.chosen
            self.state.put(self.path, [asked.options[at].value for at in chosen])
        elif self._shape == "options":
            event.control.choose(event.index)
            await self.write(Options(asked, self.value).values[event.index])

    # Doing

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Do what the head offers."""
        event.stop()
        match event.deed:
            case "fold":
                self.toggle_class("-folded")
                self._renew_head()
            case "add" | "write":
                await self._begin()
            case "choose":
                self._choose()
            case "remove" if not self.place.removable:
                await self.write(UNSET)
                self.focus_first()
            case deed:
                self.post_message(self.Asked(self, deed))

    async def on_field_node_asked(self, event: Asked) -> None:
        """Take a member or an item away, or move it."""
        if event.control is self:
            return
        event.stop()
        path = event.control.path
        if event.deed == "remove":
            self.state.remove(path)
        else:
            to = int(path[-1]) + (1 if event.deed == "down" else -1)
            self.state.move(path, to)
            path = (*path[:-1], to)
        await self.redraw()
        self.focus_at(path)

    def focus_at(self, path: Path, skip: int = 0) -> None:
        """Focus the first editor of the field at a place within."""
        for node in self.query(FieldNode):
            if node.path == path:
                node.focus_first(skip)
                return
        self.focus_first()

    async def _begin(self) -> None:
        """Give it the plainest value of its kind, or an item more if it is a list."""
        if self._shape == "list" and isinstance(self.asked, ArrayField) and isinstance(self.value, list):
            item = self.asked.item_at(len(self.value))
            await self._grow(UNSET if item is None else fresh_value(item))
            return
        fresh = fresh_value(self.field)
        self.state.put(self.path, [] if fresh is UNSET and isinstance(self.asked, ArrayField) else fresh)
        await self.redraw()
        self.focus_first(1)

    async def _grow(self, item: FormValue) -> None:
        value = self.value
        assert isinstance(value, list)
        self.state.put(self.path, [*value, item])
        await self.redraw()
        self.focus_at((*self.path, len(value)), skip=1)

    def focus_first(self, skip: int = 0) -> None:
        """Focus its first editor; `skip` heads are passed by if there is something behind them."""
        able = [widget for widget in self.query("*") if widget.focusable]
        if able:
            able[min(skip, len(able) - 1) if isinstance(able[0], FormBar) else 0].focus()

    def _choose(self) -> None:
        asked = self.asked
        assert isinstance(asked, ChoiceField)
        from inspector.tui.screens.choose import ChooseScreen

        async def chosen(index: int | None) -> None:
            if index is not None:
                await self.write(asked.options[index].value)

        self.app.push_screen(ChooseScreen(visible(self.place.name), [each.title for each in asked.options]), chosen)

    async def action_unset(self) -> None:
        """Give it no value."""
        self._own_problem = ""
        self.state.put(self.path, UNSET)
        await self.redraw()
        self.focus_first()

    async def action_null(self) -> None:
        """Set it to null, or back to the plainest value of its kind."""
        self.state.put(self.path, fresh_value(self.field) if self.value is None else None)
        await self.redraw()
        self.focus_first()


def _toggled(chosen: tuple[int, ...], index: int) -> list[int]:
    return [each for each in chosen if each != index] if index in chosen else [*chosen, index]
