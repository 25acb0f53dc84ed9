"""Keys that the header advertises: only those that act."""

from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from tests.captures.record import sample
from tests.tui.screen_text import lines
from tests.waiting import until


async def test_header_shows_digits_only_while_no_text_field_has_the_focus() -> None:
    app = InspectApp(replay=sample("lighthouse"))
    async with app.run_test(size=(120, 36)) as pilot:
        await until(lambda: app.subject.stage is ConversationStage.RECORDED, "the capture is read")
        await until(lambda: "2 Tools" in lines(app)[1], "digits are shown")
        await pilot.press("/")
        await until(lambda: "2 Tools" not in lines(app)[1] and "Tools" in lines(app)[1], "the field takes digits")
        await pilot.press("escape")
        await until(lambda: "2 Tools" in lines(app)[1], "digits act again")
    await app.subject.end()
