"""Runs in a terminal: asks what it supports and writes the bytes of each key that is pressed, as JSON lines."""

import json
import os
import select
import sys
import termios
import time
import tty
from collections.abc import Iterator

QUERIES = {
    "attributes": b"\x1b[c",
    "version": b"\x1b[>q",
    "kitty keyboard": b"\x1b[?u",
    "largest sixel": b"\x1b[?2;1;0S",
}
MOUSE_ON, MOUSE_OFF = b"\x1b[?1000h\x1b[?1006h", b"\x1b[?1000l\x1b[?1006l"
CLIPPED = b"\x1b]52;c;Y2xpcHBlZA==\x07"


def received(seconds: float) -> Iterator[bytes]:
    """Yield what arrives on stdin within a time."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([0], [], [], left)[0]:
            yield os.read(0, 1000)


def main() -> None:
    """Probe the terminal; the first argument is the file to write, the second the seconds to wait for keys."""
    before = termios.tcgetattr(0)
    tty.setraw(0)
    with open(sys.argv[1], "w", buffering=1, encoding="utf-8") as out:
        print(json.dumps({name: os.environ.get(name, "") for name in ("TERM", "COLORTERM", "XTERM_VERSION")}), file=out)
        for name, query in QUERIES.items():
            os.write(1, query)
            print(json.dumps({name: b"".join(received(1.0)).decode("latin-1")}), file=out)
        os.write(1, CLIPPED + MOUSE_ON)
        print(json.dumps({"ready": True}), file=out)
        for keys in received(float(sys.argv[2])):
            print(json.dumps({"key": keys.decode("latin-1")}), file=out)
        os.write(1, MOUSE_OFF)
    termios.tcsetattr(0, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
