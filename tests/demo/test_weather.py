"""The weather changes by itself, and whoever watches the barometer hears of it."""

import asyncio

from inspector.demo.station import BAROMETER, Change, Station
from inspector.demo.weather import blow, reading
from tests.demo.driving import Here, opening, request, stateless
from tests.waiting import until


async def test_each_change_is_announced_and_can_be_read() -> None:
    station, heard = Station(), list[Change]()

    async def hear(change: Change) -> None:
        heard.append(change)

    station.listeners.add(hear)
    before = reading(station)
    async with asyncio.TaskGroup() as tasks:
        blowing = tasks.create_task(blow(station, 0.001))
        await until(lambda: len(heard) > 1, "the weather changes twice")
        blowing.cancel()
    assert heard[0] == Change("resource", BAROMETER)
    assert reading(station) != before


async def test_a_calm_stays() -> None:
    station = Station()
    await blow(station, 0)
    assert station.weather == 0


async def test_only_who_watches_the_barometer_hears_of_it() -> None:
    here = Here()
    await here.send(opening())
    await here.station.announce(Change("resource", BAROMETER))
    await here.send(request(1, "resources/subscribe", uri=BAROMETER))
    told = len(here.sent)
    await here.station.announce(Change("resource", BAROMETER))
    assert [message["params"]["uri"] for message in here.sent[told:]] == [BAROMETER]
    assert all("params" not in message for message in here.sent[:told])


async def test_in_the_stateless_era_it_comes_on_the_stream_that_asked() -> None:
    here = Here()
    asked = stateless(1, "subscriptions/listen", notifications={"resourceSubscriptions": [BAROMETER]})
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(here.send(asked))
        await until(lambda: here.sent, "it is acknowledged")
        await here.station.announce(Change("resource", BAROMETER))
        listening.cancel()
    assert [message["method"].rpartition("/")[2] for message in here.sent] == ["acknowledged", "updated"]
