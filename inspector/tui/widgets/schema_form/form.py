"""A form generated from a JSON Schema, and the same value as JSON text: two views that are always in sync.

Any input is kept and can be sent, valid or not. Once the user pauses typing, a thread validates the value and its
problems appear at the fields. Invalid JSON changes nothing: the last valid value is kept.
"""

import pathlib
import time
from collections.abc import Sequence
from typing import Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static, TextArea

from inspector.forms.fields import UNSET
from inspector.forms.paths import Path
from inspector.forms.typed import json_text, parse_json
from inspector.forms.validate import Validation
from inspector.forms.values import FormValue, initial_value
from inspector.present.gc_control import no_collection
from inspector.present.spans import Span
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.input_queue import take_repeats
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.schema_form.bodies import FieldsBody, ObjectBody
from inspector.tui.widgets.schema_form.editors import BlockEdit
from inspector.tui.widgets.schema_form.field_view import FieldGround
from inspector.tui.widgets.schema_form.fields import FieldNode, node_at
from inspector.tui.widgets.schema_form.moves import only_heads
from inspector.tui.widgets.schema_form.state import MOST_DRAWN, FormState, drawn_count
from inspector.tui.widgets.schema_form.view import FieldPlace
from inspector.tui.widgets.sent import Sent

_PAUSE: Final = 0.15
"""Pause in changes, in seconds, after which the value is validated."""
_MOST_TEXT: Final = 200_000
"""Maximum length of JSON that can be edited here, in characters."""

_LOW: Final = 30
"""Height of the screen in rows below which there are no blank rows."""


class SchemaForm(Widget):
    """A form for one value. `load` sets its schema; `arguments` is its current content."""

    BINDINGS = keys.bindings_of(
        "form.next", "form.previous", "form.leave", "form.page_down", "form.page_up", "form.undo", "form.redo"
    )
    DEFAULT_CSS = pathlib.Path(__file__).with_suffix(".tcss").read_text("utf-8")

    class Changed(Sent["SchemaForm"]):
        """The value, its validation or its view has changed."""

    def __init__(self, schema: object = None, value: FormValue = UNSET) -> None:
        super().__init__()
        self.state = FormState(schema, value)
        self.json_problem = ""
        """Why the JSON text is invalid; "" if it is valid or not shown."""
        self._timer: Timer | None = None
        self._text = ""
        self._note = ""
        self._forced = False
        """Whether the value is shown as JSON because it is too large for a form."""
        self._json = BlockEdit("", unset=True, wrap=False)
        self._json.add_class("form--json")
        self._json.can_focus = False  # until it is shown
        self._fields = FieldGround(classes="form--fields")
        self._root: FieldNode | None = None
        self._noted = Static("", classes="form--note")
        self._whole = Static("", classes="form--whole")
        self._own_problems: list[str] = []

    def compose(self) -> ComposeResult:
        yield self._noted
        yield self._whole
        yield self._fields
        yield self._json

    async def on_mount(self) -> None:
        """Draw the initial value, if there is a schema already: without one there is nothing to judge."""
        if self.state.schema is not None:
            await self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Leave out blank rows on a low screen."""
        self.update_classes({"-low": self.app.size.height < _LOW})

    @property
    def is_ready(self) -> bool:
        """Whether it has been laid out."""
        return self._json.is_mounted

    @property
    def arguments(self) -> object:
        """JSON to send; UNSET if nothing is to be sent."""
        return self.state.arguments

    @property
    def problem_count(self) -> int:
        """Number of problems known so far."""
        return len(self.state.problems) + len(self.state.unread) + bool(self.json_problem)

    @property
    def as_json(self) -> bool:
        return self.has_class("-json")

    async def load(self, schema: object, value: FormValue = UNSET) -> None:
        """Draw another form; UNSET stands for the initial value of the schema."""
        with no_collection():  # a schema may require many thousand fields, and none of them is garbage
            self.state = FormState(schema, value)
        self._show_own_problems([])
        await self._draw()

    async def take(self, arguments: object) -> None:
        """Set the value from any JSON."""
        self.state.take_json(arguments)
        await self._draw()

    @property
    def is_touched(self) -> bool:
        """Whether any value differs from the initial one."""
        return self.state.value != initial_value(self.state.root)

    async def reset(self) -> None:
        """Set all values to the defaults of the schema. It can be undone."""
        self.state.replace(initial_value(self.state.root))
        await self._draw()
        self.focus_first()

    async def _draw(self) -> None:
        state = self.state
        state.changed = self._changed
        self.json_problem = ""
        self._note = ""
        if self._forced:
            self.remove_class("-json")
        self._forced = not self.as_json and drawn_count(state.root, state.value) > MOST_DRAWN
        if self._forced:
            self._note = "Too large for a form: edit it as JSON."
            self.add_class("-json")
        self._json.can_focus = self.as_json
        if self.as_json:
            self._show_json()
        else:
            await self._show_fields()
        self.set_class(bool(self._note), "-noted")
        if str(self._noted.content) != self._note:
            self._noted.update(Text(self._note))
        self._changed()

    async def _show_fields(self) -> None:
        with self.app.batch_update():
            await self._fields.remove_children()
            self._root = FieldNode(self.state, (), self.state.root, FieldPlace(bare=True))
            await self._fields.mount(self._root)

    def _show_json(self) -> None:
        self._text = json_text(self.arguments)
        edit = self._json
        edit.read_only = len(self._text) > _MOST_TEXT
        edit.text = self._text[:_MOST_TEXT]
        if edit.read_only:
            self._note = "Too long to edit here; only the start is shown."

    # Validation

    def _changed(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._judge_beside)
        self.post_message(self.Changed(self))

    def _judge_beside(self) -> None:
        # Pass the method, not its coroutine: a worker cancelled before its start would leave the coroutine unawaited.
        self.run_worker(self.judge, exclusive=True, group="judge")  # type: ignore[arg-type]

    def read_editors(self) -> None:
        """Apply the editors' texts before validating or saving: Textual may not have reported the last change yet."""
        if self.as_json:
            self._take_text(self._json.text)
        else:
            for node in self.query(FieldNode):
                node.read_editor()
            for body in self.query(ObjectBody):
                body.read_name()

    async def judge(self) -> Validation:
        """Return the validation of the current value."""
        state = self.state
        while state.verdict is None:
            value = state.value
            verdict = await read_on_thread(state.judge, time.thread_time)
            if state.value is value:
                state.verdict = verdict
        if state is self.state:
            self._show_problems()
        return state.verdict

    def _show_problems(self) -> None:
        nodes = {node.path: node for node in self.query(FieldNode)} if not self.as_json else {}
        drawn = {path for path in nodes if path} | self._undrawn
        problems, hints = self.state.problems_by_path(drawn), self.state.hints_by_path(drawn)
        for path, node in nodes.items():
            within = sum(
                len(problems[each]) for each in problems if len(each) > len(path) and each[: len(path)] == path
            )
            if path:
                node.show_problems(problems.get(path, ()), hints.get(path, ()), within=within)
            else:  # those of the whole value are above the fields
                node.show_problems((), within=within)
        whole = [self.json_problem] if self.json_problem else []
        if self.as_json:
            self.state.insists, insisted = True, self.state.insists
            everything = self.state.problems_by_path(set())
            self.state.insists = insisted
            whole += [sentence for path in everything for sentence in everything[path]]
        else:
            whole += problems.get((), [])
        if self.state.verdict is not None and self.state.verdict.note:
            whole.append(self.state.verdict.note)
        own_hints = self.state.hints_by_path(set()) if self.as_json else {(): hints.get((), [])}
        self._show_own_problems(whole, [sentence for each in own_hints.values() for sentence in each])
        self.post_message(self.Changed(self))

    @property
    def _undrawn(self) -> set[Path]:
        """Paths of the fields that are not drawn yet."""
        return {path for body in self.query(FieldsBody) for path in body.undrawn_paths} if not self.as_json else set()

    def on_fields_body_grown(self) -> None:
        """Show the problems of the fields that were drawn last."""
        if self.state.verdict is not None:
            self._show_problems()

    def _show_own_problems(self, sentences: Sequence[str], hints: Sequence[str] = ()) -> None:
        signed = [*((glyphs().error, each) for each in sentences), *((glyphs().warning, each) for each in hints)]
        shown = [f"{sign} {visible(sentence, limit=300)}" for sign, sentence in signed[:8]]
        self.update_classes({"-wrong": bool(shown), "-mild": not sentences})
        if shown != self._own_problems:  # an update lays the screen out again
            self._own_problems = shown
            self._whole.update(Text("\n".join(shown)))

    async def show_all_problems(self) -> None:
        """Show all problems, including those of untouched fields, and focus the first."""
        self.state.insists = True
        await self.judge()
        if self.as_json:
            self._json.focus()
            return
        undrawn = self._undrawn
        wrong = [node.path for node in self.query(FieldNode) if node.is_wrong and node.path]
        wrong += [path for path in self.state.problems_by_path(undrawn) if path in undrawn]
        if wrong and self._root is not None:
            node = await node_at(self._root, wrong[0])
            for around in node.ancestors:
                if isinstance(around, FieldNode):
                    around.fold(folded=False)
            self.call_after_refresh(node.focus_editor)

    # Undo and redo

    def action_step(self, by: int) -> None:
        """Move as `step` does, and together as far as the keys that wait ask for: no field is drawn in between."""
        inside, after = self._way(by)
        steps = take_repeats(self, len(inside) - 1)
        for widget in [*inside[steps:], *after][:1]:
            widget.focus()

    def step(self, by: int) -> Widget | None:
        """Focus the next value (1), or leave the form after the last one; or focus the previous line (-1), if any.

        Return the focused widget.
        """
        inside, after = self._way(by)
        return next((widget.focus() for widget in [*inside, *after]), None)

    def _way(self, by: int) -> tuple[list[Widget], list[Widget]]:
        """Return where steps from the focused widget lead: within the form, and after it."""
        chain, focused = self.screen.focus_chain, self.screen.focused
        inside = {widget for widget in chain if self in widget.ancestors}
        if focused is None or focused not in inside:
            return [], []
        at = chain.index(focused)
        if by < 0:
            return [widget for widget in reversed(chain[:at]) if widget in inside], []
        values = [each for each in [*chain[at + 1 :], *chain[:at]] if each not in inside or not only_heads(each)]
        later = [widget for widget in chain[at + 1 :] if widget in inside and widget in values]
        return later, [widget for widget in values if widget not in later]

    def action_page(self, by: int) -> None:
        """Focus the value that is one page further down (1) or up (-1), or the last one before."""
        chain = [widget for widget in self.screen.focus_chain if self in widget.ancestors and not only_heads(widget)]
        if self.screen.focused not in chain:
            return
        at = chain.index(self.screen.focused)
        around = next((each for each in self.ancestors if isinstance(each, VerticalScroll)), self.screen)
        there = chain[at].region.y + by * (around.size.height - 2)
        way = chain[at + 1 :] if by > 0 else chain[:at][::-1]
        near = [widget for widget in way if (widget.region.y - there) * by <= 0]
        for widget in near[-1:] or way[:1]:
            widget.focus()

    async def action_undo(self) -> None:
        """Undo the last change, whichever field it was made in."""
        await self._show_again(self.state.undo(), "Nothing to undo.")

    async def action_redo(self) -> None:
        """Redo the last undone change."""
        await self._show_again(self.state.redo(), "Nothing to redo.")

    async def _show_again(self, path: Path | None, nothing: str) -> None:
        if path is None:
            self.app.notify(nothing)
            return
        if self.as_json:
            self._show_json()
            return
        await self.focus_at(path, redraw=True)

    def has_field(self, path: Path) -> bool:
        """Whether there is a field at a path below the root, drawn or not."""
        return bool(path) and (path in self._undrawn or any(node.path == path for node in self.query(FieldNode)))

    async def focus_at(self, path: Path, *, redraw: bool = False) -> Widget | None:
        """Focus the field at a path, or the nearest around it; draw it again, if its value has changed.

        Return the focused widget.
        """
        if self._root is None:
            return None
        node = await node_at(self._root, path)
        if redraw:
            await node.redraw()
        return await node.focus_editor()

    # JSON text

    async def toggle_json(self) -> None:
        """Switch between form and JSON. Invalid JSON is discarded; the last valid value is kept."""
        self.read_editors()
        self.toggle_class("-json")
        await self._draw()
        self.focus_first()

    def focus_first(self) -> bool:
        """Focus the first editor; return whether there is one.

        A line that adds to other members is focused only if the focus would be lost otherwise.
        """
        if self.as_json:
            self._json.focus()
            return True
        focused = self.screen.focused  # a field that builds its editor cannot be focused again meanwhile
        able = [widget for widget in self._fields.query("*") if widget.focusable or widget is focused]
        lines = [widget for widget in able if not _adds_to_others(widget)]
        better = [widget for widget in lines if not only_heads(widget)]
        found = better or lines or (able if self.has_focus_within else [])
        if found:
            found[0].focus()
        return bool(found)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Set the value from the JSON text if it is valid."""
        event.stop()
        self._take_text(event.text_area.text)

    def _take_text(self, text: str) -> None:
        if not self.as_json or self._json.read_only or text == self._text:
            return
        self._text = text
        parsed = parse_json(text)
        self.json_problem = parsed.problem
        if parsed.problem:
            self._show_own_problems([f"The text {parsed.problem}. The last valid value is kept."])
            self.post_message(self.Changed(self))
        else:
            self.state.take_json(parsed.value, "text")


def _adds_to_others(line: Widget) -> bool:
    """Whether a line adds a member to others, or an argument that the tool does not name."""
    node = line.parent.parent if isinstance(line.parent, ObjectBody) else None
    return (
        isinstance(node, FieldNode)
        and line.has_class("body--more")
        and (not node.path or len(node.query(FieldNode)) > 0)
    )


def hint_count(form: SchemaForm) -> int:
    """Return the number of hints, with which a request is sent without a question."""
    return len(form.state.hints)


def awaited_count(form: SchemaForm) -> int:
    """Return how many problems are only required fields not filled in yet; 0 in the JSON view, which shows all."""
    return 0 if form.as_json else form.state.awaited


def wrong_or_awaited(problems: int, awaited: int) -> Span:
    """Return the number of errors of a form; if there are none, the number of required fields still to be filled in."""
    wrong = problems - awaited
    if not wrong:
        return f"{awaited} required", "muted"
    return f"{glyphs().error} {counted(wrong, 'error')}", "error"


def hints_span(hints: int) -> Span:
    """Return the number of hints about a form."""
    return f"{glyphs().warning} {counted(hints, 'format hint')}", "warning"
