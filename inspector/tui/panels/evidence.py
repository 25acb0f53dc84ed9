"""What a finding rests on, shown in the traffic: its line in the list, and in the detail the value or the bytes."""

from typing import TYPE_CHECKING

from inspector.tui.panels import Part
from inspector.tui.panels.traffic_list import TrafficList

if TYPE_CHECKING:
    from inspector.tui.panels.detail import DetailPanel


class Evidence(Part):
    """A mixin of the traffic's panel."""

    list: TrafficList
    _evidence: tuple[int, str, tuple[int, int] | None] | None = None
    """What is to be shown of the entry that was called for."""

    @property
    def detail(self) -> "DetailPanel":
        """What shows the chosen message."""
        raise NotImplementedError

    def _show_detail(self) -> None:
        raise NotImplementedError

    def show_evidence(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry in full, with the value or the bytes that are meant."""
        self._evidence = (n, pointer, span) if pointer or span is not None else None
        self.list.call_for(n)

    def point_out(self, index: int, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Have the detail show what is meant, once it shows the row; where it is out of sight, once it is opened."""
        self._evidence = (n, pointer, span)
        self.call_after_refresh(self._point)

    def _point(self, *, focus: bool = False) -> None:
        if self._evidence is None or self.has_class("-alone"):
            return
        self._show_detail()
        evidence, self._evidence = self._evidence, None
        self.detail.point_at(*evidence, focus=focus)
