"""Tasks that end together."""

import asyncio
import logging

import pytest

from inspector.errors import ConnectError
from inspector.transports.http.resumption import TransportTasks


async def test_close_ends_every_task_and_waits_for_its_last_words() -> None:
    tasks, last_words = TransportTasks(), list[str]()
    began = asyncio.Event()

    async def work() -> None:
        try:
            began.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            last_words.append("goodbye")

    task = tasks.spawn(work(), "work")
    await began.wait()
    await tasks.close()
    assert task.cancelled()
    assert last_words == ["goodbye"]


async def test_a_task_may_close_its_fellows_without_ending_itself() -> None:
    tasks = TransportTasks()

    async def closing() -> str:
        await tasks.close()
        return "done"

    other = tasks.spawn(asyncio.Event().wait(), "other")
    assert await tasks.spawn(closing(), "closing") == "done"
    assert other.cancelled()


async def _fail(error: Exception) -> None:
    raise error


async def test_unexpected_error_is_logged_with_the_task_name(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ZeroDivisionError):
        await TransportTasks().spawn(_fail(ZeroDivisionError()), "the pump")
    assert "the pump" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_expected_error_goes_to_the_waiter_unlogged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ConnectError):
        await TransportTasks().spawn(_fail(ConnectError("no")), "send")
    assert "ConnectError" not in caplog.text
