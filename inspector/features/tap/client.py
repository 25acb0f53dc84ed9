"""A client of the control socket: status requests of `attach` and `tap list`, and decisions of a user interface.

Calls block, for at most TIMEOUT_S.
"""

import json
import socket
import threading
from typing import Any

from inspector.errors import InspectError
from inspector.features.tap.control import GREETING
from inspector.features.tap.registry import VERSION, live

TIMEOUT_S = 2.0


class TapGone(InspectError):
    """The tap can't be reached, or has ended."""


class TapRefused(InspectError):
    """The tap rejected a request."""


class TapClient:
    """A connection to one tap. It is thread-safe; requests are serialized."""

    def __init__(self, path: str) -> None:
        """Connect to the socket at this path. Raises: TapGone."""
        self._turn = threading.Lock()
        self._next = 1
        self._end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._end.settimeout(TIMEOUT_S)
        try:
            self._end.connect(path)
        except OSError as error:
            self._end.close()
            raise TapGone(f"the tap can't be reached: {error}", hint="See mcp-inspect tap list.") from None
        self._lines = self._end.makefile("rb")
        try:
            self.greeting = self._exchange({"hello": GREETING, "version": VERSION})
            """The tap's description of itself."""
        except InspectError:
            self.close()
            raise

    def ask(self, what: str, **members: Any) -> dict[str, Any]:
        """Send one request and return its response. Raises: TapRefused if the tap rejects it; TapGone."""
        with self._turn:
            self._next += 1
            return self._exchange({"id": self._next, "do": what} | members)

    def close(self) -> None:
        """Close the connection, which ends its control of the tap."""
        self._lines.close()
        self._end.close()

    def _exchange(self, asked: dict[str, Any]) -> dict[str, Any]:
        try:
            self._end.sendall(json.dumps(asked).encode() + b"\n")
            line = self._lines.readline()
            answer = json.loads(line) if line else None
        except (OSError, ValueError) as error:
            raise TapGone(f"the tap does not answer: {error}", hint="See mcp-inspect tap list.") from None
        if not isinstance(answer, dict):
            raise TapGone("the tap has ended", hint="Its capture can be opened with mcp-inspect replay.")
        if not answer.get("ok"):
            raise TapRefused(str(answer.get("error", "the tap refused")))
        return answer


def find(wanted: str = "") -> dict[str, Any]:
    """Return the newest live tap with this id or label; without either, the newest of all.

    Raises: TapGone if there is none.
    """
    taps = live()
    fitting = [tap for tap in taps if not wanted or wanted in (tap["id"], tap["label"], tap["server"])]
    fitting = fitting or [tap for tap in taps if tap["id"].startswith(wanted)]
    if not fitting:
        what = f"no live tap is called {wanted!r}" if wanted else "no tap is running"
        known = ", ".join(dict.fromkeys(tap["label"] or tap["server"] for tap in taps))
        raise TapGone(what, hint=f"Live taps: {known}." if known else "Start one: mcp-inspect tap -- CMD…")
    return fitting[-1]
