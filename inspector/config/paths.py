"""Where this program's files belong: in directories of 0700, for their owner's eyes alone.

The captures among them are made and removed by `capture`; here is only where they lie, and what to call a target.
"""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from inspector.errors import UsageError

APP = "mcp-inspect"

_NAME_LENGTH = 40
_LAUNCHERS = frozenset(
    {"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "node", "env", "exec"}
)
_VERBS = frozenset({"run", "exec", "dlx", "x", "tool"})
_PYTHON = re.compile(r"python[\d.]*")
_ASSIGNMENT = re.compile(r"\w+=")
_FILLER = re.compile(r"^(mcp[-_])?(server[-_])?(?=.)|(?<=.)[-_](mcp([-_]server)?|server)$")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class Places(msgspec.Struct, frozen=True):
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


def short_name(target: str | Sequence[str]) -> str:
    """Return what a person would call a target, fit for a file name: "everything" for its URL or argv.

    A guess and no more: it tells files apart for the eye. At most 40 letters, digits, dots, dashes, underscores.
    """
    raw = _host(target) if isinstance(target, str) else _program(target)
    name = _UNFIT.sub("-", raw)
    name = _FILLER.sub("", name.strip(".-_"))
    return name[:_NAME_LENGTH].strip(".-_") or "server"


def _host(url: str) -> str:
    from urllib.parse import urlsplit  # a server on stdio has no URL

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
