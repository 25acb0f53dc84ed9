"""URLs that a server names: which may be requested, which may be opened in a browser.

A server's documents are hostile until proven otherwise. Only http and https are addresses; plain http only to the
machine itself or to the very host that the user named; and no address may lead from the open network into a private
one unless the user's own URL is there (a server must not make mcp-inspect probe a private network).
"""

import ipaddress
import os
import shlex
import sys
import webbrowser
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from inspector.protocol.url_hosts import is_loopback, is_private

_CONTROL = {chr(code) for code in (*range(0x21), 0x7F)}


def split(url: str) -> SplitResult | None:
    """The parts of an address; None if it may not be requested or shown."""
    if not url or url[0] == "-" or _CONTROL & set(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or port == 0:
        return None
    if "%" in parts.hostname or "\\" in parts.netloc:  # the connecting code may read another host
        return None
    return parts


def refusal(url: str, server_url: str) -> str:
    """Why an address that a document of `server_url` names must not be used; "" if it may be."""
    parts, own = split(url), urlsplit(server_url)
    if parts is None:
        return f"{url[:200]!r} is not a web URL; only http and https without a user name are allowed"
    host, mine = parts.hostname or "", own.hostname or ""
    if parts.scheme == "http" and not is_loopback(host) and not (own.scheme == "http" and host == mine):
        return f"{url[:200]} is not encrypted"
    if is_private(host) and not is_private(mine):
        return f"{url[:200]} leads into a private network, and the server is outside of it"
    return ""


def origin(url: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def canonical(url: str) -> str:
    """The address of a server as a resource (RFC 8707): without fragment, and no lone slash for a path."""
    parts = urlsplit(url)
    path = "" if parts.path == "/" else parts.path
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, parts.query, ""))


def covers(resource: str, url: str) -> bool:
    """Whether a resource is the one at an address, or a parent of it at a segment's edge. False for an invalid URL."""
    try:
        one, other = urlsplit(canonical(resource)), urlsplit(canonical(url))
    except ValueError:
        return False
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return False
    parent, path = one.path.rstrip("/"), other.path.rstrip("/")
    return path == parent or path.startswith(f"{parent}/")


def login_advice(url: str, scopes: tuple[str, ...] = ()) -> str:
    """The command that logs in at a server for all later ones, as a sentence without its full stop.

    `scopes` are all that the login is to ask for; () for what the server names.
    """
    asked = f" --scope {shlex.quote(' '.join(scopes))}" if scopes else ""
    return f"Log in once, for all commands: mcp-inspect auth login{asked} {shlex.quote(canonical(url))}"


# Opening a browser


def out_of_reach(env: Mapping[str, str] = os.environ) -> str:
    """Why no browser can be opened from here that the person would see; "" if one may be."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return "this terminal is on another machine than the browser"
    if sys.platform == "linux" and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("BROWSER")):
        return "no display"
    return ""


def open_browser(url: str) -> bool:
    """Open it; whether that was begun. Only web addresses are opened."""
    return split(url) is not None and webbrowser.open(url)


def tunnel(port: int, env: Mapping[str, str] = os.environ) -> str:
    """What to type on the machine with the browser, so that it reaches the port here."""
    return f"ssh -N -L {port}:127.0.0.1:{port} {_destination(env)}"


def _destination(env: Mapping[str, str]) -> str:
    """This machine as the SSH client reached it: address and port from the SSH server, user from the system."""
    user = env.get("USER") or env.get("LOGNAME") or ""
    parts = env.get("SSH_CONNECTION", "").split()
    host, port = (parts[2], parts[3]) if len(parts) == 4 else ("", "22")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        host = "HOST"
    known = user if user.replace("-", "").replace("_", "").replace(".", "").isalnum() and user[0] != "-" else "USER"
    other = f"-p {port} " if port.isdecimal() and port != "22" else ""
    return f"{other}{known}@{host}"
