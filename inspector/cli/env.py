"""What surrounds one run of the program: the server's argv, environment variables, streams.

It is passed in, so that a test can pass another: no command reads `sys.argv`, `os.environ` or `sys.stdout` by itself.
"""

import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

import msgspec


class CliEnv(msgspec.Struct, frozen=True):
    """What surrounds one run of the program."""

    server_argv: tuple[str, ...] | None = None
    """The server's argv: the words after the first `--`. None without `--`."""
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    stdin: TextIO = msgspec.field(default_factory=lambda: sys.stdin)
    stdout: TextIO = msgspec.field(default_factory=lambda: sys.stdout)
    stderr: TextIO = msgspec.field(default_factory=lambda: sys.stderr)

    @property
    def has_terminal(self) -> bool:
        """Whether an interface can be drawn: both streams are a terminal, and not one that can't move its cursor."""
        return self.stdin.isatty() and self.stdout.isatty() and self.environ.get("TERM", "") not in ("", "dumb")


def replace_unencodable(stream: TextIO) -> None:
    """Have a stream write "?" for characters that its encoding lacks, in the place of raising an error."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
        stream.reconfigure(errors="replace")
