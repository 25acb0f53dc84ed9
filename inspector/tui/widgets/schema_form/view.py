"""How a field is drawn: its head, the editor for its current value, and its problems.

A field is drawn again only when its value changes its shape; nothing here handles input. Widgets are identified by
the path of their value. A name from a schema is never used as an id or a class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from inspector.forms.fields import UNSET, Field, JsonField, ObjectField, Opened, UnionField, kind_of
from inspector.forms.read_schema import ANYTHING, UNTYPED
from inspector.forms.typed import json_text, same, text_of
from inspector.forms.values import FormValue
from inspector.present.spans import Span, spans_width
from inspector.text import cell_width, one_line, pad, visible
from inspector.tui import keys
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.sent import Sent

_LETTERS = {name: keys.shown_key(f"line.{name}") for name in ("remove", "up", "down")} | {
    "null": keys.shown_key("form.null"),
    "kind": keys.shown_key("form.kind"),
}
"""Keys of the actions, shown while the line is focused."""
GROUPS = ("object", "list", "union")
"""Shapes that contain fields."""
_WIDEST_NAME, _WIDEST_KIND = 24, 17
"""Maximum widths of names and kinds in one row with their editors, in cells; a longer name has a separate line."""
_KINDS_AGAIN = ("integer", "or null", "JSON", "fixed", "expand to see")
"""Constraints that repeat the kind."""
EMPTY = '""'


@dataclass(frozen=True, slots=True)
class FieldAction:
    name: str
    """Name in messages: "remove", "up", "down", "fold", "enter"."""
    label: str


class FormBar(Widget):
    """Spans, then actions, on one line if there is space. Enter runs the first action."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.ActionScope.FORM_LINE),
        keys.binding(keys.action("menu.act")),  # this line keeps letters from the app
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--action", "bar--action-focused"}
    DEFAULT_CSS = """
    FormBar {
        height: auto;
        width: 1fr;
        & > .bar--action { color: $text-muted; }
        & > .bar--action-focused { color: $accent; text-style: bold; }
        &:focus { background: $block-cursor-background; }
    }
    """
    ALLOW_SELECT = False

    class Pressed(Sent["FormBar"]):
        """An action was requested."""

        def __init__(self, control: "FormBar", action: str) -> None:
            super().__init__(control)
            self.action = action

    def __init__(
        self,
        spans: Sequence[Span] = (),
        actions: Sequence[FieldAction] = (),
        classes: str | None = None,
        *,
        typed_at: bool = True,
        letters: bool = True,
        clicked_only: bool = False,
    ) -> None:
        """`typed_at`: it is among input fields, so that printable keys without a binding do nothing.

        `letters`: whether the keys of the actions are shown while it is focused. `clicked_only`: it is never focused.
        """
        super().__init__(classes=classes)
        self._clicked_only = clicked_only
        self._letters = letters
        self._typed_at = typed_at
        self._spans = spans
        self._actions = tuple(actions)
        self._zones: list[tuple[range, str]] = []
        self.can_focus = bool(actions) and not clicked_only

    def show(self, spans: Sequence[Span], actions: Sequence[FieldAction] | None = None) -> None:
        """Show other spans and actions; with `actions` None, the actions stay."""
        self._spans = spans
        if actions is not None:
            self._actions = tuple(actions)
            self.can_focus = bool(actions) and not self._clicked_only
        self.refresh(layout=len(self._rows(self.size.width)) != self.size.height)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._rows(width))

    def _rows(self, width: int) -> list[list[Span]]:
        """Wrap between spans only, so that a span is cut only if it is wider than a row; the last row has the actions.

        Space for the key letters is always reserved, so that nothing moves when the line is focused.
        """
        rows: list[list[Span]] = [[]]
        for words, role in self._spans:
            if rows[-1] and spans_width([*rows[-1], (words, role)]) > width and words.startswith("  "):
                rows.append([])
            rows[-1].append((words, role))
        cells = sum(cell_width(self._label(at, letters=True)) + 2 for at in range(len(self._actions)))
        if cells and rows[-1] and spans_width(rows[-1]) + cells > width:
            rows.append([])
        return rows

    def render(self) -> Text:
        width, dark = self.size.width, self.app.current_theme.dark
        lines = [spans_to_text(row, dark=dark) for row in self._rows(width)]
        line = lines[-1]
        style = self.get_component_rich_style("bar--action-focused" if self.has_focus else "bar--action", partial=True)
        self._zones = []
        for at, action in enumerate(self._actions):
            line.append("  ")
            start = cell_width(line.plain)
            line.append(self._label(at, letters=self.has_focus), style)
            self._zones.append((range(start, cell_width(line.plain)), action.name))
        for each in lines:
            each.truncate(width, overflow="ellipsis")
        shown = Text("\n", no_wrap=True, end="").join(lines)
        return shown  # noqa: RET504 - a name makes clear that this is not a string, which would be parsed as markup

    def _label(self, at: int, *, letters: bool) -> str:
        action = self._actions[at]
        if not letters or not self._letters:
            return action.label
        key = keys.key_name("enter") if at == 0 else _LETTERS.get(action.name, "")
        return f"{action.label} {key}".rstrip()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Consume printable keys."""
        return self._typed_at and keys.types(key, character)

    def action_do(self, name: str) -> None:
        """Run an action by its name, if it is available here."""
        if any(action.name == name for action in self._actions):
            self.post_message(self.Pressed(self, name))

    def action_press(self) -> None:
        """Run the first action."""
        if self._actions:
            self.post_message(self.Pressed(self, self._actions[0].name))

    def on_click(self, event: events.Click) -> None:
        """Run the clicked action; elsewhere the first one, or beside the sign of a group, go to its first place."""
        event.stop()
        for zone, name in self._zones:
            if event.x in zone and event.y == self.size.height - 1:
                self.post_message(self.Pressed(self, name))
                return
        if self._actions and self._actions[0].name == "fold" and event.x > 1:
            self.post_message(self.Pressed(self, "enter"))
        else:
            self.action_press()

    def on_focus(self) -> None:
        """Show the key letters and the focus mark on the left."""
        self._mark(here=True)
        self.refresh()

    def on_blur(self) -> None:
        """Hide the key letters."""
        self._mark(here=False)
        self.refresh()

    def _mark(self, *, here: bool) -> None:
        if self.parent is not None and self.has_class("field--head"):
            self.parent.set_class(here, "-at-head")


REMOVE = FieldAction("remove", f"{glyphs().times} remove")
_REMOVE_IN_ROW = FieldAction("remove", glyphs().times)
UP = FieldAction("up", "↑")
DOWN = FieldAction("down", "↓")


# The head of a field: its name, type, constraints, state and actions.


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """The position of a field, as its head shows it."""

    name: str = ""
    """Untrusted text; "" for the root and for a branch of a union."""
    item: int | None = None
    """Index, for an item of a list."""
    of: int = 0
    """Number of items in that list; 0 for one that stays in its place."""
    removable: bool = False
    """Whether it can be removed altogether: an item that need not be there, or a member that is not in the schema."""
    bare: bool = False
    """Whether it has no head: the root, and a branch."""
    last: bool = False
    """Whether it is the last one in its container."""
    chooses: bool = True
    """Whether a branch can be selected in it: not in a branch itself."""
    columns: tuple[int, int] = (0, 0)
    """Widths of the name and type columns, in cells; zeros if the head has a separate line."""

    @property
    def head_width(self) -> int:
        """Width of a head that shares a row with its editor, including the space after it, in cells."""
        name, kind = self.columns
        actions = (6 if self.of > 1 else 0) + (3 if self.removable else 0)
        return name + (kind + 2 if kind else 0) + actions + 2


def is_row(place: FieldPlace, shape: str) -> bool:
    """Whether head and editor share a row."""
    return shape not in GROUPS and place.columns[0] > 0


def name_width(name: str, asked: Field) -> int:
    """Return the width of a field's name with the star of a required one; 0 if it is too long for a column."""
    width = cell_width(visible(name, limit=80)) + (2 if asked.required else 0)
    return width if width <= _WIDEST_NAME else 0


def kind_words(asked: Field) -> str:
    """Return the types of a field in words: "integer or null"."""
    kinds = [kind_of(asked)]
    if isinstance(asked, JsonField):
        kinds = ["any" if asked.why in (UNTYPED, ANYTHING) else "JSON"]
    elif isinstance(asked, UnionField):
        kinds = [each.title for each in asked.branches]
    if asked.nullable:
        kinds.append("null")
    return visible(" or ".join(dict.fromkeys(kinds)), limit=80)


def kind_width(asked: Field) -> int:
    """Return the width of a field's kind in a column."""
    least = len(f"integer {_LETTERS['kind']}") if isinstance(asked, JsonField) else 0
    return max(least, min(cell_width(kind_words(asked)), _WIDEST_KIND))


def has_head(place: FieldPlace) -> bool:
    """Whether there is a head: always, except for a bare field."""
    return not place.bare


def head_spans(
    asked: Opened | Field, place: FieldPlace, shape: str, value: FormValue, *, folded: bool, kind: str = ""
) -> list[Span]:
    """Return the text of a head. `kind` is the kind of the current value, if the field allows several."""
    spans: list[Span] = []
    if shape in GROUPS:
        spans.append((f"{glyphs().closed if folded else glyphs().opened} ", "accent"))
    spans.append((visible(place.name, limit=80), "strong"))
    if asked.required and place.item is None:
        spans.append((" *", "error"))
    words = kind or kind_words(asked)
    if is_row(place, shape):
        spans.append((" " * (place.columns[0] - spans_width(spans)), "text"))
        if place.columns[1]:
            spans += [("  ", "text"), (pad(one_line(words, place.columns[1]), place.columns[1]), "faint")]
        return spans
    if title := _title(asked, place.name):
        spans.append((f"  {title}", "text"))
    spans.append(("  " + f" {glyphs().note} ".join([words, *_words(asked, shape, value)]), "faint"))
    return spans


def _title(asked: Opened | Field, name: str) -> str:
    """Return the title; "" if it only repeats the name."""
    title = visible(asked.title, limit=60)
    return "" if title.casefold() == name.casefold().replace("_", " ") else title


def with_problems(spans: list[Span], count: int) -> list[Span]:
    """Insert the number of hidden problems into a folded head, after its name."""
    return [*spans[:2], (f"  {glyphs().error} {count}", "error"), *spans[2:]] if count else spans


def _words(asked: Field, shape: str, value: FormValue) -> list[str]:
    """Return the constraints of a field, and its state, without its types."""
    is_seen = shape in ("options", "union") or isinstance(asked, UnionField)  # the choices themselves are shown
    words = [] if is_seen else visible(asked.constraint_text(), limit=80).split(f" {glyphs().note} ")
    if shape == "list" and isinstance(value, list):
        words.append(f"{len(value)} now")
    if asked.deprecated:
        words.append("deprecated")
    return [word.removesuffix(", integer") for word in dict.fromkeys(words) if word and word not in _KINDS_AGAIN]


def field_actions(asked: Field, place: FieldPlace, shape: str, *, folded: bool) -> list[FieldAction]:
    """Return the actions of a field, the usual one first."""
    found = list(_own_actions(asked, place, shape, folded))
    if place.item is not None and place.of > 1:
        found += [UP, DOWN]
    if place.removable:
        found.append(_REMOVE_IN_ROW if is_row(place, shape) else REMOVE)
    return found


def _own_actions(asked: Field, place: FieldPlace, shape: str, folded: bool) -> Iterator[FieldAction]:
    if shape in GROUPS and not place.bare:
        yield FieldAction("fold", "unfold" if folded else "fold")
        if not asked.required and not place.removable and shape != "union":
            yield REMOVE


def state_of(asked: Field, value: FormValue, shape: str, place: FieldPlace | None = None) -> tuple[str, str]:
    """Return what an empty line shows, and the text of a default to edit.

    "unset", "null", "10 default", or that the text is empty; for a closed field also how to open it. A list is sent
    without its unset items.
    """
    more = {"opener": f"  {keys.key_name('enter')} open", "picker": f"  {keys.key_name('enter')} choose"}.get(shape, "")
    if value is UNSET:
        return f"unset{', not sent' if place is not None and place.item is not None else ''}{more}", ""
    if value is None:
        return f"null{more}", ""
    if asked.default is not UNSET and same(asked.default, value):
        text = text_of(asked, value)
        return f"{visible(text, limit=200) or EMPTY} default{more}", text
    return ("empty text " + EMPTY if value == "" else "") + more, ""


def about(asked: Field, shape: str, place: FieldPlace | None = None) -> str:
    """Return the schema's description of a field, and why it is edited as JSON; "" if there is nothing to show.

    In a row with its editor, the head has no space for title and constraints: here they are first then.
    """
    parts = [visible(asked.description, limit=2000)]
    if place is not None and is_row(place, shape):
        words = [_title(asked, place.name), *_words(asked, shape, UNSET)]
        parts.insert(0, f" {glyphs().note} ".join(word for word in words if word))
        if all(parts):
            parts[0] += f" {glyphs().note}"
    if isinstance(asked, JsonField) and asked.why not in (UNTYPED, ANYTHING):
        parts.append(f"Edit as JSON: {visible(asked.why, limit=300)}.")
    elif shape == "json" and not isinstance(asked, JsonField):
        parts.append("The value has another type than the schema: edit it as JSON.")
    if asked.examples:
        parts.append(f"Example: {visible(json_text(asked.examples[0], indent=None), limit=80)}")
    return " ".join(part for part in parts if part)


def classes_of(asked: Field, place: FieldPlace, shape: str) -> dict[str, bool]:
    """Return the style classes of a field, and whether each applies."""
    group = shape in GROUPS
    return {
        "-bare": place.bare,
        "-last": place.last,
        "-group": group,
        "-leaf": not group,
        "-row": is_row(place, shape),
        "-plain": not about(asked, shape, place),
    }


def invites(asked: ObjectField) -> bool:
    """Whether to offer more members: if the schema mentions them or names none. As JSON, any can be added."""
    schema = asked.schema if isinstance(asked.schema, dict) else {}
    spoken = "additionalProperties" in schema or "patternProperties" in schema or not asked.properties
    return asked.is_open() and spoken


def nothing_words(*, root: bool, open_: bool) -> str:
    """Return the text for an object without named members."""
    if open_:
        which = "arguments" if root else "properties"
        return f"Any {which}: type a name, {keys.key_name('enter')}, then its value."
    return "No arguments." if root else "No properties."


def unknown_member(asked: ObjectField) -> Field:
    """Return the field of a member that the schema does not know."""
    why = "not in the schema" + ("" if asked.is_open() else ", no others allowed")
    return JsonField(schema=True, why=why)
