"""The control socket of a tap: decisions come in, what is held goes out. Messages themselves are read from the capture.

One JSON object a line in both directions. A client begins with a greeting, whose version must fit; then each request
has an `id` and a `do`, and gets one response. One client at a time may control; its rules and its holds end with it,
and when it says nothing for LEASE_S. Whatever else is on the wire ends that connection and nothing more.
"""

import json
import os
import select
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

from inspector.features.tap.registry import VERSION, Registration, program_of

if TYPE_CHECKING:
    from inspector.features.tap.relay import Relay

LEASE_S = 2.0
MOST_CLIENTS = 16
LONGEST = 16 * 1024 * 1024
"""Bytes of a request."""
GREETING = "mcp-inspect tap"


class _Client:
    """One connection."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.come: list[bytes] = []
        self.size = 0
        self.out = bytearray()
        self.greeted = False
        self.heard = time.monotonic()


class Refused(Exception):
    """A request can't be done; the text says why."""


class Control:
    """The socket, and what it can be asked. Made by any thread, used by that of the loop."""

    def __init__(self, relay: "Relay") -> None:
        """Raises: OSError."""
        self._relay = relay
        self._clients: dict[int, _Client] = {}
        self._controller: _Client | None = None
        options, parent = relay.options, os.getppid()
        self._registration = Registration(
            {
                "label": options.label,
                "argv": options.command,
                "server": options.label or os.path.basename(options.command[0]),
                "cwd": os.getcwd(),
                "transport": "stdio",
                "server_pid": relay.pid,
                "client_pid": parent,
                "client": program_of(parent),
                "capture": relay.recording.path,
                "trouble": relay.recording.trouble,
                "since": time.time_ns(),
            }
        )
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(self._registration.socket)
        os.chmod(self._registration.socket, 0o600)
        self._listener.listen(64)

    def start(self) -> None:
        """Take connections from now on."""
        self._relay.watch(self._listener.fileno(), select.POLLIN, self._accept)
        self._relay.timers.append(self._lease)
        self._relay.at_end.append(self._registration.remove)

    def _accept(self, events: int) -> None:
        del events
        try:
            end, _ = self._listener.accept()
        except OSError:
            return
        if len(self._clients) >= MOST_CLIENTS or peer_uid(end) not in (os.getuid(), 0):
            end.close()
            return
        end.setblocking(False)
        client = self._clients[end.fileno()] = _Client(end)
        self._relay.watch(end.fileno(), select.POLLIN, lambda events: self._ready(client, events))

    def _ready(self, client: _Client, events: int) -> None:
        if events & select.POLLOUT:
            self._write(client)
        if not events & ~select.POLLOUT or client.end.fileno() < 0:
            return
        try:
            data = client.end.recv(256 * 1024)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *ended, rest = data.split(b"\n")
        client.size += len(data)
        if not data or client.size > LONGEST:
            self._close(client)
            return
        for line in ended:
            line, client.come, client.size = b"".join((*client.come, line)), [], 0
            if not self._line(client, line):
                self._close(client)
                return
        client.come.append(rest)

    def _line(self, client: _Client, line: bytes) -> bool:
        """Serve a request; False if this is no client of ours."""
        client.heard = time.monotonic()
        try:
            asked = json.loads(line)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            self._say(client, {"ok": False, "error": "a request is one JSON object in a line"})
            return False
        if not client.greeted:
            if asked.get("hello") != GREETING or asked.get("version") != VERSION:
                self._say(client, {"ok": False, "error": f"this tap speaks version {VERSION}", "version": VERSION})
                return False
            client.greeted = True
            self._say(client, {"ok": True, "version": VERSION} | self._status())
            return True
        answer: dict[str, Any] = {"id": asked.get("id"), "ok": True}
        try:
            answer |= self._do(client, str(asked.get("do")), asked)
        except Refused as refused:
            answer |= {"ok": False, "error": str(refused)}
        self._say(client, answer)
        return True

    def _do(self, client: _Client, what: str, asked: dict[str, Any]) -> dict[str, Any]:
        if what in ("status", "renew"):
            return self._status() | {"controls": client is self._controller}
        raise Refused(f"{what[:40]!r} is not known here")

    def _status(self) -> dict[str, Any]:
        recording = self._relay.recording
        return {
            "tap": self._registration.id,
            "capture": recording.path,
            "trouble": recording.trouble,
            "lost_bytes": recording.lost_bytes,
        }

    def _say(self, client: _Client, what: dict[str, Any]) -> None:
        client.out += json.dumps(what).encode() + b"\n"
        self._write(client)

    def _write(self, client: _Client) -> None:
        try:
            while client.out:
                del client.out[: client.end.send(client.out)]
        except BlockingIOError:
            if len(client.out) > 2 * LONGEST:
                self._close(client)
                return
        except OSError:
            self._close(client)
            return
        mask = select.POLLIN | (select.POLLOUT if client.out else 0)
        self._relay.watch(client.end.fileno(), mask, lambda events: self._ready(client, events))

    def _close(self, client: _Client) -> None:
        fd = client.end.fileno()
        if self._clients.pop(fd, None) is None:
            return
        self._relay.watch(fd, 0, None)
        client.end.close()
        if client is self._controller:
            self._let_go("the interface that controlled this tap is gone")

    def _lease(self, now: float) -> float | None:
        if self._controller is None:
            return None
        if now - self._controller.heard < LEASE_S:
            return self._controller.heard + LEASE_S
        self._let_go(f"the interface that controlled this tap has said nothing for {LEASE_S:g} s")
        return None

    def _let_go(self, why: str) -> None:
        self._controller = None


def peer_uid(end: socket.socket) -> int:
    """The user on the other side; -1 where the system does not say."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            return int(struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
        found = end.getsockopt(0, 1, 76)  # LOCAL_PEERCRED of BSD and macOS: struct xucred
        return int(struct.unpack_from("i", found, 4)[0])
    except (OSError, struct.error):
        return -1
