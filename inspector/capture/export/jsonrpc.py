"""Plain JSON-RPC: a message a line, byte by byte as it crossed. Who sent it, when, and how it was carried is not there.

Line ends inside a message, which JSON allows between its words only, become blanks: there is no other change.
"""

from collections.abc import Iterator

from inspector.capture.export.selection import Selection, is_message

_LINE_ENDS = bytes.maketrans(b"\r\n", b"  ")


def lines(selection: Selection) -> Iterator[bytes]:
    """The chosen messages. Frames that are none are left out and counted."""
    for frame in selection.frames():
        if is_message(frame):
            yield frame.payload.translate(_LINE_ENDS) + b"\n"
        else:
            selection.left_out += 1
