"""Facts about the terminal."""

import pytest

from inspector.config.terminal import terminal


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


def test_terminal_italics_are_left_out_where_they_are_shown_in_reverse() -> None:
    assert not terminal({"TERM": "screen", "STY": "1.a"}).has_italics
    assert not terminal(
        {"TERM": "screen-256color", "TMUX": "/t,1,0"}
    ).has_italics  # byobu; tmux itself has tmux-256color
    assert terminal({"TERM": "tmux-256color", "TMUX": "/t,1,0"}).has_italics
    assert terminal({"TERM": "xterm"}).has_italics


def test_terminal_in_tmux_does_not_set_the_clipboard_for_certain() -> None:
    assert terminal({"TERM": "alacritty"}).sets_clipboard
    assert not terminal({"TERM": "alacritty", "TMUX": "/t,1,0"}).sets_clipboard
    assert not terminal({"TERM": "xterm-256color"}).sets_clipboard


@pytest.mark.parametrize(
    ("env", "wait_s"),
    [
        ({}, 0.04),
        ({"SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22"}, 0.1),
        ({"SSH_TTY": "/dev/pts/1", "STY": "1.a"}, 0.1),
        ({"SSH_TTY": "/dev/pts/1", "ESCDELAY": "25"}, 0.025),
        ({"ESCDELAY": "0"}, 0.04),
        ({"ESCDELAY": "soon"}, 0.04),
    ],
)
def test_terminal_wait_after_escape_is_short_here_longer_over_ssh_or_as_set(env: dict[str, str], wait_s: float) -> None:
    assert terminal(env).escape_wait_s == wait_s
