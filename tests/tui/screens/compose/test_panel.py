"""Screen 0: a typed message is sent unchanged, and the response is shown."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.present.spans import plain
from inspector.protocol.drafts import Composed, Draft, DraftKind
from inspector.protocol.frames import Direction
from inspector.session.raw import Ended, RawSent
from inspector.tui.screens.compose.panel import (
    ComposedMessage,
    ComposedMessages,
    ComposerForm,
    ComposerOutcome,
    ComposerPanel,
    frame_title,
    patience_s,
    verdict,
)
from inspector.tui.theme import THEMES
from tests.architecture.sources import ROOT
from tests.present.tape import Tape
from tests.stories.persons import Person, at_the_screen
from tests.tui.screen_text import text
from tests.waiting import until


@asynccontextmanager
async def writing(tmp_path: Path, *flags: str, **sitting: Any) -> AsyncIterator[Person]:
    """A person on the screen, with the demo behind it."""
    environment = build_environment({"PYTHONPATH": str(ROOT)}, inherit_all=True)
    target = StdioTarget((sys.executable, "-m", "inspector.demo", *flags), environment, str(ROOT))
    async with at_the_screen(target, tmp_path / "demo.mcpcap", **sitting) as person:
        await person.sees("Connected")
        await person.press("g o")
        await person.sees("Composer")
        panel = person.pilot.app.query_one(ComposerPanel)
        await until(lambda: panel.form.has_focus_within, "the form has the focus")
        yield person


def sent(person: Person) -> list[bytes]:
    """All payloads that went to the server."""
    return [frame.payload for frame in person.wire().frames if frame.direction is Direction.TO_SERVER]


async def test_a_request_goes_out_with_what_the_revision_wants_and_its_answer_is_shown(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("prompts/list")
        await person.press("ctrl+j")
        await person.sees("1 frame received in", "received frame 2 of 2", '"prompts"')
        message = json.loads(sent(person)[-1])
        assert message["method"] == "prompts/list"
        assert "io.modelcontextprotocol/protocolVersion" in message["params"]["_meta"]


async def test_params_that_are_no_json_are_said_and_sent_all_the_same(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("tools/call")
        await person.press("enter")
        await person.types("oops")
        await person.sees("invalid JSON: line 1, column 1")
        await person.press("ctrl+j")
        await person.sees("-32700", "The params are no JSON and go out as they are")
        assert sent(person)[-1].endswith(b'"method":"tools/call","params":oops}')


async def test_exact_text_is_sent_byte_by_byte_and_written_again_from_the_list(tmp_path: Path) -> None:
    async with writing(tmp_path, "--legacy-only") as person:
        await person.press("shift+tab", "e")
        await person.sees("sent exactly as typed")
        await person.press("tab", "tab")
        await person.types('{"jsonrpc":"1.0","id":"x","method":"ping"}')
        await person.sees('"jsonrpc" is not "2.0"')
        await person.press("ctrl+j")
        await person.sees("exact text", "frame")
        assert sent(person)[-1] == b'{"jsonrpc":"1.0","id":"x","method":"ping"}'


async def test_a_message_of_the_traffic_is_written_again(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.press("escape", "escape", "1", "g g", "j", "j")
        await person.sees("server/discover")
        await person.press("x e")
        await person.sees("Composer", "server/discover", "clientCapabilities")
        before = len(sent(person))
        await person.press("ctrl+j")
        await person.sees("1 frame received in", "supportedVersions")
        assert len(sent(person)) == before + 1


async def test_in_a_narrow_terminal_what_came_takes_the_forms_place_and_escape_brings_it_back(tmp_path: Path) -> None:
    async with writing(tmp_path, size=(80, 24)) as person:
        await person.types("prompts/list")
        await person.press("ctrl+j")
        await person.sees("received frame 2 of 2")
        assert "Method" not in person.screen
        await person.press("[")
        await person.sees("sent frame 1 of 2")
        await person.press("escape")
        await person.sees("Method")


async def test_methods_that_are_near_are_proposed(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("skills/")
        await person.sees("skills/list  skills/get")


async def test_what_is_not_waited_for_any_longer_is_told(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        await person.types("tools/call")
        await person.press("enter")
        await person.types('{"name":"long_running","arguments":{"steps":900,"seconds_per_step":9}}')
        await person.press("ctrl+j")
        await person.sees("waiting for a response")
        await person.press("ctrl+c")
        await person.sees("cancelled")


async def test_a_notification_is_sent_and_not_waited_for(tmp_path: Path) -> None:
    async with writing(tmp_path) as person:
        panel = person.pilot.app.query_one(ComposerPanel)
        await panel.take_draft(b'{"jsonrpc":"2.0","method":"notifications/acme"}')
        await person.press("ctrl+j")
        await person.sees("notification", "sent frame 1 of 1")
        assert sent(person)[-1] == b'{"jsonrpc":"2.0","method":"notifications/acme"}'


class Looking(App[None]):
    """An app with the widget alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def compose(self) -> ComposeResult:
        yield ComposerOutcome()


async def test_the_first_answer_is_shown_and_frames_are_turned(tape: Tape) -> None:
    tape.request(1, "x/y")
    tape.answer(1, {"pearl": 1})
    async with Looking().run_test(size=(80, 24)) as pilot:
        came = pilot.app.query_one(ComposerOutcome)
        shot = ComposedMessage(Draft(method="x/y"), tape.journal, 0)
        came.add(shot)
        await until(lambda: "x/y  waiting" in text(pilot.app), "it is waited for")
        shot.take(Composed(b"{}", {}), RawSent(Ended.ANSWERED, (1,), (2,)), 1_000_000)
        came.changed(shot)
        came.sync()
        await until(lambda: "received frame 2 of 2" in text(pilot.app) and '"pearl"' in text(pilot.app), "the answer")
        assert came.entry_in(tape.journal) == 2
        came.turn(1)
        await until(lambda: "sent frame 1 of 2" in text(pilot.app) and '"x/y"' in text(pilot.app), "the request")
        came.copy()
        assert "x/y" in pilot.app.clipboard


async def test_a_frame_of_another_conversation_is_no_entry_of_this_one(tape: Tape) -> None:
    other = Tape()
    other.request(1, "x")
    async with Looking().run_test(size=(80, 24)) as pilot:
        came = pilot.app.query_one(ComposerOutcome)
        shot = ComposedMessage(Draft(method="x"), other.journal, 0)
        shot.take(Composed(b"{}", {}), RawSent(Ended.SILENT, (1,), ()), 0)
        came.add(shot)
        assert came.entry_in(tape.journal) == 0
        assert came.entry_in(other.journal) == 1
    other.journal.close()


class Writing(App[None]):
    """An app with the form alone."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.form = ComposerForm()

    def compose(self) -> ComposeResult:
        yield self.form


async def test_what_is_put_in_is_what_is_written() -> None:
    drafts = [
        Draft(DraftKind.REQUEST, "a/b", '{"x": 1}', "7", stamp=False, headers=(("X-Y", "z"), ("A", "b"))),
        Draft(DraftKind.NOTIFICATION, "notifications/x", "", stamp=True),
        Draft(DraftKind.BATCH, text="[]"),
        Draft(DraftKind.EXACT, text="{\n", stamp=False),
    ]
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        for draft in drafts:
            form.take(draft)
            await pilot.pause()
            assert form.draft == draft


async def test_what_a_kind_does_not_have_is_not_asked_for() -> None:
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        form.offer(["ping"], over_http=False)
        await until(lambda: "Method" in text(pilot.app) and "Headers" not in text(pilot.app), "no headers on stdio")
        form.take(Draft(DraftKind.EXACT, text="hello"))
        await until(lambda: "Method" not in text(pilot.app), "no method of exact text")
        await until(lambda: "Not a JSON-RPC message: not JSON" in text(pilot.app), "the fault is said")


async def test_a_header_that_is_none_is_said() -> None:
    async with Writing().run_test(size=(100, 30)) as pilot:
        form = pilot.app.query_one(ComposerForm)
        form.offer(["ping"], over_http=True)
        form.take(Draft(method="ping"))
        await until(lambda: "valid JSON-RPC" in text(pilot.app), "a good draft")
        form._headers.value = "nonsense"
        await until(lambda: "a header needs the form" in text(pilot.app), "the fault is said")


COMPOSED = Composed(b"{}", {})


def _shot(tape: Tape, *came: int, ended: Ended = Ended.ANSWERED, **more: object) -> ComposedMessage:
    shot = ComposedMessage(Draft(method="x\x1b"), tape.journal, 0)
    shot.take(COMPOSED, RawSent(ended, (1,), came, **more), 5_000_000)  # type: ignore[arg-type]
    return shot


def test_rows_are_the_newest_on_top_and_nothing_in_them_acts(tape: Tape) -> None:
    shots = ComposedMessages()
    shots.add(ComposedMessage(Draft(DraftKind.EXACT, text="hello  \n there"), tape.journal, 0))
    shots.add(_shot(tape, 2))
    rows = [plain(shots.row(at, 80).spans).rstrip() for at in range(shots.count)]
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
    assert plain(frame_title(shot, 7)) == "Responses appear here"


def test_how_long_is_waited_depends_on_whether_somebody_must_answer() -> None:
    assert patience_s(Draft(DraftKind.NOTIFICATION), 60) == 0
    assert patience_s(Draft(), 30) == 30
    assert patience_s(Draft(), None) == 60
    assert patience_s(Draft(DraftKind.EXACT), 60) == 10
