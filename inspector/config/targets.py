"""Target: a command to start or a URL to connect to.

A target has a label for titles and file names, and a key under which what was learned about it is remembered:
the whole command with its directory, or the URL, never a name that could later mean something else.
"""

from pathlib import Path

import msgspec

from inspector.config.environment import Environment
from inspector.config.eras import process_key, url_key
from inspector.config.paths import short_name
from inspector.errors import UsageError


class StdioTarget(msgspec.Struct, frozen=True):
    """A server that we start."""

    argv: tuple[str, ...]
    environment: Environment
    cwd: str
    """Where it is started; absolute."""

    @property
    def label(self) -> str:
        """A short name: the script or package rather than what runs it."""
        return short_name(self.argv)

    @property
    def key(self) -> str:
        """The same for the same command in the same directory."""
        return process_key(self.argv, Path(self.cwd))


class HttpTarget(msgspec.Struct, frozen=True):
    """A server that we dial."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    cacert: str | None = None
    insecure: bool = False
    """Certificates are not checked."""
    legacy_sse: bool = False
    """Go by the older HTTP+SSE carriage and no other."""

    @property
    def label(self) -> str:
        """A short name: the host and what tells the path apart."""
        return short_name(self.url)

    @property
    def key(self) -> str:
        """The same for the same URL."""
        return url_key(self.url)

    @property
    def shown_url(self) -> str:
        """The URL without user, password and query values: they may be secret."""
        from urllib.parse import urlsplit, urlunsplit

        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        query = "&".join(f"{pair.partition('=')[0]}=…" for pair in parts.query.split("&") if pair)
        return urlunsplit((parts.scheme, f"{parts.hostname or ''}{port}", parts.path, query, ""))


Target = StdioTarget | HttpTarget


def parse_url(text: str) -> str:
    """A URL as the person typed it, if it can be dialled.

    Raises: UsageError, saying what is missing.
    """
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{text!r} is no URL: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise UsageError(
            f"{text!r} is not an http or https URL",
            hint="A URL begins with http:// or https://; a command is given after --: mcp-inspect -- node server.js",
        )
    if not parts.hostname:
        raise UsageError(f"{text!r} has no host", hint="Give the full URL, for example http://127.0.0.1:3000/mcp")
    return text
