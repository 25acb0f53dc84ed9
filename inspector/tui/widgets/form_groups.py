"""What stands below the head of a field that holds fields: the members of an object, the items of a list.

They are fields themselves, one place further in. Of a list only the first hundred are drawn; the JSON text has all.
"""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.forms.fields import UNSET, ArrayField, Field, JsonField, ObjectField, UnionField
from inspector.forms.values import fresh_value
from inspector.tui.widgets.form_bar import ADD, Deed, FormBar
from inspector.tui.widgets.form_fields import FieldNode
from inspector.tui.widgets.form_head import Place
from inspector.tui.widgets.form_state import member_field
from inspector.tui.widgets.form_union import UnionBody

MOST_ITEMS = 100


def body_of(node: FieldNode) -> Vertical:
    """The body of a field that holds fields."""
    if isinstance(node.asked, UnionField):
        return UnionBody(node, node.asked)
    return ObjectBody(node, node.asked) if isinstance(node.asked, ObjectField) else ListBody(node)


class ObjectBody(Vertical):
    """The members of an object: those the schema names, in its order, then the others."""

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
        for name in names:
            field = named.get(name) or member_field(asked, name) or _any(asked)
            last = name == names[-1] and not invites and bool(node.path)
            place = Place(name, removable=name not in named, last=last)
            yield FieldNode(node.state, (*node.path, name), field, place)
        if not names:
            yield Static(_nothing(root=not node.path, open_=invites), classes="body--none")
        if invites:
            more = "+ name of a member to add"
            yield Input(placeholder=more, compact=True, select_on_focus=False, classes="body--more")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the name to itself: it is no value of a field."""
        event.stop()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a member of that name."""
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
    """Whether to offer more members: where the schema speaks of them, or names none. JSON can always have more."""
    schema = asked.schema if isinstance(asked.schema, dict) else {}
    spoken = "additionalProperties" in schema or "patternProperties" in schema or not asked.properties
    return asked.is_open() and spoken


def _nothing(*, root: bool, open_: bool) -> str:
    """What is said of an object that names no members."""
    if open_:
        return "The schema names no arguments." if root else "The schema names no members."
    return "It takes no arguments." if root else "It has no members."


def _any(asked: ObjectField) -> Field:
    why = "the schema does not name this member" + ("" if asked.is_open() else " and allows no others")
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
            place = Place(f"{index + 1}", item=index, of=len(value), removable=True)
            yield FieldNode(node.state, (*node.path, index), field or _BEYOND, place)
        if len(value) > MOST_ITEMS:
            yield Static("More items than can be drawn: the JSON text has them all.", classes="body--none")
        label = "+ add an item" if value else "+ add the first item"
        yield FormBar((), (Deed(ADD.name, label),))


_BEYOND = JsonField(schema=True, why="the schema allows no item here")
