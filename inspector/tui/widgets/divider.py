"""The line between two parts of a panel. Dragging it with the mouse resizes them; the size is remembered."""

from textual import events
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

from inspector.config.paths import places
from inspector.config.remembered import KeptSizes

_LEAST = 16, 4
"""Minimum columns, and minimum rows, of the parts beside the line."""


class Divider(Widget):
    """A vertical line, or a horizontal one if the parent lays out its children vertically.

    It resizes the sibling before it; the one after it takes the rest. While the line is hidden, the sibling has its
    default size. A double click restores the default, too.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Divider { width: 1; height: 1fr; border-left: solid $border-blurred; }
    Divider:hover, Divider.-dragged { border-left: heavy $accent; }
    Divider.-flat { width: 1fr; height: 1; border-left: none; border-top: solid $border-blurred; }
    Divider.-flat:hover, Divider.-flat.-dragged { border-top: heavy $accent; }
    """

    def __init__(self, name: str) -> None:
        """`name` identifies the remembered size."""
        super().__init__(name=name)
        self._file = KeptSizes(places().state)
        self._percent: dict[str, float] = {}
        self._applied: tuple[str, float] | None = None

    def on_mount(self) -> None:
        """Restore the remembered size, now and whenever the layout has changed."""
        self._percent = self._file.read()
        self._apply()
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._apply())

    @property
    def _is_flat(self) -> bool:
        return isinstance(self.parent, Widget) and isinstance(self.parent.layout, VerticalLayout)

    @property
    def _key(self) -> str:
        return f"{self.name}-rows" if self._is_flat else f"{self.name}"

    @property
    def _resized(self) -> Widget | None:
        """The sibling before the line; None if there is none."""
        siblings = [] if self.parent is None else list(self.parent.children)
        at = siblings.index(self)
        before = siblings[at - 1] if at else None
        return before if isinstance(before, Widget) else None

    def _apply(self) -> None:
        sibling = self._resized
        if sibling is None:
            return
        flat = self._is_flat
        self.set_class(flat, "-flat")
        percent = self._percent.get(self._key, 0.0) if self.display else 0.0
        wanted = ("height" if flat else "width", percent)
        if wanted == self._applied or (self._applied is None and not percent):
            return
        self._applied = wanted
        for rule in ("width", "height", "max_width", "max_height"):
            sibling.styles.clear_rule(rule)
        if percent:
            setattr(sibling.styles, wanted[0], f"{percent}%")
            setattr(sibling.styles, f"max_{wanted[0]}", "100%")
        sibling.refresh(layout=True)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start to drag."""
        event.stop()
        self.add_class("-dragged")
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Resize the sibling, so that the line follows the mouse."""
        sibling = self._resized
        if not self.has_class("-dragged") or sibling is None or not isinstance(self.parent, Widget):
            return
        whole, flat = self.parent.content_region, self._is_flat
        total = whole.height if flat else whole.width
        at = event.screen_y - whole.y if flat else event.screen_x - whole.x
        least = _LEAST[flat]
        cells = max(least, min(at, total - 1 - least))
        if 0 < cells < total:
            self._percent[self._key] = round(100 * cells / total, 2)
            self._apply()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Stop to drag, and remember the size."""
        if self.has_class("-dragged"):
            event.stop()
            self.remove_class("-dragged")
            self.release_mouse()
            if self._key in self._percent:
                self._file.keep(self._key, self._percent[self._key])

    def on_click(self, event: events.Click) -> None:
        """Restore the default size on a double click."""
        event.stop()
        if event.chain > 1 and self._percent.pop(self._key, 0.0):
            self._file.keep(self._key, 0.0)
            self._apply()
