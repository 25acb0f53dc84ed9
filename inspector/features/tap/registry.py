"""The live taps of this user: one file per tap, locked by the tap while it lives.

An unlocked file belongs to a killed tap and is removed. Directory and files are private.
"""

import fcntl
import json
import os
import stat
from typing import Any

from inspector.features.tap.processes import start_time

_APP = "mcp-inspect"
VERSION = 1


def directories(env: "os._Environ[str] | dict[str, str]" = os.environ) -> list[str]:
    """Return the directories of registered taps.

    New taps use the first. There are several because a client may run without XDG_RUNTIME_DIR.
    """
    found = []
    if home := env.get("MCP_INSPECT_HOME"):
        return [os.path.join(os.path.abspath(os.path.expanduser(home)), "run", "taps")]
    if os.path.isabs(env.get("XDG_RUNTIME_DIR", "")):
        found.append(os.path.join(env["XDG_RUNTIME_DIR"], _APP, "taps"))
    found.append(f"/tmp/{_APP}-{os.getuid()}/taps")
    return found


def private(path: str) -> None:
    """Make a directory that only this user can access.

    Raises: OSError, also if the directory belongs to another user.
    """
    for part in (os.path.dirname(path), path):
        try:
            os.mkdir(part, 0o700)
        except FileExistsError:
            pass
        except FileNotFoundError:
            os.makedirs(part, 0o700, exist_ok=True)
        found = os.lstat(part)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise PermissionError(f"{part} belongs to another user or is no directory")
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(part, 0o700)


def program_of(pid: int) -> str:
    """Return the name of a process's program; "" if the system does not provide it."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                return file.read().strip()
        except OSError:
            return ""


class Registration:
    """The registry entry of this tap."""

    def __init__(self, env: "os._Environ[str] | dict[str, str]" = os.environ) -> None:
        """Reserve an entry. Raises: OSError."""
        self.id = f"{os.getpid():x}-{os.urandom(3).hex()}"
        directory = directories(env)[0]
        private(directory)
        self.socket = os.path.join(directory, f"{self.id}.sock")
        if len(os.fsencode(self.socket)) > 103:
            raise OSError(f"{self.socket} is too long for a socket")
        self._path = os.path.join(directory, f"{self.id}.json")
        self._fd = -1

    def publish(self, facts: dict[str, Any]) -> None:
        """Write the entry, once the socket accepts connections. Raises: OSError."""
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        own = {"version": VERSION, "id": self.id, "pid": os.getpid(), "started": start_time(os.getpid())}
        os.write(self._fd, json.dumps(own | {"socket": self.socket} | facts).encode())

    def remove(self) -> None:
        """Remove the entry when the tap ends."""
        for path in (self._path, self.socket):
            try:
                os.unlink(path)
            except OSError:
                pass
        if self._fd >= 0:
            os.close(self._fd)


def live(env: "os._Environ[str] | dict[str, str]" = os.environ) -> list[dict[str, Any]]:
    """Return the live taps, oldest first, and remove entries of dead ones."""
    found = []
    for directory in directories(env):
        try:
            if os.lstat(directory).st_uid != os.getuid():
                continue
            names = os.listdir(directory)
        except OSError:
            continue
        for name in names:
            if name.endswith(".json"):
                entry = _entry(directory, name)
                if entry is not None:
                    found.append(entry)
    return sorted(found, key=lambda entry: entry["since"])


def _entry(directory: str, name: str) -> dict[str, Any] | None:
    path = os.path.join(directory, name)
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        entry = json.loads(os.read(fd, 1_000_000) or b"null")
        if _is_stale(fd, entry):
            for left in (path, path.removesuffix(".json") + ".sock"):
                try:
                    os.unlink(left)
                except OSError:
                    pass
            return None
    except (OSError, ValueError):
        return None
    finally:
        os.close(fd)
    if not isinstance(entry, dict) or entry.get("version") != VERSION:
        return None
    wanted = {"id": str, "pid": int, "socket": str, "since": int, "argv": list, "label": str, "server": str}
    return entry if all(isinstance(entry.get(key), kind) for key, kind in wanted.items()) else None


def _is_stale(fd: int, entry: Any) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False  # its tap holds the lock
    if not isinstance(entry, dict) or not isinstance(entry.get("pid"), int):
        return os.fstat(fd).st_size > 0  # an empty file is still being written
    started = start_time(entry["pid"])
    return not started or started != entry.get("started")
