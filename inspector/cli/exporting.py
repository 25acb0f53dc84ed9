"""An export on stdout: byte by byte into a pipe; a terminal gets nothing that acts on it."""

from collections.abc import Iterable

from inspector.cli.output import Output
from inspector.viewmodels.text import visible


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
