"""Input events take their turn, and callbacks wait for a pause in typing."""

import asyncio

from textual.app import App
from textual.events import Event, Key

from inspector.tui.input_queue import InputQueue, Postponed
from tests.waiting import until


async def test_a_key_waits_until_the_action_of_the_key_before_it_has_ended() -> None:
    began: list[str] = []
    verdict = asyncio.Event()

    async def act(event: Event) -> None:
        assert isinstance(event, Key)
        began.append(event.key)
        if event.key == "ctrl+j":
            await verdict.wait()

    app = App[None]()
    async with app.run_test(), asyncio.TaskGroup() as tasks:
        queue = InputQueue(app, lambda: None)
        tasks.create_task(queue.take(Key("ctrl+j", None), act))
        await until(lambda: began == ["ctrl+j"], "the action runs")
        await queue.take(Key("4", "4"), act)
        await queue.look()  # as at a tick
        assert began == ["ctrl+j"]
        verdict.set()
        await until(lambda: began == ["ctrl+j", "4"], "the next key is handled")


async def test_a_timer_that_is_due_after_its_callback_was_called_does_nothing() -> None:
    called: list[str] = []
    async with (app := App[None]()).run_test():
        postponed = Postponed()
        postponed.add(app.screen, 60, lambda: called.append("searched"))
        assert postponed.call_all()
        postponed._call(app.screen)
        assert not postponed.call_all()
    assert called == ["searched"]
