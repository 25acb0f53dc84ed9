"""Notifications about definitions that differ from the remembered baseline of a server.

Once the lists of a live conversation have settled, a thread compares them with the baseline. The first lists of a
new server become its baseline, and the user is notified of that. Every later change waits for the user's approval.
"""

import asyncio
import operator
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.config.paths import places
from inspector.config.remembered import SeenServer
from inspector.protocol.fingerprints import KINDS
from inspector.tui.conversation import OpenConversation
from inspector.tui.tabs import Tabs
from inspector.tui.threads import read_on_thread
from inspector.tui.toasts import Toasts

if TYPE_CHECKING:
    from textual.app import App

    from inspector.present.changes.lists import RememberedServer

_REST = 8
"""Number of unchanged updates, at thirty a second, after which the lists count as settled."""


class DefinitionChanges:
    """Compares the definitions of the servers in all tabs with their baselines."""

    def __init__(self, app: "App[None]", tabs: Tabs, toasts: Toasts) -> None:
        self._app = app
        self._tabs = tabs
        self._toasts = toasts

    def tick(self) -> None:
        """Start a comparison in each tab whose lists have changed and settled. Cheap while nothing has changed."""
        for tab in self._tabs:
            if _have_settled(tab.conversation) and tab.conversation.memory.key:
                self._app.run_worker(self._compare(tab.conversation), group=f"memory {tab.number}", exclusive=True)

    async def _compare(self, conversation: OpenConversation) -> None:
        from inspector.present.changes.lists import against, alarm, remember_first

        seen = _seen(conversation)
        known = await read_on_thread(seen.read)
        memory = await read_on_thread(against, known, conversation.journal.conversation, int(time.time()))
        kept = await asyncio.to_thread(seen.keep, memory.first)
        previous, conversation.memory.comparison = conversation.memory.comparison, memory
        if memory.first and remember_first(memory):
            then = (
                "You will be notified of changes."
                if kept
                else "Baseline not saved: the state directory is not writable."
            )
            self._toasts.show_until_input(f"New server. Saved a baseline of {remember_first(memory)}. {then}")
        if memory.alarms and (previous is None or alarm(previous) != alarm(memory)):
            conversation.memory.shown = False  # the line above the footer shows it until it is approved


def _have_settled(conversation: OpenConversation) -> bool:
    """Return whether there are lists that were not compared yet and have settled."""
    listings = conversation.journal.conversation.catalogue.listings
    shown = tuple(listings[kind] for kind in KINDS)
    state = conversation.memory
    if (
        _same(shown, state.compared)
        or conversation.listing is not None
        or not any(listings[kind].asked for kind in KINDS)
    ):
        return False
    state.rest = state.rest + 1 if _same(shown, state.seen) else 0
    state.seen = shown
    if state.rest < _REST:
        return False
    state.compared = shown
    return True


def _same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


async def approve(
    app: "App[None]", conversation: OpenConversation, memory: "RememberedServer", kinds: Sequence[str]
) -> None:
    """Save the compared lists and instructions as the new baseline."""
    from inspector.present.changes.lists import approved

    def keep() -> bool:
        return _seen(conversation).keep(approved(memory, kinds, int(time.time())))

    if await asyncio.to_thread(keep):
        app.notify("Baseline updated. You will be notified of later changes.")
    else:
        app.notify("Cannot save the baseline: the state directory is not writable.", severity="error")
    conversation.memory.compared = ()


def _seen(conversation: OpenConversation) -> SeenServer:
    return SeenServer(places().state, conversation.memory.key)
