"""Resources screen: resources and templates in one list, reading them, and subscribing to updates."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual import work
from textual.widgets import Static

from inspector import text
from inspector.capture.journal import Journal
from inspector.present.calls import CompletedCall, PastCall, view_call
from inspector.present.changes.reads import change_lines, same
from inspector.present.items import ItemRow, about, stream_lines
from inspector.present.spans import Line
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.listed_items import ListedItem, Resource, Template
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.tracking.subscriptions import Subscriptions, SubscriptionState
from inspector.protocol.uri_templates import could_have_made, expand, take_apart
from inspector.session.session import Session
from inspector.session.subscriptions import Outcome
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.results.calls import RunningCall
from inspector.tui.results.views import ResultWords
from inspector.tui.screens.items.list import ItemKind, ItemList
from inspector.tui.screens.items.model import (
    WatchedRows,
    counts,
    preview,
    resource_facts,
    resource_offers,
    resource_place,
    template_schema,
    uris_of,
)
from inspector.tui.screens.items.offers import OfferKind, OffersPanel, PreparedRequest
from inspector.tui.screens.items.panel import RequestFinished
from inspector.tui.theme import spans_to_text
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.lines import BeforeAfterScreen

_EVERY = 6
"""Number of updates, at thirty a second, between two refreshes of the marks."""
_LACKS = "The server does not declare resources.subscribe."


class WatchStatus(Static):
    """State of the subscriptions, below the list of resources."""

    DEFAULT_CSS = """
    WatchStatus { display: none; height: auto; max-height: 8; padding: 0 1; }
    WatchStatus.-watching { display: block; }
    """

    def __init__(self) -> None:
        super().__init__("")
        self._lines: Sequence[Line] = ()
        self._shown: tuple[Subscriptions, int, ListedItem | None] | None = None
        self._looks = 0

    def sync(self, conversation: OpenConversation, rows: WatchedRows, items: ItemList) -> None:
        """Show subscriptions and updates at intervals, here and as marks of the rows."""
        subscriptions, item = conversation.journal.conversation.subscriptions, items.chosen
        self._looks += 1
        state = subscriptions, subscriptions.changes, item
        same_thing = self._shown is not None and self._shown[2] is item
        if state == self._shown or (same_thing and self._looks % _EVERY):
            return
        if self._shown is None or state[:2] != self._shown[:2]:
            rows.touch()
            items.list.sync()
        self._shown = state
        self._show(subscriptions, item, conversation.journal)

    def _show(self, subscriptions: Subscriptions, item: ListedItem | None, journal: Journal) -> None:
        lines: Sequence[Line] = stream_lines(subscriptions)
        # For a template: its newest resource.
        uris = uris_of(item, subscriptions) if item is not None else ()
        if one := about(subscriptions, uris[-1], journal.store.wall_ns) if uris else ():
            lines = [one, *lines]
        if lines == self._lines:
            return
        self._lines = lines
        self.set_class(bool(lines), "-watching")
        shown = Text("\n").join(spans_to_text(line, dark=self.app.current_theme.dark) for line in lines)
        shown.no_wrap, shown.overflow = False, "fold"
        self.update(shown)


def _offers(listings: Sequence[Listing]) -> list[ItemRow]:
    resources, templates = listings
    return resource_offers([Resource(raw) for raw in resources.items], [Template(raw) for raw in templates.items])


def _schema(item: ListedItem) -> Any:
    if isinstance(item, Template):
        return template_schema(take_apart(item.uri_template))
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _request(item: ListedItem, arguments: Any) -> PreparedRequest:
    if not isinstance(item, Template):
        return PreparedRequest({"uri": item.key}, "" if item.key else "no URI")
    expanded = expand(take_apart(item.uri_template), arguments if isinstance(arguments, dict) else {})
    problem = "cannot expand the template" if expanded.problem else ""
    return PreparedRequest({"uri": expanded.uri}, problem, preview(expanded.uri, expanded.problem))


def _reference(item: ListedItem) -> dict[str, Any] | None:
    return {"type": "ref/resource", "uri": item.uri_template} if isinstance(item, Template) else None


def _made(item: ListedItem, uri: str) -> bool:
    if isinstance(item, Template):
        return could_have_made(take_apart(item.uri_template), uri)
    return uri == item.key


RESOURCES = OfferKind(
    item=ItemKind(
        kinds=("resources", "templates"),
        one="resource",
        many="resources",
        search="title, uri, type or description",
        read=_offers,
        summary=counts,
        method="resources/read",
        made=_made,
    ),
    verb="Read",
    result_words=ResultWords("Not read yet", "reads it", "Not read yet", structured=False),
    titles=("Resource", "URI", "Type, size"),
    place=resource_place,
    facts=resource_facts,
    schema=_schema,
    request=_request,
    reference=_reference,
)


class ResourcesPanel(OffersPanel):
    """Panel of the server's resources: reading them and subscribing to updates."""

    places = keys.SCREENS["resources"].places
    BINDINGS = keys.bindings("Resources", "Tools, Resources and Prompts", ActionScope.RESULT, ActionScope.DETAIL)

    def __init__(self, conversation: OpenConversation) -> None:
        self._rows = WatchedRows(RESOURCES.titles, lambda: self.conversation.journal.conversation.subscriptions)
        self._status = WatchStatus()
        items = ItemList(conversation, self._rows, RESOURCES.item, below=self._status)
        super().__init__(conversation, RESOURCES, items)

    def sync(self) -> None:
        """Update all parts, and the subscription state at intervals."""
        super().sync()
        if self.steps.is_ready:
            self._status.sync(self.conversation, self._rows, self.items)

    async def open_item(self) -> None:
        """Read a resource and go to the result. A template needs values first, and what can't be read shows why."""
        item = self.form.item
        if not isinstance(item, Resource) or item.flaw or self.requests.calling.why_not():
            await super().open_item()
        else:
            await self.form.send()
            self.steps.go("result")

    async def reuse(self, call: PastCall | CompletedCall | RunningCall, action: str) -> None:
        """Read the same URI again: a read has no other arguments to put into the form."""
        if action != "repeat":
            self.steps.go("form")
        elif self.form.item is not None and call.exchange is not None:
            calling, params = self.requests.calling, {"uri": call.exchange.target}
            if calling.why_not():
                self.form.decline()
            else:
                self.requests.begin(calling.begin(self.form.item, None, self.items.kind.method, params))
        else:
            self.form.arm()
            await self.form.send()

    async def action_watch(self) -> None:
        """Subscribe to the chosen resource, or unsubscribe."""
        await self.settle()
        if self.form.item is None:
            return
        conversation, request = self.conversation, self.form.request
        uri = peek.text(request.params, "uri") or ""
        if why := why_silent(conversation):
            self.app.notify(why, severity="warning")
        elif request.problem or not uri:
            self.app.notify(f"Cannot subscribe: {request.problem or 'it has no uri'}.")
        elif conversation.opening is None or not peek.flag(conversation.opening.capabilities, "resources", "subscribe"):
            self.app.notify(_LACKS, severity="warning")
        else:
            state = conversation.journal.conversation.subscriptions.standing(uri)
            _watch(self, uri, state in (None, SubscriptionState.ONCE))

    async def action_compare(self) -> None:
        """Show the diff between the shown read and the one before it."""
        journal, pair = self.conversation.journal, _pair(self, self.result.exchange)
        if pair is None:
            self.app.notify("No earlier read to compare with. Read it again first.")
            return
        before, after = pair
        title = f"{text.visible(after.target, limit=200)}   #{before.request_frame} → #{after.request_frame}"

        def compare() -> list[Line]:
            return change_lines(_result(journal, before), _result(journal, after))

        self.app.push_screen(BeforeAfterScreen(title, compare))

    def on_request_finished(self, event: RequestFinished) -> None:
        """Notify the user whether a resource that was read again has changed."""
        if event.call.exchange is not None and event.call.journal is self.conversation.journal:
            _compare_quietly(self, event.call.exchange)


@work(group="watch")
async def _watch(panel: ResourcesPanel, uri: str, on: bool) -> None:
    async def change(session: Session) -> Outcome:
        return await (session.watching.watch(uri) if on else session.watching.unwatch(uri))

    outcome = await panel.conversation.perform(change)
    name = text.visible(uri, limit=120)
    if outcome.refused:
        panel.app.notify(
            f"{'Subscribing to' if on else 'Unsubscribing from'} {name} failed: {outcome.refused}", severity="error"
        )
    elif not on:
        panel.app.notify(f"Unsubscribed from {name}.")
    elif not outcome.acknowledged:
        panel.app.notify(f"Subscription to {name} is not acknowledged yet.", severity="warning")
    elif uri in outcome.not_granted.uris:
        panel.app.notify(f"The server did not grant the subscription to {name}.", severity="warning")
    else:
        panel.app.notify(f"Subscribed to {name}.")


@work(group="compare")
async def _compare_quietly(panel: ResourcesPanel, newest: Exchange) -> None:
    journal, pair = panel.conversation.journal, _pair(panel, newest)
    if pair is None:
        return
    equal = await read_on_thread(lambda: same(_result(journal, pair[0]), _result(journal, pair[1])))
    if not equal:
        panel.app.notify(f"Changed since the previous read: {keys.shown_key('resources.compare')} shows the diff.")
    elif newest.target in journal.conversation.subscriptions.updates:
        panel.app.notify("Unchanged since the previous read.")


def _pair(panel: ResourcesPanel, newer: Exchange | None) -> tuple[Exchange, Exchange] | None:
    """Return an answered read with the previous one of the same resource; None if there is no such pair."""
    if newer is None or newer.state is not ExchangeState.ANSWERED:
        return None
    requests = panel.requests
    if requests.history.take():
        requests.show_history()
    reads = [call.exchange for call in requests.history.of(newer.target) if not call.is_earlier]
    older = [each for each in reads if each.number < newer.number and each.state is ExchangeState.ANSWERED]
    return (older[-1], newer) if older and newer in reads else None


def _result(journal: Journal, exchange: Exchange) -> object:
    return view_call(journal, exchange, None, method="resources/read").finished.result
