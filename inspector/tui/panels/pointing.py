"""Going to what is meant in a payload: a value by its JSON pointer, or some bytes, as soon as they are there."""

import asyncio

from textual import work
from textual.widget import Widget

from inspector.tui.widgets.json_view import JsonView

TREE = "Tree"
_AT_ONCE = 1_000_000
"""Bytes up to which a value is looked for without a thread."""


class PointingAt(Widget):
    """A mixin of the view of a payload."""

    payload: bytes
    _shown: tuple[bytes, str] | None
    _pointer: str | None = None
    """Where in the tree somebody wants to go, once it is there."""

    def _go_to_bytes(self, start: int, end: int, *, linked: bool) -> None:
        raise NotImplementedError

    def point_at(self, pointer: str, span: tuple[int, int] | None) -> None:
        """Go to a value in the tree, or to bytes, as soon as they are there."""
        tree = self.query_one(JsonView)
        if self._shown is None:
            return
        if self._shown[1] != TREE:
            if span is not None:
                self._go_to_bytes(*span, linked=False)
        elif tree.whole is self.payload and tree.is_ready:
            self._point_at(pointer)
        else:
            self._pointer = pointer

    def on_json_view_ready(self, message: JsonView.Ready) -> None:
        """Go where somebody wanted to go meanwhile."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None and self._shown is not None and self._shown[1] == TREE:
            self._point_at(pointer)

    @work(exclusive=True, group="point")
    async def _point_at(self, pointer: str) -> None:
        from inspector.viewmodels.json_pointer import line_of

        payload, tree = self.payload, self.query_one(JsonView)
        few = len(payload) <= _AT_ONCE
        line = line_of(tree.lines, pointer) if few else await asyncio.to_thread(line_of, tree.lines, pointer)
        if payload is self.payload:
            tree.go_to_line(line)
