"""Watching the chosen resource, and comparing what it said before with what it says now.

It is part of the resources' panel. What was asked for and refused, or not granted, is told at once; that something was
updated is told by marks only, however often it happens.
"""

import asyncio

from textual import work

from inspector.capture.journal import Journal
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.tracking.subscriptions import Standing
from inspector.session.session import Session
from inspector.session.watching import Outcome
from inspector.tui.panels.calls import look
from inspector.tui.panels.offers import OffersPanel
from inspector.tui.subject import why_silent
from inspector.viewmodels import text
from inspector.viewmodels.lines import Line
from inspector.viewmodels.read_changes import change_lines, same

_LACKS = "The server does not say that resources can be watched (its capabilities lack resources.subscribe)."


class WatchingPanel(OffersPanel):
    """A panel of resources that can be watched."""

    async def action_watch(self) -> None:
        """Watch the chosen resource, or watch it no longer."""
        await self.settle()
        thing = self.form.thing
        if thing is None:
            return
        request = self.form.request
        uri = peek.text(request.params, "uri") or ""
        if why := why_silent(self.subject):
            self._tell(why, "warning")
        elif request.problem or not uri:
            self._tell(f"It can't be watched: {request.problem or 'it has no uri'}.")
        elif not _can_be_watched(self.subject.opening.capabilities if self.subject.opening else None):
            self._tell(_LACKS, "warning")
        else:
            standing = self.subject.journal.conversation.subscriptions.standing(uri)
            self._watch(uri, standing in (None, Standing.ONCE))

    @work(group="watch")
    async def _watch(self, uri: str, on: bool) -> None:
        async def change(session: Session) -> Outcome:
            return await (session.watching.watch(uri) if on else session.watching.unwatch(uri))

        outcome = await self.subject.perform(change)
        name = text.visible(uri, limit=120)
        if outcome.refused:
            self._tell(f"{'Watching' if on else 'Not watching'} {name} was refused: {outcome.refused}", "error")
        elif not on:
            self._tell(f"No longer watching {name}.")
        elif not outcome.acknowledged:
            self._tell(f"The server has not acknowledged yet that it tells of {name}.", "warning")
        elif uri in outcome.not_granted.uris:
            self._tell(f"The server did not grant watching {name}.", "warning")
        else:
            self._tell(f"Watching {name}.")

    async def action_compare(self) -> None:
        """Show what has changed since the read before the one that is shown."""
        journal, pair = self.subject.journal, self._pair(self.result.exchange)
        if pair is None:
            self._tell("There is no earlier read to compare with: read it again first.")
            return
        from inspector.tui.screens.before_after import BeforeAfterScreen

        before, after = pair
        title = f"{text.visible(after.target, limit=200)}   #{before.request_frame} → #{after.request_frame}"

        def compare() -> list[Line]:
            return change_lines(_result(journal, before), _result(journal, after))

        self.app.push_screen(BeforeAfterScreen(title, compare))

    def on_asking_request_finished(self, event: OffersPanel.RequestFinished) -> None:
        """Say whether a resource that was read again says something else."""
        if event.call.exchange is not None and event.call.journal is self.subject.journal:
            self._compare_quietly(event.call.exchange)

    @work(group="compare")
    async def _compare_quietly(self, newest: Exchange) -> None:
        journal, pair = self.subject.journal, self._pair(newest)
        if pair is None:
            return
        equal = await asyncio.to_thread(lambda: same(_result(journal, pair[0]), _result(journal, pair[1])))
        if not equal:
            self._tell("It has changed since the read before: u shows how.")
        elif newest.target in journal.conversation.subscriptions.updates:
            self._tell("It is the same as at the read before.")

    def _pair(self, newer: Exchange | None) -> tuple[Exchange, Exchange] | None:
        """A read that was answered, and the one before it of the same resource; None without."""
        if newer is None or newer.state is not ExchangeState.ANSWERED:
            return None
        if self.history.take():
            self.show_history()
        reads = [call.exchange for call in self.history.of(newer.target) if not call.is_earlier]
        older = [each for each in reads if each.number < newer.number and each.state is ExchangeState.ANSWERED]
        return (older[-1], newer) if older and newer in reads else None

    def _tell(self, what: str, severity: str = "information") -> None:
        self.app.notify(text.visible(what, limit=400), severity=severity, markup=False)  # type: ignore[arg-type]


def _can_be_watched(capabilities: object) -> bool:
    return peek.flag(capabilities, "resources", "subscribe") is True


def _result(journal: Journal, exchange: Exchange) -> object:
    return look(journal, exchange, None, method="resources/read").finished.result
