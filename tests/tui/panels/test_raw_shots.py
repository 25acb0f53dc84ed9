"""What was written by hand, as rows."""

import pytest

from inspector.protocol.drafts import Composed, Draft, DraftKind
from inspector.session.exactly import Ended, Sent
from inspector.tui.panels.raw_shots import Shot, Shots, frame_title, patience_s, verdict
from inspector.viewmodels.lines import plain
from tests.viewmodels.tape import Tape

COMPOSED = Composed(b"{}", {})


def _shot(tape: Tape, *came: int, ended: Ended = Ended.ANSWERED, **more: object) -> Shot:
    shot = Shot(Draft(method="x\x1b"), tape.journal, 0)
    shot.take(COMPOSED, Sent(ended, (1,), came, **more), 5_000_000)  # type: ignore[arg-type]
    return shot


def test_rows_are_the_newest_on_top_and_nothing_in_them_acts(tape: Tape) -> None:
    shots = Shots()
    shots.add(Shot(Draft(DraftKind.EXACT, text="hello  \n there"), tape.journal, 0))
    shots.add(_shot(tape, 2))
    rows = [plain(shots.row(at, 80).spans).rstrip() for at in range(shots.count)]
    assert rows == ["✓ request      x␛  1 frame came in 5.0 ms", "⋯ exact text   hello there  waiting"]


@pytest.mark.parametrize(
    ("ended", "more", "said"),
    [
        (Ended.ACCEPTED, {"status": 202}, "sent, HTTP 202"),
        (Ended.REFUSED, {"status": 400, "why": "bad"}, "no answer, HTTP 400: bad"),
        (Ended.SILENT, {"seconds": 3.0}, "0 frames came, then nothing for 3 s in all"),
        (Ended.LOST, {"why": "gone"}, "lost: gone"),
    ],
)
def test_each_end_has_its_words(tape: Tape, ended: Ended, more: dict[str, object], said: str) -> None:
    assert verdict(_shot(tape, ended=ended, **more))[0] == said


def test_frames_are_those_of_the_journal(tape: Tape) -> None:
    tape.request(1, "x")
    tape.answer(1, {})
    shot = _shot(tape, 2)
    assert shot.first_answer == 1
    frame = shot.frame(1)
    assert frame is not None
    assert b"result" in frame.payload
    assert plain(frame_title(shot, 0)).startswith("→ sent frame 1 of 2")
    assert shot.frame(7) is None
    assert plain(frame_title(shot, 7)) == "What comes will stand here"


def test_how_long_is_waited_depends_on_whether_somebody_must_answer() -> None:
    assert patience_s(Draft(DraftKind.NOTIFICATION), 60) == 0
    assert patience_s(Draft(), 30) == 30
    assert patience_s(Draft(), None) == 60
    assert patience_s(Draft(DraftKind.EXACT), 60) == 10
