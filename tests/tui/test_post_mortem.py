"""The card of a lost connection with all of its information and keys."""

import pytest
from textual.app import App

from inspector.present.spans import Line
from inspector.tui.conversation import ConversationStage
from inspector.tui.post_mortem import PostMortemCard
from inspector.tui.theme import DARK_NAME, LIGHT_NAME
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def dead(tape: Tape) -> Staged:
    """A server that was asked something and died of it."""
    tape.started().initialized("2025-06-18")
    tape.call(7, "weigh")
    tape.stderr(b"Traceback (most recent call last):")
    tape.stderr(b"ZeroDivisionError: division by zero")
    tape.wait(300).died(code=1, why="the server exited with code 1 after 0.3 s")
    return Staged(
        tape, stage=ConversationStage.CLOSED, why="the server exited with code 1 after 0.3 s", hint="Look at stderr."
    )


async def shown(card: PostMortemCard, size: tuple[int, int] = (80, 40), theme: str = DARK_NAME) -> str:
    async with (app := Showing(card, theme=theme)).run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.pause()
        return text(app)


@pytest.mark.parametrize("theme", [DARK_NAME, LIGHT_NAME])
@pytest.mark.parametrize("size", [(80, 60), (160, 60)])
async def test_post_mortem_card_has_end_output_command_and_pending(
    tape: Tape, size: tuple[int, int], theme: str
) -> None:
    screen = await shown(PostMortemCard(dead(tape)), size, theme)
    assert "✗ The server exited with code 1 after" in screen
    for told in (
        "Look at stderr.",
        "ZeroDivisionError: division by zero",
        "python server.py --verbose",
        "/srv",
        "4711",
        "tools/call weigh",
    ):
        assert told in screen, told


async def test_the_last_words_stand_first_where_it_is_narrow_and_beside_where_it_is_wide(tape: Tape) -> None:
    subject = dead(tape)
    narrow = await shown(PostMortemCard(subject), (80, 60))
    assert narrow.index("ZeroDivisionError") < narrow.index("Command")
    wide = await shown(PostMortemCard(subject), (160, 60))
    assert any("Lost" in row and "stderr" in row for row in wide.split("\n"))


async def test_a_reason_that_only_repeats_the_headline_is_left_out(tape: Tape) -> None:
    assert (await shown(PostMortemCard(dead(tape)))).count("exited with code 1") == 1


async def test_more_detailed_reason_replaces_the_exit(tape: Tape) -> None:
    subject = dead(tape)
    subject.now_why = "the server exited with code 1 after 0.3 s, before it responded initialize"
    assert "before it responded initialize" in await shown(PostMortemCard(subject))


async def test_a_signal_has_its_name(tape: Tape) -> None:
    tape.started().wait(20).died(code=None, signal="SIGKILL")
    assert "The server was terminated by SIGKILL after 20 ms" in await shown(
        PostMortemCard(Staged(tape, stage=ConversationStage.CLOSED, why="killed"))
    )


async def test_failed_connection_card_has_the_reason(tape: Tape) -> None:
    tape.connected("http://127.0.0.1:9/mcp")
    subject = Staged(
        tape, stage=ConversationStage.FAILED, why="127.0.0.1:9 refuses connections.", hint="Is it running?"
    )
    screen = await shown(PostMortemCard(subject))
    for told in ("Cannot connect", "refuses connections", "Is it running?", "http://127.0.0.1:9/mcp"):
        assert told in screen


async def test_the_keys_stand_in_the_frame(tape: Tape) -> None:
    subject = dead(tape)
    subject.can_act = True
    screen = await shown(PostMortemCard(subject))
    assert "[ Restart ^r ] [ Log 7 ] [ Copy y ]" in screen
    assert "Esc Close" in screen
    assert "Esc" not in await shown(PostMortemCard(subject, dismissable=False))
    subject.can_act = False
    assert "[ Start server ^r ] [ Log 7 ] [ Copy y ]" in await shown(PostMortemCard(subject))


async def test_last_words_that_come_after_the_end_are_shown(tape: Tape) -> None:
    async with (app := Showing(PostMortemCard(dead(tape)))).run_test(size=(80, 60)) as pilot:
        await pilot.pause()
        tape.stderr(b"and goodbye")
        await until(lambda: "and goodbye" in text(app), "the last line is shown")


async def test_y_copies_all_of_it(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr(App, "copy_to_clipboard", lambda self, text: copied.append(text))
    async with Showing(card := PostMortemCard(dead(tape))).run_test(size=(80, 20)) as pilot:
        card.focus()
        await pilot.press("y")
    (whole,) = copied
    for told in ("exited with code 1", "ZeroDivisionError", "python server.py --verbose", "tools/call weigh"):
        assert told in whole


async def test_small_card_scrolls(tape: Tape) -> None:
    async with Showing(card := PostMortemCard(dead(tape))).run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        card.focus()
        assert card.region.height <= 13
        await pilot.press("G")
        assert card.scroll_y > 0


async def test_hostile_words_do_nothing(tape: Tape) -> None:
    tape.started(argv=("\x1b]0;x\x07", "[/]"))
    tape.stderr(b"\x1b[2J[@click=app.quit]x[/]")
    tape.died(why="\x1b[1mbad")
    screen = await shown(PostMortemCard(Staged(tape, stage=ConversationStage.CLOSED, why="\x1b[1mbad", hint="\x07[/]")))
    assert "␛[2J[@click=app.quit]x[/]" in screen
    assert "␛[1mbad" in screen
    assert "␇[/]" in screen


async def test_the_reason_and_what_to_do_stand_below_the_headline_as_soon_as_the_checks_know(tape: Tape) -> None:
    tape.started()
    tape.stderr(b"Error: ACME_TOKEN is required\x1b[2J")
    tape.died(code=1, why="the server exited with code 1")
    subject = Staged(tape, stage=ConversationStage.CLOSED, why="the server exited with code 1")
    async with (app := Showing(card := PostMortemCard(subject))).run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        assert "environment-variable-missing" not in text(app), "the checks have not looked yet"
        subject.checks.catch_up()
        await until(lambda: "✗ ACME_TOKEN is not in" in text(app), "the reason is told")
        rows = [row.strip("│ ") for row in text(app).split("\n")]
        first = next(at for at, row in enumerate(rows) if row.startswith("✗ The server exited"))
        assert rows[first + 1].startswith("✗ ACME_TOKEN is not in the environment of the server")
        assert rows[first + 2] == "→ Set it with -e ACME_TOKEN=…  environment-variable-missing"
        card.action_copy()
        assert "✗ ACME_TOKEN is not" in app.clipboard


async def test_card_does_not_repeat_the_diagnosis(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    why, hint = "127.0.0.1:9 refuses connections.", "Is this its port?"
    tape.connected("http://127.0.0.1:9/mcp")
    subject = Staged(tape, stage=ConversationStage.FAILED, why=why, hint=hint)
    bare = await shown(PostMortemCard(subject))
    assert (bare.count("refuses connections"), hint in bare) == (1, True), "until something better is known"
    reason: list[Line] = [
        (("✗ server-unreachable  127.0.0.1:9 refuses connections", "error"),),
        (("  → Is it running?", "text"),),
    ]
    monkeypatch.setattr(PostMortemCard, "_reason", lambda _: reason)
    told = await shown(PostMortemCard(subject))
    assert (told.count("refuses connections"), hint in told, "→ Is it running?" in told) == (1, False, True)


async def test_card_does_not_repeat_a_shorter_diagnosis(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.connected("http://127.0.0.1:9/mcp")
    why = "the server answered initialize with HTTP 500; its body is empty"
    subject = Staged(tape, stage=ConversationStage.FAILED, why=why)
    reason: list[Line] = [
        (("✗ the server answered initialize with HTTP 500", "error"),),
        (("  → See its log.", "text"),),
    ]
    monkeypatch.setattr(PostMortemCard, "_reason", lambda _: reason)
    card = await shown(PostMortemCard(subject))
    assert (card.count("HTTP 500"), "its body is empty" in card, "→ See its log." in card) == (1, True, True)


async def test_the_end_of_stderr_is_in_sight_and_no_line_is_wrapped(tape: Tape) -> None:
    subject = dead(tape)
    for number in range(60):
        tape.stderr(f"line {number} ".encode() + b"x" * 200)
    tape.stderr(b"the very last line")
    screen = await shown(PostMortemCard(subject), (80, 24))
    assert "the very last line" in screen
    assert "line 59 xxx" in screen
    assert "line 2 " not in screen
    assert "of 63 lines" in screen
    (last,) = [row for row in screen.split("\n") if "line 59" in row]
    assert "…" in last
    assert not any(row.strip("│ ").startswith("xxx") for row in screen.split("\n"))


async def test_exit_code_of_a_signal_is_shown_as_code(tape: Tape) -> None:
    why = "the server exited with code 139 (a shell reports SIGSEGV this way) after 0.3 s"
    tape.started().initialized("2025-06-18")
    tape.wait(300).died(code=139, why=why)
    screen = await shown(PostMortemCard(Staged(tape, stage=ConversationStage.CLOSED, why=why)), (100, 24))
    assert "✗ The server exited with code 139 (a shell reports SIGSEGV this way)" in screen
    assert "was terminated by" not in screen
