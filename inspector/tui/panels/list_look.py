"""The look of one list of traffic: its columns and its clock, kept for the next time."""

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from inspector.viewmodels.columns import by_width, column
from inspector.viewmodels.log_look import Look, TimeMode
from inspector.viewmodels.text import visible

if TYPE_CHECKING:
    from inspector.config.looks import KeptLooks
    from inspector.tui.panels.traffic_list import TrafficList


class ListLook:
    """Changes how the rows of a list look."""

    def __init__(self, rows: "TrafficList") -> None:
        self._list = rows
        self._kept: KeptLooks | None = None

    @property
    def now(self) -> Look:
        """The columns, and the clock."""
        return self._list.model.look

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are shown, if there is room for them."""
        return self.now.chosen or by_width(self._list.rows.line_width)

    def show(self, look: Look) -> None:
        """Let the rows look like that; nothing is kept."""
        model = self._list.model
        model.look = msgspec.structs.replace(look, started_ns=self._list.journal.started_ns)
        self._list.rows.sync()

    def set(self, look: Look) -> None:
        """Let the rows look like that, today and the next time."""
        from inspector.config.looks import KeptLook

        self.show(look)
        self._file().keep(KeptLook(look.chosen, "" if look.mode is TimeMode.REFERENCE else look.mode.value))

    def choose(self, names: tuple[str, ...]) -> None:
        """Show these columns; none: those that the width asks for."""
        self.set(msgspec.structs.replace(self.now, chosen=names))

    def toggle_reference(self) -> None:
        """Count times from the row under the cursor; on the same row again, from none any more."""
        n = self._list.model.jumps.entry_at(self._list.rows.view.cursor)
        self._count_from(0 if n == self.now.reference else n)
        self._note_reference(self.now.reference)

    def _count_from(self, n: int) -> None:
        self.show(self.now.with_reference(n, self._list.journal.store.time_ns(n) if n else 0))

    def _note_reference(self, n: int) -> None:
        """Keep it with the notes of the capture."""
        from inspector.errors import UsageError
        from inspector.tui.noting import noted_of

        with suppress(UsageError):  # it is for today then
            noted_of(self._list.filters.subject).change(lambda notes: msgspec.structs.replace(notes, reference=n))

    def recall_notes(self) -> None:
        """Show the marks that were made before, and count from where was counted from; say what is wrong with them."""
        from inspector.tui.noting import noted_of

        notes = noted_of(self._list.filters.subject).notes
        if notes.trouble:
            self._list.notify(visible(notes.trouble, limit=300), severity="warning", markup=False)
        if 0 < notes.reference <= self._list.journal.count:
            self._count_from(notes.reference)
        elif notes.marks:
            self.show(self.now)

    def recall(self) -> None:
        """Let the rows look as they did the last time."""
        kept = self._file().last()
        names = tuple(name for name in kept.columns if column(name) is not None)
        mode = kept.times if kept.times in (TimeMode.START, TimeMode.ABOVE) else TimeMode.CLOCK
        if names or mode is not TimeMode.CLOCK:
            self.show(msgspec.structs.replace(self.now, chosen=names, mode=TimeMode(mode)))

    def _file(self) -> "KeptLooks":
        if self._kept is None:
            from inspector.config.looks import KeptLooks
            from inspector.config.paths import places

            self._kept = KeptLooks(places().state)
        return self._kept
