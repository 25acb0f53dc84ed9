"""The list of resources or of prompts with its search line."""

from collections.abc import Sequence

from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.panels.offer_kind import OfferKind
from inspector.tui.panels.thing_list import ThingSide
from inspector.tui.subject import Subject
from inspector.viewmodels.offers import Offer, OfferList


class OfferSide(ThingSide):
    """What a server offers of one kind, to choose one."""

    def __init__(self, subject: Subject, kind: OfferKind, rows: OfferList | None = None) -> None:
        super().__init__(subject, rows or OfferList(kind.titles), kind.words)
        self.kinds = kind.kinds
        self._kind = kind

    def read(self, listings: Sequence[Listing]) -> Sequence[Offer]:
        """The offers."""
        return self._kind.offers(listings)

    def summary(self, things: Sequence[Offer]) -> tuple[str, str]:
        """How many there are."""
        return self._kind.counts(things)
