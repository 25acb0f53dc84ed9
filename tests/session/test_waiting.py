"""The two timeouts of a wait, with a clock of the test."""

import asyncio

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import GivenUp, Reply, Silent
from inspector.protocol.frames import Direction
from inspector.session.options import Timeouts
from inspector.session.waiting import Left, Waiter, wait

_EXCHANGE = Exchange(1, Direction.TO_SERVER, 1, "m", "", 1, 0)
_SOON = 0.01
"""Real seconds until a wait looks at the clock again."""


class _Clock:
    """Seconds; each look takes the next of those that were set, the last one for ever."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = list(seconds)

    def __call__(self) -> float:
        return self._seconds.pop(0) if len(self._seconds) > 1 else self._seconds[0]


async def test_the_first_word_counts() -> None:
    waiter = Waiter(1, _Clock(0))
    first, second = GivenUp(None, "first"), GivenUp(None, "second")
    waiter.settle(first)
    waiter.settle(second)
    assert await wait(waiter, Timeouts(None, None)) is first


async def test_silence_runs_into_the_idle_clock() -> None:
    waiter = Waiter(1, _Clock(0, 0, 0, 9))
    assert await wait(waiter, Timeouts(_SOON, 20)) == Silent(None, _SOON, "idle")


async def test_a_word_of_progress_winds_the_idle_clock() -> None:
    clock, reply = _Clock(0), GivenUp(None)
    waiter = Waiter(1, clock)
    clock._seconds = [5]
    assert await wait(waiter, Timeouts(1, 20)) == Silent(None, 1, "idle")
    waiter.heard()
    asyncio.get_running_loop().call_later(_SOON, waiter.settle, reply)
    assert await wait(waiter, Timeouts(1, 20)) is reply


async def test_no_progress_winds_the_total_clock() -> None:
    waiter = Waiter(1, _Clock(0, 0, 0, 9))
    waiter.sent(_EXCHANGE)
    waiter.heard_at = 8.9
    assert await wait(waiter, Timeouts(100, _SOON)) == Silent(_EXCHANGE, _SOON, "total")


async def test_waiter_notes_the_time_of_activity() -> None:
    waiter = Waiter(1, _Clock(3, 7))
    assert waiter.heard_at == 3
    waiter.heard()
    assert waiter.heard_at == 7


async def test_without_clocks_it_waits_until_something_comes() -> None:
    waiter = Waiter(1, _Clock(0, 1e9))
    reply: Reply = GivenUp(None)
    asyncio.get_running_loop().call_later(_SOON, waiter.settle, reply)
    assert await wait(waiter, Timeouts(None, None)) is reply


async def test_another_s_late_answer_is_as_welcome() -> None:
    waiter, late = Waiter(2, _Clock(0)), Waiter(1, _Clock(0))
    reply = GivenUp(None)
    late.settle(reply)
    assert await wait(waiter, Timeouts(20, 20), late) is reply


async def test_waiter_reports_the_sent_exchange() -> None:
    told: list[Exchange] = []
    waiter = Waiter(1, _Clock(0), told.append)
    waiter.sent(_EXCHANGE)
    assert (told, waiter.exchange) == ([_EXCHANGE], _EXCHANGE)


async def test_while_the_server_waits_for_us_its_silence_is_none() -> None:
    clock, reply = _Clock(0), GivenUp(None)
    waiter = Waiter(1, clock)
    waiter.hold()
    clock._seconds = [50]
    asyncio.get_running_loop().call_later(_SOON, waiter.settle, reply)
    assert await wait(waiter, Timeouts(1, None)) is reply


async def test_release_restarts_the_idle_timeout_only() -> None:
    waiter = Waiter(1, _Clock(0, 7, 7, 9))
    waiter.hold()
    waiter.release()
    assert waiter.heard_at == 7
    held = Waiter(2, _Clock(0, 0, 9))
    held.hold()
    assert await wait(held, Timeouts(_SOON, 5)) == Silent(None, 5, "total")


async def test_waiter_left_has_both_timeouts() -> None:
    waiter = Waiter(1, _Clock(10))
    assert waiter.left() is None
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(wait(waiter, Timeouts(60, 100)))
        await asyncio.sleep(0)
        waiter.now = _Clock(15)
        assert waiter.left() == Left(55, 95, Timeouts(60, 100))
        waiter.heard()
        waiter.now = _Clock(18)
        assert waiter.left() == Left(57, 92, Timeouts(60, 100))
        waiter.settle(GivenUp(None))
    assert waiter.left() is None


async def test_held_waiter_pauses_the_idle_timeout() -> None:
    waiter = Waiter(1, _Clock(0))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(wait(waiter, Timeouts(60, None)))
        await asyncio.sleep(0)
        waiter.hold()
        waiter.now = _Clock(500)
        assert waiter.left() == Left(60, None, Timeouts(60, None), held=True)
        waiter.release()
        assert waiter.left() == Left(60, None, Timeouts(60, None))
        waiter.settle(GivenUp(None))
