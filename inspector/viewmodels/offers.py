"""Things that a server offers, as rows of a searchable list, and what it says of one of them: all but the tools.

What can't be used as it is stays in the list and says why. Everything that the server claims is shown as a claim, and
an icon is a fact: nothing is fetched because a server names it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.protocol import peek
from inspector.protocol.things import Thing
from inspector.viewmodels import signs, text
from inspector.viewmodels.grades import badge
from inspector.viewmodels.lines import Fact, Line, fact, lay, paragraph
from inspector.viewmodels.marks import MARKS
from inspector.viewmodels.ranking import always, best_first
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.thing_facts import annotation_facts, icon_facts, meta_facts

if TYPE_CHECKING:
    from inspector.checks.findings import Finding

_WIDE = 60


@dataclass(frozen=True, slots=True)
class Offer:
    """A thing of the list, with what its row needs. Texts are safe to show."""

    thing: Thing
    label: str
    """Title, else name; a word of ours in brackets where there is neither."""
    place: str
    """What it is known by: a URI, a template, names of arguments."""
    right: str
    """A few words at the right edge: the media type, the size."""
    flaw: str = ""
    """Why it can't be used as it is; "" if it can."""
    sign: str = ""
    """What kind of thing it is, where the list has several; with a space behind it."""


def found(offers: Sequence[Offer], wanted: str, goes_on: Callable[[], bool] = always) -> list[Offer]:
    """What a search finds, best first; all of them in the server's order without one.

    A label that begins with the text comes before one that contains it, before a name or URI that does, before one
    that has its letters in order, before a description that contains it.
    """
    needle = wanted.strip().casefold()
    return best_first(offers, lambda offer: _rank(offer, needle), goes_on) if needle else list(offers)


def _rank(offer: Offer, needle: str) -> int | None:
    label, thing = offer.label.casefold(), offer.thing
    if needle in label:
        return 0 if label.startswith(needle) else 1
    if any(needle in each.casefold() for each in (thing.name, thing.key, offer.right)):
        return 2
    letters = iter(label)
    if all(letter in letters for letter in needle if not letter.isspace()):
        return 3
    return 4 if needle in thing.description.casefold() else None


class OfferList(RowSource):
    """The offers as rows."""

    def __init__(self, titles: tuple[str, str, str]) -> None:
        """`titles` are the columns': label, place, right edge."""
        self.rows: Sequence[Offer] = ()
        self.marks: Mapping[str, str] = {}
        """By key, "new" or "changed"; set before `replace`."""
        self.found: Callable[[Thing], Sequence[Finding]] = lambda thing: ()
        """What checks have found about a thing."""
        self._titles = titles
        self._generation = 0

    def replace(self, offers: Sequence[Offer], wanted: str = "") -> None:
        """Show other offers, or the same after another search."""
        self.show(self.sought(offers, wanted))

    def sought(self, offers: Sequence[Offer], wanted: str, goes_on: Callable[[], bool] = always) -> list[Offer]:
        """What a search finds. Any thread."""
        return found(offers, wanted, goes_on)

    def show(self, rows: Sequence[Offer]) -> None:
        """Show what a search has found."""
        self.rows = rows
        self._generation += 1

    def thing(self, index: int) -> Thing:
        """What is offered in a row."""
        return self.rows[index].thing

    def identity(self, index: int) -> object:
        """Its kind and key."""
        thing = self.thing(index)
        return type(thing), thing.key

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def generation(self) -> int:
        return self._generation

    def row(self, index: int, width: int) -> RowView:
        offer = self.rows[index]
        return RowView(row_spans(offer, width, self.marks.get(offer.thing.key, ""), badge(self.found(offer.thing))))

    def judged(self) -> None:
        """Rows may look otherwise: checks have found something."""
        self._generation += 1

    def header(self, width: int) -> Sequence[Span]:
        label, place, right = self._titles
        return _laid([(label, "muted")], [(place, "muted")], (right, "muted"), width)


def row_spans(offer: Offer, width: int, mark: str = "", badge: Span | None = None) -> list[Span]:
    """One offer in exactly `width` cells: what it is called, in wide lists its place, and a few words at the right.

    `mark` is "new" or "changed" for one that is, `badge` what checks say of it. In a narrow list the name is cut
    before the badge.
    """
    left: list[Span] = [(offer.sign, "accent")] if offer.sign else []
    left.append((offer.label, "warning" if offer.flaw else "method"))
    if badge is not None:
        left += [(" ", "text"), badge]
    if mark:
        left += [(" ", "text"), MARKS[mark]]
    if offer.flaw:
        left.append((f" {signs.WARNING} {offer.flaw}", "warning"))
    middle: list[Span] = [] if offer.flaw else [(offer.place, "target")]
    return _laid(left, middle, (offer.right, "faint"), width)


def _laid(left: list[Span], middle: list[Span], right: Span, width: int) -> list[Span]:
    edge = min(text.cell_width(right[0]), max(0, width // 2))
    room = max(0, width - edge - 1)
    spans = lay(left, room)
    if width >= _WIDE and middle:
        column = min(width * 2 // 5, room)  # whatever stands at the right edge: places stand below one another
        spans = [*lay(left, column), ("  ", "text"), *lay(middle, room - column - 2)]
    return lay([*spans, (" ", "text"), (text.fit(right[0], edge), right[1])], width)


def head_lines(thing: Thing) -> tuple[Line, ...]:
    """Title, and the name if that is another word."""
    title = text.visible(thing.title, limit=200) or "(no name)"
    name = f"  {text.visible(thing.name, limit=200)}" if thing.name and thing.name != thing.title else ""
    return (((title, "title"), (name, "muted")),)


def described(thing: Thing) -> tuple[Line, ...]:
    """The server's description, line by line; () without one."""
    return paragraph(thing.description, "foreign", limit=20_000)


def claims(raw: Any) -> list[Fact]:
    """Annotations, icons and `_meta`, as far as they are there."""
    return [*annotation_facts(raw), *icon_facts(raw), *meta_facts(raw)]


def unknown_members(raw: Any, known: frozenset[str]) -> list[Fact]:
    """A fact that names members nobody has specified; [] if there are none."""
    more = [key for key in peek.mapping(raw) if key not in known]
    return [fact("unknown members", ", ".join(more), "warning")] if more else []


COMMON = frozenset({"name", "title", "description", "icons", "_meta"})
"""Members that all offers share."""
