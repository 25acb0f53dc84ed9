"""One of several kinds: a line that says which, and the fields of that kind below.

What was typed for one kind is kept while another is looked at, and comes back with it.
"""

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.forms.fields import UNSET, JsonField, UnionField
from inspector.forms.values import FormValue, branch_of, fits, fresh_value
from inspector.tui.widgets import form_fields
from inspector.tui.widgets.form_head import Place
from inspector.tui.widgets.segments import Segments


class UnionBody(Vertical):
    """The branches of a union, one of them drawn."""

    DEFAULT_CSS = """
    UnionBody { height: auto; }
    UnionBody > Segments { margin: 0 0 0 1; }
    """

    def __init__(self, node: "form_fields.FieldNode", asked: UnionField) -> None:
        super().__init__(classes="field--body")
        self._node = node
        self._asked = asked
        self._kept: dict[int, FormValue] = {}
        self._branch = None if node.value is UNSET else branch_of(asked, node.value)

    def compose(self) -> ComposeResult:
        """Draw the choice and what was chosen."""
        node, titles = self._node, [branch.title for branch in self._asked.branches]
        chosen = 0 if self._branch is None else self._branch + 1
        yield Segments(["unset", *titles], (chosen,), faint=1)
        if self._branch is not None:
            branch = self._asked.branches[self._branch]
            yield form_fields.FieldNode(node.state, node.path, branch.field, Place(bare=True))
        elif node.value is not UNSET:
            yield form_fields.FieldNode(node.state, node.path, _ODD, Place(bare=True))

    async def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Draw another branch, with what was typed there before or the plainest value of its kind."""
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


_ODD = JsonField(schema=True, why="the value is of none of these kinds")
