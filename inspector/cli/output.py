"""The only writer to stdout and stderr. stdout is data, stderr is narration.

Foreign text is made visible where a terminal would act on it. JSON for a pipe is exact; JSON for a terminal has what
a terminal acts on as escapes, which is the same JSON.
"""

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TextIO

import msgspec

from inspector.cli.exit_status import ExitStatus, code_of, status_of
from inspector.errors import InspectError
from inspector.viewmodels.text import visible

_SGR = {"title": "1", "error": "31", "ok": "32", "warning": "33", "muted": "2", "accent": "36"}
_ACTS_ON_TERMINALS = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\U000e0000-\U000e007f]")


@dataclass(slots=True)
class Output:
    """Where a command writes."""

    as_json: bool = False
    quiet: bool = False
    stdout: TextIO = field(default_factory=lambda: sys.stdout)
    stderr: TextIO = field(default_factory=lambda: sys.stderr)

    def data(self, value: Any) -> None:
        """Write one JSON document. `msgspec.Raw` members are written as they came."""
        raw = msgspec.json.encode(value)
        if self.stdout.isatty():
            text = msgspec.json.format(raw, indent=2).decode()
            self.stdout.write(_ACTS_ON_TERMINALS.sub(_escape, text) + "\n")
        else:
            self.stdout.write(raw.decode("utf-8", "replace") + "\n")
        self.stdout.flush()

    def lines(self, lines: Iterable[Iterable[tuple[str, str]]]) -> None:
        """Write readable text: lines of (text, role). The text has been made visible by its view-model."""
        colour = wants_colour(self.stdout)
        for spans in lines:
            self.stdout.write("".join(_styled(text, role, colour) for text, role in spans).rstrip() + "\n")
        self.stdout.flush()

    def text(self, text: str) -> None:
        """Write readable text; what a terminal acts on is made visible if it is one."""
        self.stdout.write(visible(text, newlines=True) if self.stdout.isatty() else text)
        if not text.endswith("\n"):
            self.stdout.write("\n")
        self.stdout.flush()

    def narrate(self, text: str, role: str = "muted") -> None:
        """Say on stderr what is going on."""
        if not self.quiet:
            self.stderr.write(_styled(visible(text, newlines=True), role, wants_colour(self.stderr)) + "\n")
            self.stderr.flush()

    def failure(self, error: InspectError, more: dict[str, Any] | None = None) -> ExitStatus:
        """Say what went wrong and what to do; with --json as one object on stderr's last line."""
        colour = wants_colour(self.stderr)
        self.stderr.write(_styled("✗ ", "error", colour) + visible(str(error), newlines=True) + "\n")
        if error.hint:
            self.stderr.write(_styled("  → ", "accent", colour) + visible(error.hint, newlines=True) + "\n")
        if self.as_json:
            told = {"code": code_of(error), "message": str(error), "hint": error.hint} | (more or {})
            self.stderr.write(msgspec.json.encode({"error": told}).decode("utf-8", "replace") + "\n")
        self.stderr.flush()
        return status_of(error)


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream gets colours: NO_COLOR forbids, FORCE_COLOR demands, otherwise a terminal that is not dumb."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _styled(text: str, role: str, colour: bool) -> str:
    code = _SGR.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and text else text


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
