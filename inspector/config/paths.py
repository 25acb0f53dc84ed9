"""Paths of the directories of mcp-inspect, and short names of targets."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from inspector.text import lazy_pattern

APP = "mcp-inspect"

_NAME_LENGTH = 40
_LAUNCHERS = frozenset(
    {
        *("npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "node", "tsx", "ts-node"),
        *("env", "exec", "docker", "podman", "sh", "bash"),
    }
)
_VERBS = frozenset({"run", "exec", "dlx", "x", "tool"})
_DIRECTORIES = frozenset({"--directory", "--project", "--prefix", "-C"})
_WITH_VALUES = _DIRECTORIES | {
    *("--from", "--with", "--python", "-e", "--env", "--env-file", "-v", "--volume", "--mount", "--network", "--name"),
    *("-r", "--require", "--import", "--loader"),
}
"""Options of launchers whose next argument is their value."""
_ENTRY_POINTS = frozenset(
    {"index", "main", "__main__", "server", "cli", "app", "start", "run", "bin", "mcp", "stdio", "bundle", "cmd"}
)
"""Generic file names: the parent directory names the server instead."""
_FOLDERS = _ENTRY_POINTS | {
    *("dist", "build", "lib", "src", "out", "target", "release", "debug", "js", "esm", "cjs", "es", "node_modules"),
    *("site-packages", "scripts", "packages", "python", "typescript", "node", "venv", ".venv", "home", "usr", "local"),
    *("opt", "tmp", "root", "Users", "var", "srv", "app", "code", "workspace"),
}
_PYTHON = lazy_pattern(r"python[\d.]*")
_ASSIGNMENT = lazy_pattern(r"\w+=")
_FILLER = lazy_pattern(r"^(mcp[-_])?(server[-_])?(?=.)|(?<=.)[-_](mcp([-_]server)?|server)$")
_UNFIT = lazy_pattern(r"[^A-Za-z0-9._-]+")


class Places(msgspec.Struct, frozen=True):
    """The directories of one user. They may not exist yet: see `private_directory`."""

    state: Path
    """Captures, history, remembered servers."""
    config: Path
    data: Path
    cache: Path
    runtime: Path
    """Sockets; removed when the login session ends."""

    @property
    def captures(self) -> Path:
        """Default directory of captures."""
        return self.state / "captures"


def expanded(typed: str) -> Path:
    """Expand `~` and `~user` in a path; an unknown user is kept as typed, whereas `Path.expanduser` raises."""
    return Path(os.path.expanduser(typed))


def places(env: Mapping[str, str] = os.environ) -> Places:
    """Return the directories on this system; all are below MCP_INSPECT_HOME if it is set."""
    if home := env.get("MCP_INSPECT_HOME"):
        top = expanded(home).absolute()
        return Places(top / "state", top / "config", top / "data", top / "cache", top / "run")
    from platformdirs import PlatformDirs

    own = PlatformDirs(APP, appauthor=False)
    state = own.user_state_path
    return Places(state, own.user_config_path, own.user_data_path, own.user_cache_path, _runtime(env, state))


def _runtime(env: Mapping[str, str], state: Path) -> Path:
    # Otherwise platformdirs uses a name in the shared /tmp, which anybody can create first, and warns on stderr.
    given = Path(env.get("XDG_RUNTIME_DIR") or ".")
    return given / APP if given.is_absolute() else state / "run"


def short_name(target: str | Sequence[str]) -> str:
    """Return a familiar name of a target, fit for a file name: "everything" for its URL or argv.

    It is a guess that only helps users to distinguish files. At most 40 letters, digits, dots, dashes, underscores.
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
    """Return the argument that is neither a launcher nor an option: "server-git" of `npx -y @x/server-git@1`.

    A file with a generic name is called after its package or directory.
    """
    words, directories = _words(argv)
    plain = [word for word in words if not _is_launcher(PurePosixPath(word).name)]
    word = next(iter(plain or words), "")
    name = _stem(PurePosixPath(word).name)
    if not plain or name not in _ENTRY_POINTS:
        return name
    above = [*PurePosixPath(word).parts[:-1][::-1], *(PurePosixPath(each).name for each in directories)]
    return next((each for each in above if each not in _FOLDERS and each.strip("/.~")), name)


def _words(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the arguments that are neither options nor their values, and the directories among those values."""
    words: list[str] = []
    directories: list[str] = []
    option = ""
    for word in argv:
        before, option = option, ""
        if word.startswith("-"):
            option = word
        elif before == "-m":
            words.append(word.removesuffix(".__main__").removesuffix(".server").replace(".", "/"))
        elif before in _DIRECTORIES:
            directories.append(word)
        elif before not in _WITH_VALUES and not _ASSIGNMENT.match(word):
            words.append(word)
    return words, directories


def _is_launcher(name: str) -> bool:
    return name in _LAUNCHERS | _VERBS or _PYTHON.fullmatch(name) is not None


def _stem(name: str) -> str:
    return re.sub(r"(?<=.)@[^@]*$|\.(py|js|mjs|cjs|ts|sh|exe)$", "", name)
