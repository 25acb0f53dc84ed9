"""What was known at a moment is the same whether it is folded from the beginning or from a checkpoint."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture.journal import Journal
from inspector.capture.store.history import History
from inspector.capture.store.index import rest_of, restore
from inspector.capture.store.load import Loading, load
from inspector.protocol.events import Event
from inspector.protocol.frames import Channel
from tests.architecture.sources import ROOT
from tests.capture.conversations import HAPPENINGS, known, tell
from tests.capture.recording import CAME, SENT, http_life, life, recorded

CAPTURES = sorted(((ROOT / "tests") / "captures").glob("*.mcpcap"))


def loaded(path: Path, every: int) -> Loading:
    """A capture that was read line by line, with a checkpoint after so many entries."""
    loading = Loading(path)
    loading._points.every = loading._points._next = every
    while loading.step(1):
        pass
    return loading


def recalled(path: Path, loading: Loading) -> Loading:
    """The same capture from what an index would hold."""
    rest, columns = rest_of(loading.journal)
    again = Loading(path)
    restore(again.journal, rest, {name: bytes(column) for name, column in columns.items()}, size=again.total)
    return again


def folded(journal: Journal, n: int) -> Any:
    """What was known at entry n, folded from the beginning."""
    points, journal.points = journal.points, None
    try:
        return known(History(journal).at(n))
    finally:
        journal.points = points


def compare(loading: Loading, moments: range) -> None:
    journal = loading.journal
    for n in moments:
        assert known(History(journal).at(n)) == folded(journal, n), n
    assert known(History(journal).at(journal.count))[0] == known(journal)[0]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60, deadline=None)
@given(HAPPENINGS)
def test_any_moment_of_any_conversation_is_known_alike_both_ways(tmp_path_factory: Any, happenings: list[Any]) -> None:
    path = tmp_path_factory.mktemp("past") / "x.mcpcap"
    journal = recorded(path)
    tell(journal, happenings)
    journal.close()
    loading = loaded(path, 4)
    again = recalled(path, loading)
    compare(loading, range(1, loading.journal.count + 1, 3))
    compare(again, range(1, again.journal.count + 1, 5))
    loading.journal.close()
    again.journal.close()


@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_the_past_of_every_capture_of_the_tests_is_known_alike_both_ways(path: Path) -> None:
    loading = loaded(path, 7)
    assert len(loading.journal.points.all if loading.journal.points else ()) == loading.journal.count // 7
    compare(loading, range(1, loading.journal.count + 1, 5))


def test_the_end_of_the_past_is_what_the_journal_knows(tmp_path: Path) -> None:
    journal = recorded(tmp_path / "x.mcpcap")
    life(journal)
    http_life(journal)
    journal.close()
    whole = load(tmp_path / "x.mcpcap")
    then = History(whole).at(whole.count)
    assert (then.processes, [*then.stderr_tail], then.connection) == (
        whole.processes,
        [*whole.stderr_tail],
        whole.connection,
    )
    assert [*then.conversation.exchanges] == [*whole.conversation.exchanges]
    assert [(each.http, each.end_n) for each in then.connection_facts.http_in_order] == [
        (each.http, each.end_n) for each in whole.connection_facts.http_in_order
    ]


def ask(journal: Journal, id_: int) -> None:
    journal.frame(SENT, Channel.STDIN, b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}' % id_)


def test_a_past_goes_on_and_one_of_a_running_journal_ends_where_that_is() -> None:
    journal = recorded()
    ask(journal, 1)
    then = History(journal).at(9)
    assert (then.count, len(then.conversation.pairs.pending)) == (1, 1)
    journal.frame(CAME, Channel.STDOUT, b'{"jsonrpc":"2.0","id":1,"result":{}}')
    ask(journal, 2)
    then.advance(2)
    assert (then.count, then.conversation.pairs.pending) == (2, [])
    then.advance(3)
    assert [each.id for each in then.conversation.pairs.pending] == [2]
    assert journal.conversation.pairs.pending[0] is not then.conversation.pairs.pending[0]
    with pytest.raises(IndexError):
        then.store.kind(4)


def test_stopped_history_returns_an_earlier_state() -> None:
    journal = recorded()
    for id_ in range(5):
        ask(journal, id_)
    looks: list[Event | int] = []

    def stopped() -> bool:
        looks.append(1)
        return len(looks) > 3

    assert History(journal).at(5, stopped).count == 3
    assert History(journal).cost(5) == 5


def test_a_checkpoint_that_is_damaged_is_passed_over(tmp_path: Path) -> None:
    import msgspec

    journal = recorded(tmp_path / "x.mcpcap")
    for id_ in range(12):
        ask(journal, id_)
    journal.close()
    loading = loaded(tmp_path / "x.mcpcap", 4)
    assert loading.journal.points is not None
    points = loading.journal.points.all
    damaged = msgspec.structs.replace(points[1].conversation, rest=points[1].conversation.rest[:-5])
    points[1] = msgspec.structs.replace(points[1], conversation=damaged)
    then = History(loading.journal).at(9)
    assert (then.count, len(then.conversation.pairs.pending)) == (9, 9)
