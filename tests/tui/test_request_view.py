"""What a subject says of requests on their way."""

from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.tui.request_view import RequestView
from tests.tui.staging import Staged
from tests.viewmodels.tape import Tape


async def test_a_recording_has_nothing_on_its_way_and_asks_for_nothing(tape: Tape) -> None:
    subject: RequestView = Staged(tape)
    assert subject.log_level == ""
    assert await subject.ask_for_level("info") is None
    assert subject.clocks_of(Exchange(1, Direction.TO_SERVER, 1, "m", "", 1, 0)) is None
