"""The export dialog: it shows the path before writing, and asks before replacing a file."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from inspector.errors import UsageError
from inspector.tui.panels import ExportScope
from inspector.tui.screens.export.dialog import ExportScreen
from inspector.tui.screens.export.ways import ExportResult, ExportSource
from inspector.tui.widgets.save import CreateDialog, SaveScreen, file_name, write
from inspector.tui.widgets.virtual_list import LogList
from tests.present.tape import Tape
from tests.tui.screen_text import press, shows, text
from tests.tui.staging import handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_one_chooses_what_as_what_and_where(
    size: tuple[int, int], tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    handshake(tape)
    app, results = Showing(), list[ExportResult | None]()
    async with app.run_test(size=size) as pilot:
        screen = ExportScreen(ExportSource("shop", None, tape.journal, (ExportScope("this operation", [4, 5]),)))
        app.push_screen(screen, results.append)
        await shows(app, "shop.har", "what  everything")
        assert "Compare" in text(app), "all ways are in sight"
        await press(pilot, "right", "m", shows=("this operation, 2 entries", "with notes"))
        await pilot.press("j", "j")
        await until(lambda: screen.query_one(Input).value == str(tmp_path / "shop.jsonl"), "another name")
        assert "notes" not in text(app), "not in this format"
        (tmp_path / "shop.jsonl").write_text("mine")
        await press(pilot, "enter", shows="File exists. Press Enter again to replace it.")
        assert (tmp_path / "shop.jsonl").read_text() == "mine"
        await pilot.press("up")
        await until(lambda: screen.query_one(LogList).has_focus, "the list again")
        await pilot.press("enter")
        await until(lambda: bool(results), "that it was made")
    (made,) = results
    assert made is not None
    assert made.message.startswith("Written to shop.jsonl: 2 entries")
    assert (tmp_path / "shop.jsonl").read_bytes().count(b'"jsonrpc"') == 2


async def test_failed_export_is_reported_and_keeps_the_path(tape: Tape, tmp_path: Path) -> None:
    handshake(tape)
    app, results = Showing(), list[ExportResult | None]()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = ExportScreen(ExportSource("shop", None, tape.journal))
        app.push_screen(screen, results.append)
        await until(lambda: "shop.har" in text(app), "the dialog")
        await pilot.press("tab")
        screen.query_one(Input).value = str(tmp_path / "no" / "place")
        await press(pilot, "enter", shows="can't be written")
        await press(pilot, "up", "G", "k", "k", "k", shows="everything")
        assert screen.query_one(Input).value == str(tmp_path / "no" / "place")
        await press(pilot, "enter", shows="this session is not recorded")
        await pilot.press("escape")
        await until(lambda: bool(results), "that it is left")
    assert results == [None]


class Slowly(CreateDialog[str]):
    """Makes nothing before it may."""

    SAID: ClassVar[str] = "#said"

    def __init__(self, fails: str = "") -> None:
        super().__init__()
        self.may_end = threading.Event()
        self.began: list[tuple[str, bool]] = []
        self._fails = fails

    def compose(self) -> ComposeResult:
        yield Input("here")
        yield Static(id="said")

    def creator(self, path: Path, *, replace: bool) -> Callable[[], str]:
        def make() -> str:
            self.began.append((path.name, replace))
            assert self.may_end.wait(20)
            if self._fails:
                raise UsageError(self._fails, hint="Try again")
            return path.name

        return make

    def result_text(self, made: str) -> str:
        return f"made {made}"


class Told(Showing):
    """Keeps what its toasts say."""

    def __init__(self) -> None:
        super().__init__()
        self.toasts: list[str] = []

    def notify(self, message: str, **more: object) -> None:
        self.toasts.append(message)


@pytest.fixture(params=["", "it is full"])
def screen(request: pytest.FixtureRequest) -> Iterator[Slowly]:
    slowly = Slowly(request.param)
    yield slowly
    slowly.may_end.set()


async def test_second_press_makes_nothing_more(screen: Slowly) -> None:
    app, results = Told(), list[str | None]()
    async with app.run_test() as pilot:
        app.push_screen(screen, results.append)
        await until(lambda: isinstance(app.focused, Input), "the line")
        await press(pilot, "enter", "enter", "enter", shows="Writing")
        assert screen.began == [("here", False)]
        screen.action_leave()
        await until(lambda: results == [None], "that it is left")
        assert not app.toasts
        screen.may_end.set()
        await until(lambda: bool(app.toasts), "what came of it")
    assert app.toasts == (["it is full. Try again"] if screen._fails else ["made here"])
    assert results == [None]


async def test_screen_above_the_dialog_stays_when_finished(screen: Slowly) -> None:
    app, results = Told(), list[str | None]()
    async with app.run_test() as pilot:
        app.push_screen(screen, results.append)
        await until(lambda: isinstance(app.focused, Input), "the line")
        await pilot.press("enter")
        await until(lambda: bool(screen.began), "that it is being made")
        over = ModalScreen[None]()
        app.push_screen(over)
        await until(lambda: over.is_current, "what lies over it")
        screen.may_end.set()
        await app.workers.wait_for_complete()
        assert app.screen is over
        assert not results
        over.dismiss()
        if screen._fails:
            await until(lambda: "it is full. Try again" in text(app), "what went wrong")
        else:
            await until(lambda: results == ["here"], "what was made")


@pytest.mark.parametrize(
    ("uri", "mime_type", "name"),
    [
        ("file:///a/b.txt", "", "b.txt"),
        ("x://y/../../etc/passwd", "", "passwd"),
        ("x://y/%2e%2e%2f%2e%2e%2fetc%2Fpasswd?x#y", "", "etc_passwd"),
        ("x://y/.bashrc", "", "bashrc"),
        ("x://y/a\x1b[31m b/", "text/plain; charset=utf-8", "a_31m_b.txt"),
        ("", "", "content"),
        ("x://", "image/png", "content.png"),
        ("x://" + "n" * 500, "", "n" * 80),
    ],
)
def test_a_name_is_made_of_the_uri_and_is_only_a_name(uri: str, mime_type: str, name: str) -> None:
    assert file_name(uri, mime_type) == name


@pytest.mark.parametrize(
    ("payload", "mime_type", "name"),
    [
        (b"The sum is 5.", "", "get-sum.txt"),
        (b' {"sum": 5}', "", "get-sum.json"),
        (b"{no json", "", "get-sum.txt"),
        (b"\x89PNG\r\n\x1a\n...", "", "get-sum.png"),
        (b"RIFF\0\0\0\0WAVEfmt ", "", "get-sum.wav"),
        (b"\x00\xff", "", "get-sum.bin"),
        (b"# Title", "text/markdown", "get-sum.md"),
        (b"", "", "get-sum.txt"),
    ],
)
def test_file_name_without_uri_comes_from_the_tool(payload: bytes, mime_type: str, name: str) -> None:
    assert file_name("", mime_type, payload, called="get-sum") == name


def test_a_tool_s_name_is_only_a_name() -> None:
    assert file_name("", "", b"x", called="../a.b/c d") == "a.b_c_d.txt"


async def test_a_name_that_is_free_is_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.txt").touch()
    (tmp_path / "sum-2.txt").symlink_to("nowhere")
    async with (app := Showing()).run_test(size=(120, 24)) as pilot:
        app.push_screen(SaveScreen(b"5", "sum.txt"))
        await until(lambda: isinstance(app.screen, SaveScreen) and bool(app.screen.query(Input)), "the line")
        assert app.screen.query_one(Input).value == str(tmp_path / "sum-3.txt")
        await pilot.press("enter")
        await until((tmp_path / "sum-3.txt").exists, "the file")


def test_file_is_replaced_on_request_only(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write(path, b"1", replace=False)
    with pytest.raises(FileExistsError):
        write(path, b"2", replace=False)
    assert path.read_bytes() == b"1"
    write(path, b"2", replace=True)
    assert path.read_bytes() == b"2"


def test_saved_file_is_private_and_follows_no_link(tmp_path: Path) -> None:
    path, elsewhere, link = tmp_path / "a", tmp_path / "precious", tmp_path / "link"
    write(path, b"1", replace=False)
    assert path.stat().st_mode & 0o777 == 0o600
    elsewhere.write_bytes(b"mine")
    link.symlink_to(elsewhere)
    with pytest.raises(FileExistsError):
        write(link, b"theirs", replace=False)
    write(link, b"theirs", replace=True)
    assert elsewhere.read_bytes() == b"mine"
    assert (link.is_symlink(), link.read_bytes()) == (False, b"theirs")


async def test_failed_save_can_be_repeated_elsewhere(tmp_path: Path) -> None:
    async with (app := Showing()).run_test(size=(100, 24)) as pilot:
        screen = SaveScreen(b"light", "a.txt")
        results: list[Path | None] = []
        app.push_screen(screen, results.append)
        await until(lambda: screen.is_current and bool(screen.query(Input)), "it is there")
        assert screen.query_one(Input).value.endswith("/a.txt")
        screen.query_one(Input).value = str(tmp_path / "none" / "a")
        await press(pilot, "enter", shows="Cannot write")
        screen.query_one(Input).value = str(tmp_path / "a")
        await pilot.press("enter")
        await until(lambda: results, "it is over")
        assert results == [tmp_path / "a"]
        assert (tmp_path / "a").read_bytes() == b"light"


async def test_escape_saves_nothing() -> None:
    async with (app := Showing()).run_test(size=(100, 24)) as pilot:
        results: list[Path | None] = []
        app.push_screen(SaveScreen(b"light", "a.txt"), results.append)
        await until(lambda: isinstance(app.screen, SaveScreen), "it is there")
        await pilot.press("escape")
        await until(lambda: results, "it is over")
        assert results == [None]
