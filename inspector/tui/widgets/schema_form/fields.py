"""One field of a form: its editor sets its value, and its head offers actions.

A field may contain other fields. A value that the field's own editor can't show is edited as JSON instead. A single
value is a row of text until it has the focus: only then are the widgets of its editor built.
"""

import pathlib
from collections.abc import Callable
from typing import Final

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea

from inspector.forms.fields import UNSET, ArrayField, ChoiceField, JsonField
from inspector.forms.interpret import Reading, branches_of, interpret, interpret_json
from inspector.forms.paths import Path
from inspector.forms.values import FormValue, fresh_value, from_json
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.schema_form.bodies import FieldsBody, ListBody, body_of
from inspector.tui.widgets.schema_form.editors import (
    BlockEdit,
    ChoiceSegments,
    LineEdit,
    ValueLine,
    put_text,
    run_of,
    toggled,
)
from inspector.tui.widgets.schema_form.field_view import FieldGround, FieldView, Inner
from inspector.tui.widgets.schema_form.moves import steps_of
from inspector.tui.widgets.schema_form.resting import RESTING, choices_of
from inspector.tui.widgets.schema_form.state import is_container, shape_of
from inspector.tui.widgets.schema_form.view import FormBar, state_of
from inspector.tui.widgets.segments import Segments
from inspector.tui.widgets.sent import Sent

_AT_HEAD: Final = ("space", *keys.action("menu.act").keys)
"""Printable keys that do something at the head of a field; others are typed into its first place."""


class FieldNode(FieldView):
    """A field of a form: what is typed, clicked and chosen in it sets its value."""

    BINDINGS = keys.bindings_of("form.unset", "form.remove", "form.null", "line.up", "line.down")

    DEFAULT_CSS = pathlib.Path(__file__).with_suffix(".tcss").read_text("utf-8")

    class Asked(Sent["FieldNode"]):
        """A member or an item requests an action of its container: "remove", "up", "down"."""

        def __init__(self, control: "FieldNode", action: str) -> None:
            super().__init__(control)
            self.action = action

    def inner(self, inner: Inner) -> "FieldNode":
        return FieldNode(self.state, inner.path, inner.field, inner.place)

    def body(self) -> FieldGround:
        return body_of(self)

    async def on_key(self, event: events.Key) -> None:
        """Type a key that was pressed before the editor had the focus. Enter moves on once a choice was made."""
        typed, focused = event.character or "", self.screen.focused
        if event.key == "enter" and isinstance(focused, Segments):
            event.stop()
            self._enter()
            return
        is_action = isinstance(focused, FormBar) or (isinstance(focused, Segments) and not typed.isalnum())
        if self._shape in RESTING and event.is_printable and not is_action:
            event.stop()
            put_text(await self.focus_editor(), typed)
        elif isinstance(focused, FormBar) and event.is_printable and event.key not in _AT_HEAD:
            event.stop()
            self.fold(folded=False)
            bodies = self.query_children("ListBody").results(ListBody)
            lines = [line for body in bodies for line in body.query_children(ValueLine)]
            put_text(lines[0].focus() if lines else await self.focus_editor(), typed)

    async def on_paste(self, event: events.Paste) -> None:
        """Put a pasted text into the field, all of its lines."""
        event.stop()
        text = "\n".join(event.text.splitlines())
        if self._shape == "opener":
            await self._open(text)
        else:
            await self._insert(text)

    async def _insert(self, text: str) -> None:
        """Insert a text at the cursor, which it follows."""
        line = await self.focus_editor()
        if not isinstance(line, ValueLine) or self._shape != "line":
            put_text(line, text.partition("\n")[0])
            return
        start, end = sorted(line.selection)
        before = line.value[:start] + text
        whole = before + line.value[end:]
        self._typed(whole)
        if shape_of(self.field, self.value, self.selected) == "line":
            line.value, line.cursor_position = whole, len(before)
            return
        await self.redraw()
        block = await self.focus_editor()
        if isinstance(block, BlockEdit):
            block.move_cursor((before.count("\n"), len(before.rpartition("\n")[2])))

    async def on_descendant_blur(self) -> None:
        """Be text again, unless the whole terminal has lost the focus."""
        if not self.app.app_focus or self.has_focus_within:
            return
        self._moves_on = False
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
            await self._open_if_closed()

    async def focus_at(self, path: Path, *, at_head: bool = False) -> Widget | None:
        return await (await node_at(self, path)).focus_editor(at_head=at_head)

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
            await self._open_if_closed(text.removeprefix(self._written[0]))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Set the value from the block."""
        event.stop()
        self._typed(event.text_area.text)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Open a closed field, or focus the next value."""
        event.stop()
        if not await self._open_if_closed():
            self._enter()

    def _enter(self) -> None:
        """Go to the next field, unless Enter is the first key here: then a value is to be typed or chosen.

        Where Enter has led to a field, Enter passes it.
        """
        steps = steps_of(self)
        if self._moves_on and steps is not None and (there := steps.step(1)) is not None:
            node = next((each for each in there.ancestors_with_self if isinstance(each, FieldNode)), self)
            node._moves_on = True  # noqa: SLF001 - another field of this form
        self._has_changed()

    def _has_changed(self) -> None:
        if not self._moves_on:
            self._moves_on = True
            for line in self.query_children(ValueLine):
                line.show_enter("Next")

    async def on_value_line_clicked(self, event: ValueLine.Clicked) -> None:
        """Open a closed field."""
        event.stop()
        await self._open_if_closed()

    async def _open_if_closed(self, typed: str = "") -> bool:
        """Open a closed field; return whether it was closed."""
        shape = self._shape
        if shape == "opener":
            await self._open(typed)
        elif shape == "picker":
            self._choose(typed)
        return shape in ("opener", "picker")

    async def on_value_line_turned(self, event: ValueLine.Turned) -> None:
        """Select the next or previous branch, and read the text as its value if it can be.

        Without a text, none of the branches is a choice, too.
        """
        event.stop()
        branches = branches_of(self.asked)
        if len(branches) < 2:
            return
        now, text, number = self.selected, self._text or "", len(branches)
        if text:
            to = ((interpret(self.asked, text).branch or 0 if now is None else now) + event.by) % number
        else:
            to = ((number if now is None else now) + event.by) % (number + 1)
        self.state.selected.pop(self.path, None)
        if to < number:
            self.state.selected[self.path] = to
        self._text = None
        if text:
            self._typed(text)
        elif to < number and is_container(branches[to].field):
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
        self._has_changed()
        as_json = self._shape == "json" and not isinstance(self.asked, JsonField)
        reading = interpret_json(text) if as_json else interpret(self.asked, text, self.selected)
        self._own_problem, self._own_note = reading.problem, reading.note
        self.state.type(self.path, reading, run)
        for edit in self.children:
            if isinstance(edit, ValueLine | BlockEdit):
                state = self.value if self.value in (UNSET, "") else UNSET
                edit.show_state(*state_of(self.asked, state, self._shape, self.place))
        kind = self._kind_now()
        if kind != self._kind:
            self._kind = kind
            self._renew_head()
        self._say()

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        event.stop()
        await self._take_choice(event.index)

    async def _take_choice(self, index: int) -> None:
        asked, self._moves_on = self.asked, True
        self._refuse("")
        if self._shape == "several" and isinstance(asked, ChoiceField):
            chosen = sorted(toggled(choices_of(asked, self.value).chosen, index))
            await self.write([asked.options[at].value for at in chosen])
        elif self._shape == "options":
            await self.write(ChoiceSegments(asked, self.value).values[index])
        for segments in self.query_children(Segments):
            segments.choose(*choices_of(asked, self.value).chosen)

    def on_segments_typed(self, event: Segments.Typed) -> None:
        """Show that no choice begins with this word: a call asks first, as with a text that cannot be the value."""
        event.stop()
        self._refuse(f"no choice begins with {event.text}; Backspace begins again" if event.text else "")

    def _refuse(self, problem: str) -> None:
        """Set why what was typed is no value, while the value stays; "" if nothing more is wrong with it."""
        if problem != self._own_problem:
            self._own_problem = problem
            self.state.type(self.path, Reading(self.value, "", problem=problem), "word")
            self._say()

    async def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Run an action of the head."""
        event.stop()
        await self.act(event.action)

    async def action_do(self, name: str) -> None:
        """Run an action of the head by a key that is pressed in the editor below it."""
        await self.act(name)

    async def act(self, action: str) -> None:
        """Run an action of the head."""
        match action:
            case "fold":
                self.fold(folded=not self.has_class("-folded"))
            case "enter":
                self.fold(folded=False)
                await self.focus_editor()
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
            last = len(self.value) - 1 if isinstance(self.value, list) else 0
            first = len(self.asked.prefix) if isinstance(self.asked, ArrayField) else 0
            to = min(max(int(path[-1]) + (1 if event.action == "down" else -1), first), last)
            self.state.move(path, to)
            path = (*path[:-1], to)
        await self.redraw()
        if event.action == "remove" and isinstance(self.value, list):  # the next item, or else the last one
            path = (*path[:-1], max(0, min(int(path[-1]), len(self.value) - 1)))
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
            around.action_remove() if around.place.removable else await around.action_unset()
        else:
            again = self.value is UNSET and default is not UNSET
            await self._set_state(from_json(self.field, default) if again else UNSET)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Remove what can be removed altogether, and unset the others: both leave out the field. Move items only."""
        if action == "do":
            return self.place.of > 1
        return action not in ("remove", "unset") or (action == "remove") is self.place.removable

    def action_remove(self) -> None:
        """Remove the item, or the member that is not in the schema."""
        self.post_message(self.Asked(self, "remove"))

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


def _around(node: FieldNode, wanted: Callable[[FieldNode], bool]) -> FieldNode | None:
    """Return the nearest field around a field, below the root, that meets a condition."""
    nodes = (each for each in node.ancestors if isinstance(each, FieldNode) and each.path)
    return next((each for each in nodes if wanted(each)), None)
