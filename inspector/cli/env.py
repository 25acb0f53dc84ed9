"""The environment of one run of the program: the server's argv, environment variables, streams.

It is passed as a parameter, so that tests can replace it: no command accesses `sys.argv`, `os.environ` or
`sys.stdout` directly.
"""

import io
import os
import sys
from collections.abc import Mapping
from typing import TextIO

import msgspec


class CliEnv(msgspec.Struct, frozen=True):
    """The environment of one run of the program."""

    server_argv: tuple[str, ...] | None = None
    """Server's argv: the arguments after the first `--`; None without `--`."""
    environ: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    stdin: TextIO = msgspec.field(default_factory=lambda: sys.stdin)
    stdout: TextIO = msgspec.field(default_factory=lambda: sys.stdout)
    stderr: TextIO = msgspec.field(default_factory=lambda: sys.stderr)

    @property
    def has_terminal(self) -> bool:
        """Whether an interface can be drawn: both streams are terminals that can move the cursor."""
        return self.stdin.isatty() and self.stdout.isatty() and self.environ.get("TERM", "") not in ("", "dumb")


def replace_unencodable(stream: TextIO) -> None:
    """Make a stream write "?" for characters that its encoding lacks, instead of raising an error."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
        stream.reconfigure(errors="replace")
