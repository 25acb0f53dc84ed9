"""Screen 3, Resources: resources and templates in one list, reading them, and every content that came, whole."""

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector import text
from inspector.capture.journal import Journal
from inspector.present.items import about, stream_lines
from inspector.present.read_changes import change_lines, same
from inspector.present.spans import Line
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.things import ListedItem, Resource, Template
from inspector.protocol.tracking.catalogue import Listing
from inspector.protocol.tracking.subscriptions import Subscriptions, SubscriptionState
from inspector.protocol.uri_templates import could_have_made, expand, take_apart
from inspector.session.session import Session
from inspector.session.watching import Outcome
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.screens.items.calls import look
from inspector.tui.screens.items.list import ListWords
from inspector.tui.screens.items.model import (
    Offer,
    WatchedRows,
    counts,
    preview,
    resource_facts,
    resource_offers,
    resource_place,
    template_schema,
    uris_of,
)
from inspector.tui.screens.items.offers import OfferKind, OfferSide, OffersPanel, PreparedRequest
from inspector.tui.screens.items.result_views import ResultWords
from inspector.tui.theme import spans_to_text

# --- The list of resources: which are watched, which were updated since they were read, and what the server has
# granted.

_EVERY = 6
"""Of thirty looks a second, those at which marks are renewed."""


class ResourceSide(OfferSide):
    """Resources and templates, with their marks, and below them what is watched."""

    DEFAULT_CSS = """
    ResourceSide > .resources--watching { display: none; height: auto; max-height: 8; padding: 0 1; }
    ResourceSide.-watching > .resources--watching { display: block; }
    """

    def __init__(self, subject: OpenConversation, kind: OfferKind) -> None:
        self._marked = WatchedRows(kind.titles, lambda: self.subscriptions)
        super().__init__(subject, kind, self._marked)
        self._said = Static("", classes="resources--watching")
        self._said_lines: Sequence[Line] = ()
        self._shown: tuple[Subscriptions, int, ListedItem | None] | None = None
        self._looks = 0

    @property
    def subscriptions(self) -> Subscriptions:
        """All that is known of watching."""
        return self._subject.journal.conversation.subscriptions

    def compose(self) -> ComposeResult:
        """The list, and below it what is watched."""
        yield from super().compose()
        yield self._said

    def sync(self) -> None:
        """Take over a list that has changed, and now and then what is watched and was updated."""
        super().sync()
        self._looks += 1
        state = self.subscriptions, self.subscriptions.changes, self.chosen
        same_thing = self._shown is not None and self._shown[2] is state[2]
        if state == self._shown or (same_thing and self._looks % _EVERY):
            return
        if self._shown is None or state[:2] != self._shown[:2]:
            self._marked.touch()
            self._list.sync()
        self._shown = state
        self._say_watching()

    def _say_watching(self) -> None:
        lines: Sequence[Line] = stream_lines(self.subscriptions)
        if one := self._of_chosen():
            lines = [one, *lines]
        if lines == self._said_lines:
            return
        self._said_lines = lines
        self.set_class(bool(lines), "-watching")
        shown = Text("\n").join(spans_to_text(line, dark=self.app.current_theme.dark) for line in lines)
        shown.no_wrap, shown.overflow = False, "fold"
        self._said.update(shown)

    def _of_chosen(self) -> Line:
        """How it stands with the thing under the cursor, or the newest thing that its template made."""
        thing, subscriptions, store = self.chosen, self.subscriptions, self._subject.journal.store
        uris = uris_of(thing, subscriptions) if thing is not None else ()
        return about(subscriptions, uris[-1], store.wall_ns) if uris else ()


# --- Watching the chosen resource, and comparing what it said before with what it says now.

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
            self._watch(uri, standing in (None, SubscriptionState.ONCE))

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
        from inspector.tui.widgets.lines import BeforeAfterScreen

        before, after = pair
        title = f"{text.visible(after.target, limit=200)}   #{before.request_frame} → #{after.request_frame}"

        def compare() -> list[Line]:
            return change_lines(_result(journal, before), _result(journal, after))

        self.app.push_screen(BeforeAfterScreen(title, compare))

    def on_request_screen_request_finished(self, event: OffersPanel.RequestFinished) -> None:
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


def _offers(listings: Sequence[Listing]) -> list[Offer]:
    resources, templates = listings
    return resource_offers([Resource(raw) for raw in resources.items], [Template(raw) for raw in templates.items])


def _schema(thing: ListedItem) -> Any:
    if isinstance(thing, Template):
        return template_schema(take_apart(thing.uri_template))
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _request(thing: ListedItem, arguments: Any) -> PreparedRequest:
    if not isinstance(thing, Template):
        return PreparedRequest({"uri": thing.key}, "" if thing.key else "it has no uri")
    expanded = expand(take_apart(thing.uri_template), arguments if isinstance(arguments, dict) else {})
    problem = "the template can't be expanded" if expanded.problem else ""
    return PreparedRequest({"uri": expanded.uri}, problem, preview(expanded.uri, expanded.problem))


def _reference(thing: ListedItem) -> dict[str, Any] | None:
    return {"type": "ref/resource", "uri": thing.uri_template} if isinstance(thing, Template) else None


def _made(thing: ListedItem, uri: str) -> bool:
    if isinstance(thing, Template):
        return could_have_made(take_apart(thing.uri_template), uri)
    return uri == thing.key


RESOURCES = OfferKind(
    kinds=("resources", "templates"),
    method="resources/read",
    verb="Read",
    done="read",
    words=ListWords("resource", "resources", "title, uri, type or description"),
    result_words=ResultWords("Not read yet", "reads it", "No reads of this yet", structured=False),
    titles=("resource", "uri", "type, size"),
    offers=_offers,
    counts=counts,
    place=resource_place,
    facts=resource_facts,
    schema=_schema,
    request=_request,
    reference=_reference,
    made=_made,
)


class ResourcesPanel(WatchingPanel):
    """The resources of a server, reading them, and watching them."""

    places = (
        ActionScope.EVERYWHERE,
        ActionScope.RESOURCES,
        ActionScope.OFFERED,
        ActionScope.FORM,
        ActionScope.FORM_LINE,
        ActionScope.RESULT,
        ActionScope.DETAIL,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.FINDING_HERE,
        ActionScope.PAYLOAD,
        ActionScope.SEARCH,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(
        ActionScope.RESOURCES, ActionScope.OFFERED, ActionScope.RESULT, ActionScope.DETAIL
    )
    HELP = """\
Choose a resource and read it; of a template (`{}`) fill the variables first: the URI that comes of it stands below
them. Every content is shown; Enter, or the view Item, shows the one under the cursor whole, and `w` saves it.
`s` watches the resource: what the server has granted stands below the list. One that was updated since it was read is
marked; read again, `u` shows what has changed.
"""

    def __init__(self, subject: OpenConversation) -> None:
        super().__init__(subject, RESOURCES, ResourceSide(subject, RESOURCES))
