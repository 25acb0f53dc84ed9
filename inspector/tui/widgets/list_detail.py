"""How a panel arranges a list and the detail of its selected row: both, or one at a time where space is short."""

from collections.abc import Callable, Sequence
from typing import Final, Literal, TypeAlias

from textual.widget import Widget

Layout: TypeAlias = Literal["right", "below", "alone"]
"""Position of the detail; "alone" shows one of both."""
LAYOUTS: Final[tuple[Layout, ...]] = ("right", "below", "alone")
_SHOWN = (*LAYOUTS, "detail-only")


class ListDetail:
    """List and detail of a panel: their visibility, the focus, and the way back.

    The panel has one class of `-right`, `-below`, `-alone` (the list only) and `-detail-only`; the CSS of the panels
    hides `.panel--list` or `.panel--detail` accordingly.
    """

    def __init__(
        self,
        panel: Widget,
        rows: Callable[[], Widget],
        detail: Callable[[], Widget | None],
        *,
        narrow: int,
        narrow_layout: Layout = "alone",
        layouts: Sequence[Layout] = LAYOUTS[:1],
        focus_detail: Callable[[], object] | None = None,
    ) -> None:
        """`rows` gets the focus on the way back. Below `narrow` columns, `narrow_layout` replaces the user's layout.

        `detail` returns None until it is created. `focus_detail` is for a detail that can't have the focus itself.
        """
        self._panel = panel
        self._rows = rows
        self._detail = detail
        self._focus_detail = focus_detail
        self._narrow = narrow
        self._narrow_layout = narrow_layout
        self._layouts = layouts
        self._layout = layouts[0]
        self._width = narrow
        self._shown = ""
        self.is_open = False
        """Whether the user has opened the detail: where space is short, it is shown instead of the list."""

    @property
    def is_single(self) -> bool:
        """Whether only one of both is visible."""
        return self._shown in ("alone", "detail-only")

    @property
    def shows_detail(self) -> bool:
        return self._shown != "alone"

    @property
    def has_focus(self) -> bool:
        detail = self._detail()
        return detail is not None and detail.has_focus_within

    def arrange(self, width: int) -> None:
        """Arrange both for a panel of `width` columns."""
        self._width = width
        layout = self._narrow_layout if width < self._narrow else self._layout
        shown = "detail-only" if layout == "alone" and self.is_open else layout
        if shown != self._shown:  # each change makes Textual restyle everything below
            self._shown = shown
            self._panel.update_classes({f"-{each}": each == shown for each in _SHOWN})

    def cycle_layout(self) -> bool:
        """Switch to the next layout, if there is space for more than one of both; return whether there is."""
        if has_others := self._width >= self._narrow and len(self._layouts) > 1:
            self._layout = self._layouts[(self._layouts.index(self._layout) + 1) % len(self._layouts)]
            self.arrange(self._width)
        return has_others

    def open(self) -> None:
        """Show the detail, without moving the focus."""
        self.is_open = True
        self.arrange(self._width)

    def close(self) -> None:
        """Show the list, without moving the focus."""
        self.is_open = False
        self.arrange(self._width)

    def take_focus(self) -> None:
        """Focus the detail if it is open, else the list."""
        if self.is_open:
            self.focus_detail()
        else:
            self._rows().focus()

    def focus_detail(self) -> None:
        detail = self._detail()
        if self._focus_detail is not None:
            self._focus_detail()
        elif detail is not None:
            detail.focus()

    def go_back(self) -> bool:
        """Go back from the detail to the list; return whether it was open."""
        if not self.is_open and not self.has_focus:
            return False
        self.close()
        self._rows().focus()
        return True
