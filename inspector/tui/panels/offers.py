"""Offers: resources and prompts, which are asked for by name or uri.

What is different between the two stands in an `OfferKind`.
"""

from collections.abc import Sequence

from inspector.protocol.things import Thing
from inspector.tui.panels.asking import Asking
from inspector.tui.panels.calls import Call, Looked, Past
from inspector.tui.panels.offer_form import OfferForm
from inspector.tui.panels.offer_kind import OfferKind
from inspector.tui.panels.offer_list import OfferSide
from inspector.tui.panels.result import ResultPanel
from inspector.tui.subject import Subject


class OffersPanel(Asking[OfferSide, OfferForm]):
    """Offers of one kind, and asking for them."""

    def __init__(self, subject: Subject, kind: OfferKind, side: OfferSide | None = None) -> None:
        self.kind = kind
        self.method, self.done = kind.method, kind.done
        self._past: list[Past] = []
        side = side or OfferSide(subject, kind)
        super().__init__(subject, side, OfferForm(subject, kind), ResultPanel(kind.result_words))

    @property
    def past(self) -> Sequence[Past]:
        """Requests for the chosen thing, oldest first."""
        return self._past

    def show_history(self) -> None:
        """Find those of the chosen thing: a template has made many uris."""
        thing, history = self.form.thing, self.history
        found = [name for name in history.targets if thing is not None and self.kind.made(thing, name)]
        calls = [call for name in found for call in history.of(name)]
        self._past = sorted(calls, key=lambda call: (call.wall_ns, call.exchange.number))
        super().show_history()

    def rebind(self, subject: Subject) -> None:
        """Show another conversation, in the form as well: completion asks its server."""
        self.form.rebind(subject)
        super().rebind(subject)

    async def do_more(self, name: str) -> None:
        """What a key asks for here alone: "complete", and "edit" and "repeat" of the request that is shown."""
        match name:
            case "complete":
                self.form.complete()
            case "repeat" if self.last_call is None:
                await self.form.send()
            case _:
                await super().do_more(name)

    # What is asked for

    async def on_thing_side_chosen(self, event: OfferSide.Chosen) -> None:
        """Show the thing, and go to its form where that is wanted."""
        await self.follow(event)

    def on_thing_form_call_wanted(self, event: OfferForm.CallWanted) -> None:
        """Ask for it."""
        event.stop()
        self._request(event.thing, event.arguments, self.form.request.params)

    def _request(self, thing: Thing, arguments: object, params: object) -> None:
        self.begin(self.calling.begin(thing, arguments, self.method, params))

    async def reuse(self, call: Past | Looked | Call, deed: str) -> None:
        """A read has no arguments but its uri: it is repeated as it was; of other requests they go into the form."""
        if self.method != "resources/read":
            await super().reuse(call, deed)
        elif deed != "repeat":
            self.go("form")
        elif self.form.thing is not None and call.exchange is not None:
            if self.calling.why_not():
                self.form.decline()
            else:
                self._request(self.form.thing, None, {"uri": call.exchange.target})
        else:
            self.form.arm()
            await self.form.send()
