"""What was kept of a capture is what loading it comes to; whatever is odd about it is as good as nothing."""

import fcntl
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from inspector.capture.store import index
from inspector.capture.store.index import rest_of
from inspector.capture.store.load import Loading
from inspector.protocol.frames import Channel, Eol
from tests.capture.conversations import HAPPENINGS, known, tell
from tests.capture.recording import CAME, SENT, recorded
from tests.capture.store.test_fold_fast_path import CAPTURES


@pytest.fixture(autouse=True)
def _small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SMALLEST", 0)


def loaded(path: Path, cache: Path) -> tuple[Loading, bool, bool]:
    """A capture, loaded: whether from an index, and whether one was kept."""
    loading = Loading(path)
    if loading.load_index(cache):
        return loading, True, False
    while loading.step():
        pass
    return loading, False, loading.save_index(cache)


def closed(loading: Loading) -> Any:
    found = known(loading.journal)
    loading.journal.close()
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.mcpcap"
    journal = recorded(path)
    for id_ in range(1, 6):
        call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}' % id_
        journal.frame(SENT, Channel.STDIN, call, eol=Eol.LF)
    journal.frame(CAME, Channel.STDOUT, b'{"jsonrpc":"2.0","id":1,"result":{}}', eol=Eol.LF)
    journal.close()
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "indexes"


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(HAPPENINGS)
def test_any_conversation_comes_back_as_it_was(tmp_path_factory: Any, happenings: list[Any]) -> None:
    here = tmp_path_factory.mktemp("index")
    journal = recorded(here / "x.mcpcap")
    tell(journal, happenings)
    journal.close()
    first, _, kept = loaded(here / "x.mcpcap", here / "cache")
    again, recalled, _ = loaded(here / "x.mcpcap", here / "cache")
    assert recalled is kept
    assert closed(again) == closed(first)


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.stem)
def test_every_capture_of_the_tests_comes_back_as_it_was(capture: Path, cache: Path) -> None:
    first, _, kept = loaded(capture, cache)
    rest_of(first.journal)  # says what is missing, if somebody knows more than is kept
    again, recalled, _ = loaded(capture, cache)
    assert (kept, recalled) == (True, True)
    assert closed(again) == closed(first)
    assert again.done == again.total


def test_index_is_private_and_in_the_cache_only(path: Path, cache: Path) -> None:
    closed(loaded(path, cache)[0])
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700
    assert list(path.parent.glob("x*")) == [path]


def change_the_end(path: Path, cache: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-10] ^= 1
    path.write_bytes(data)


def grow(path: Path, cache: Path) -> None:
    with path.open("ab") as out:
        out.write(b'{"r":"x"}\n')


def damage(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


def cut(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    os.truncate(file, file.stat().st_size - 1)


def lengthen(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    with file.open("ab") as out:
        out.write(b"\0")


def show_it_to_all(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    file.chmod(0o644)


def link_it(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    other = cache.parent / "elsewhere"
    file.rename(other)
    file.symlink_to(other)


def make_it_a_directory(path: Path, cache: Path) -> None:
    (file,) = cache.iterdir()
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    "spoil", [change_the_end, grow, damage, cut, lengthen, show_it_to_all, link_it, make_it_a_directory]
)
def test_an_index_that_does_not_fit_is_as_good_as_none(spoil: Any, path: Path, cache: Path) -> None:
    first, _, kept = loaded(path, cache)
    first.journal.close()
    assert kept
    spoil(path, cache)
    again, recalled, _ = loaded(path, cache)
    assert not recalled
    assert again.journal.count >= 6


def test_an_index_cut_or_changed_anywhere_is_never_misread(path: Path, cache: Path) -> None:
    first = closed(loaded(path, cache)[0])
    (file,) = cache.iterdir()
    data = file.read_bytes()
    for at in range(0, len(data), 7):
        spoiled = data[:at] + bytes((data[at] ^ 0x41,)) + data[at + 1 :] if at % 2 else data[:at]
        file.write_bytes(spoiled)
        loading = Loading(path)
        assert not loading.load_index(cache)
        assert loading.journal.count == 0
        loading.journal.close()
    file.write_bytes(data)
    assert closed(loaded(path, cache)[0]) == first


def test_index_of_an_older_version_is_rebuilt(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(path, cache)[0].journal.close()
    monkeypatch.setattr(index, "_reader", lambda: "another one")
    again, recalled, kept = loaded(path, cache)
    again.journal.close()
    assert (recalled, kept) == (False, True)
    assert len(list(cache.iterdir())) == 1


def test_the_indexes_used_last_stay(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MOST", 3)
    for number in range(5):
        other = path.with_name(f"{number}.mcpcap")
        other.write_bytes(path.read_bytes())
        loaded(other, cache)[0].journal.close()
        os.utime(max(cache.iterdir(), key=lambda file: file.stat().st_mtime_ns), (number, number))
    assert len(list(cache.iterdir())) == 3


def test_a_cache_that_can_not_be_written_keeps_nothing_and_harms_nothing(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    loading, recalled, kept = loaded(path, tmp_path / "file" / "cache")
    assert (recalled, kept, loading.journal.count) == (False, False, 6)


def test_a_capture_that_is_being_written_has_no_index(path: Path, cache: Path) -> None:
    with path.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        _, recalled, kept = loaded(path, cache)
    assert (recalled, kept) == (False, False)
