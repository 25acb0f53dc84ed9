"""Calls of earlier sessions: a private file per server, with one call per line, newest last.

Several programs may write at a time: each line is appended in one piece, and a file is locked while it is cut to its
newest calls. Readers skip a line that is damaged or incomplete, and the next one begins on a new line. Credentials
are masked before anything is written. Write errors are ignored: the call is then not remembered.
"""

import contextlib
import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import replace
from inspector.documents import UNDECODABLE, prepared_type
from inspector.errors import UsageError
from inspector.json_file import drop_oldest, locked
from inspector.protocol.credentials import SecretValues
from inspector.protocol.token_shapes import masked_members

logger = logging.getLogger(__name__)

MOST_CALLS = 1000
"""Maximum calls remembered per server."""
MOST_BYTES = 1 << 20
"""Maximum bytes of a file; of a larger file the newest half of this size is kept."""
MOST_SERVERS = 200
_LONGEST = 16 << 10
"""Maximum bytes of a line; the params of a larger call are not stored."""


@prepared_type
class StoredCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call of an earlier session."""

    time_ns: int
    """Wall clock, nanoseconds since 1970."""
    method: str
    params: Any = None
    """Without credentials; None also if they are too large, see `is_cut`."""
    status: str = ""
    """Outcome in a few words: "ok", "tool error", "JSON-RPC error", "timeout"."""
    ms: float | None = None
    server: str = ""
    """Label of the server."""
    is_cut: bool = False
    """Whether its params were too large to store."""

    @property
    def target(self) -> str:
        """Name of the tool or prompt, or the URI."""
        params = self.params if isinstance(self.params, dict) else {}
        found = params.get("name") or params.get("uri") or ""
        return found if isinstance(found, str) else ""


class StoredCalls:
    def __init__(self, state: Path, *, on: bool = True) -> None:
        """Do not access the disk yet. `state`: the user's state directory; if not `on`, nothing is stored."""
        self._directory = state / "calls"
        self._on = on

    def add(self, target_key: str, call: StoredCall, masked: Iterable[str] = ()) -> bool:
        """Store a call of the server with this key; return whether that succeeded. `masked`: further values to mask."""
        assert target_key.isalnum(), "it is a hash"
        if not self._on:
            return False
        try:
            line = _line(call, masked)
            with locked(self._directory, ".lock"):
                _append(self._path(target_key), line)
                if self._path(target_key).stat().st_size > MOST_BYTES:
                    self._cut(target_key)
        except (OSError, UsageError, ValueError, TypeError, RecursionError) as error:
            logger.debug("the call is not stored: %s", error)
            return False
        return True

    def of(self, target_key: str) -> list[StoredCall]:
        """Return the calls of one server, newest first; at most MOST_CALLS."""
        return [call for call, _ in reversed(_read(self._path(target_key)))][:MOST_CALLS]

    def stamp(self, target_key: str) -> object:
        """Return a value that changes whenever the calls of a server do; None if there are none."""
        try:
            facts = self._path(target_key).stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_size

    def every(self) -> list[StoredCall]:
        """Return the calls of all servers, newest first."""
        found = [call for key in self._keys() for call in self.of(key)]
        return sorted(found, key=lambda call: call.time_ns, reverse=True)

    def clear(self, target_key: str = "") -> int:
        """Delete the calls of one server or of all; return their number. Raises: UsageError if that fails."""
        keys = [target_key] if target_key else self._keys()
        try:
            if not self._directory.is_dir():
                return 0
            with locked(self._directory, ".lock"):
                count = sum(len(_read(self._path(key))) for key in keys)
                for key in keys:
                    self._path(key).unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(
                f"the history in {self._directory} can't be removed: {error.strerror}", hint="Remove it yourself."
            ) from None
        return count

    def _path(self, target_key: str) -> Path:
        return self._directory / f"{target_key}.jsonl"

    def _keys(self) -> list[str]:
        try:
            return sorted(each.stem for each in self._directory.glob("*.jsonl") if each.stem.isalnum())
        except OSError:
            return []

    def _cut(self, target_key: str) -> None:
        """Keep only the newest calls of a server, and only the newest files."""
        kept: list[bytes] = []
        left = MOST_BYTES // 2
        for _, line in reversed(_read(self._path(target_key))[-MOST_CALLS:]):
            left -= len(line)
            if left < 0:
                break
            kept.append(line)
        replace(self._path(target_key), b"".join(reversed(kept)))
        drop_oldest(self._directory, MOST_SERVERS, "*.jsonl")


def matching(calls: Iterable[StoredCall], text: str) -> list[StoredCall]:
    """Return the calls with all of these words in server, method, target, status or params; case is ignored."""
    words = text.casefold().split()
    return [call for call in calls if all(word in _searched(call) for word in words)]


def _searched(call: StoredCall) -> str:
    params = msgspec.json.encode(call.params).decode()
    return f"{call.server} {call.method} {call.status} {call.target} {params}".casefold()


def _line(call: StoredCall, masked: Iterable[str]) -> bytes:
    call = msgspec.structs.replace(call, params=masked_members(call.params))
    line = msgspec.json.encode(call)
    if secrets := [each for each in masked if each]:
        line = SecretValues(secrets).masked(line)
    if len(line) > _LONGEST:
        params = call.params if isinstance(call.params, dict) else {}
        few = {name: params[name] for name in ("name", "uri") if len(str(params.get(name, "x" * 999))) < 300}
        line = msgspec.json.encode(msgspec.structs.replace(call, params=few or None, is_cut=True))
    return line + b"\n"


def _append(path: Path, line: bytes) -> None:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            line = b"\n" + line
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def _read(path: Path) -> list[tuple[StoredCall, bytes]]:
    """Return the calls of a file with their lines, oldest first; [] if it can't be read."""
    found: list[tuple[StoredCall, bytes]] = []
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            raw = file.read(2 * MOST_BYTES)
    except OSError:
        return []
    for line in raw.splitlines(keepends=True):
        if len(line) <= 2 * _LONGEST:
            with contextlib.suppress(*UNDECODABLE):
                found.append((msgspec.json.decode(line, type=StoredCall), line.rstrip(b"\n") + b"\n"))
    return found
