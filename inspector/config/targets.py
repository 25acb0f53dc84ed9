"""Target: a command to start or a URL to connect to; and what a user can open.

A target has a label for titles and file names, and a key under which data about it is stored. The key is the whole
command with its directory, or the URL, and never a name that could later mean something else.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inspector.config.environment import Environment
from inspector.config.eras import process_key, url_key
from inspector.config.paths import short_name
from inspector.errors import UsageError
from inspector.protocol.credentials import is_credential
from inspector.text import lazy_pattern

if TYPE_CHECKING:
    from inspector.config.servers import FoundServer

WEB_SCHEMES = ("http://", "https://")
_UNSENDABLE = lazy_pattern(r"[\0-\x08\x0a-\x1f\x7f]")

HOST_AND_PORT = lazy_pattern(r"[A-Za-z0-9.-]+:\d{1,5}(/|$)")
"""A URL without a scheme."""


class StdioTarget(msgspec.Struct, frozen=True):
    """A server that is started as a process."""

    argv: tuple[str, ...]
    environment: Environment
    cwd: str
    """Working directory; absolute."""

    @property
    def label(self) -> str:
        """Short name: the script or package rather than its interpreter or launcher."""
        return short_name(self.argv)

    @property
    def key(self) -> str:
        """Equal for the same command in the same directory."""
        return process_key(self.argv, Path(self.cwd))


class HttpTarget(msgspec.Struct, frozen=True):
    """A server at a URL."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    cacert: str | None = None
    insecure: bool = False
    """Whether certificates are not verified."""
    legacy_sse: bool = False
    """Whether only the older HTTP+SSE transport is used."""

    @property
    def label(self) -> str:
        """Short name: the host and the distinctive part of the path."""
        return short_name(self.url)

    @property
    def key(self) -> str:
        """Equal for the same URL."""
        return url_key(self.url)


Target = StdioTarget | HttpTarget


class Capture(msgspec.Struct, frozen=True):
    """A capture in the captures directory."""

    path: Path
    age_s: float
    size: int
    """Bytes."""
    entries: int | None = None
    """None if it is not known without reading a large file."""
    errors: int | None = None
    """Number of failed requests; None if unknown."""
    ended: str = ""
    """"recording", "clean", "died", "cut", or "" if unknown."""


class OpenServer(msgspec.Struct, frozen=True):
    """Inspect a configured server."""

    server: "FoundServer"


class OpenCapture(msgspec.Struct, frozen=True):
    path: Path


class OpenDemo(msgspec.Struct, frozen=True):
    """Inspect the server that is part of mcp-inspect."""


class LiveTap(msgspec.Struct, frozen=True):
    """A running tap."""

    name: str
    client: str
    """Program that started it."""
    argv: tuple[str, ...]
    """Command of the server."""
    age_s: float
    capture: Path
    socket: str


class OpenTap(msgspec.Struct, frozen=True):
    """Attach to a running tap."""

    tap: LiveTap


class OpenTyped(msgspec.Struct, frozen=True):
    """A server that the user entered: its command, or its URL."""

    argv: tuple[str, ...] = ()
    url: str = ""
    cwd: str = ""
    """Working directory; "" for the current one."""
    variables: tuple[str, ...] = ()
    """NAME copies a variable of the environment, NAME=VALUE sets it."""
    headers: tuple[tuple[str, str], ...] = ()
    """`${NAME}` in a value refers to a variable of the environment."""
    era: str = "auto"
    name: str = ""
    """"" if it has none."""
    optional: tuple[str, ...] = ()
    """Variables that are copied if they are set."""


StartChoice = OpenServer | OpenCapture | OpenDemo | OpenTap | OpenTyped


def secrets_of(target: Target) -> dict[str, str]:
    """Return variables of a command with credential names, or that were given explicitly and are not paths."""
    if isinstance(target, HttpTarget):
        return {}
    environment, given = target.environment, target.environment.given
    return {
        name: value
        for name, value in environment.values.items()
        if is_credential(name) or (name in given and "/" not in value)
    }


def parse_url(text: str) -> str:
    """Return a URL as the user typed it, if it is valid. Raises: UsageError, with what is missing."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"invalid URL {text!r}: {error}") from None
    if HOST_AND_PORT.match(text):
        raise UsageError(f"did you mean http://{text}?", hint="A URL begins with http:// or https://.")
    if parts.scheme not in ("http", "https"):
        raise UsageError(
            f"{text!r} is not an http or https URL",
            hint="A URL begins with http:// or https://; a command is given after --: mcp-inspect -- node server.js",
        )
    if not parts.hostname:
        raise UsageError(f"{text!r} has no host", hint="Give the full URL, for example http://127.0.0.1:3000/mcp")
    return text


def parse_header(text: str, what: str = "header") -> tuple[str, str]:
    """Parse a header as the user typed it; `what` names its place in an error.

    Raises: UsageError without the value, which may be a token.
    """
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise UsageError(
            f"invalid {what} ({len(text)} characters): missing name or colon", hint="Write it as 'Name: value'."
        )
    name, value = name.strip(), value.strip()
    if (bad := _UNSENDABLE.search(f"{name}{value}")) is not None:
        shown = f"{what} {name!r}" if _UNSENDABLE.search(name) is None else what
        raise UsageError(
            f"invalid {shown}: it contains the character U+{ord(bad[0]):04X}",
            hint="Remove it; was a line break copied?",
        )
    return name, value
