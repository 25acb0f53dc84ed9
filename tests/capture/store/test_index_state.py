"""A journal takes over all that was kept, or nothing."""

from pathlib import Path

import pytest

from inspector.capture.store.index import Rest, rest_of, restore
from inspector.capture.store.load import Loading
from inspector.capture.store.snapshot import SnapshotError
from tests.capture.conversations import known
from tests.capture.recording import http_life, recorded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    journal = recorded(tmp_path / "x.mcpcap")
    http_life(journal)
    journal.close()
    return tmp_path / "x.mcpcap"


def kept(path: Path) -> tuple[Rest, dict[str, bytes]]:
    loading = Loading(path)
    while loading.step():
        pass
    rest, columns = rest_of(loading.journal)
    raw = {name: bytes(column) for name, column in columns.items()}
    loading.journal.close()
    return rest, raw


def test_an_empty_journal_takes_over_everything(path: Path) -> None:
    rest, columns = kept(path)
    first, second = Loading(path), Loading(path)
    while first.step():
        pass
    restore(second.journal, rest, columns, size=second.total)
    assert known(second.journal) == known(first.journal)
    assert second.journal.http_exchanges


@pytest.mark.parametrize("column", ["_kinds", "_flags", "_methods", "_exchanges", "_lengths.low"])
def test_columns_that_mean_nothing_are_refused_whole(path: Path, column: str) -> None:
    rest, columns = kept(path)
    name = f"store.{column}"
    columns[name] = b"\xee" * len(columns[name])
    loading = Loading(path)
    with pytest.raises(SnapshotError):
        restore(loading.journal, rest, columns, size=loading.total)
    assert (loading.journal.count, len(loading.journal.conversation.exchanges)) == (0, 0)


def test_columns_of_another_length_are_refused(path: Path) -> None:
    rest, columns = kept(path)
    columns["store._kinds"] += b"\1"
    loading = Loading(path)
    with pytest.raises(SnapshotError, match="differ in length"):
        restore(loading.journal, rest, columns, size=loading.total)
