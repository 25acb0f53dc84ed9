"""Callbacks that wait for a pause in typing."""

from textual.app import App

from inspector.tui.input_queue import Postponed


async def test_a_timer_that_is_due_after_its_callback_was_called_does_nothing() -> None:
    called: list[str] = []
    app = App[None]()
    async with app.run_test():
        postponed = Postponed()
        postponed.add(app.screen, 60, lambda: called.append("searched"))
        assert postponed.call_all()
        postponed._call(app.screen)
        assert not postponed.call_all()
    assert called == ["searched"]
