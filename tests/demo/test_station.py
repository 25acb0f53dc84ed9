"""The small world of the demo, and who hears of its changes."""

from inspector.demo.station import LOGBOOK, Change, Station


async def test_whoever_listens_hears_of_every_change() -> None:
    station, heard = Station(), list[Change]()

    async def hear(change: Change) -> None:
        heard.append(change)

    station.listeners.add(hear)
    assert await station.write("A gull.") == 4
    assert await station.clear() == 4
    await station.open_cellar(True)
    await station.open_cellar(True)
    assert heard == [Change("resource", LOGBOOK), Change("resource", LOGBOOK), Change("tools")]


async def test_the_logbook_numbers_its_entries() -> None:
    station = Station(entries=["One.", "Two."])
    assert "1. One.\n2. Two." in station.logbook()
    await station.clear()
    assert "empty" in station.logbook()
