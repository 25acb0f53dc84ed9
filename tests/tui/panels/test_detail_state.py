"""The tab that tells what was known at the chosen line: of a recording, or of a conversation that goes on."""

from textual.app import App, ComposeResult

from inspector.capture import past
from inspector.tui.panels.detail import DetailPanel
from inspector.tui.panels.detail_state import DetailState
from inspector.tui.panels.traffic import TrafficPanel
from inspector.tui.subject import Stage
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


class One(App[None]):
    """The traffic alone."""

    def __init__(self, subject: Staged) -> None:
        super().__init__()
        self.panel = TrafficPanel(subject)

    def compose(self) -> ComposeResult:
        yield self.panel

    def on_mount(self) -> None:
        self.call_after_refresh(self.panel.take_focus)
        self.set_interval(0.02, self._look)

    def _look(self) -> None:
        if self.panel.list.query("LogList"):  # it is composed a moment later
            self.panel.sync()


async def test_it_tells_of_the_chosen_line_and_goes_away_again(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    app = One(Staged(tape, stage=Stage.OPEN))
    async with app.run_test(size=(140, 40)) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await pilot.press("g", "v")
        await until(lambda: "revision" in text(app) and "not settled yet" in text(app), "the state at the first")
        await pilot.press("G")
        await until(lambda: "#6  ⋯ for" in text(app), "what is in flight at the last")
        await pilot.press("v")
        await until(lambda: "In flight" not in text(app), "the message again")


async def test_what_takes_a_while_is_found_out_beside(tape: Tape) -> None:
    near, past.NEAR = past.NEAR, 2
    try:
        handshake(tape).call(3, "buy")
        app = One(Staged(tape, stage=Stage.RECORDED))
        async with app.run_test(size=(80, 24)) as pilot:
            await until(lambda: "tools/call buy" in text(app), "the rows")
            await pilot.press("G", "v")
            await until(lambda: "#6  ⋯ for" in text(app), "what is in flight, once it is known")
    finally:
        past.NEAR = near


async def test_keys_that_come_before_the_detail_is_laid_out_mean_what_it_will_show(tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    app = One(Staged(tape, stage=Stage.RECORDED))
    async with app.run_test(size=(140, 40)):
        app.panel.action_state()
        app.panel.detail.copy()
        assert app.panel.detail.chosen_value() is None
        await until(lambda: "In flight" in text(app), "the state, once there is room for it")


def test_the_detail_of_messages_has_that_tab() -> None:
    assert issubclass(DetailPanel, DetailState)
