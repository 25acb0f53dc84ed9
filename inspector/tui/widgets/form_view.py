"""How a field looks: its head, its editor for the value of the moment, and what is wrong with it.

A field is drawn anew only when its value takes another shape; nothing here takes what is typed. Every widget is known
by the place of its value; no name from a schema ever becomes an id or a class.
"""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from inspector.forms.fields import (
    UNSET,
    ChoiceField,
    Field,
    Opened,
    TextField,
    opened,
)
from inspector.forms.paths import Path
from inspector.forms.typed import json_text, text_of
from inspector.forms.values import FormValue
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


class FieldView(Widget):
    """A field as it looks for the value of the moment."""

    DEFAULT_CSS = """
    FieldView { height: auto; layout: vertical; margin: 0 0 1 0; }
    FieldView.-bare { margin: 0; }
    FieldView.-last { margin: 0; }
    FieldView > .field--about { color: $text-muted; height: auto; max-height: 1; }
    FieldView.-leaf:focus-within > .field--about { max-height: 12; }
    FieldView > .field--wrong { color: $text-error; height: auto; display: none; }
    FieldView.-wrong > .field--wrong { display: block; }
    FieldView.-leaf { border-left: blank; padding-left: 1; }
    FieldView.-leaf.-wrong { border-left: heavy $error; }
    FieldView.-leaf:focus-within { border-left: outer $accent; }
    FieldView.-group { border-left: vkey $border-blurred; padding-left: 1; }
    FieldView.-group.-wrong { border-left: heavy $error; }
    FieldView.-group.-bare { border-left: none; padding-left: 0; }
    FieldView.-group.-at-head, FieldView.-leaf.-wrong:focus-within { border-left: outer $accent; }
    FieldView.-folded > .field--body { display: none; }
    """

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
        self._within = 0
        """How much is wrong within."""
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
        self.set_class(self.place.last, "-last")
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
                text, unset = text_of(asked, value), value is UNSET
                line = self._shape == "line"
                yield self._known(LineEdit(text, unset=unset, secret=secret) if line else _block(text, unset=unset))
            case "number":
                yield self._known(LineEdit(text_of(self.field, value), unset=True))
            case "options" if asked is not None:
                yield Options(asked, value).segments(value)
            case "several" if isinstance(asked, ChoiceField):
                yield self._several(asked)
            case "json":
                yield self._known(_block(json_text(value), unset=True, wrap=False))
            case "object" | "list" | "union":
                yield self.group()
            case _:
                pass

    def _known(self, edit: LineEdit | BlockEdit) -> Widget:
        """Remember what an editor makes of the text that it was given: what differs from that was typed."""
        self._text = edit.written
        return edit

    def group(self) -> Widget:
        """The fields within. For whoever knows how to draw them."""
        raise NotImplementedError

    def _several(self, asked: ChoiceField) -> Segments:
        value = self.value if isinstance(self.value, list) else []
        on = [at for at, option in enumerate(asked.options) if option.value in value]
        return Segments([option.title for option in asked.options], on, multi=True)

    def _head(self) -> list[Span]:
        asked = self.field if self._shape == "lazy" else self.asked
        folded = self.has_class("-folded")
        spans = form_head.head_spans(asked, self.place, self._shape, self.value, folded=folded)
        return form_head.with_problems(spans, self._within) if folded else spans

    def _deeds(self) -> list[Deed]:
        return form_head.deeds(self.field, self.place, self._shape, folded=self.has_class("-folded"))

    async def redraw(self) -> None:
        """Draw it anew, because its value has taken another shape."""
        self._own_problem = ""
        await self.recompose()
        self._say()

    def fold(self, *, folded: bool) -> None:
        """Hide what is within, or show it."""
        self.set_class(folded, "-folded")
        self._renew_head()

    def tell(self, told: Sequence[str], *, within: int = 0) -> None:
        """Show what is wrong with it; `within` so many things more are wrong further in."""
        if within != self._within:
            self._within = within
            self._renew_head()
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

    def focus_at(self, path: Path, skip: int = 0, *, fresh: bool = False) -> None:
        """Focus the first editor of the field at a place within; see `focus_first`."""
        for node in self.query(FieldView):
            if node.path == path:
                node.focus_first(skip, fresh=fresh)
                return
        self.focus_first()

    def focus_editor(self) -> None:
        """Focus its editor rather than its head."""
        self.focus_first(0 if self._shape in form_head.GROUPS else 1)

    def focus_first(self, skip: int = 0, *, fresh: bool = False) -> None:
        """Focus its first editor; `skip` heads are passed by if there is something behind them.

        A `fresh` value is one that the form has made up, and gives way to what is typed.
        """
        able = [widget for widget in self.query("*") if widget.focusable]
        if not able:
            return
        first = able[min(skip, len(able) - 1) if isinstance(able[0], FormBar) else 0]
        if fresh and isinstance(first, LineEdit):
            first.select_all()
        first.focus()


def _block(text: str, *, unset: bool, wrap: bool = True) -> BlockEdit:
    """A block whose changes the form undoes, as those of all other fields."""
    return BlockEdit(text, unset=unset, wrap=wrap, undoes=False)
