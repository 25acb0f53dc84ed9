"""A filter made ready for one journal: which entries it lets through.

It costs what it must look at: fields of the columns read nothing, a text is searched for in the bytes of the file,
and only what may match is parsed. Nothing here waits and nothing raises, whatever a journal holds.
"""

from collections.abc import Callable, Iterator
from typing import assert_never

from inspector.capture.filters.exchange_columns import ExchangeColumns
from inspector.capture.filters.expert import EXPERT_FIELDS, NOBODY, Expert
from inspector.capture.filters.fields import BY_NAME, Type
from inspector.capture.filters.matching import Test, matcher
from inspector.capture.filters.nodes import EXCHANGE, AllOf, AnyOf, Lifted, Node, Opposite
from inspector.capture.filters.patterns import PATIENCE, Pattern
from inspector.capture.filters.payloads import InWords, is_there
from inspector.capture.filters.stretch import BYTES, Stretch, backwards
from inspector.capture.filters.terms import And, Compare, Has, Not, Or, Ref, Scope, Term, Words
from inspector.capture.filters.working import Workshop
from inspector.capture.journal import Journal
from inspector.protocol.facts import Fact

_OURS = "mcp-inspect"
"""Whose captures are spelled as expected."""
_CHANGING = frozenset(("status", "failed", "pending", "dur", "age", "error.code", "progress"))
"""Fields that change when an exchange goes on."""


class Program:
    """A filter at work on one journal. Any thread may ask."""

    def __init__(
        self,
        term: Term,
        journal: Journal,
        *,
        clock: Callable[[], int],
        say: Callable[[Fact], str],
        exchanges: ExchangeColumns | None = None,
        expert: Expert | None = None,
    ) -> None:
        """`clock`: the journal's monotonic nanoseconds; `say` puts facts into words; programs may share `exchanges`.

        `expert` knows what checks have found; without one nothing is known of that.
        """
        self.term = term
        self._store = journal.store
        self._exchanges = exchanges or ExchangeColumns(journal)
        self._say = say
        self._workshop = Workshop(journal, self._exchanges, clock, expert or NOBODY)
        self._patterns: list[Pattern] = []
        self._plain = journal.head.tool.name == _OURS
        self._node = self._made(term)
        names = set(_names(term))
        self.by_columns = self._node.cost <= EXCHANGE
        """Whether it reads nothing from the file: then even a flood can be filtered as it comes."""
        self.follows_exchanges = bool(names & _CHANGING) or "" in names
        """Whether what became of an exchange decides about messages that came before."""
        self.lifts = "" in names and any(ref.scope is not Scope.OWN for ref in _refs(term))
        """Whether a message can match by its partner."""
        self.follows_progress = "progress" in names
        """Whether an exchange that has ended can still change for it."""
        self.follows_time = "age" in names
        self.follows_findings = not names.isdisjoint(EXPERT_FIELDS)
        """Whether what checks find later decides about messages that came before."""

    @property
    def trouble(self) -> str:
        """What went wrong with a pattern, as a sentence; "" if nothing did."""
        slow = sum(pattern.too_slow for pattern in self._patterns)
        if any(pattern.given_up for pattern in self._patterns):
            return f"the pattern took too long {PATIENCE} times and was given up: not everything was looked through"
        return f"the pattern took too long on {slow} message{'s' if slow > 1 else ''}" if slow else ""

    def stretches(self, first: int, last: int, most_bytes: int = BYTES) -> Iterator[tuple[int, int]]:
        """Divide entries into stretches for `mark`, the newest first."""
        return backwards(self._store, first, last, most_bytes)

    def mark(self, first: int, last: int, need: bytes | None = None) -> bytes:
        """Which of the entries `first` to `last` match: a byte for each, 1 or 0. `need`: which are asked about."""
        stretch = Stretch(self._store, first, last, plain=self._plain)
        return self._node.mark(stretch, b"\1" * len(stretch) if need is None else need)

    def matches(self, n: int) -> bool:
        """Whether entry n does."""
        return self.mark(n, n) == b"\1"

    # --- from terms to nodes

    def _made(self, term: Term) -> Node:
        match term:
            case And(terms):
                return AllOf([self._made(each) for each in terms])
            case Or(terms):
                return AnyOf([self._made(each) for each in terms])
            case Not(inner):
                return Opposite(self._made(inner))
            case Words(text):
                return InWords(text, self._exchanges, self._say)
            case Has(ref):
                return self._lifted(ref, self._workshop.node(ref, _presence(ref), None))
            case Compare(ref):
                return self._lifted(ref, self._workshop.node(ref, matcher(term, self._patterns), term))
            case _:
                assert_never(term)

    def _lifted(self, ref: Ref, node: Node) -> Node:
        return node if ref.scope is Scope.OWN else Lifted(node, ref.scope, self._exchanges)


def _presence(ref: Ref) -> Test:
    """What a field alone asks of its value."""
    kind = BY_NAME[ref.name].type
    if kind is Type.JSON:
        return is_there
    return bool if kind is Type.TEXT else lambda found: True


def _refs(term: Term) -> Iterator[Ref]:
    match term:
        case And(terms) | Or(terms):
            for each in terms:
                yield from _refs(each)
        case Not(inner):
            yield from _refs(inner)
        case Has(ref) | Compare(ref):
            yield ref
        case Words():
            pass
        case _:
            assert_never(term)


def _names(term: Term) -> Iterator[str]:
    """The fields of a filter; "" for bare text, and for what is asked of a partner."""
    match term:
        case And(terms) | Or(terms):
            for each in terms:
                yield from _names(each)
        case Not(inner):
            yield from _names(inner)
        case Has(ref) | Compare(ref):
            yield ref.name
            if ref.scope is not Scope.OWN:
                yield ""
        case Words():
            yield ""
        case _:
            assert_never(term)
