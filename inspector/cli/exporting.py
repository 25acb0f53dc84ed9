"""Where an export goes: to a new file for its owner alone, or to stdout; a terminal gets nothing that acts on it."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import msgspec

from inspector.capture.export.selection import Selection
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.viewmodels.text import visible


class Format(msgspec.Struct, frozen=True):
    """One of those that can be written."""

    place: str
    """Module and function, which takes a selection and yields pieces."""
    says: str
    """What it holds, half a sentence."""
    loses: str
    """What it can't hold; "" if nothing that matters."""
    empty: str = ""
    """What to say if there is nothing of the kind in the capture."""


FORMATS = {
    "har": Format("inspector.capture.export.har:document", "HAR 1.2", "stderr and what became of the process"),
    "markdown": Format("inspector.viewmodels.exports.markdown:report", "a report to read", "most payloads"),
    "jsonrpc": Format(
        "inspector.capture.export.jsonrpc:lines",
        "a JSON-RPC message a line, as it crossed",
        "times, directions and what is no message",
        "it has no JSON-RPC messages",
    ),
    "curl": Format(
        "inspector.viewmodels.exports.curl:commands",
        "the HTTP requests as curl commands",
        "answers",
        "it has no HTTP requests: --to python makes its calls again, --to jsonrpc has its messages",
    ),
    "html": Format(
        "inspector.capture.export.html:page", "a page for a browser, without a network", "waits and findings"
    ),
    "python": Format("inspector.capture.export.python:script", "a script that makes the calls again", "answers"),
}


def pieces(name: str, selection: Selection) -> Iterator[bytes]:
    """The export, piece by piece.

    Raises: UsageError if there is nothing of that kind.
    """
    known = FORMATS[name]
    module, _, function = known.place.partition(":")
    write: Callable[[Selection], Iterator[bytes]] = getattr(import_module(module), function)
    found = write(selection)
    first = next(found, None)
    if first is None:
        raise UsageError(f"nothing of the capture can be written as {name}", hint=known.empty)
    return _after(first, found)


def _after(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def to_stdout(output: Output, found: Iterable[bytes]) -> None:
    """Write it to stdout: byte by byte into a pipe, readable on a terminal."""
    stdout = output.world.stdout
    if stdout.isatty():
        for piece in found:
            stdout.write(visible(piece.decode("utf-8", "replace"), newlines=True))
    elif (buffer := getattr(stdout, "buffer", None)) is not None:
        for piece in found:
            buffer.write(piece)
    else:
        for piece in found:
            stdout.write(piece.decode("utf-8", "replace"))
    stdout.flush()


def to_file(out: Path, found: Iterable[bytes], *, overwrite: bool = False) -> int:
    """Write it to a file, 0600, that appears when it is whole; how many bytes it has.

    Raises: UsageError if it is there already or can't be written.
    """
    if not overwrite and (out.is_symlink() or out.exists()):
        raise UsageError(f"{out} is there already", hint="Name another file, or say --force.")
    unfinished = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(unfinished, flags, 0o600), "wb") as file:
            size = sum(map(file.write, found))
        os.replace(unfinished, out)
    except OSError as error:
        raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
    finally:
        with suppress(OSError):
            os.unlink(unfinished)
    return size
