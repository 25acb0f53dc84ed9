"""Where this program's files belong, and how it makes them: for their owner's eyes alone.

Directories are 0700. A file is made anew or not at all: never written over, never through a link that somebody
put in its way. What lies in the captures' directory is ours to remove once it is too much, but never while
anybody writes it.
"""

import fcntl
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from inspector.errors import UsageError

APP = "mcp-inspect"
BUDGET_BYTES = 1 << 30
"""What all captures together may take before the oldest are removed: 1 GiB."""
ENDING = ".mcpcap"

_NAME_LENGTH = 40
_LAUNCHERS = frozenset(
    {"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "node", "env", "exec"}
)
_VERBS = frozenset({"run", "exec", "dlx", "x", "tool"})
_PYTHON = re.compile(r"python[\d.]*")
_ASSIGNMENT = re.compile(r"\w+=")
_FILLER = re.compile(r"^(mcp[-_])?(server[-_])?(?=.)|(?<=.)[-_](mcp([-_]server)?|server)$")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_NO_FOLLOWING = os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Places:
    """The directories of one user. None of them need exist yet: see `private_directory`."""

    state: Path
    """Captures, history, what was remembered of servers."""
    config: Path
    data: Path
    cache: Path
    runtime: Path
    """Sockets; gone with the login session."""

    @property
    def captures(self) -> Path:
        """Where sessions are captured unless a file is named."""
        return self.state / "captures"


def places(env: Mapping[str, str] = os.environ) -> Places:
    """Return where everything belongs on this system; MCP_INSPECT_HOME, if set, is above all of it."""
    if home := env.get("MCP_INSPECT_HOME"):
        top = Path(home).expanduser().absolute()
        return Places(top / "state", top / "config", top / "data", top / "cache", top / "run")
    from platformdirs import PlatformDirs

    own = PlatformDirs(APP, appauthor=False)
    state = own.user_state_path
    return Places(state, own.user_config_path, own.user_data_path, own.user_cache_path, _runtime(env, state))


def _runtime(env: Mapping[str, str], state: Path) -> Path:
    # platformdirs falls back to a name in the common /tmp, which anybody can take first, and warns on stderr.
    given = Path(env.get("XDG_RUNTIME_DIR") or ".")
    return given / APP if given.is_absolute() else state / "run"


def private_directory(path: Path) -> Path:
    """Make a directory, and those above it that are missing, for its owner alone; tighten it if it is there.

    Raises: UsageError if it can't be made, or belongs to somebody else, who could read along.
    """
    try:
        for missing in [above for above in reversed(path.parents) if not above.exists()]:
            missing.mkdir(mode=0o700, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.stat()
        if found.st_uid not in (os.geteuid(), 0) and os.geteuid() != 0:
            raise UsageError(f"{path} belongs to another user", hint=_ELSEWHERE)
        if stat.S_IMODE(found.st_mode) & 0o077 and found.st_uid == os.geteuid():
            path.chmod(0o700)
    except OSError as error:
        raise UsageError(f"the directory {path} can't be made: {error.strerror}", hint=_ELSEWHERE) from error
    return path


_ELSEWHERE = "set MCP_INSPECT_HOME to a directory of your own, or name a file with --capture"


def create_private(path: Path) -> int:
    """Make a file that was not there and return its descriptor: 0600, for reading and appending.

    Raises: FileExistsError if anything has that name, be it a dangling link; OSError.
    """
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _NO_FOLLOWING, 0o600)


def new_capture(directory: Path, moment: datetime, target: str) -> tuple[Path, int]:
    """Make the file of a new capture and return its path and descriptor (see `create_private`).

    The descriptor is locked until it is closed, so that no other program of ours removes what is being written.
    `target` is a short name as from `short_name`; where two captures begin in one second the later is numbered.

    Raises: UsageError if the directory can't be used; OSError.
    """
    private_directory(directory)
    stem = f"{moment:%Y-%m-%dT%H-%M-%S}-{target}"
    for suffix in chain([""], (f"-{number}" for number in count(2))):
        path = directory / f"{stem}{suffix}{ENDING}"
        with suppress(FileExistsError):
            descriptor = create_private(path)
            with suppress(OSError):  # a file system without locks: the names to keep must do
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path, descriptor
    raise AssertionError("there is always another number")


def prune(directory: Path, budget_bytes: int = BUDGET_BYTES, keep: Collection[Path] = ()) -> list[Path]:
    """Remove the oldest captures until the rest fits the budget, and return which were removed.

    Left alone are those in `keep` and those that a program is writing, though they count; and everything that is
    no capture, which doesn't. What can't be looked at or removed is passed over.
    """
    found = sorted(_captures(directory))
    total = sum(size for _, _, size in found)
    removed: list[Path] = []
    for _, path, size in found:
        if total <= budget_bytes:
            break
        if path not in keep and _remove(path):
            removed.append(path)
            total -= size
    return removed


def _captures(directory: Path) -> Iterator[tuple[int, Path, int]]:
    """Yield when each capture was last written (nanoseconds), its path, and its size in bytes."""
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(facts.st_mode) and entry.name.endswith(ENDING):
                    yield facts.st_mtime_ns, directory / entry.name, facts.st_size


def _remove(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | _NO_FOLLOWING)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:  # somebody writes it, or the directory is not ours to change
        return False
    finally:
        os.close(descriptor)
    return True


def short_name(target: str | Sequence[str]) -> str:
    """Return what a person would call a target, fit for a file name: "everything" for its URL or argv.

    A guess and no more: it tells files apart for the eye. At most 40 letters, digits, dots, dashes, underscores.
    """
    raw = _host(target) if isinstance(target, str) else _program(target)
    name = _UNFIT.sub("-", raw)
    name = _FILLER.sub("", name.strip(".-_"))
    return name[:_NAME_LENGTH].strip(".-_") or "server"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _program(argv: Sequence[str]) -> str:
    """Return the word that is neither a launcher nor an option: "server-git" of `npx -y @x/server-git@1`."""
    words = [word for word in argv if not word.startswith("-") and not _ASSIGNMENT.match(word)]
    names = [PurePosixPath(word).name for word in words]
    plain = [name for name in names if name not in _LAUNCHERS | _VERBS and not _PYTHON.fullmatch(name)]
    name = next(iter(plain or names), "")
    return re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|sh|exe)$", "", name)
