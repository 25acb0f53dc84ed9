"""Facts about the terminal, from its environment variables.

Each was seen in the terminal named beside it. What is not known here is left to Textual and Rich.
"""

import os
from collections.abc import Mapping

import msgspec

TRUE_COLOR = ("alacritty", "foot", "xterm-kitty", "xterm-ghostty", "wezterm", "contour")
"""Beginnings of TERM of terminals that show 24-bit colors, whether or not they set COLORTERM: over ssh it is unset."""
_ESCAPE_WAIT_S, _FAR_ESCAPE_WAIT_S = 0.04, 0.1
"""A terminal of this machine writes a sequence at once. A network may split it; there it is Textual's own wait."""
_SETS_CLIPBOARD = ("alacritty", "foot", "xterm-kitty", "xterm-ghostty", "wezterm", "contour")
"""Beginnings of TERM of terminals that take OSC 52 by default."""


class Terminal(msgspec.Struct, frozen=True):
    """What is known about a terminal."""

    color_system: str = ""
    """Name that Rich uses; "" to let Rich determine it."""
    has_mouse: bool = True
    """False in GNU screen: while it reports the mouse, it holds an Escape until the next key, which becomes Alt+key."""
    has_italics: bool = True
    """False in GNU screen, dvtm, and tmux with screen's TERM (byobu): they show them reversed or not at all."""
    is_multiplexed: bool = False
    """Whether tmux, screen or dvtm is between us and the terminal: queries for its graphics do not reach it."""
    sets_clipboard: bool = False
    """Whether it is known to put into the clipboard what OSC 52 sends."""
    escape_wait_s: float = 0.04
    """How long an Escape may be the beginning of another key's sequence."""
    is_xterm: bool = False
    """xterm itself, not one of the many that use its TERM. By default it draws no image wider than 1,000 pixels."""


def terminal(env: Mapping[str, str] = os.environ) -> Terminal:
    """Return what the environment tells about the terminal."""
    name, in_tmux = env.get("TERM", ""), bool(env.get("TMUX"))
    in_screen = bool(env.get("STY")) or (name.startswith(("screen", "dvtm")) and not in_tmux)
    if in_screen:
        # An inherited COLORTERM describes the terminal around it. screen executes R, G and B as attributes.
        colors = "256" if "256color" in name else "standard"
        mouse = not env.get("STY")
        return Terminal(
            colors, has_mouse=mouse, has_italics=False, is_multiplexed=True, escape_wait_s=_escape_wait_s(env)
        )
    is_direct, is_xterm = name.startswith(TRUE_COLOR) or name.endswith("-direct"), bool(env.get("XTERM_VERSION"))
    return Terminal(
        "truecolor" if is_direct else "256" if is_xterm and name == "xterm" and not env.get("COLORTERM") else "",
        has_italics=not name.startswith("screen"),
        is_multiplexed=in_tmux,
        sets_clipboard=name.startswith(_SETS_CLIPBOARD) and not in_tmux,
        escape_wait_s=_escape_wait_s(env),
        is_xterm=is_xterm and not in_tmux,
    )


def _escape_wait_s(env: Mapping[str, str]) -> float:
    """Return the wait after an Escape: as set by ESCDELAY (milliseconds, as for curses), else by how near it is."""
    set_ms = env.get("ESCDELAY", "")
    if set_ms.isascii() and set_ms.isdigit() and int(set_ms) > 0:
        return int(set_ms) / 1000
    return _FAR_ESCAPE_WAIT_S if env.get("SSH_CONNECTION") or env.get("SSH_TTY") else _ESCAPE_WAIT_S
