"""Reading from a capture takes time in proportion to its entries, however many requests are open."""

from collections.abc import Callable

import pytest

from inspector.capture.compare.operations import OperationCollector
from inspector.capture.journal import Journal
from inspector.capture.store.store import entries
from inspector.present.traffic.tree import Tree
from inspector.protocol.conversation import Conversation
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Frame
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


def _open_calls_over_http(n: int) -> Journal:
    journal = recorded()
    for number in range(1, n + 1):
        journal.fact(HttpFact(HttpEvent.REQUEST, number, "POST", "https://example.com/mcp"))
        _put(journal, True, id=number, method="tools/call", params={"name": "a"})
    return journal


@pytest.fixture(params=["tree", "tree over HTTP", "operations"])
def work(request: pytest.FixtureRequest) -> Callable[[int], Callable[[], object]]:
    """What reads a capture of so many calls."""

    def read_tree(n: int) -> Callable[[], object]:
        over_http = request.param == "tree over HTTP"
        journal = _open_calls_over_http(n) if over_http else _open_calls_and_server_requests(n)
        return lambda: Tree(journal).take_many(1, journal.count)

    def collect_operations(n: int) -> Callable[[], object]:
        journal, fold = _open_calls_and_server_requests(n), Conversation()
        frames = [each.what for each in entries(journal.store, 1, journal.count) if isinstance(each.what, Frame)]
        observed = [(frame, fold.observe(frame)) for frame in frames]
        collector = OperationCollector(fold)

        def collect() -> None:
            for frame, events in observed:
                collector.on_frame(frame, events)

        return collect

    return collect_operations if request.param == "operations" else read_tree


def test_a_capture_of_four_times_the_entries_costs_four_times_the_steps(
    work: Callable[[int], Callable[[], object]],
) -> None:
    assert growth(work, few=150) < _MOST
