"""Child processes in their own process groups: started, signalled and ended as a group.

Whatever a server starts belongs to its group, unless it leaves it with setsid. So a wrapper such as npx or a shell
is ended together with the server behind it. Every living group is registered, and `end_all_children` ends them from
an exit hook or a signal handler.

If we are killed by SIGKILL, none of our code runs any more. But no other process holds the writing end of a child's
stdin, so the child reads the end of its stream, upon which a server should exit. `start_reaper` ends those that do not.
Linux's parent-death signal is not used: it is sent when the *thread* ends that started the child, and our event loop
may run in any thread.
"""

import atexit
import errno
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from inspector.errors import ConnectError
from inspector.protocol.facts import InheritedState
from inspector.text import cut

_SHEBANG_LENGTH = 256
"""Bytes of a script's first line that the Linux kernel reads."""
_OF_WINDOWS = ("cmd", "powershell")
_PROCESSORS = {3: "i386", 40: "arm", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
"""`e_machine` of ELF files, as `uname -m` calls them."""
_SYSTEMS = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\0asm": "WebAssembly"}
"""What begins so is a program for another system, if the kernel refuses it."""
_NAMES_AT_MOST = 20_000
"""Maximum number of executables compared with a misspelt one; more would only delay the message."""

_LOOK = 0.02
"""Seconds between two checks of signalled groups, if no event loop runs."""
_PROC = Path("/proc")
_LAUNCH = Path(__file__).with_name("launch.py.txt").read_text("ascii")
_REAP = Path(__file__).with_name("reap.py.txt").read_text("ascii")
_MOST = 60
"""Maximum number of processes listed."""
_LONGEST = 4096
"""Maximum number of bytes read of a command line."""
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


Child = subprocess.Popen[bytes]  # noqa: TID251 - started below, and nowhere else


class PipedChild(NamedTuple):
    """A running program that is controlled over two further pipes, its file descriptors 3 and 4."""

    pid: int
    """Also its group."""
    to_child: int
    """File descriptor to write to."""
    from_child: int


class Started(NamedTuple):
    """A running server that is not connected yet: its output waits in its pipes."""

    path: str
    """Absolute path of the file that was run."""
    child: Child


class Process(msgspec.Struct, frozen=True):
    """A process below the server."""

    pid: int
    name: str
    """Name given by the system: at most fifteen characters, untrusted text."""
    argv: tuple[str, ...]
    """Untrusted text; () for a process that has ended and was not reaped."""
    cpu_s: float
    """CPU time used so far, in seconds."""


def find_executable(command: str, env: Mapping[str, str], cwd: str | None) -> str:
    """Return the absolute path of what `command` would run in a child with this environment and directory.

    A command with a slash is looked up from `cwd` (None: our own), one without on the PATH in `env`.

    Raises: ConnectError that says what was searched, what is wrong with what was found, and what to do.
    """
    directory = _directory(cwd)
    if not command or "\0" in command:
        raise ConnectError("The command to start is empty or holds a NUL.", hint="Name a program to run.")
    if (error := _misread(command, env, directory)) is not None:
        raise error
    path = directory / command if "/" in command else _on_path(command, env, directory)
    _must_be_runnable(path, env, directory)
    return str(path)


def _misread(command: str, env: Mapping[str, str], directory: Path) -> ConnectError | None:
    """Return the error for a command that is a URL or a whole command line; None for anything else."""
    if re.match(r"https?://", command):
        return ConnectError(
            f"The command is a URL: {cut(command, 100)!r}, and a URL is no program.",
            hint='Give it as the URL of a server over HTTP: mcp-inspect check URL, or "url" in a configuration.',
        )
    program, blank, _ = command.strip().partition(" ")
    places = _search_path(env, directory)
    if not blank or os.path.lexists(directory / command) or _which(command, places):
        return None
    runs = (directory / program).is_file() if "/" in program else _which(program, places)
    if not runs and not re.search(r"\s--?\w", command):
        return None
    return ConnectError(
        f"There is no program {cut(command, 100)!r}: the command contains its arguments.",
        hint="Split it: give the program as the command, and each other word as an argument.",
    )


def _directory(cwd: str | None) -> Path:
    directory = Path(cwd or ".").absolute()
    if directory.is_dir():
        return directory
    what = "is not a directory" if directory.exists() else "does not exist"
    raise ConnectError(
        f"The directory to start the server in, {directory}, {what}.",
        hint="Name an existing directory with --cwd, or in the server's configuration.",
    )


def _search_path(env: Mapping[str, str], directory: Path) -> list[Path]:
    """Return the directories of PATH; an empty or relative entry is relative to the child's directory."""
    listed = env.get("PATH", os.defpath)
    return [directory / entry for entry in listed.split(os.pathsep)]


def _on_path(command: str, env: Mapping[str, str], directory: Path) -> Path:
    places = _search_path(env, directory)
    found = _which(command, places)
    if found:
        return found
    for place in places:
        if (place / command).is_file():
            return place / command  # exists, but not executable: the checks give the better message
    searched = os.pathsep.join(map(str, places))
    origin = "it looked in" if "PATH" in env else "it got no PATH, so the default was searched:"
    what, hint = f"`{command}` is not on the PATH that the server gets", _near(command, places)
    if command.lower().removesuffix(".exe") in _OF_WINDOWS:
        what = f"`{command}`, a shell of Windows, is not on the PATH that the server gets"
        hint = f"Start the program that {command} was to start: only Windows needs a shell for npx and the like."
    raise ConnectError(f"{what}; {origin} {searched}", hint=hint)


def _which(name: str, places: list[Path]) -> Path | None:
    """Return the first executable of that name, as the system's own search would."""
    found = (place / name for place in places)
    return next((path for path in found if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _near(command: str, places: list[Path]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(command, _executables(places), n=3, cutoff=0.7)
    also = f"Did you mean {' or '.join(f'`{name}`' for name in close)}? Else give" if close else "Give"
    return f"{also} the command's absolute path, or another PATH with -e PATH=…"


def _executables(places: list[Path]) -> list[str]:
    names: dict[str, None] = {}
    for place in dict.fromkeys(places):
        for name in _names_in(place):
            names[name] = None
            if len(names) == _NAMES_AT_MOST:
                return list(names)
    return list(names)


def _names_in(place: Path) -> Iterator[str]:
    try:
        with os.scandir(place) as entries:
            yield from (entry.name for entry in entries if os.access(entry.path, os.X_OK))
    except OSError:
        return  # a missing PATH entry is not the command's fault


def _must_be_runnable(path: Path, env: Mapping[str, str], directory: Path) -> None:
    if path.is_dir():
        raise ConnectError(f"{path} is a directory, not a program.", hint=_inside(path))
    if not path.exists():
        if path.is_symlink():
            raise ConnectError(
                f"{path} is a link to {os.readlink(path)}, which does not exist.",
                hint="Install the program again, or name another.",
            )
        from difflib import get_close_matches

        close = get_close_matches(path.name, _executables([path.parent]), n=1)
        raise ConnectError(
            f"{path} does not exist.",
            hint=f"Did you mean {path.parent / close[0]}?" if close else "Check the path and --cwd.",
        )
    if not os.access(path, os.X_OK):
        raise ConnectError(
            f"{path} exists but may not be executed.",
            hint=f"Make it executable (chmod +x {path}), or put its interpreter before it.",
        )
    _must_have_interpreter(path, env, directory)


def _inside(path: Path) -> str:
    names = sorted(_names_in(path))
    return f"Name a program in it, such as {path / names[0]}." if names else "Name the program to run."


def _must_have_interpreter(path: Path, env: Mapping[str, str], directory: Path) -> None:
    words = _shebang(path)
    if not words:
        return
    interpreter = words[0]
    if interpreter.endswith("\r") or words[-1].endswith("\r"):
        raise ConnectError(
            f"{path} exists but its first line ends with a carriage return, so its interpreter is not found.",
            hint="The file was saved with Windows line ends: convert it, with dos2unix for example.",
        )
    if not (directory / interpreter).exists():
        raise ConnectError(
            f"{path} exists but its interpreter {interpreter} does not.",
            hint=f"Install {Path(interpreter).name}, or correct the first line of the script.",
        )
    if Path(interpreter).name == "env" and len(words) == 2 and _is_missing(words[1], env, directory):
        raise ConnectError(
            f"{path} exists but its interpreter `{words[1]}` is not on the PATH that the server gets: "
            f"{env.get('PATH', os.defpath)}",
            hint=f"Install {words[1]}, or give the server a PATH that has it with -e PATH=…",
        )


def _is_missing(name: str, env: Mapping[str, str], directory: Path) -> bool:
    if name.startswith("-") or "=" in name or "/" in name:
        return False  # `env -S …` or `env A=B …`: left to env
    return _which(name, _search_path(env, directory)) is None


def _shebang(path: Path) -> list[str]:
    """Return interpreter and argument of a script's first line; empty if it has none or can't be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_SHEBANG_LENGTH)
    except OSError:
        return []  # executable but not readable: legal for a binary
    if not start.startswith(b"#!"):
        return []
    line = os.fsdecode(start[2:].partition(b"\n")[0])
    return line.strip(" \t").split(None if "\r" not in line else " ", 1)


def _built_for(path: Path) -> str:
    """Return what a binary was built for, as far as its first bytes say; "" for this processor, or anything else."""
    try:
        with path.open("rb") as file:
            start = file.read(20)
    except OSError:
        return ""
    if start.startswith(b"\x7fELF") and len(start) == 20:
        machine = int.from_bytes(start[18:], "little" if start[5] == 1 else "big")
        name = _PROCESSORS.get(machine, f"another processor ({machine})")
        return "" if name == platform.machine() else name
    return next((name for begin, name in _SYSTEMS.items() if start.startswith(begin)), "")


def why_not_started(path: str, error: OSError) -> ConnectError:
    """Return the error for a file that passed every check of `find_executable` but that the kernel refused."""
    if isinstance(error, FileNotFoundError):
        return ConnectError(
            f"{path} exists but its interpreter or loader does not.",
            hint="It is a binary for another system or C library: install the one for this system.",
        )
    if error.strerror == "Exec format error":
        if built_for := _built_for(Path(path)):
            hint = f"Install the one for {platform.machine()}, or run it where it was built for."
            return ConnectError(f"{path} is a program for {built_for}, not for this machine.", hint=hint)
        return ConnectError(
            f"{path} is neither a program for this machine nor a script that names its interpreter.",
            hint="Put the interpreter before it (python server.py), or start the file with #!.",
        )
    return ConnectError(f"{path} could not be started: {error.strerror or error}.", hint="Check the file.")


_groups: set[int] = set()
_ended_here: set[int] = set()
"""Groups that `end_all_children` has signalled: we ended them, whatever signal their exit shows."""
_owner = 0
"""Process id that owns the register. A fork has a copy of it and must not end its parent's children."""


def spawn(
    executable: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    inherited: InheritedState | None = None,
) -> Child:
    """Start a child as the leader of a new session and group, with its three streams piped; register the group.

    `executable` is the file to run, `argv` what the child sees, its own name included. `inherited`: signals, umask and
    descriptors that it gets; None for ours.

    Raises: ConnectError if the system refuses.
    """
    terminal: tuple[int, int] | None = None
    if inherited is not None:
        terminal = os.openpty() if inherited.terminal else None
        argv = _launched(executable, list(argv), inherited)
        executable = argv[0]
    try:
        child = subprocess.Popen(  # noqa: TID251 - the one place where children are started
            list(argv),
            executable=executable,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=terminal[1] if terminal is not None else subprocess.PIPE,
            bufsize=0,
            env=dict(env),
            cwd=cwd,
            close_fds=True,
            start_new_session=True,
        )
    except ValueError as error:  # a NUL somewhere
        raise why_not_started(executable, OSError(errno.EINVAL, str(error))) from error
    except OSError as error:
        raise why_not_started(executable, error) from error
    if terminal is not None:
        os.close(terminal[1])
        child.stderr = os.fdopen(terminal[0], "rb", buffering=0)
    _register(child.pid)
    return child


def spawn_piped(executable: str, argv: Sequence[str], env: Mapping[str, str]) -> PipedChild:
    """Start a program that reads from descriptor 3 and writes to 4, without standard streams; register its group.

    Raises: ConnectError if the system refuses.
    """
    (read, to_child), (from_child, write) = os.pipe(), os.pipe()
    null = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in range(3)]
    pipes = [(os.POSIX_SPAWN_DUP2, read, 3), (os.POSIX_SPAWN_DUP2, write, 4)]
    if write == 3:  # must not be replaced before it is copied
        pipes.reverse()
    try:
        pid = os.posix_spawn(executable, list(argv), dict(env), file_actions=[*null, *pipes], setpgroup=0)
    except OSError as error:
        os.close(to_child)
        os.close(from_child)
        raise why_not_started(executable, error) from error
    finally:
        os.close(read)
        os.close(write)
    _register(pid)
    return PipedChild(pid, to_child, from_child)


def _launched(path: str, argv: list[str], state: InheritedState) -> list[str]:
    """Return a command that runs a program with an inherited state. A terminal is the caller's to open."""
    umask = () if state.umask is None else (state.umask,)
    words = (",".join(map(str, numbers)) for numbers in (umask, state.blocked, state.ignored, state.files))
    return [sys.executable, "-I", "-S", "-c", _LAUNCH, *words, path, *argv]


def start(
    argv: Sequence[str], env: Mapping[str, str], cwd: str | None, inherited: InheritedState | None = None
) -> Started:
    """Find the program of a command as the user types it, and start it.

    Raises: ConnectError with what was searched and similar names, or what is wrong with the file that was found.
    """
    path = find_executable(argv[0] if argv else "", env, cwd)
    return Started(path, spawn(path, argv, env, cwd, inherited))


def abandon(started: Started) -> None:
    """Kill a server that is not needed, with everything it started."""
    signal_group(started.child.pid, signal.SIGKILL)
    for pipe in (started.child.stdin, started.child.stdout, started.child.stderr):
        if pipe is not None:
            pipe.close()
    started.child.wait()
    forget_group(started.child.pid)


_reaper: Child | None = None


def start_reaper() -> None:
    """Start a process that ends the registered groups when this process has ended for any reason, also by SIGKILL."""
    global _reaper
    _reaper = subprocess.Popen(  # noqa: TID251 - it outlives this process, in a session of its own
        [sys.executable, "-I", "-S", "-c", _REAP],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )


def _report(sign: str, group: int) -> None:
    """Report to the reaper, if there is one."""
    if _reaper is not None and _reaper.stdin is not None and _owner == os.getpid():
        with suppress(OSError):
            _reaper.stdin.write(f"{sign}{group}\n".encode())


def _register(group: int) -> None:
    global _owner
    if _owner != os.getpid():
        _owner = os.getpid()
        _groups.clear()
        _ended_here.clear()
        atexit.register(end_all_children)
    _groups.add(group)
    _report("+", group)


def forget_group(group: int) -> None:
    """Remove a group that has ended from the register."""
    if group in _groups:
        _groups.discard(group)
        _report("-", group)


def was_ended_here(group: int) -> bool:
    """Return whether `end_all_children` has ended a group, so that its end is not its own failure."""
    return group in _ended_here


def is_group_alive(group: int) -> bool:
    """Return whether a group has a running process that we could signal.

    A dead process that was not reaped yet can be signalled as well. Orphans wait for the system's first process to
    reap them, which in a container may take seconds or never happen. So on Linux the state of each process is
    checked.
    """
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return not _PROC.is_dir() or any(_is_running_member(place, group) for place in _PROC.iterdir())


def _is_running_member(place: Path, group: int) -> bool:
    if not place.name.isdigit():
        return False
    try:
        stat = (place / "stat").read_bytes()
    except OSError:
        return False  # ended meanwhile
    state, _parent, its_group = stat.rpartition(b")")[2].split()[:3]  # a command name may contain any character
    return int(its_group) == group and state not in (b"Z", b"X")


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to every process of a group; do nothing if there is none, or none of ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def watch_exit(child: Child, on_exit: Callable[[float], None]) -> threading.Thread:
    """Wait for a child in a thread; then call `on_exit` on this loop with the loop time of its end.

    A thread works on every system, and whichever thread the loop runs in. It ends with the child.
    """
    import asyncio  # here: a server is started before the event loop is imported

    loop = asyncio.get_running_loop()

    def wait() -> None:
        child.wait()
        with suppress(RuntimeError):  # the loop is closed: no longer needed
            loop.call_soon_threadsafe(on_exit, loop.time())

    thread = threading.Thread(target=wait, name=f"exit of {child.pid}", daemon=True)
    thread.start()
    return thread


def end_all_children(grace: float = 0.5) -> None:
    """End every living group: SIGTERM, up to `grace` seconds, SIGKILL. Blocks; needs no event loop.

    It is for the end of our own process: run by `atexit`, and to be called from handlers of SIGHUP and SIGTERM. It
    takes no lock, so any thread and any signal handler may call it. A second call does nothing.
    """
    if _owner != os.getpid():
        return
    groups = list(_groups)
    _ended_here.update(groups)
    for group in groups:
        signal_group(group, signal.SIGTERM)
    end = time.monotonic() + grace
    while any(map(is_group_alive, groups)) and time.monotonic() < end:
        time.sleep(_LOOK)
    for group in groups:
        signal_group(group, signal.SIGKILL)
        forget_group(group)


# Processes below a child (Linux only)


def processes_of(pid: int, proc: Path = Path("/proc")) -> tuple[Process, ...]:
    """Return a child, first, and all running processes that it has started; () if unknown."""
    parents: Mapping[int, list[int]] | None = None
    found: list[Process] = []
    left = [pid]
    while left and len(found) < _MOST:
        at = left.pop(0)
        process = _process(at, proc)
        if process is None:
            continue
        found.append(process)
        children = _children(at, proc)
        if children is None:
            parents = _by_parent(proc) if parents is None else parents
            children = parents.get(at, [])
        left += children
    return tuple(found)


def _process(pid: int, proc: Path) -> Process | None:
    try:
        stat = (proc / str(pid) / "stat").read_bytes()
        with (proc / str(pid) / "cmdline").open("rb") as file:
            argv = file.read(_LONGEST)
    except OSError:
        return None
    head, _, rest = stat.rpartition(b")")  # a name may contain any character
    fields = rest.split()
    if len(fields) < 13 or fields[0] in (b"Z", b"X"):
        return None
    words = tuple(os.fsdecode(word) for word in argv.rstrip(b"\0").split(b"\0"))
    return Process(pid, os.fsdecode(head.partition(b"(")[2]), words, (int(fields[11]) + int(fields[12])) / _TICKS)


def _children(pid: int, proc: Path) -> list[int] | None:
    """Return the processes that a process has started; None if the kernel does not say."""
    found: list[int] = []
    try:
        for task in (proc / str(pid) / "task").iterdir():
            found += map(int, (task / "children").read_bytes().split())
    except (OSError, ValueError):
        return None
    return found


def _by_parent(proc: Path) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for pid, parent in _parents(proc):
        found.setdefault(parent, []).append(pid)
    return found


def _parents(proc: Path) -> Iterator[tuple[int, int]]:
    try:
        places = [place for place in proc.iterdir() if place.name.isdigit()]
    except OSError:
        return
    for place in places:
        try:
            stat = (place / "stat").read_bytes()
        except OSError:
            continue
        yield int(place.name), int(stat.rpartition(b")")[2].split()[1])
