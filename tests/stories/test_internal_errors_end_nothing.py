"""After an internal error the app goes on: the error is in a file, a line says so, and keys act as before."""

import sys
from pathlib import Path

from inspector.capture.format.verify import verify
from inspector.cli.exit_status import ExitStatus
from tests.stories.breaking import MISTAKES
from tests.stories.terminals import Window
from tests.stories.test_in_a_real_terminal import captures
from tests.waiting import PATIENCE_S

BROKEN = (sys.executable, "-m", "tests.stories.breaking")
_RESTORED = b"\x1b[?1049l"
"""The terminal's main screen is shown again."""


def test_internal_errors_everywhere_are_logged_and_the_app_goes_on(tmp_path: Path) -> None:
    with Window(("demo",), tmp_path, program=BROKEN, columns=100, lines=30) as window:
        window.until(b"prompts/list")
        for name in MISTAKES:
            since = len(window.written)
            window.press(b"x")
            window.until(f"({name} in ".encode(), since=since)
            window.answer(b"~", b"no action")  # closes the menu; it drops what is typed behind it
        since = len(window.written)
        window.press(b"2")
        window.until(b"[2 Tools", since=since)
        window.press(b"q")
        assert window.ended(PATIENCE_S), window.plain()[-500:]
    assert window.status == ExitStatus.OK
    (log,) = tmp_path.rglob("errors.log")
    text = log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    assert text.count("Traceback (most recent call last)") == len(MISTAKES)
    assert "Timer in breaking.py" in text, "how often it came"
    assert b"internal errors: " in window.written
    assert b"\x1b]0;STOLEN" not in window.written + text.encode()
    (capture,) = captures(tmp_path)
    assert verify(capture).complete


def test_bytes_that_are_no_keys_do_not_end_the_app(tmp_path: Path) -> None:
    with Window(("demo",), tmp_path) as window:
        window.until(b"prompts/list")
        window.press(b"\xff\xfe\xc3\x28")
        window.press(b"\x1b[4:2u")  # an internal error with Textual 8.2.8, ignored by 8.2.7
        window.until_still()
        window.press(b"2")
        window.until(b"[2 Tools")
        window.press(b"q")
        assert window.ended(PATIENCE_S)
    assert window.status == ExitStatus.OK


def test_an_internal_error_at_the_start_ends_the_app_in_order(tmp_path: Path) -> None:
    with Window(("start", "demo"), tmp_path, program=BROKEN) as window:
        assert window.ended(PATIENCE_S)
    assert window.status == ExitStatus.MISTAKE
    assert window.written.rindex(b"Start: made") > window.written.rindex(_RESTORED)
    (capture,) = captures(tmp_path)
    assert verify(capture).complete
