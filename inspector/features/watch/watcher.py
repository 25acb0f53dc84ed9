"""Watches the source files of a server by globs, and decides when a change should restart it.

Changes are collected until there is a moment of quiet. The pauses between restarts grow if restarts follow each
other directly, or if the server exits immediately. Nothing is restarted here: the caller polls `due`.

Globs are as typed, or defaults for the language of the server's command. The root of a glob is the directory before its
first `*`, `?`, `[` or `{`. Only directories below the roots are scanned. Directories that hold no project source are
skipped unless the glob names them.
"""

import logging
import os
import re
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path, PurePosixPath

import msgspec

from inspector.errors import UsageError

IGNORED = frozenset(
    {
        *(".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "__pycache__", "site-packages"),
        *(".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".eggs"),
        *(".idea", ".vscode", ".cache", ".gradle", ".terraform", ".next", ".turbo", "target"),
    }
)
"""Directories that are not scanned."""
_TEMPORARY = re.compile(r".*~|\.#.*|#.*#|.*\.sw.|\.?.*\.tmp|4913|\.DS_Store|.*\.py[cod]")
"""Temporary files that editors and interpreters create next to a saved file."""
_MAGIC = re.compile(r"[*?\[{]")
_MOST_BRACES = 64

_PYTHON = ("**/*.py",)
_NODE = ("**/*.{js,ts,mjs,cjs,mts,cts,tsx,jsx,json}",)
_BY_SUFFIX: dict[str, tuple[str, ...]] = {
    ".py": _PYTHON,
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx"), _NODE),
    ".rb": ("**/*.rb",),
    ".php": ("**/*.php",),
    ".go": ("**/*.go",),
    ".sh": ("**/*.sh",),
}
_BY_PROGRAM: dict[str, tuple[str, ...]] = {
    "cargo": ("**/*.rs", "Cargo.toml"),
    "go": ("**/*.go", "go.mod"),
    "dotnet": ("**/*.{cs,fs,csproj,fsproj,json}",),
    **dict.fromkeys(("node", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node", "bun", "bunx", "deno"), _NODE),
    **dict.fromkeys(("uv", "uvx", "python", "python3", "pipx", "fastmcp", "mcp", "poetry", "hatch"), _PYTHON),
    "ruby": ("**/*.rb",),
    "php": ("**/*.php",),
}
_ANY = ("**/*.{py,js,ts,mjs,json,go,rs,rb,php,cs,java,kt,sh,toml,yaml,yml}",)
_PACKAGE_DIRECTORIES = ("src", "")
_SHEBANG_BYTES = 128
_RELOADS: dict[str, frozenset[str]] = {
    "--watch": frozenset({"node", "bun", "deno", "tsx", "ts-node-dev", "dotnet"}),
    "--watch-path": frozenset({"node"}),
    "--hot": frozenset({"bun"}),
    "--reload": frozenset({"uvicorn", "hypercorn", "gunicorn", "fastmcp", "mcp", "flask", "granian", "fastapi"}),
    "watch": frozenset({"tsx", "cargo", "dotnet"}),
    "dev": frozenset({"fastapi"}),
}
_RELOADERS = frozenset(
    {
        *("nodemon", "watchexec", "entr", "watchfiles", "watchmedo", "reflex", "air", "cargo-watch", "ts-node-dev"),
        "jurigged",
    }
)
MOST_DIRECTORIES = 4_096
"""Maximum number of watched directories. Each uses one watch of the operating system."""
MOST_ENTRIES = 200_000
"""Maximum number of files and directories that are examined while listing directories."""
QUIET_S, LONGEST_S = 0.15, 1.0
"""Seconds without a change after which a restart is due, and the limit after which it is due anyway."""
GAP_S, LONGEST_GAP_S = 1.0, 10.0
"""Minimum seconds between two restarts: initially, and after a long series of restarts."""
FEW_FAILURES = 3
"""Number of consecutive failures after which the user is notified."""
_STEP_MS, _GROUP_MS, _LOOK_MS = 60, 240, 250
_MOST_NAMES, _MOST_PATHS = 100, 20_000
"""Maximum number of names kept per batch of changes, and of paths examined per batch."""
_ABSENT_S = 0.5
"""Polling interval for a root that does not exist."""
_JOIN_S = 2.0
_GRAIN_NS = 20_000_000
"""Maximum lag of file times behind the clock."""
logger = logging.getLogger(__name__)


class Glob(msgspec.Struct, frozen=True):
    """A set of files, selected by path."""

    text: str
    """Display text."""
    root: Path
    """Absolute path with links resolved; it need not exist."""
    pattern: re.Pattern[str]
    """Pattern for paths relative to the root, with `/`."""
    depth: int | None
    """Maximum depth of files below the root in directories; None for no limit."""
    names: frozenset[str]
    """Ignored directories that the glob names and that are therefore scanned."""

    def matches(self, path: Path) -> bool:
        """Return whether the glob matches a file."""
        try:
            below = PurePosixPath(path.relative_to(self.root).as_posix())
        except ValueError:
            return False
        if any(self.ignores(part) for part in below.parts[:-1]) or _TEMPORARY.fullmatch(below.name):
            return False
        return self.pattern.fullmatch(str(below)) is not None

    def ignores(self, name: str) -> bool:
        """Return whether directories of this name are skipped."""
        return name in IGNORED and name not in self.names


class Directories(msgspec.Struct, frozen=True):
    """Directories to watch."""

    places: tuple[Path, ...]
    missing: tuple[Path, ...] = ()
    """Roots that do not exist."""
    huge: tuple[Path, ...] = ()
    """Roots with more directories below them than can be watched."""


class FileChange(msgspec.Struct, frozen=True):
    name: str
    """Path of one of them, relative to the root of its glob. Untrusted text."""
    more: int
    """Number of other changed files."""
    wall_ns: int
    """Time of the last change."""


def read_glob(typed: str, base: Path) -> Glob:
    """Parse a glob: `*`, `?`, `[abc]`, `{a,b}`, and `**` for any number of directories.

    A path without these is a file, or a directory with all of its content. Raises: UsageError if it is invalid.
    """
    if not typed.strip() or "\0" in typed:
        raise UsageError("--watch: the glob is empty", hint="Name files: --watch 'src/**/*.py'.")
    if "://" in typed:
        raise UsageError(
            f"--watch {typed!r} is a URL, and not a glob of files",
            hint="Write --watch behind the other arguments, or --watch=GLOB.",
        )
    whole = os.path.join(base, os.path.expanduser(typed))
    parts = PurePosixPath(whole).parts
    fixed = next((at for at, part in enumerate(parts) if _MAGIC.search(part)), None)
    if fixed is None:
        place = Path(os.path.normpath(whole))
        is_directory = place.is_dir() or typed.endswith("/")
        root = place if is_directory else place.parent
        rest: tuple[str, ...] = ("**", "*") if is_directory else (_escaped(place.name),)
    else:
        root, rest = Path(os.path.normpath(os.path.join(*parts[:fixed]))), parts[fixed:]
    try:
        pattern = _compiled("/".join(rest))
    except re.error as error:
        raise UsageError(f"--watch {typed!r} is not a glob: {error}", hint="Quote it: --watch 'src/**/*.py'.") from None
    depth = None if any("**" in part for part in rest) else len(rest) - 1
    return Glob(typed, Path(os.path.realpath(root)), pattern, depth, frozenset(rest) & IGNORED)


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[{])", r"[\1]", name)


def _compiled(glob: str) -> re.Pattern[str]:
    """Compile a glob of paths. Raises: UsageError for too many alternatives, re.error."""
    import bracex  # only --watch needs them
    from wcmatch.glob import CASE, DOTGLOB, GLOBSTAR, translate

    try:
        alternatives = bracex.expand(glob.replace("\\", r"\\"), keep_escapes=True, limit=_MOST_BRACES)
    except bracex.ExpansionLimitException:
        raise UsageError(
            f"--watch: more than {_MOST_BRACES} alternatives in {{}}", hint="Give --watch several times."
        ) from None
    return re.compile("|".join(translate(alternatives, flags=GLOBSTAR | DOTGLOB | CASE, limit=0)[0]))


def file_glob(path: Path) -> Glob:
    """Return a glob for one file, with special characters in its path escaped."""
    whole = Path(os.path.abspath(path))
    return read_glob(str(whole.parent / _escaped(whole.name)), whole.parent)


# Defaults if no glob is given


def default_globs(argv: Sequence[str], cwd: Path) -> tuple[Glob, ...]:
    """Return globs for a server's files, by the language of its command and the location of its script or package."""
    script = next((place for word in argv if (place := _script(word, cwd)) is not None), None)
    if script is not None:
        return _below(_top(script), _BY_SUFFIX[script.suffix.lower()], cwd)
    if (package := _package(argv, cwd)) is not None:
        return _below(package, _PYTHON, cwd)
    if (program := _program(argv[0], cwd) if argv else None) is not None:
        kind = _language_of(program)
        if kind is not None:
            return _below(cwd, kind, cwd)
        if program.is_relative_to(cwd):
            return (read_glob(_shown(program, cwd), cwd),)
    names = [PurePosixPath(word).name for word in argv[:1]]
    kind = next((_BY_PROGRAM[name] for name in names if name in _BY_PROGRAM), None)
    is_python = bool(names) and re.fullmatch(r"python[\d.]*", names[0]) is not None
    return _below(cwd, kind or (_PYTHON if is_python else _ANY), cwd)


def _below(root: Path, patterns: Sequence[str], cwd: Path) -> tuple[Glob, ...]:
    shown = _shown(root, cwd)
    return tuple(read_glob(each if shown in ("", ".") else f"{shown}/{each}", cwd) for each in patterns)


def _shown(place: Path, cwd: Path) -> str:
    return str(place.relative_to(cwd)) if place.is_relative_to(cwd) else str(place)


def _script(word: str, cwd: Path) -> Path | None:
    """Return the source file that an argument names, outside of installed packages; None for any other argument."""
    path = cwd / os.path.expanduser(word.partition(":")[0])
    if path.suffix.lower() not in _BY_SUFFIX or IGNORED & set(path.parts):
        return None
    return Path(os.path.normpath(path)) if _is_file(path) else None


def _top(script: Path) -> Path:
    """Return the directory of a script; for a module, the directory of its topmost package."""
    place = script.parent
    while script.suffix == ".py" and _is_file(place / "__init__.py") and _is_file(place.parent / "__init__.py"):
        place = place.parent
    return place


def _package(argv: Sequence[str], cwd: Path) -> Path | None:
    """Return the directory of the package that `python -m` runs, if it belongs to this project."""
    following = (after for word, after in pairwise(argv) if word == "-m")
    name = next(following, "").partition(".")[0]
    places = [cwd / directory / name for directory in _PACKAGE_DIRECTORIES if name]
    return next((each for each in places if each.is_dir()), None)


def _program(word: str, cwd: Path) -> Path | None:
    """Return the file of a program that is given as a path."""
    path = Path(os.path.normpath(cwd / os.path.expanduser(word)))
    return path if "/" in word and _is_file(path) else None


def _language_of(program: Path) -> tuple[str, ...] | None:
    """Return the language of a script by its first line; None for a binary."""
    try:
        with program.open("rb") as file:
            first = file.read(_SHEBANG_BYTES).split(b"\n")[0]
    except OSError:
        return None
    if re.fullmatch(r"python[\d.]*", program.name):
        return _PYTHON
    if program.name in _BY_PROGRAM:
        return _BY_PROGRAM[program.name]
    if not first.startswith(b"#!"):
        return None
    return _PYTHON if b"python" in first else _NODE if b"node" in first else _ANY


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def reloads_itself(argv: Sequence[str]) -> str:
    """Return the part of a command that restarts the server itself, such as "node --watch"; "" for none."""
    names = [PurePosixPath(word).name.partition("@")[0] for word in argv]
    for at, name in enumerate(names):
        if name in _RELOADERS:
            return name
        option = name.partition("=")[0] if argv[at].startswith("-") else name
        by = next((each for each in names[:at] if each in _RELOADS.get(option, ())), None)
        if by is not None:
            return f"{by} {option}"
    return ""


# Directories below the roots


def directories_of(
    globs: Sequence[Glob], most: int = MOST_DIRECTORIES, most_entries: int = MOST_ENTRIES
) -> Directories:
    """List directories that may hold a file of the globs, those near the root first. Links are not followed."""
    places: dict[Path, None] = {}
    missing: list[Path] = []
    huge: list[Path] = []
    left = most_entries
    for glob in globs:
        if not glob.root.is_dir():
            missing.append(glob.root)
            continue
        level, depth = [glob.root], 0
        while level and (glob.depth is None or depth <= glob.depth):
            following: list[Path] = []
            for place in level:
                if len(places) >= most or left <= 0:
                    huge.append(glob.root)
                    following = []
                    break
                places[place] = None
                if glob.depth is None or depth < glob.depth:
                    for entry in _entries(place):
                        left -= 1
                        if left <= 0:
                            huge.append(glob.root)
                            break
                        if entry.is_dir(follow_symlinks=False) and not glob.ignores(entry.name) and not _is_venv(entry):
                            following.append(Path(entry.path))
            level, depth = following, depth + 1
    return Directories(tuple(places), tuple(dict.fromkeys(missing)), tuple(dict.fromkeys(huge)))


def _entries(place: Path) -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(place) as found:
            yield from found
    except OSError:  # removed meanwhile, or not readable
        return


def _is_venv(entry: "os.DirEntry[str]") -> bool:
    return os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


class RestartPace:
    """Decides when a change should restart the server. `now` is in seconds of any monotonic clock."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}
        self._first = self._last = 0.0
        self._wall_ns = 0
        self._restarted: float | None = None
        self._gap = GAP_S
        self.failures = 0
        """Number of consecutive restarts after which the server failed or exited immediately."""

    def noticed(self, names: Iterable[str], now: float, wall_ns: int) -> None:
        """Record changed files."""
        if not self._names:
            self._first = now
        if len(self._names) < _MOST_NAMES:
            self._names |= dict.fromkeys(names)
        self._last, self._wall_ns = now, wall_ns

    def due(self, now: float) -> FileChange | None:
        """Return the changes once if it is time for a restart; None otherwise."""
        if not self._names or now < self.not_before:
            return None
        if now - self._last < QUIET_S and now - self._first < LONGEST_S:
            return None
        first, *others = self._names
        self._names = {}
        self._note_restart(now)
        return FileChange(first, len(others), self._wall_ns)

    def _note_restart(self, now: float) -> None:
        follows = self._restarted is not None and now - self._restarted < 2 * self._gap
        self._gap = min(LONGEST_GAP_S, 2 * self._gap) if follows else GAP_S
        self._restarted = now

    @property
    def not_before(self) -> float:
        """Earliest time of the next restart."""
        if self._restarted is None:
            return float("-inf")
        return self._restarted + max(self._gap, min(LONGEST_GAP_S, 2.0 ** (self.failures - 1)))

    def ended(self, *, well: bool) -> None:
        """Record whether a restart led to a connection."""
        self.failures = 0 if well else self.failures + 1

    def remark(self, now: float) -> str:
        """Return a sentence about the current pace for the user; "" for nothing."""
        waits = self.not_before - now
        later = f", not before {waits:.0f} s" if waits >= 1 else ""
        if self.failures >= FEW_FAILURES:
            return f"The server failed to start {self.failures} times in a row. The next change restarts it{later}."
        if self._gap >= 4 * GAP_S and waits > 0:
            return f"Files change all the time: one restart in {self._gap:.0f} s at most."
        return ""


class Watcher:
    """A thread that watches the files of some globs. Watching begins with `start`."""

    def __init__(self, globs: Sequence[Glob], warnings: Sequence[str] = ()) -> None:
        """Create the watcher. `warnings`: known problems, one sentence each."""
        self.globs = tuple(globs)
        self._warnings = tuple(warnings)
        self._found = Directories(())
        self._trouble = ""
        self._lock = threading.Lock()
        self.pace = RestartPace()
        self._stop = threading.Event()
        self.ready = threading.Event()
        """Set once changes are detected, also if there is nothing to watch yet."""
        self._heard = threading.Event()
        self._since_ns = 0
        """Wall clock time when changes were last read; 0 before the first time."""
        self._thread = threading.Thread(target=self._run, name="mcp-inspect watch", daemon=True)

    @property
    def shown(self) -> str:
        """The globs as they were typed."""
        return ", ".join(glob.text for glob in self.globs)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()
        self._heard.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def due(self) -> FileChange | None:
        """Return the changes once when a restart is due."""
        with self._lock:
            return self.pace.due(time.monotonic())

    def wait(self, enough: threading.Event | None = None) -> FileChange | None:
        """Wait until a restart is due; None once `enough` is set."""
        while (change := self.due()) is None:
            if enough is not None and enough.is_set():
                return None
            self._heard.wait(QUIET_S)
            if self._heard.is_set():
                self._heard.clear()
                self._stop.wait(QUIET_S / 2)
        return change

    def ended(self, *, well: bool) -> None:
        """Record whether a restart led to a connection."""
        with self._lock:
            self.pace.ended(well=well)

    def problems(self) -> tuple[str, ...]:
        """Return the problems for the user, one sentence each, most severe first."""
        found = self._found
        lines = [f"{place} does not exist; it is watched once it does." for place in found.missing]
        if self._trouble:
            lines.append(self._trouble)
        with self._lock:
            lines.append(self.pace.remark(time.monotonic()))
        lines += [f"{place} is huge: only a part of it is watched. Narrow the glob." for place in found.huge]
        return tuple(each for each in (*lines, *self._warnings) if each)

    # Methods that run in the thread

    def _run(self) -> None:
        known: frozenset[Path] | None = None
        while not self._stop.is_set():
            self._found = directories_of(self.globs)
            places = frozenset(self._found.places)
            new, known = frozenset() if known is None else places - known, places
            if not places:
                self.ready.set()
                self._stop.wait(_ABSENT_S)
                continue
            try:
                self._watch(places, new, polls=bool(self._trouble))
            except FileNotFoundError:  # a directory was removed meanwhile
                self._stop.wait(QUIET_S)
            except (OSError, RuntimeError) as error:  # no watches left, or a file system without them
                logger.info("watching failed: %s", error)
                self._trouble = f"The system does not report changes ({error}). Files are looked at once a second."
                self._stop.wait(_ABSENT_S)

    def _watch(self, places: frozenset[Path], new: frozenset[Path], *, polls: bool) -> None:
        """Report changes until the set of directories changes.

        In new directories, report all files once the directories are watched.
        """
        from watchfiles import Change, watch

        batches = watch(
            *sorted(map(str, places)),
            watch_filter=None,
            debounce=_GROUP_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=polls or None,
            poll_delay_ms=1000,
            recursive=False,
            ignore_permission_denied=True,
        )
        missing = set(self._found.missing)
        for at, batch in enumerate(batches):
            since_ns, self._since_ns = self._since_ns, time.time_ns()
            if not at and (new or since_ns):
                self._notice_files(places, new, since_ns or self._since_ns)
            self.ready.set()
            self._notice(Path(path) for _, path in batch)
            added = (Path(path) for change, path in batch if change is Change.added)
            if any(self._may_hold(path) for path in added) or any(place.exists() for place in missing):
                return
            if any(not glob.root.exists() for glob in self.globs if glob.root not in missing):
                return

    def _may_hold(self, path: Path) -> bool:
        """Return whether a new path is a directory that may hold a file of the globs."""
        if not path.is_dir() or path.is_symlink():
            return False
        return any(path.is_relative_to(glob.root) and not glob.ignores(path.name) for glob in self.globs)

    def _notice(self, paths: Iterable[Path]) -> None:
        found = (name for path in islice(paths, _MOST_PATHS) if (name := self._name_of(path)))
        names = dict.fromkeys(islice(found, _MOST_NAMES))
        if names:
            with self._lock:
                self.pace.noticed(names, time.monotonic(), time.time_ns())
            self._heard.set()

    def _notice_files(self, places: Iterable[Path], new: frozenset[Path], since_ns: int) -> None:
        """Report the files of new directories, and files that changed while the directories were listed again."""
        left = MOST_ENTRIES
        for place in places:
            try:
                with os.scandir(place) as entries:
                    found = [each for each in islice(entries, max(left, 0)) if place in new or _changed(each, since_ns)]
            except OSError:  # removed meanwhile
                continue
            left -= len(found)
            self._notice(Path(each.path) for each in found)

    def _name_of(self, path: Path) -> str:
        glob = next((each for each in self.globs if each.matches(path)), None)
        return "" if glob is None else path.relative_to(glob.root).as_posix()


def _changed(entry: "os.DirEntry[str]", since_ns: int) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_mtime_ns >= since_ns - _GRAIN_NS
    except OSError:
        return False
