"""A focus on what is gone: whoever has it gets every key and answers none.

A form that is drawn anew takes its fields away. One that asked for the focus a moment before may get it afterwards,
and Textual then sends all keys to a widget that is no longer there.
"""

from textual.screen import Screen


def let_go(screen: Screen[object]) -> bool:
    """Take the focus from a widget that is gone; whether there was one. Nearly free otherwise."""
    focused = screen.focused
    if focused is None or focused.is_attached:
        return False
    screen.set_focus(None)
    return True
