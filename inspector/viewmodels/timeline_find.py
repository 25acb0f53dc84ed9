"""Finding a text in the merged timeline: each conversation looks through its own, what is found is walked in one order.

Nothing is hidden by it.
"""

from inspector.viewmodels.timeline import Timeline


class TimelineFind:
    """What is looked for in one timeline."""

    def __init__(self, timeline: Timeline, text: str = "") -> None:
        self._timeline = timeline
        self.text = ""
        if text:
            self.set(text)

    def set(self, text: str) -> None:
        """Look for another text; "" for none."""
        self.text = text
        for wire in self._timeline.wires:
            wire.model.finder.set(text)

    def step(self) -> None:
        """Take over what was found since, and look through what has come."""
        if self.text:
            for wire in self._timeline.wires:
                wire.model.finder.step()

    @property
    def matches(self) -> int:
        """How many entries hold the text, as far as was looked."""
        return sum(wire.model.finder.matches for wire in self._timeline.wires) if self.text else 0

    def next(self, cursor: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that holds the text, around the end if need be; None: no row."""
        count = self._timeline.count
        if not self.matches or not count:
            return None
        order = range(cursor - 1, -1, -1) if back else range(cursor + 1, count)
        around = range(count - 1, cursor - 1, -1) if back else range(min(cursor + 1, count))
        for part in (order, around):
            for index in part:
                wire, n = self._timeline.entry(index)
                if wire.model.finder.holds(n):
                    return index
        return None
