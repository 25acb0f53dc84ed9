"""What is done about findings is kept for their capture."""

from functools import partial
from pathlib import Path

import pytest

from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.findings.panel import FindingsPanel
from tests.checks.broken import break_check
from tests.present.tape import Tape
from tests.present.test_live_checks import finding
from tests.tui.checked import checked
from tests.tui.screen_text import press, shows, text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing, synced
from tests.waiting import until


async def test_mute_lasts_for_the_capture_until_removed() -> None:
    async with checked("shipyard", (80, 24), show="findings") as (app, pilot):
        await until(lambda: "entries checked" in text(app), "the list was there")
        await press(pilot, "G", "x m", shows="4 muted")
        assert "hint" not in text(app)
    async with checked("shipyard", (80, 24), show="findings") as (app, pilot):
        await until(lambda: "entries checked" in text(app), "the list was there")
        assert "hint" not in text(app)
        await press(pilot, "v M", "G", shows="muted Tool has")
        await pilot.press("x m")
        await until(lambda: "muted, hidden" not in text(app) and "· 4 hints" in text(app), "it was heard of again")


async def test_from_a_finding_one_comes_to_its_evidence_and_back(tmp_path: Path) -> None:
    async with checked("lighthouse", (160, 45), show="findings") as (app, pilot):
        await shows(app, "entries checked", "8 Findings ✗", "#5 bytes 0–80")
        await press(pilot, "slash", *"stdout-not-json", "enter", shows="✓ 1 of")
        await press(pilot, "g g", shows=("Write everything but messages to stderr", "#5 bytes 0–80"))
        await pilot.press("y")
        assert "stdout-not-json" in app.clipboard
        await pilot.press("enter")
        await until(lambda: app.tab.shown == "traffic" and "47 75 6c 6c" in text(app), "the bytes were shown")
        await until(lambda: "✗ a line on stdout is not a message" in text(app), "the detail shows it")
        await pilot.press("8", "f c", "slash", *"hectopascal", "enter", "g g", "enter")
        await until(lambda: "$.result.structuredContent.hectopascal" in text(app), "the value was chosen in the tree")


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_live_conversation_fills_it_and_foreign_words_do_nothing(tape: Tape, size: tuple[int, int]) -> None:
    subject = Staged(tape)
    async with (app := Showing(panel := FindingsPanel(subject))).run_test(size=size):
        look = partial(synced, app, panel)
        await until(lambda: "Checking" in look(), "it waited")
        tape.started()
        subject.checks.catch_up()
        await until(lambda: "No findings" in look(), "it had something to say about nothing")
        tape.from_server(b"\x1b]52;c;x\x07[/nope] [@click=app.quit]x")
        subject.checks.catch_up()
        await until(lambda: "[/nope]" in look(), "the line was found")
        assert "\x1b" not in look()
        subject.checks.paused = True
        tape.from_server(b"more")
        await until(lambda: "Paused: checked 3 of 4" in look(), "it said that the checks pause")
        subject.checks.add([finding("server-silent", 0)])
        subject.now_stage = ConversationStage.CLOSED
        await until(lambda: "server-silent" in look(), "an absence is found, too")


async def test_a_check_that_fails_inside_is_named_and_the_others_go_on(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_check(monkeypatch, "result-too-long")
    subject = Staged(tape)
    async with (app := Showing(panel := FindingsPanel(subject))).run_test(size=(80, 24)):
        look = partial(synced, app, panel)
        tape.started().call(1, "a")
        tape.answer(1, {"content": []})
        tape.from_server(b"a word")
        subject.checks.catch_up()
        await until(lambda: "✗ check result-too-long failed with an internal error at #" in look(), "it is named")
        assert "KeyError" in look()
        assert "please report it" in " ".join(look().split())
        assert "\x1b" not in look()
        await until(lambda: "found before it failed" in look(), "what it found before is listed")
        await until(lambda: "a word" in look() and "entries checked" in look(), "the others went on")


async def test_findings_panel_names_a_failure_instead_of_no_findings(tape: Tape) -> None:
    tape.http = True
    subject = Staged(tape.connected("http://127.0.0.1/mcp"))
    async with (app := Showing(panel := FindingsPanel(subject))).run_test(size=(80, 24)):
        look = partial(synced, app, panel)
        subject.checks.catch_up()
        await until(lambda: "No findings" in look(), "all is well")
        tape.call(3, "buy")
        tape.answer(3, {"content": [{"type": "text", "text": "sold out"}], "isError": True})
        subject.checks.catch_up()
        await until(lambda: "Failure: tools/call buy failed: sold out" in look(), "the call was named")
        assert "✓ No findings" not in look()
        assert "1 Traffic" in look()
        subject.now_stage, subject.now_why = ConversationStage.FAILED, "the server closed its stdin"
        said = "Failure: no session was opened: the server closed"
        await until(lambda: said in look(), "the connection was named")
