"""A field of a form as it is drawn: at rest as text, with its editor, or with the fields within.

What is typed into it is in `fields`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.color import Color
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from inspector.forms.fields import UNSET, Field, Opened, opened
from inspector.forms.interpret import branches_of, interpret, json_kind
from inspector.forms.paths import Path
from inspector.forms.values import FormValue
from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs
from inspector.tui.widgets.schema_form.editors import BlockEdit, LineEdit, ValueLine, block_of
from inspector.tui.widgets.schema_form.resting import (
    RESTING,
    RestingRow,
    Shown,
    choices_of,
    head_row,
    indent_of,
    problem_rows,
    roomy,
    with_value,
    written,
)
from inspector.tui.widgets.schema_form.state import FormState, Shape, is_secret, shape_of
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


class Inner(NamedTuple):
    """A field within another one."""

    path: Path
    field: Field
    place: FieldPlace


class FieldGround(Vertical):
    """What contains fields. It looks up once what each of them is painted on: Textual asks all ancestors for that."""

    _paper: tuple[str, Style, Color] | None = None

    def paper(self) -> tuple[Style, Color]:
        """Return the style of text and the background."""
        theme = self.app.theme
        if self._paper is None or self._paper[0] != theme:
            self._paper = theme, self.rich_style, self.background_colors[1]
        return self._paper[1:]


class FieldView(Widget):
    """A field of a form, drawn for its current value."""

    def __init__(self, state: FormState, path: Path, field: Field, place: FieldPlace) -> None:
        super().__init__()
        self.state = state
        self.path = path
        self.field = field
        self.place = place
        self._asked: Opened | None = None
        self._text: str | None = None
        self._own_problem, self._own_note = state.why_unread(path), ""
        self._moves_on = False
        """Whether Enter goes to the next field: Enter has led here, or a key has changed the value or was Enter."""
        self._kind = ""
        """Kind of the current value, if the field allows several."""
        self._problems: Sequence[str] = ()
        self._hints: Sequence[str] = ()
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

    @property
    def is_at_rest(self) -> bool:
        """Whether it is text, and gets an editor with the focus."""
        return self._shape in RESTING and not self._is_open

    def compose(self) -> ComposeResult:
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
            beside = row and self._shape in RESTING  # one stop for one row: its keys work in the editor
            yield FormBar(spans, actions, classes="field--head", letters=not row, clicked_only=beside)
        statics = [Static(Text(lines), classes="field--about")] if lines else []
        body = list(self._body())
        self._text = next((each.written for each in body if isinstance(each, LineEdit | BlockEdit)), None)
        for each in statics if has_bar else [*statics, *body]:
            each.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))
        yield from [*body, *statics] if row else [*statics, *body]  # in a row, the description is below the editor

    @property
    def _width(self) -> int:
        return self.content_size.width or self.app.size.width

    def on_resize(self) -> None:
        """Leave room for the head, and show all of a problem that has just come below the editor with the focus."""
        if self._remarks and self.has_focus_within:
            self.scroll_visible(animate=False)
        if self._shape in RESTING and not self.has_class("-bar"):
            for each in self.children:
                each.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))

    def _body(self) -> ComposeResult:
        value = self.value
        match self._shape:
            case "line" | "block" | "json":
                yield self._edit(value)
            case "opener" | "picker":
                ghost, _ = state_of(self._as_read, value, self._shape, self.place)
                enter = "Open" if self._shape == "opener" else "Choose"
                yield ValueLine(self._written[0], ghost=ghost, enter=enter)
            case "options" | "several":
                choices = choices_of(self.asked, value)
                yield Segments(choices.labels, choices.chosen, multi=choices.multi, faint=choices.faint)
            case "object" | "list" | "union":
                yield self.body()

    def _edit(self, value: FormValue) -> LineEdit | BlockEdit:
        """Return the editor of a text; the branch that reads it back as the value is selected."""
        ghost, spare = state_of(self.asked, value, self._shape, self.place)
        text, selected = self._written
        if selected is not None:
            self.state.selected[self.path] = selected
        if self._shape == "line":
            blanks = interpret(self.asked, " ", self.selected).value is not UNSET
            enter = "Next" if self._moves_on else "Edit"
            secret = is_secret(self.asked)
            return ValueLine(text, ghost=ghost, spare=spare, secret=secret, enter=enter, blanks=blanks)
        return block_of(text, ghost=ghost, wrap=self._shape == "block")

    def _rows(self, width: int) -> list[RestingRow]:
        """Return the field at rest: its head, its value and what is wrong with it."""
        shape, asked, value = self._shape, self._as_read, self.value
        place = roomy(self.place, shape, width)
        ghost, _ = state_of(asked, value, shape, self.place)
        text, _ = self._written
        shown: Shown = (ghost, "claimed")
        if shape in ("options", "several"):
            shown = choices_of(asked, value)
        elif text:
            shown = ("•" * len(text) if is_secret(asked) else visible(text, limit=400), "text")
        heads = [head_row(*self._head(place), place)] if has_head(place) else []
        rows = with_value(heads, shown, about(self.field, shape, self.place), width, below=not is_row(place, shape))
        return [*rows, *problem_rows(self._remarks, indent_of(place, shape, width), width)]

    @property
    def _written(self) -> tuple[str, int | None]:
        """The text of the value, "" for a state of a line, and the branch that reads it back."""
        return written(self.field, self._as_read, self.value, self._shape, self.selected)

    @property
    def _as_read(self) -> Field:
        """The field's schema, unread as long as it is closed: a form can have many that are large."""
        return self.field if self._shape == "opener" else self.asked

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._shape not in RESTING or self.children:
            return super().get_content_height(container, viewport, width)
        if self._remarks:
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

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of a region. A field at rest without a mark is painted here: a form has many of them."""
        marked = self.has_class("-wrong") or self.has_class("-here")
        if marked or not self.is_at_rest or not isinstance(self.parent, FieldGround) or not self.is_attached:
            return super().render_lines(crop)
        if self.text_selection is not None:
            return super().render_lines(crop)
        paper, ground = self.parent.paper()
        width, dark = self.outer_size.width, self.app.current_theme.dark
        margin = Segment(" " * self.gutter.left, paper)
        rows = self._rows(self.size.width)[crop.y : crop.bottom]
        strips = []
        for y, row in enumerate(rows, crop.y):
            strip = Strip([margin, *Strip(row.segments(self.size.width, paper, dark=dark)).apply_offsets(0, y)])
            strips.append(through_filters(self, strip.adjust_cell_length(width, paper), ground))
        strips += [through_filters(self, Strip.blank(width, paper), ground)] * (crop.height - len(rows))
        whole = crop.x == 0 and crop.width == width
        return strips if whole else [strip.crop(crop.x, crop.right) for strip in strips]

    async def on_focus(self) -> None:
        """Build the editor, which gets the focus unless it has moved on."""
        await self._open_editor()
        if self.screen.focused is self:
            self.screen.set_focus(next(iter(self.query_children("ValueLine, Segments")), None))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Consume printable keys: they are typed into the editor that is built."""
        return self._shape in RESTING and keys.types(key, character)

    def on_descendant_focus(self) -> None:
        """Mark the field."""
        self.set_class(self._shape not in GROUPS, "-here")

    @property
    def selected(self) -> int | None:
        """The branch that the user has selected."""
        return self.state.selected.get(self.path) if self.place.chooses else None

    def _head(self, place: FieldPlace | None = None) -> tuple[list[Span], list[FieldAction]]:
        folded, place = self.has_class("-folded"), place or self.place
        kind = self._kind
        if kind and self._is_open and self._shape == "line":
            kind = f"{kind} {keys.shown_key('form.kind')}"
        spans = head_spans(self.field, place, self._shape, self.value, folded=folded, kind=kind)
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

    def show_problems(self, problems: Sequence[str], hints: Sequence[str] = (), *, within: int = 0) -> None:
        """Show the problems of this field and hints about it, and the number of problems in the fields `within`."""
        if within != self._within:
            self._within = within
            self._renew_head()
        if list(problems) != list(self._problems) or list(hints) != list(self._hints):
            self._problems, self._hints = list(problems), list(hints)
            self._say()

    @property
    def _remarks(self) -> list[str]:
        """What is wrong with the value, or a note about it."""
        lines = [self._own_problem] if self._own_problem else list(self._problems)
        if not lines:
            notes = [self._own_note] if self._own_note else self._hints
            return [f"{glyphs().warning} {visible(note, limit=400)}" for note in notes[:5]]
        return [f"{glyphs().error} {visible(line, limit=400)}" for line in lines[:5]]

    def _say(self) -> None:
        self.set_class(bool(self._own_problem or self._problems), "-wrong")
        if self.is_at_rest:
            self.refresh(layout=True)
            return
        shown = self._remarks
        static = next(iter(self.query_children(".field--wrong").results(Static)), None)
        if static is None and shown and self.is_mounted:
            static = Static("", classes="field--wrong")
            static.styles.margin = (0, 0, 0, indent_of(self.place, self._shape, self._width))
            self.mount(static)
        if static is not None:
            static.display = bool(shown)
            static.set_class(not self.is_wrong, "-mild")
            static.update(Text("\n".join(shown)))

    def _renew_head(self) -> None:
        self.refresh()
        for head in self.query_children(".field--head").results(FormBar):
            head.show(*self._head())

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
            if self._remarks:  # below the editor, which alone is scrolled into view
                self.call_after_refresh(self.scroll_visible, animate=False)

    def inner(self, inner: Inner) -> "FieldView":
        """Return a field within this one, to be drawn."""
        raise NotImplementedError

    def body(self) -> FieldGround:
        """Return what contains the fields within."""
        raise NotImplementedError

    async def focus_at(self, path: Path, *, at_head: bool = False) -> Widget | None:
        """Focus the field at a path within this one, its editor or its head. Return the focused widget."""
        raise NotImplementedError

    async def add_item(self, typed: str = "") -> None:
        """Add an item to a list, with the cursor in it, where the text goes."""
        raise NotImplementedError


async def _focused(able: Sequence[Widget]) -> Widget | None:
    """Focus the first of these widgets, or the editor of a field at rest. Return the focused widget."""
    if not able:
        return None
    if isinstance(able[0], FieldView):
        return await able[0].focus_editor()
    return able[0].focus()
