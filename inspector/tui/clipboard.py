"""Copying: with the desktop's own program where there is one, and with OSC 52, which also works over ssh.

Most terminals ignore OSC 52 or do not report what they did with it. The toast says "Copied" only where the program
took the text, or where the terminal is known to take it.
"""

import asyncio
from typing import Any

from textual.app import App

from inspector.config.terminal import terminal


def copy(app: App[Any], text: str, name: str = "", note: str = "") -> None:
    """Copy a text and report that in a toast. A text longer than `copies.LARGEST` is not copied, and the toast says so.

    `name` describes the text ("JSON"); with "", only its size is shown. `note` is a further sentence.
    """
    from inspector.config.programs import clipboard_program, put_into_clipboard  # not needed for the first paint
    from inspector.present.copies import Copied, copied

    found = copied(name, text)
    if not found.text:
        app.notify(found.message(), timeout=4, severity="warning")
        return
    app.copy_to_clipboard(found.text)
    argv = () if app.is_headless else clipboard_program()

    def report(found: Copied, *, is_certain: bool) -> None:
        saved = "" if is_certain or not _saves(app) else " w saves it to a file."
        doubt = "" if is_certain else " It may not be in the clipboard."
        more = f" {note}" if note else ""
        app.notify(f"{found.message(is_certain=is_certain)}{doubt}{saved}{more}", timeout=4)

    async def put() -> None:
        report(found, is_certain=await asyncio.to_thread(put_into_clipboard, argv, found.text) or is_known)

    is_known = app.is_headless or terminal().sets_clipboard
    if argv:
        app.run_worker(put())
    else:
        report(found, is_certain=is_known)


def _saves(app: App[Any]) -> bool:
    """Whether the key that saves to a file acts now."""
    bound = app.screen.active_bindings.get("w")
    return bound is not None and bound.enabled
