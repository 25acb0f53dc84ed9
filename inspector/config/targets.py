"""Which server: a command to start, or a URL to dial. Nothing here starts or dials anything.

A target has a label for titles and file names, and a key under which what was learned about it is remembered:
the whole command with its directory, or the URL, never a name that could later mean something else.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import urlsplit, urlunsplit

from inspector.config.environment import Environment
from inspector.errors import UsageError

_RUNNERS = {"npx", "uvx", "uv", "bunx", "pnpm", "yarn", "node", "deno", "bun", "docker", "podman", "env"}
_PYTHON = re.compile(r"python[0-9.]*$")


@dataclass(frozen=True, slots=True)
class StdioTarget:
    """A server that we start."""

    argv: tuple[str, ...]
    environment: Environment
    cwd: str | None = None

    @property
    def label(self) -> str:
        """A short name: the script, module or package rather than what runs it."""
        words = [PurePath(word).name for word in self.argv]
        if _PYTHON.match(words[0]) and "-m" in self.argv[:-1]:
            return self.argv[self.argv.index("-m") + 1]
        if words[0] in _RUNNERS or _PYTHON.match(words[0]):
            skip = {"run", "exec", "dlx", "x", "tool"}
            rest = [word for word in words[1:] if not word.startswith("-") and word not in skip]
            return rest[0] if rest else words[0]
        return words[0]

    @property
    def key(self) -> str:
        """The same for the same command in the same directory."""
        return _digest(["stdio", list(self.argv), self.cwd])


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """A server that we dial."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    cacert: str | None = None
    insecure: bool = False
    legacy_sse: bool = False
    """Go by the older HTTP+SSE carriage and no other."""

    @property
    def label(self) -> str:
        """Host, port and path, without what may be secret."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname}{port}{parts.path if parts.path != '/' else ''}"

    @property
    def shown_url(self) -> str:
        """The URL without user, password and query values."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        query = "&".join(f"{pair.partition('=')[0]}=…" for pair in parts.query.split("&") if pair)
        return urlunsplit((parts.scheme, f"{parts.hostname or ''}{port}", parts.path, query, ""))

    @property
    def key(self) -> str:
        """The same for the same URL."""
        return _digest(["http", self.url])


Target = StdioTarget | HttpTarget


def parse_url(text: str) -> str:
    """A URL as the person typed it, if it can be dialled.

    Raises: UsageError, saying what is missing.
    """
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"{text!r} is no URL: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise UsageError(
            f"{text!r} is no http or https URL",
            hint=f"A command is given after --, a URL as http://…: mcp-inspect -- {text}",
        )
    if not parts.hostname:
        raise UsageError(f"{text!r} names no host")
    return text


def _digest(what: list[object]) -> str:
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]
