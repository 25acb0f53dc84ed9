"""Whole screens and dialogs. One that goes by itself looks first whether it is on top."""

from typing import Any

from textual.screen import Screen


def is_on_top(screen: Screen[Any]) -> bool:
    """Whether no other screen lies over it, and it was not dismissed: what goes is always the one on top.

    Textual calls a modal screen below another one current, too.
    """
    return screen.app.screen_stack[-1:] == [screen]
