"""When a change is worth a restart, and the thread that notices changes."""

import os
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from inspector.features.watch.watcher import (
    GAP_S,
    LONGEST_GAP_S,
    LONGEST_S,
    QUIET_S,
    FileChange,
    RestartPace,
    Watcher,
    read_glob,
)
from tests.waiting import until_sync


def run(pace: RestartPace, changes: Iterator[float], end: float, step: float = 0.01) -> list[float]:
    """The moments of restarts, of a clock that goes on in steps."""
    found, now, following = [], 0.0, next(changes, end)
    while now < end:
        while following <= now:
            pace.noticed(["a.py"], now, 0)
            following = next(changes, end)
        if pace.due(now) is not None:
            found.append(now)
        now += step
    return found


def test_a_change_counts_once_after_a_moment_of_quiet() -> None:
    (at,) = run(RestartPace(), iter([1.0, 1.05, 1.1]), 5)
    assert 1.1 + QUIET_S <= at < 1.1 + 2 * QUIET_S


def test_files_that_change_a_thousand_times_a_second_restart_at_a_bounded_rate() -> None:
    found = run(RestartPace(), (n / 1000 for n in range(60_000)), 60)
    assert found[0] <= LONGEST_S + 0.1
    assert len(found) <= 12
    gaps = [later - earlier for earlier, later in pairwise(found)]
    assert min(gaps) >= GAP_S
    assert max(gaps) <= LONGEST_GAP_S + LONGEST_S


def test_occasional_saves_restart_at_once() -> None:
    saved = [5.0 * n for n in range(1, 9)]
    found = run(RestartPace(), iter(saved), 50)
    assert [round(at - was, 1) for at, was in zip(found, saved, strict=True)] == [round(QUIET_S + 0.01, 1)] * 8


def test_a_server_that_never_starts_is_restarted_less_often_and_only_on_a_change() -> None:
    pace = RestartPace()
    found = []
    now = 0.0
    for _ in range(600):
        now += 0.1
        pace.noticed(["a.py"], now - QUIET_S, 0)
        if pace.due(now) is not None:
            found.append(now)
            pace.ended(well=False)
    assert len(found) <= 12
    assert "failed to start" in pace.remark(now)
    pace.ended(well=True)
    assert "failed" not in pace.remark(now + 100)
    assert pace.due(now + 100) is None or pace.due(now + 200) is None


def test_a_change_names_one_file_and_counts_the_others() -> None:
    pace = RestartPace()
    pace.noticed(["b.py", "a.py"], 0, 7)
    assert pace.due(1) == FileChange("b.py", 1, 7)
    assert pace.due(2) is None


def noticed(watch: Watcher) -> FileChange:
    found: list[FileChange] = []

    def look() -> bool:
        found.extend(each for each in (watch.due(),) if each is not None)
        return bool(found)

    until_sync(look, "a change is noticed")
    return found[0]


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watcher]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("")
    made = Watcher([read_glob("src/**/*.py", tmp_path)])
    made.start()
    until_sync(made.ready.is_set, "it watches")
    yield made
    made.stop()
    assert not any(thread.name == "mcp-inspect watch" and thread.is_alive() for thread in threading.enumerate())


def test_a_saved_file_is_noticed_and_others_are_not(watch: Watcher, tmp_path: Path) -> None:
    (tmp_path / "src/notes.txt").write_text("x")
    (tmp_path / "src/a.py").write_text("x")
    assert noticed(watch).name == "a.py"
    assert watch.due() is None


def test_waiting_for_a_change_ends_with_it(watch: Watcher, tmp_path: Path) -> None:
    timer = threading.Timer(0, (tmp_path / "src/a.py").write_text, ["x"])
    timer.start()
    change = watch.wait()
    timer.join()
    assert change is not None
    assert change.name == "a.py"
    enough = threading.Event()
    enough.set()
    assert watch.wait(enough) is None


def test_a_file_that_an_editor_puts_in_the_place_of_another_is_noticed(watch: Watcher, tmp_path: Path) -> None:
    (tmp_path / "src/a.py.tmp").write_text("x")
    (tmp_path / "src/a.py.tmp").rename(tmp_path / "src/a.py")
    assert noticed(watch).name == "a.py"


def test_files_of_a_new_directory_are_noticed_and_so_are_their_later_changes(watch: Watcher, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/b.py").write_text("x")
    (tmp_path / "new").rename(tmp_path / "src/new")
    assert noticed(watch).name == "new/b.py"
    (tmp_path / "src/new/c.py").write_text("x")
    assert noticed(watch).name == "new/c.py"


def test_a_root_that_is_made_later_is_watched_then(tmp_path: Path) -> None:
    watch = Watcher([read_glob("later/*.py", tmp_path)], ["A warning."])
    watch.start()
    try:
        until_sync(watch.ready.is_set, "it watches")
        assert watch.problems() == (f"{tmp_path}/later does not exist; it is watched once it does.", "A warning.")
        (tmp_path / "made").mkdir()
        (tmp_path / "made/first.py").write_text("x")
        (tmp_path / "made").rename(tmp_path / "later")
        assert noticed(watch).name == "first.py"
        until_sync(lambda: watch.problems() == ("A warning.",), "the root is found")
        (tmp_path / "later/a.py").write_text("x")
        assert noticed(watch).name == "a.py"
    finally:
        watch.stop()


def test_a_system_without_watches_left_is_named_and_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    real = watchfiles.watch

    def full(*places: str, **options: object) -> object:
        if not options["force_polling"]:
            raise OSError(28, "no space left on device")
        return real(*places, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watchfiles, "watch", full)
    (tmp_path / "a.py").write_text("")
    os.utime(tmp_path / "a.py", (1, 1))  # who looks at files compares whole seconds
    watch = Watcher([read_glob("*.py", tmp_path)])
    watch.start()
    try:
        until_sync(watch.ready.is_set, "it watches")
        assert "does not report changes" in watch.problems()[0]
        (tmp_path / "a.py").write_text("other")
        assert noticed(watch).name == "a.py"
    finally:
        watch.stop()
