"""The form of screen 0 and what came of its messages, without a server."""

import pytest

from inspector.present.spans import plain
from inspector.protocol.drafts import Composed, Draft, DraftKind
from inspector.session.raw import Ended, RawSent
from inspector.tui.screens.compose.panel import (
    ComposedMessage,
    ComposedMessages,
    ComposerForm,
    ComposerOutcome,
    frame_title,
    patience_s,
    verdict,
)
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_the_first_answer_is_shown_and_frames_are_turned(tape: Tape) -> None:
    tape.request(1, "x/y")
    tape.answer(1, {"pearl": 1})
    async with Showing(ComposerOutcome()).run_test(size=(80, 24)) as pilot:
        outcome = pilot.app.query_one(ComposerOutcome)
        message = ComposedMessage(Draft(method="x/y"), tape.journal, 0)
        outcome.add(message)
        await until(lambda: "x/y  waiting" in text(pilot.app), "it is waited for")
        message.take(Composed(b"{}", {}), RawSent(Ended.ANSWERED, (1,), (2,)), 1_000_000)
        outcome.changed(message)
        outcome.sync()
        await until(lambda: "received frame 2 of 2" in text(pilot.app) and '"pearl"' in text(pilot.app), "the answer")
        assert outcome.entry_in(tape.journal) == 2
        outcome.turn(1)
        await until(lambda: "sent frame 1 of 2" in text(pilot.app) and '"x/y"' in text(pilot.app), "the request")
        outcome.copy()
        assert "x/y" in pilot.app.clipboard


async def test_a_frame_of_another_conversation_is_no_entry_of_this_one(tape: Tape) -> None:
    other = Tape()
    other.request(1, "x")
    async with Showing(ComposerOutcome()).run_test(size=(80, 24)) as pilot:
        outcome = pilot.app.query_one(ComposerOutcome)
        message = ComposedMessage(Draft(method="x"), other.journal, 0)
        message.take(Composed(b"{}", {}), RawSent(Ended.SILENT, (1,), ()), 0)
        outcome.add(message)
        assert outcome.entry_in(tape.journal) == 0
        assert outcome.entry_in(other.journal) == 1


async def test_form_returns_the_draft_it_took() -> None:
    drafts = [
        Draft(DraftKind.REQUEST, "a/b", '{"x": 1}', "7", stamp=False, headers=(("X-Y", "z"), ("A", "b"))),
        Draft(DraftKind.NOTIFICATION, "notifications/x", "", stamp=True),
        Draft(DraftKind.BATCH, text="[]"),
        Draft(DraftKind.EXACT, text="{\n", stamp=False),
    ]
    async with Showing(ComposerForm()).run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        for draft in drafts:
            form.take(draft)
            await pilot.pause()
            assert form.draft == draft


async def test_unused_fields_of_a_kind_are_hidden() -> None:
    async with Showing(ComposerForm()).run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        form.offer(["ping"], over_http=False)
        await until(lambda: "Method" in text(pilot.app) and "Headers" not in text(pilot.app), "no headers on stdio")
        form.take(Draft(DraftKind.EXACT, text="hello"))
        await until(lambda: "Method" not in text(pilot.app), "no method of exact text")
        await until(lambda: "Not a JSON-RPC message: not JSON" in text(pilot.app), "the fault is said")


async def test_invalid_header_is_reported() -> None:
    async with Showing(ComposerForm()).run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        form.offer(["ping"], over_http=True)
        form.take(Draft(method="ping"))
        await until(lambda: "valid JSON-RPC" in text(pilot.app), "a good draft")
        form._headers.value = "nonsense"
        await until(lambda: "a header needs the form" in text(pilot.app), "the fault is said")


COMPOSED = Composed(b"{}", {})


def _message(tape: Tape, *came: int, ended: Ended = Ended.ANSWERED, **more: object) -> ComposedMessage:
    message = ComposedMessage(Draft(method="x\x1b"), tape.journal, 0)
    message.take(COMPOSED, RawSent(ended, (1,), came, **more), 5_000_000)  # type: ignore[arg-type]
    return message


def test_rows_are_the_newest_on_top_and_nothing_in_them_acts(tape: Tape) -> None:
    messages = ComposedMessages()
    messages.add(ComposedMessage(Draft(DraftKind.EXACT, text="hello  \n there"), tape.journal, 0))
    messages.add(_message(tape, 2))
    rows = [plain(messages.row(at, 80).spans).rstrip() for at in range(messages.count)]
    assert rows == ["✓ request      x␛  1 frame received in 5.0 ms", "⋯ exact text   hello there  waiting"]


@pytest.mark.parametrize(
    ("ended", "more", "said"),
    [
        (Ended.ACCEPTED, {"status": 202}, "sent, HTTP 202"),
        (Ended.REFUSED, {"status": 400, "why": "bad"}, "no response, HTTP 400: bad"),
        (Ended.SILENT, {"seconds": 3.0}, "0 frames received, then no response for 3 s"),
        (Ended.LOST, {"why": "gone"}, "lost: gone"),
    ],
)
def test_each_end_has_its_words(tape: Tape, ended: Ended, more: dict[str, object], said: str) -> None:
    assert verdict(_message(tape, ended=ended, **more))[0] == said


def test_frames_are_those_of_the_journal(tape: Tape) -> None:
    tape.request(1, "x")
    tape.answer(1, {})
    message = _message(tape, 2)
    assert message.first_answer == 1
    frame = message.frame(1)
    assert frame is not None
    assert b"result" in frame.payload
    assert plain(frame_title(message, 0)).startswith("→ sent frame 1 of 2")
    assert message.frame(7) is None
    assert plain(frame_title(message, 7)) == "Responses appear here"


def test_patience_depends_on_an_expected_response() -> None:
    assert patience_s(Draft(DraftKind.NOTIFICATION), 60) == 0
    assert patience_s(Draft(), 30) == 30
    assert patience_s(Draft(), None) == 60
    assert patience_s(Draft(DraftKind.EXACT), 60) == 10
