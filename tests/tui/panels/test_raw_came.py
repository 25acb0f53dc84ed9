"""What came of messages written by hand: frames, and the list of what was sent."""

from textual.app import App, ComposeResult

from inspector.protocol.drafts import Composed, Draft
from inspector.session.exactly import Ended, Sent
from inspector.tui.panels.raw_came import RawCame
from inspector.tui.panels.raw_shots import Shot
from inspector.tui.styles import THEMES
from tests.tui.screen_text import text
from tests.viewmodels.tape import Tape
from tests.waiting import until


class Looking(App[None]):
    """An app with the widget alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def compose(self) -> ComposeResult:
        yield RawCame()


async def test_the_first_answer_is_shown_and_frames_are_turned(tape: Tape) -> None:
    tape.request(1, "x/y")
    tape.answer(1, {"pearl": 1})
    async with Looking().run_test(size=(80, 24)) as pilot:
        came = pilot.app.query_one(RawCame)
        shot = Shot(Draft(method="x/y"), tape.journal, 0)
        came.add(shot)
        await until(lambda: "x/y  waiting" in text(pilot.app), "it is waited for")
        shot.take(Composed(b"{}", {}), Sent(Ended.ANSWERED, (1,), (2,)), 1_000_000)
        came.changed(shot)
        came.sync()
        await until(lambda: "came frame 2 of 2" in text(pilot.app) and '"pearl"' in text(pilot.app), "the answer")
        assert came.entry_in(tape.journal) == 2
        came.turn(1)
        await until(lambda: "sent frame 1 of 2" in text(pilot.app) and '"x/y"' in text(pilot.app), "the request")
        came.copy()
        assert "x/y" in pilot.app.clipboard


async def test_a_frame_of_another_conversation_is_no_entry_of_this_one(tape: Tape) -> None:
    other = Tape()
    other.request(1, "x")
    async with Looking().run_test(size=(80, 24)) as pilot:
        came = pilot.app.query_one(RawCame)
        shot = Shot(Draft(method="x"), other.journal, 0)
        shot.take(Composed(b"{}", {}), Sent(Ended.SILENT, (1,), ()), 0)
        came.add(shot)
        assert came.entry_in(tape.journal) == 0
        assert came.entry_in(other.journal) == 1
    other.journal.close()
