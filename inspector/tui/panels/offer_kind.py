"""What is different between the screens of resources and prompts, as one record of words and pure functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.protocol.things import Thing
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.panels.result_body import ResultWords
from inspector.tui.panels.thing_list import ListWords
from inspector.viewmodels.lines import Fact, Line
from inspector.viewmodels.offers import Offer


@dataclass(frozen=True, slots=True)
class Request:
    """What would be sent for what a form holds."""

    params: Any
    problem: str = ""
    """Why nothing can be sent; "" if it can."""
    preview: Line = ()
    """What a person should see of it before; () for nothing."""


@dataclass(frozen=True, slots=True)
class OfferKind:
    """One kind of offer."""

    kinds: tuple[str, ...]
    """The lists of the catalogue that it is made of."""
    method: str
    """What asks for one."""
    verb: str
    """What the button does: "Read"."""
    done: str
    """The same, done: "read"."""
    words: ListWords
    result_words: ResultWords
    titles: tuple[str, str, str]
    """Of the list's columns."""
    offers: Callable[[Sequence[Listing]], list[Offer]]
    """The rows, of the lists in the order of `kinds`."""
    counts: Callable[[Sequence[Offer]], tuple[str, str]]
    place: Callable[[Thing], Line]
    """The line below the title."""
    facts: Callable[[Thing], tuple[Fact, ...]]
    schema: Callable[[Thing], Any]
    """What the form asks for."""
    request: Callable[[Thing, Any], Request]
    """What is sent, for a thing and the form's arguments (UNSET for none)."""
    reference: Callable[[Thing], dict[str, Any] | None]
    """How completion refers to it; None if nothing of it can be completed."""
    made: Callable[[Thing, str], bool]
    """Whether a recorded request, by what it was about, was one for the thing."""
