"""Runs the user's $PAGER, $VISUAL and $EDITOR, and the desktop's clipboard program, without a shell.

A pager or an editor gets a payload in a separate file that only its owner can read. The file is removed when the
program ends.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from inspector.atomic_write import private_directory
from inspector.config.paths import Places
from inspector.errors import UsageError

PAGERS = ("PAGER",)
EDITORS = ("VISUAL", "EDITOR")
_CLIPBOARD_S = 2.0


class ProgramRun(msgspec.Struct, frozen=True):
    """Outcome of a run."""

    payload: bytes | None
    """Content of the file after the run; None if the file is gone."""
    problem: str = ""
    """What went wrong, one sentence; "" on success."""


def program(names: Sequence[str], env: Mapping[str, str], own: str = "") -> list[str]:
    """Return the configured command `own`, else the command in the first of these variables that is set.

    Raises: UsageError if there is none, or if its quotes do not match.
    """
    for name, message in (("config.toml", own), *((f"${name}", env.get(name, "").strip()) for name in names)):
        if message:
            try:
                return shlex.split(message)
            except ValueError as error:
                raise UsageError(f"{name} can't be read: {error}", hint=f"See to its quotes: {message}") from error
    wanted = " nor ".join(f"${name}" for name in names)
    unset = f"neither {wanted} is set" if len(names) > 1 else f"{wanted} is not set"
    raise UsageError(unset, hint=f"Set ${names[-1]}, and start mcp-inspect again.")


def run_on(argv: Sequence[str], payload: bytes, places: Places, *, suffix: str = ".json") -> ProgramRun:
    """Run a program on a file with the payload, and wait until it ends. The terminal must be free.

    Raises: UsageError if the directory of the file does not exist.
    """
    path = _written(payload, places, suffix)
    try:
        problem = run_on_file(argv, path)
        return ProgramRun(path.read_bytes() if path.exists() else None, problem)
    except UsageError as error:
        return ProgramRun(None, str(error))
    except OSError as error:
        return ProgramRun(None, f"the result cannot be read: {error.strerror}")
    finally:
        with suppress(OSError):
            path.unlink()


def run_on_file(argv: Sequence[str], path: Path) -> str:
    """Run a program on a file and wait until it ends; return how that failed, one sentence, "" on success.

    Raises: UsageError if it cannot be started.
    """
    try:
        with _interrupts_left_to_it():
            code = subprocess.run([*argv, str(path)], check=False).returncode
    except (OSError, ValueError) as error:
        raise UsageError(f"{argv[0]} can't be run: {getattr(error, 'strerror', None) or error}") from None
    return f"{argv[0]} ended with {code}" if code else ""


def _written(payload: bytes, places: Places, suffix: str) -> Path:
    """Write the bytes to a new file in the first of our directories where that works; `mkstemp` makes it 0600."""
    problem = UsageError("the directory of the file does not exist")
    for directory in (places.runtime, places.cache):
        try:
            descriptor, name = tempfile.mkstemp(suffix, "payload-", private_directory(directory))
            path = Path(name)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(payload)
            except OSError:
                path.unlink()
                raise
            return path
        except UsageError as error:
            problem = error
        except OSError as error:
            problem = UsageError(f"{directory} takes no file: {error.strerror}", hint="Make room there.")
    raise problem


@contextmanager
def _interrupts_left_to_it() -> Iterator[None]:
    """Let Ctrl+C reach the program without ending ours. The program would inherit SIG_IGN, but not a handler."""
    try:
        before = signal.signal(signal.SIGINT, lambda *_: None)
    except ValueError:  # not on the main thread: no interrupts there
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def clipboard_program(env: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the command that puts its stdin into the desktop's clipboard; () if there is none.

    A remote shell's own desktop is not the user's, unless X is forwarded, which sets DISPLAY.
    """
    candidates: list[tuple[str, ...]] = []
    if env.get("WAYLAND_DISPLAY"):
        candidates.append(("wl-copy",))
    if env.get("DISPLAY"):
        candidates += [("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")]
    if sys.platform == "darwin" and not env.get("SSH_CONNECTION"):
        candidates.append(("pbcopy",))
    if env.get("WSL_DISTRO_NAME"):
        candidates.append(("clip.exe",))
    return next((each for each in candidates if shutil.which(each[0], path=env.get("PATH"))), ())


def put_into_clipboard(argv: tuple[str, ...], text: str) -> bool:
    """Run a program of `clipboard_program`; return whether it took the text. Blocks up to two seconds."""
    encoding = "utf-16" if argv[0] == "clip.exe" else "utf-8"
    try:
        done = subprocess.run(
            argv,
            input=text.encode(encoding, "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_CLIPBOARD_S,
            start_new_session=True,  # it stays to serve the clipboard, also after ours has ended
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
