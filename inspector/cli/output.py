"""The only writer to stdout and stderr: data on stdout, messages on stderr.

Control characters in foreign text are made visible on a terminal. JSON is written exactly into a pipe; on a
terminal, control characters are escaped, which yields equivalent JSON.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import msgspec

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus, code_of, status_of
from inspector.documents import UNENCODABLE
from inspector.errors import InspectError
from inspector.present.spans import Line, Role
from inspector.text import is_seen, visible

_SGR: dict[Role, str] = {
    "title": "1",
    "strong": "1",
    "method": "1",
    "target": "36",
    "accent": "36",
    "key": "36",
    "claimed": "3",
    "muted": "2",
    "faint": "2",
    "ok": "32",
    "warning": "33",
    "error": "31",
}


class _Spellings(dict[int, str]):
    """Translation table for JSON on a terminal: control and invisible characters are escaped."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        spelt = char if char == "\n" or is_seen(char) else _escape(code)
        if len(self) < 8192:
            self[code] = spelt
        return spelt


_SPELLINGS = _Spellings()


class Output(msgspec.Struct):
    env: CliEnv = msgspec.field(default_factory=CliEnv)
    as_json: bool = False
    quiet: bool = False
    _drawn: bool = False
    """Whether the last line on stderr is overwritten by the next drawing."""

    def data(self, value: Any) -> None:
        """Write one JSON document. `msgspec.Raw` members are written unchanged."""
        raw = _encode(value)
        if not self.env.stdout.isatty():
            self._write_utf8(raw + b"\n")
            return
        self._write_utf8(_for_terminals(_indented(raw).decode("utf-8", "replace")).encode() + b"\n")

    def record(self, value: Any) -> None:
        """Write one JSON document on a single line, on a terminal too."""
        raw = _encode(value)
        if self.env.stdout.isatty():
            raw = _for_terminals(raw.decode("utf-8", "replace")).encode()
        self._write_utf8(raw + b"\n")

    def lines(self, lines: Iterable[Line]) -> None:
        """Write text lines of (text, role), which their view-model has made safe."""
        self._write_lines(self.env.stdout, lines)

    def text(self, text: str) -> None:
        """Write text and make control characters visible."""
        self.lines([((line, "text"),) for line in visible(text, newlines=True).rstrip("\n").split("\n")])

    def chunks(self, pieces: Iterable[bytes]) -> None:
        """Write a document piece by piece: exact bytes into a pipe, escaped text on a terminal."""
        stdout = self.env.stdout
        for piece in pieces:
            if stdout.isatty():
                stdout.write(visible(piece.decode("utf-8", "replace"), newlines=True))
            else:
                self._write_utf8(piece, flush=False)
        stdout.flush()

    def narrate_lines(self, lines: Iterable[Line]) -> None:
        """Write lines of (text, role), which their view-model has made safe, to stderr."""
        self._write_lines(self.env.stderr, lines)

    def narrate(self, text: str) -> None:
        """Write a progress message to stderr, unless quiet."""
        if not self.quiet:
            self._write_message(text, "muted")

    @property
    def draws_over(self) -> bool:
        """Whether a line on stderr can be overwritten: it is a terminal that can move the cursor."""
        return self.env.stderr.isatty() and self.env.environ.get("TERM") != "dumb"

    def draw_over(self, text: str) -> None:
        """Draw a line on stderr over the one drawn before. It must be a single line narrower than the terminal."""
        if not self.quiet:
            self.env.stderr.write(f"\r{visible(text)}\x1b[K")
            self.env.stderr.flush()
            self._drawn = True

    def leave_drawn(self) -> None:
        """End the drawn line, so that later output starts below it."""
        if self._drawn:
            self.env.stderr.write("\n")
            self._drawn = False

    def warn(self, text: str) -> None:
        """Write a warning to stderr, even if quiet."""
        self._write_message(f"! {text}", "warning")

    def failure(self, error: InspectError, more: Mapping[str, Any] | None = None) -> ExitStatus:
        """Report an error with its hint; return its exit status."""
        return self.report(code_of(error), str(error), error.hint, status_of(error), more)

    def report(
        self, code: str, message: str, hint: str, status: ExitStatus, more: Mapping[str, Any] | None = None
    ) -> ExitStatus:
        """Report an error with its hint, with --json also as an object on the last line of stderr."""
        message, hint = _without_credentials(message), _without_credentials(hint)
        one = ". " not in message and not message.endswith("..")
        messages = visible(message.removesuffix(".") if one else message, newlines=True).split("\n")
        lines: list[Line] = [(("✗ ", "error"), (messages[0], "text")), *[((line, "text"),) for line in messages[1:]]]
        if hint:
            lines.append((("  → ", "accent"), (visible(hint, newlines=True), "text")))
        self._write_lines(self.env.stderr, lines)
        if self.as_json:
            members = {"code": code, "message": message, "hint": hint, "diagnosis": []} | dict(more or {})
            line = _encode({"error": members}).decode("utf-8", "replace")
            self.env.stderr.write(_for_terminals(line) + "\n")
            self.env.stderr.flush()
        return status

    def _write_message(self, text: str, role: Role) -> None:
        message = visible(_without_credentials(text), newlines=True)
        self._write_lines(self.env.stderr, [((line, role),) for line in message.split("\n")])

    def _write_lines(self, stream: TextIO, lines: Iterable[Line]) -> None:
        colour = wants_colour(stream, self.env.environ)
        if self._drawn:
            self.env.stderr.write("\r\x1b[K")
            self._drawn = False
        for spans in lines:
            texts = [_styled(text, role) for text, role in spans] if colour else [text for text, _ in spans]
            stream.write("".join(texts).rstrip() + "\n")
        stream.flush()

    def _write_utf8(self, data: bytes, *, flush: bool = True) -> None:
        """Write UTF-8, as JSON requires, whatever the terminal's locale."""
        stdout = self.env.stdout
        if (buffer := getattr(stdout, "buffer", None)) is None:
            stdout.write(data.decode("utf-8", "replace"))
        else:
            buffer.write(data)
        if flush:
            stdout.flush()


def _without_credentials(text: str) -> str:
    """Return a message for stderr without credentials in the target as typed."""
    if "@" not in text and "=" not in text:
        return text
    from inspector.protocol.credentials import without_credentials  # slow to import, and most commands print little

    return without_credentials(text)


def wants_colour(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Return whether a stream gets colors.

    NO_COLOR disables them, FORCE_COLOR enables them; otherwise a terminal that is not dumb gets them.
    """
    if env.get("NO_COLOR"):
        return False
    if env.get("FORCE_COLOR") or env.get("CLICOLOR_FORCE"):
        return True
    return stream.isatty() and env.get("TERM") != "dumb"


def _encode(value: Any) -> bytes:
    """Encode JSON, including values that only a tolerant parser accepts: lone surrogates, large numbers."""
    try:
        return msgspec.json.encode(value)
    except UNENCODABLE:
        import json  # never needed for valid JSON from servers

        return json.dumps(value, separators=(",", ":"), default=_of_raw).encode()


def _indented(document: bytes) -> bytes:
    try:
        return msgspec.json.format(document, indent=2)
    except msgspec.DecodeError:  # stricter than JSON: it rejects escaped lone surrogates
        return document


def _of_raw(value: msgspec.Raw) -> Any:
    import json

    return json.loads(bytes(value).decode("utf-8", "replace"))


def _styled(text: str, role: Role) -> str:
    code = _SGR.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def _for_terminals(document: str) -> str:
    """Return equivalent JSON without control characters."""
    return document if document.isascii() and "\x7f" not in document else document.translate(_SPELLINGS)


def _escape(code: int) -> str:
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
