"""Facts about the terminal."""

import stat
import sys
from pathlib import Path

import pytest

from inspector.config.terminal import clipboard_program, put_into_clipboard, terminal


@pytest.mark.parametrize(
    ("env", "colors"),
    [
        ({"TERM": "screen", "STY": "1.a", "COLORTERM": "truecolor"}, "standard"),
        ({"TERM": "screen-256color", "STY": "1.a", "COLORTERM": "truecolor"}, "256"),
        ({"TERM": "screen-256color", "COLORTERM": "truecolor"}, "256"),
        ({"TERM": "dvtm", "COLORTERM": "truecolor"}, "standard"),
        ({"TERM": "dvtm-256color", "COLORTERM": "truecolor"}, "256"),
        ({"TERM": "screen-256color", "TMUX": "/t,1,0", "COLORTERM": "truecolor"}, ""),
        ({"TERM": "alacritty"}, "truecolor"),
        ({"TERM": "foot-extra"}, "truecolor"),
        ({"TERM": "xterm-direct"}, "truecolor"),
        ({"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, "256"),
        ({"TERM": "xterm-256color"}, ""),
        ({}, ""),
    ],
)
def test_terminal_colors_follow_its_own_name_not_an_inherited_one(env: dict[str, str], colors: str) -> None:
    assert terminal(env).color_system == colors


def test_terminal_without_mouse_only_in_screen() -> None:
    assert not terminal({"TERM": "screen", "STY": "1.a"}).has_mouse
    assert terminal({"TERM": "screen-256color"}).has_mouse  # from a remote tmux
    assert terminal({"TERM": "xterm"}).has_mouse


def test_terminal_in_tmux_does_not_set_the_clipboard_for_certain() -> None:
    assert terminal({"TERM": "alacritty"}).sets_clipboard
    assert not terminal({"TERM": "alacritty", "TMUX": "/t,1,0"}).sets_clipboard
    assert not terminal({"TERM": "xterm-256color"}).sets_clipboard


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_clipboard_program_is_the_one_of_the_desktop_that_is_there(tmp_path: Path) -> None:
    for name in ("wl-copy", "xclip"):
        _program(tmp_path / name, "")
    path = {"PATH": str(tmp_path)}
    assert clipboard_program({**path, "WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}) == ("wl-copy",)
    assert clipboard_program({**path, "DISPLAY": ":0"}) == ("xclip", "-selection", "clipboard")
    assert clipboard_program(path) == ()
    assert clipboard_program({"PATH": str(tmp_path / "none"), "DISPLAY": ":0"}) == ()


def test_put_into_clipboard_passes_the_text_and_reports_a_failure(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    _program(tmp_path / "takes", f"import sys; open({str(taken)!r}, 'wb').write(sys.stdin.buffer.read())")
    _program(tmp_path / "refuses", "raise SystemExit(1)")
    assert put_into_clipboard((str(tmp_path / "takes"),), "grün\n")
    assert taken.read_bytes() == "grün\n".encode()
    assert not put_into_clipboard((str(tmp_path / "refuses"),), "x")
    assert not put_into_clipboard((str(tmp_path / "missing"),), "x")
