"""A form on a screen, to be filled in by keys."""

from typing import Any

from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widget import Widget

from inspector.forms.fields import UNSET
from inspector.forms.paths import Path
from inspector.tui.widgets.schema_form.fields import FieldNode
from inspector.tui.widgets.schema_form.form import SchemaForm
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


class Filling(Showing):
    """Shows one form."""

    def __init__(self, schema: Any, value: Any = UNSET, **more: Any) -> None:
        self.form = SchemaForm(schema, value)
        super().__init__(VerticalScroll(self.form, can_focus=False), **more)

    @property
    def screen_text(self) -> str:
        return text(self)

    def node(self, *path: str | int) -> FieldNode:
        """The field at a place; of several there, the innermost."""
        return [node for node in self.query(FieldNode) if node.path == path][-1]

    def editor(self, *path: str | int, kind: str = "LineEdit, BlockEdit, Segments") -> Widget:
        """The editor of the field at a place, or the field itself while it is at rest."""
        node = self.node(*path)
        return node if node.is_at_rest else node.query(kind).first()

    def focused_path(self) -> Path:
        """The place of the field with the focus."""
        nodes = [] if self.focused is None else self.focused.ancestors_with_self
        return next((node.path for node in nodes if isinstance(node, FieldNode)), ())

    async def judged(self, pilot: Pilot[None]) -> None:
        """Wait until the value as it is now has its verdict, and that is drawn."""
        await until(lambda: self.form.state.verdict is not None, "the value is judged")
        await pilot.pause()


def props(*required: str, **properties: Any) -> dict[str, Any]:
    """The schema of an object."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


TEXT = {"type": "string"}
WHOLE: Path = ()
