"""The bodies of fields that contain fields: members of an object, items of a list, and the branch of a union.

Only fields that are in view, or close to it, are drawn; `Undrawn` stands for the others.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.forms.fields import UNSET, ArrayField, JsonField, ObjectField, UnionField
from inspector.forms.interpret import Reading
from inspector.forms.paths import Path
from inspector.forms.typed import parse_json
from inspector.forms.values import FormValue, branch_of, fresh_value, from_json
from inspector.tui import keys
from inspector.tui.widgets.schema_form.editors import ValueLine, put_text
from inspector.tui.widgets.schema_form.field_view import FieldGround, FieldView, Inner
from inspector.tui.widgets.schema_form.state import drawn_count, member_field, shape_of
from inspector.tui.widgets.schema_form.view import (
    FieldPlace,
    invites,
    kind_width,
    name_width,
    nothing_words,
    unknown_member,
)
from inspector.tui.widgets.segments import Segments

MOST_ITEMS: Final = 100
"""Maximum number of items of a list that are drawn."""
_NO_VALUE: Final = "has no value yet: type it, or the property is not sent"
_AHEAD: Final = 8
"""Number of fields that are drawn beyond those that are needed."""

_BEYOND = JsonField(schema=True, why="no items allowed")


def body_of(node: FieldView) -> FieldGround:
    """Return the body of a field that contains fields."""
    if isinstance(node.asked, UnionField):
        return UnionBody(node, node.asked)
    return ObjectBody(node, node.asked) if isinstance(node.asked, ObjectField) else ListBody(node)


# A union: a line to choose the branch, and the fields of that branch below.


class UnionBody(FieldGround):
    """The branches of a union, one of them drawn."""

    DEFAULT_CSS = """
    UnionBody { height: auto; }
    UnionBody > Segments { margin: 0 0 0 1; background: $panel; }
    UnionBody > Segments:focus { margin: 0; border-left: outer $accent; }
    """

    def __init__(self, node: FieldView, asked: UnionField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked
        self._kept: dict[int, FormValue] = {}
        self._drawn: FieldView | None = None
        has_value = node.value is not UNSET and node.value is not None
        self._branch = branch_of(asked, node.value) if has_value else None

    def compose(self) -> ComposeResult:
        node, titles = self._node, [branch.title for branch in self._asked.branches]
        null = ["null"] if self._asked.nullable or node.value is None else []
        chosen = len(titles) + 1 if node.value is None else 0 if self._branch is None else self._branch + 1
        # "u" may begin a text for the first place of the branch
        yield Segments(["unset", *titles, *null], (chosen,), faint=1, states_typed=False)
        self._drawn = self._inner()
        if self._drawn is not None:
            yield self._drawn

    def _inner(self) -> FieldView | None:
        if self._branch is None:
            return None
        branch = self._asked.branches[self._branch]
        return self._node.inner(Inner(self._node.path, branch.field, FieldPlace(bare=True, chooses=False)))

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
        event.control.choose(event.index)  # it stays, with the word that is being typed
        event.control.focus()
        with self.app.batch_update():
            if self._drawn is not None:
                await self._drawn.remove()
            self._drawn = self._inner()
            if self._drawn is not None:
                await self.mount(self._drawn)

    async def on_segments_typed(self, event: Segments.Typed) -> None:
        """Type a text that begins no branch into the first place of the branch, the first one if none is chosen."""
        event.stop()
        if not event.text:
            return
        if self._branch is None:
            await self.on_segments_chosen(Segments.Chosen(event.control, 1))
        if self._drawn is not None:
            put_text(await self._drawn.focus_editor(), event.text)

    def _value_for(self, branch: int | None) -> FormValue:
        if branch is None:
            return UNSET
        return self._kept.get(branch, fresh_value(self._asked.branches[branch].field))


# The fields within an object or a list


class Undrawn(Widget):
    """Stands for fields that are not drawn, as high as they would be at rest. Says once that it is in view."""

    DEFAULT_CSS = "Undrawn { height: auto; }"

    class Seen(Message):
        """Some of its rows are in view."""

        def __init__(self, row: int) -> None:
            """`row` is the last one, from 0."""
            super().__init__()
            self.row = row

    def __init__(self, rows: int) -> None:
        super().__init__()
        self._row_count = rows
        self._seen = -1

    def stand_for(self, rows: int) -> None:
        """Stand for another number of rows."""
        self._row_count, self._seen = rows, -1
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._row_count

    def render_line(self, y: int) -> Strip:
        """Return a blank row: only rows in view are painted, which makes this the place to notice them."""
        if self._seen < 0:
            self.call_next(self._say)
        self._seen = max(self._seen, y)
        return Strip.blank(self.size.width, self.rich_style)

    def _say(self) -> None:
        self.post_message(self.Seen(self._seen))


class FieldsBody(FieldGround):
    """Fields within another one."""

    class Grown(Message):
        """More fields have been drawn."""

    def __init__(self, node: FieldView) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._inner = list(self.inner_fields())
        self._undrawn: Undrawn | None = None

    def inner_fields(self) -> Iterator[Inner]:
        """Yield the fields within, in the order in which they are shown."""
        yield from ()

    @property
    def undrawn_paths(self) -> set[Path]:
        """Paths of the fields that are not drawn yet."""
        return {each.path for each in self._inner[self._node.drawn :]}

    def compose_fields(self) -> ComposeResult:
        """Yield as many fields as a screen shows, and again those that were drawn before."""
        node = self._node
        node.drawn = max(self._count(self.app.size.height), min(node.drawn, len(self._inner)))
        yield from map(node.inner, self._inner[: node.drawn])
        if node.drawn < len(self._inner):
            self._undrawn = Undrawn(self._rows(self._inner[node.drawn :]))
            yield self._undrawn

    def _rows(self, fields: Sequence[Inner]) -> int:
        return sum(drawn_count(each.field, self._node.state.at(each.path)) for each in fields)

    def _count(self, rows: int) -> int:
        """Return how many of the first fields are about so many rows high."""
        for at, each in enumerate(self._inner):
            rows -= self._rows([each])
            if rows <= 0:
                return at + 1
        return len(self._inner)

    async def draw_to(self, path: Path) -> None:
        """Draw the fields up to the one that contains a path, and some more."""
        depth = len(self._node.path) + 1
        at = next((at for at, each in enumerate(self._inner) if each.path == path[:depth]), 0)
        await self._draw(at + 1 + _AHEAD)

    async def _draw(self, count: int) -> None:
        """Draw at least so many fields."""
        node, undrawn = self._node, self._undrawn
        start, end = node.drawn, min(count, len(self._inner))
        if undrawn is None or end <= start or not self.is_attached:
            return
        node.drawn = end
        if end == len(self._inner):
            self._undrawn = None
        await self.mount(*map(node.inner, self._inner[start:end]), before=undrawn)
        if self._undrawn is None:
            await undrawn.remove()
        else:
            undrawn.stand_for(self._rows(self._inner[end:]))
        self.post_message(self.Grown())

    async def on_undrawn_seen(self, event: Undrawn.Seen) -> None:
        """Draw the fields that are in view."""
        event.stop()
        await self._draw(self._node.drawn + event.row + 1 + _AHEAD)

    async def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Draw a screenful beyond the field with the focus, at least half of one at once."""
        way, most = event.widget.ancestors_with_self, self.app.size.height
        at = next((at for at, child in enumerate(self.children) if child in way), 0)
        if at + most > self._node.drawn:
            await self._draw(max(at + most, self._node.drawn + most // 2))


class ObjectBody(FieldsBody):
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

    def __init__(self, node: FieldView, asked: ObjectField) -> None:
        self._asked = asked
        super().__init__(node)

    def inner_fields(self) -> Iterator[Inner]:
        """Yield the members."""
        node, asked = self._node, self._asked
        value = node.value if isinstance(node.value, dict) else {}
        named = dict(asked.properties)
        names = [*named, *(name for name in value if name not in named)]
        fields = {name: named.get(name) or member_field(asked, name) or unknown_member(asked) for name in names}
        widths = {name: name_width(name, field) for name, field in fields.items()}
        kinds = max((kind_width(field) for field in fields.values()), default=0)
        for name, field in fields.items():
            last = name == names[-1] and not invites(asked) and bool(node.path)
            columns = (max(widths.values()), kinds) if widths[name] else (0, 0)
            place = FieldPlace(name, removable=name not in named, last=last, columns=columns)
            yield Inner((*node.path, name), field, place)

    def compose(self) -> ComposeResult:
        """Draw the members, and a line for the name of another one."""
        yield from self.compose_fields()
        more_wanted = invites(self._asked)
        if not self._inner:
            yield Static(nothing_words(root=not self._node.path, open_=more_wanted), classes="body--none")
        if more_wanted:
            more = "+ name of the property to add"
            yield Input(placeholder=more, compact=True, select_on_focus=False, classes="body--more")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Stop the event: the name of a new member is not the value of a field."""
        event.stop()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a member with this name, or go to the one that has it."""
        event.stop()
        if isinstance(self._node.value, dict) and event.value in self._node.value:
            event.input.clear()
            await self._node.focus_at((*self._node.path, event.value))
        else:
            await self._add(event.value)

    async def on_input_blurred(self, event: Input.Blurred) -> None:
        """Add a member with this name."""
        if event.input.parent is self:
            event.stop()
            await self._add(event.value)

    def read_name(self) -> None:
        """Add a member whose name is typed, before the value of the form is used: a name alone is not sent."""
        for line in self.query_children(Input):
            if (added := self._put(line.value)) is None:
                continue
            if self._node.state.at((*self._node.path, added)) is UNSET:
                self._node.state.type((*self._node.path, added), Reading(UNSET, "", problem=_NO_VALUE))
            self._node.call_later(self._show, added)

    async def _add(self, name: str) -> None:
        if (added := self._put(name)) is not None:
            await self._show(added)

    def _put(self, text: str) -> str | None:
        """Add a member of this name, unless it exists, or those of a JSON object; return the name of the last one."""
        node = self._node
        members = parse_json(text).value
        if isinstance(members, dict) and members:
            read = from_json(self._asked, members)
            known = node.value if isinstance(node.value, dict) else {}
            node.state.put(
                node.path, known | {name: read[name] for name in members} if isinstance(read, dict) else known
            )
            return str([*members][-1])
        if not text or (isinstance(node.value, dict) and text in node.value):
            return None
        field = member_field(self._asked, text)
        node.state.put((*node.path, text), UNSET if field is None else fresh_value(field))
        return text

    async def _show(self, name: str) -> None:
        await self._node.redraw()
        await self._node.focus_at((*self._node.path, name))


class ListBody(FieldsBody):
    """The items of a list, and a line to add one."""

    DEFAULT_CSS = """
    ListBody { height: auto; }
    ListBody > .body--none { color: $text-warning; padding: 0 2; }
    ListBody > ValueLine.-textual-compact { margin: 0 0 0 2; background: $background; padding: 0; }
    ListBody > ValueLine.-textual-compact:focus {
        background: $block-cursor-background; margin: 0 0 0 1; border-left: outer $accent !important;
    }
    """

    def inner_fields(self) -> Iterator[Inner]:
        """Yield the first items."""
        node = self._node
        value = node.value if isinstance(node.value, list) else []
        asked = node.asked if isinstance(node.asked, ArrayField) else ArrayField(schema=True)
        width = len(str(len(value)))
        own = len(asked.prefix)  # items with a field of their own stay in their places
        for index in range(min(len(value), MOST_ITEMS)):
            field, of = asked.item_at(index), len(value) if index >= own else 0
            removable = index >= min(own, asked.min_items)
            place = FieldPlace(f"{index + 1}", item=index, of=of, removable=removable, columns=(width, 0))
            yield Inner((*node.path, index), field or _BEYOND, place)

    def compose(self) -> ComposeResult:
        yield from self.compose_fields()
        if isinstance(self._node.value, list) and len(self._node.value) > MOST_ITEMS:
            yield Static("Too many items to show. JSON shows all.", classes="body--none")
        if not self._is_full:
            yield ValueLine("", ghost=f"+ Add item {keys.key_name('enter')}", enter="Add")

    @property
    def _is_full(self) -> bool:
        """Whether the schema allows no more items. As JSON, more can be sent."""
        node = self._node
        count = len(node.value) if isinstance(node.value, list) else 0
        if not isinstance(node.asked, ArrayField):
            return False
        limit = node.asked.max_items
        return node.asked.item_at(count) is None or (limit is not None and count >= limit)

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
