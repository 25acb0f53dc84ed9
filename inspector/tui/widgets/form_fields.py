"""One field of a form, at work: what is typed becomes its value, and its head does what it offers.

Fields within fields are fields again. What the field's own editor can't show is edited as JSON in its place.
"""

from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, TextArea

from inspector.forms.fields import UNSET, ArrayField, ChoiceField
from inspector.forms.typed import parse_json, parse_text
from inspector.forms.values import FormValue, fresh_value
from inspector.tui import keys
from inspector.tui.widgets.form_bar import FormBar
from inspector.tui.widgets.form_editors import BlockEdit, LineEdit, Options
from inspector.tui.widgets.form_moves import steps_of
from inspector.tui.widgets.form_shapes import shape_of
from inspector.tui.widgets.form_view import FieldView
from inspector.tui.widgets.segments import Segments
from inspector.viewmodels.text import visible


class FieldNode(FieldView):
    """A field of a form."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("form.unset")),
        keys.binding(keys.action("form.null")),
    ]

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

    def group(self) -> Widget:
        """The fields within."""
        from inspector.tui.widgets.form_groups import body_of

        return body_of(self)

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
        """Go on to the next value."""
        event.stop()
        if steps := steps_of(self):
            steps.action_step(1)

    def read_editor(self) -> None:
        """Take what its editor holds, of which Textual may not have told yet."""
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
            parsed = parse_text(self.asked, text)
        if self._shape == "number" and parsed.problem:
            self.state.put(self.path, text, run)
        elif not parsed.problem:
            self.state.put(self.path, parsed.value, run)
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

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Do what the head offers."""
        event.stop()
        match event.deed:
            case "fold":
                self.fold(folded=not self.has_class("-folded"))
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

    async def _begin(self) -> None:
        """Give it the plainest value of its kind, or an item more if it is a list."""
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


def _run(before: str, text: str) -> str:
    """What is undone together: letters typed one after the other up to a space, or letters deleted so."""
    more = len(text) - len(before)
    return "type" if more == 1 and not text[-1:].isspace() else "delete" if more == -1 else ""


def _toggled(chosen: tuple[int, ...], index: int) -> list[int]:
    return [each for each in chosen if each != index] if index in chosen else [*chosen, index]
