"""Saving to a file: what it is called, that nothing is replaced, and what goes wrong."""

from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.tui.screens.save import SaveScreen, file_name, write
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


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
def test_what_has_no_uri_is_named_after_what_was_called_and_gets_an_ending(
    payload: bytes, mime_type: str, name: str
) -> None:
    assert file_name("", mime_type, payload, called="get-sum") == name


def test_a_tool_s_name_is_only_a_name() -> None:
    assert file_name("", "", b"x", called="../a.b/c d") == "a.b_c_d.txt"


async def test_a_name_that_is_free_is_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.txt").touch()
    (tmp_path / "sum-2.txt").symlink_to("nowhere")
    app = Showing()
    async with app.run_test(size=(120, 24)) as pilot:
        app.push_screen(SaveScreen(b"5", "sum.txt"))
        await until(lambda: isinstance(app.screen, SaveScreen) and bool(app.screen.query(Input)), "the line")
        assert app.screen.query_one(Input).value == str(tmp_path / "sum-3.txt")
        await pilot.press("enter")
        await until((tmp_path / "sum-3.txt").exists, "the file")


def test_a_file_is_replaced_only_if_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write(path, b"1", replace=False)
    with pytest.raises(FileExistsError):
        write(path, b"2", replace=False)
    assert path.read_bytes() == b"1"
    write(path, b"2", replace=True)
    assert path.read_bytes() == b"2"


def test_what_is_saved_is_for_its_owner_and_no_link_is_followed(tmp_path: Path) -> None:
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


async def test_what_cannot_be_written_is_said_and_another_path_can_be_typed(tmp_path: Path) -> None:
    app = Showing()
    async with app.run_test(size=(100, 24)) as pilot:
        screen = SaveScreen(b"light", "a.txt")
        results: list[Path | None] = []
        app.push_screen(screen, results.append)
        await until(lambda: screen.is_current and bool(screen.query(Input)), "it is there")
        assert screen.query_one(Input).value.endswith("/a.txt")
        screen.query_one(Input).value = str(tmp_path / "none" / "a")
        await pilot.press("enter")
        await until(lambda: "It can't be made" in text(app), "it says why")
        screen.query_one(Input).value = str(tmp_path / "a")
        await pilot.press("enter")
        await until(lambda: results, "it is over")
        assert results == [tmp_path / "a"]
        assert (tmp_path / "a").read_bytes() == b"light"


async def test_escape_saves_nothing() -> None:
    app = Showing()
    async with app.run_test(size=(100, 24)) as pilot:
        results: list[Path | None] = []
        app.push_screen(SaveScreen(b"light", "a.txt"), results.append)
        await until(lambda: isinstance(app.screen, SaveScreen), "it is there")
        await pilot.press("escape")
        await until(lambda: results, "it is over")
        assert results == [None]
