"""Simulated work that depends on a clock."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from inspector.demo.state import (
    BAROMETER,
    KEPT,
    LOGBOOK,
    DemoState,
    DemoTask,
    DemoTasks,
    Json,
    StationChange,
    Work,
    emit_changes,
    reading,
)
from tests.demo.driving import Here, opening, request, stateless
from tests.waiting import until

QUESTION: Json = {"method": "elicitation/create", "params": {}}


def begun(work: Work) -> DemoTask:
    return DemoTask("t", work, 0.0, datetime.now(UTC), 1000)


def works(**more: object) -> Work:
    return Work(("one", "two"), 1.0, lambda answer: {"content": [], "answer": answer}, **more)  # type: ignore[arg-type]


def told(task: DemoTask, now: float) -> tuple[str, str]:
    task.look(now)
    return task.state, task.message


def test_demo_task_steps_follow_the_time() -> None:
    task = begun(works())
    assert told(task, 0.5) == ("working", "one (1 of 2)")
    assert told(task, 1.5) == ("working", "two (2 of 2)")
    assert told(task, 2.0) == ("completed", "done")
    assert task.result == {"content": [], "answer": {}}
    assert told(task, 0.0) == ("completed", "done")


def test_demo_task_time_stops_while_input_is_open() -> None:
    task = begun(works(question=QUESTION))
    assert told(task, 1.0)[0] == "input_required"
    assert told(task, 900.0)[0] == "input_required"
    task.answer = {"action": "accept"}
    assert told(task, 900.5) == ("working", "two (2 of 2)")
    assert told(task, 901.0)[0] == "completed"
    assert task.result == {"content": [], "answer": {"action": "accept"}}


def test_demo_task_may_fail_or_run_forever() -> None:
    failing = begun(works(fails="no luck"))
    assert told(failing, 5) == ("failed", "no luck")
    assert failing.result is not None
    assert failing.result["isError"]
    assert failing.error is not None
    assert failing.error["message"] == "no luck"
    endless = begun(works(endless=True))
    assert told(endless, 1e6 + 0.5) == ("working", "one (1000001)")
    endless.cancel()
    assert told(endless, 2e6) == ("cancelled", "cancelled by the client")


def test_no_more_are_kept_than_fit_and_none_beyond_its_time() -> None:
    tasks = DemoTasks()
    made = [tasks.begin(works(), 60_000) for _ in range(KEPT + 1)]
    assert tasks.find(made[0].id) is None
    assert tasks.find(made[-1].id) is made[-1]
    made[-1].created -= timedelta(seconds=61)
    assert tasks.find(made[-1].id) is None
    assert len(tasks.listed()) == KEPT - 1


@pytest.mark.parametrize("seconds", [0, 0.0])
def test_work_without_a_time_is_done_at_once(seconds: float) -> None:
    assert told(begun(Work(("one",), seconds, lambda _: {})), 0)[0] == "completed"


async def test_listener_hears_every_change() -> None:
    station, heard = DemoState(), list[StationChange]()

    async def hear(change: StationChange) -> None:
        heard.append(change)

    station.listeners.add(hear)
    assert await station.write("A gull.") == 4
    assert await station.clear() == 4
    await station.toggle_tool(True)
    await station.toggle_tool(True)
    assert heard == [StationChange("resource", LOGBOOK), StationChange("resource", LOGBOOK), StationChange("tools")]


async def test_the_logbook_numbers_its_entries() -> None:
    station = DemoState(entries=["One.", "Two."])
    assert "1. One.\n2. Two." in station.logbook()
    await station.clear()
    assert "empty" in station.logbook()


async def test_each_change_is_announced_and_can_be_read() -> None:
    station, heard = DemoState(), list[StationChange]()

    async def hear(change: StationChange) -> None:
        heard.append(change)

    station.listeners.add(hear)
    before = reading(station)
    async with asyncio.TaskGroup() as tasks:
        blowing = tasks.create_task(emit_changes(station, 0.001))
        await until(lambda: len(heard) > 1, "the weather changes twice")
        blowing.cancel()
    assert heard[0] == StationChange("resource", BAROMETER)
    assert reading(station) != before


async def test_a_calm_stays() -> None:
    station = DemoState()
    await emit_changes(station, 0)
    assert station.weather == 0


async def test_only_who_watches_the_barometer_hears_of_it() -> None:
    here = Here()
    await here.send(opening())
    await here.station.announce(StationChange("resource", BAROMETER))
    await here.send(request(1, "resources/subscribe", uri=BAROMETER))
    told = len(here.sent)
    await here.station.announce(StationChange("resource", BAROMETER))
    assert [message["params"]["uri"] for message in here.sent[told:]] == [BAROMETER]
    assert all("params" not in message for message in here.sent[:told])


async def test_stateless_change_comes_on_the_subscription_stream() -> None:
    here = Here()
    asked = stateless(1, "subscriptions/listen", notifications={"resourceSubscriptions": [BAROMETER]})
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(here.send(asked))
        await until(lambda: here.sent, "it is acknowledged")
        await here.station.announce(StationChange("resource", BAROMETER))
        listening.cancel()
    assert [message["method"].rpartition("/")[2] for message in here.sent] == ["acknowledged", "updated"]
