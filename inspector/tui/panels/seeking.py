"""Searching a list of things: a short one at once, a long one on a thread. Only the newest search counts.

A hundred thousand tools are ranked in a third of a second of a processor, which no key should wait for.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import work
from textual.widget import Widget

from inspector.tui.panels.taking import MANY

if TYPE_CHECKING:
    from inspector.tui.panels.thing_list import ThingRows


class Seeking(Widget):
    """The part of a list of things that is searched."""

    _rows: "ThingRows"
    _things: Sequence[Any]
    _sought: tuple[Sequence[Any], str] | None = None
    """What a thread searches, and for what."""

    def show_found(self, *, taken: bool) -> None:
        """Show the rows, which are other ones. `taken`: because the things are."""
        raise NotImplementedError

    def seek(self, wanted: str, *, taken: bool) -> None:
        """Show what matches, of a long list as soon as a thread has searched it."""
        if not wanted.strip() or len(self._things) <= MANY:
            self._sought = None
            self._rows.replace(self._things, wanted)
            self.show_found(taken=taken)
        else:
            self._sought = self._things, wanted
            self._seek_beside(taken=taken)

    @work(exclusive=True, group="seeking")
    async def _seek_beside(self, *, taken: bool) -> None:
        meant = self._sought
        if meant is None:
            return
        rows = await asyncio.to_thread(self._rows.sought, *meant, lambda: self._sought is meant)
        if self._sought is meant and meant[0] is self._things:
            self._sought = None
            self._rows.show(rows)
            self.show_found(taken=taken)
