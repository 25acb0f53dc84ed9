"""Copies text to the clipboard, by OSC 52: without control characters, up to a size, and with a word about both."""

from typing import Any

from textual.app import App

from inspector.viewmodels.copies import copied


def copy(app: App[Any], text: str, name: str = "") -> None:
    """Copy a text and say so in a toast. A text beyond `copies.LARGEST` is not copied, and the toast says that.

    `name` is what the text is ("JSON"); "" for nothing more than its size.
    """
    found = copied(name, text)
    if found.text:
        app.copy_to_clipboard(found.text)
    app.notify(found.said, markup=False, timeout=4, severity="information" if found.text else "warning")
