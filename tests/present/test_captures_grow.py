"""What is read from a capture costs in proportion to its entries, whatever is open and however long its lists are."""

from collections.abc import Callable

import pytest

from inspector.capture.compare.operations import accounts
from inspector.capture.journal import Journal
from inspector.present.trace import story_of
from inspector.present.traffic.tree import Tree
from inspector.protocol.jsonrpc import encode
from tests.capture.recording import came, recorded, sent
from tests.counting import growth

_MOST = 5.5
"""Times the steps for four times the entries; 16 where each entry looks at all others."""


def _put(journal: Journal, by_client: bool, **message: object) -> None:
    (sent if by_client else came)(journal, encode({"jsonrpc": "2.0", **message}))


def _open_calls_and_server_requests(n: int) -> Journal:
    journal = recorded()
    for id_ in range(n):
        _put(journal, True, id=id_, method="tools/call", params={"name": "a"})
        _put(journal, False, id=id_, method="sampling/createMessage", params={"messages": [], "maxTokens": 1})
    return journal


def _pages(n: int) -> Journal:
    journal = recorded()
    for id_ in range(n):
        _put(journal, True, id=id_, method="tools/list", params={"cursor": f"c{id_}"} if id_ else {})
        _put(journal, False, id=id_, result={"tools": [{"name": f"t{id_}"}], "nextCursor": f"c{id_ + 1}"})
    return journal


def _read_tree(journal: Journal) -> None:
    Tree(journal).take_many(1, journal.count)


def _read_answers(journal: Journal) -> None:
    assert all(each.answer is None or each.answer for each in accounts(journal).operations)


@pytest.mark.parametrize(
    ("make", "read"),
    [
        (_open_calls_and_server_requests, _read_tree),
        (_open_calls_and_server_requests, accounts),
        (_pages, _read_answers),
        (_pages, lambda journal: story_of(journal, 1)),
        (_open_calls_and_server_requests, lambda journal: story_of(journal, 1)),
    ],
)
def test_a_capture_of_four_times_the_entries_costs_four_times_the_steps(
    make: Callable[[int], Journal], read: Callable[[Journal], object]
) -> None:
    def work(n: int) -> Callable[[], object]:
        journal = make(n)
        return lambda: read(journal)

    assert growth(work, few=150) < _MOST
