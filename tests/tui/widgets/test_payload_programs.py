"""Copying payloads in one form or another, and handing them to other programs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.message import Message

from inspector.tui.widgets.json_tree.view import JsonView
from inspector.tui.widgets.payload_actions import PayloadActions
from tests.tui.screen_text import press, text
from tests.tui.widgets.showing import Showing

RAW = b'{"a": [1, "two\\u001b"]}'


class Listening(Showing):
    takes_edits = False
    suspended = 0

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """A test's terminal is no terminal."""
        self.suspended += 1
        yield

    def on_payload_actions_edited(self, message: Message) -> None:
        self.posted.append(message)


def program(tmp_path: Path, code: str) -> str:
    script = tmp_path / "program.py"
    script.write_text(f"import sys\npath = sys.argv[1]\n{code}\n")
    return f"{sys.executable} {script}"


def files_in(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path / "home"))
    for name in ("PAGER", "EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.mark.parametrize(
    ("key", "copied"), [("v", "two"), ("j", '"two\\u001b"'), ("p", "$.a[1]"), ("o", "/a/1"), ("r", RAW.decode())]
)
async def test_a_menu_copies_the_chosen_form(key: str, copied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with (app := Listening(JsonView(RAW))).run_test(size=(80, 24), notifications=True) as pilot:
        given: list[str] = []
        monkeypatch.setattr(app, "copy_to_clipboard", given.append)
        await pilot.press("down", "down", "down", "Y")
        await pilot.press(key)
        assert given == [copied]
        assert ("1 control" in text(app)) == (key == "v")


@pytest.mark.parametrize("key", ["f3", "|"])
async def test_the_pager_gets_the_exact_payload(
    key: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PAGER", program(tmp_path, f"open({str(tmp_path / 'seen')!r}, 'wb').write(open(path, 'rb').read())")
    )
    async with (app := Listening(JsonView(RAW))).run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        assert app.suspended == 1
    assert (tmp_path / "seen").read_bytes() == RAW
    assert files_in(home) == []


async def test_the_pager_gets_nothing_that_acts_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    monkeypatch.setenv("PAGER", program(tmp_path, f"open({str(seen)!r}, 'wb').write(open(path, 'rb').read())"))
    app = Listening(JsonView('{"a":"\x9b31m\u202e"}\x1b]52;c;eA==\x07'.encode()))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
    assert seen.read_text() == '{"a":"‹U+009B›31m‹U+202E›"}␛]52;c;eA==␇'


async def test_missing_pager_or_editor_is_reported() -> None:
    async with (app := Listening(JsonView(RAW))).run_test(size=(120, 24), notifications=True) as pilot:
        await press(pilot, "f3", "f4", shows=("$PAGER is not set", "neither $VISUAL nor $EDITOR is set"))
        assert app.suspended == 0


async def test_edited_payload_is_posted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", program(tmp_path, "open(path, 'w').write('[2]\\n')"))
    async with (app := Listening(JsonView(RAW))).run_test(size=(100, 24), notifications=True) as pilot:
        await pilot.press("ctrl+e")
        assert app.posted == []
        assert "is discarded" in text(app)
        app.takes_edits = True
        await pilot.press("f4")
    (message,) = app.posted
    assert isinstance(message, PayloadActions.Edited)
    assert message.payload == b"[2]"


async def test_a_line_end_that_the_editor_adds_is_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", program(tmp_path, "open(path, 'a').write('\\n')"))
    async with (app := Listening(JsonView(RAW))).run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("f4")
        assert "dropped" not in text(app)


async def test_failing_pager_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "/nowhere/less")
    async with Listening(JsonView(RAW)).run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot, "f3", shows="/nowhere/less can't be run")


async def test_terminal_that_cannot_suspend_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "true")
    app = Showing(JsonView(RAW))  # one that runs headless, without our `suspend`
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot, "f3", shows="Cannot run another program")


async def test_nothing_is_copied_or_shown_of_nothing() -> None:
    async with Listening(JsonView(b"")).run_test(size=(80, 24), notifications=True) as pilot:
        await press(pilot, "Y", "f3", shows=("Nothing to copy", "Nothing to show"))
