"""Threads beside the app's: which of them an ending loop waits for."""

import asyncio
from threading import Event

import pytest

from inspector.tui.lasting_app import KeyboardSelector
from inspector.tui.threads import read_on_thread
from tests.waiting import PATIENCE_S


async def test_result_of_a_computation_on_a_thread_is_returned_and_its_error_raised() -> None:
    assert await read_on_thread(int, "ff", base=16) == 255
    with pytest.raises(ValueError, match="invalid literal"):
        await read_on_thread(int, "x")


def test_leaving_waits_for_no_thread_that_only_reads() -> None:
    begun, may_end, ended = Event(), Event(), Event()

    def read() -> None:
        begun.set()
        may_end.wait(PATIENCE_S)
        ended.set()

    async def leave() -> None:
        read_on_thread(read)
        await asyncio.to_thread(begun.wait, PATIENCE_S)

    asyncio.run(leave())
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(PATIENCE_S)


def test_keyboard_without_a_terminal_is_not_waited_for() -> None:
    with KeyboardSelector() as selector:
        assert selector.select(PATIENCE_S * 1000) == []
