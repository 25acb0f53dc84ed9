"""Long work pauses while the user waits for the effect of a key, and only then."""

from threading import Event, Thread
from types import SimpleNamespace

import pytest

from inspector import giving_way
from tests.waiting import PATIENCE_S


def test_work_continues_only_once_the_effect_of_a_key_is_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giving_way, "_MOST_S", PATIENCE_S)
    rested = Event()
    giving_way.ask_for_way()

    def work_on() -> None:
        giving_way.rest(0.0)
        rested.set()

    work = Thread(target=work_on)
    work.start()
    assert not rested.is_set()
    giving_way.return_way()
    assert rested.wait(PATIENCE_S)
    work.join()


def test_a_second_key_does_not_stop_work_before_it_had_as_much_time_as_the_first_one_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [10.0]
    monkeypatch.setattr(giving_way, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(giving_way, "_until_s", 0.0)
    monkeypatch.setattr(giving_way, "_next_s", 0.0)
    giving_way.ask_for_way()
    now[0] = 10.03
    giving_way.return_way()
    now[0] = 10.04
    giving_way.ask_for_way()
    assert giving_way._until_s <= now[0]
    now[0] = 10.07
    giving_way.ask_for_way()
    assert giving_way._until_s > now[0]


def test_work_is_watched_for_a_second_after_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [10.0]
    monkeypatch.setattr(giving_way, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(giving_way, "_asked_s", float("-inf"))
    watched = [giving_way.is_watched()]
    giving_way.ask_for_way()
    for now[0] in (10.9, 11.1):
        watched.append(giving_way.is_watched())
    assert watched == [False, True, False]
