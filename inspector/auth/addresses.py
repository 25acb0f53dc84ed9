"""URLs named by a server: which may be requested, and which may be opened in a browser.

A server's documents are untrusted. Only http and https URLs are accepted; plain http only for this machine or for
the very host that the user named. No URL may lead from a public network into a private one, unless the user's own
URL is there: a server must not make mcp-inspect probe a private network.
"""

import ipaddress
import os
import shlex
import sys
import webbrowser
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit, urlunsplit

from inspector.protocol.url_hosts import is_link_local, is_loopback, is_private
from inspector.text import cut

_CONTROL = {chr(code) for code in (*range(0x21), 0x7F)}

TOKEN_ADVICE = "Pass a token with -H 'Authorization: Bearer …'"
"""What works without a login, as a sentence without its full stop."""


def split(url: str) -> SplitResult | None:
    """Split a URL; None if it must not be requested or shown."""
    if not url or url[0] == "-" or _CONTROL & set(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or port == 0:
        return None
    if "%" in parts.hostname or "\\" in parts.netloc:  # the HTTP client may see another host
        return None
    return parts


def refusal(url: str, server_url: str) -> str:
    """Return why a URL from a document of `server_url` must not be used; "" if it may be."""
    parts, own = split(url), urlsplit(server_url)
    if parts is None:
        return f"{cut(url, 200)!r} is not a web URL; only http and https without a user name are allowed"
    host, mine = parts.hostname or "", own.hostname or ""
    if parts.scheme == "http" and not is_loopback(host) and not (own.scheme == "http" and host == mine):
        return f"{cut(url, 200)} is not encrypted"
    if is_private(host) and not is_private(mine):
        return f"{cut(url, 200)} leads into a private network, and the server is outside of it"
    if is_link_local(host) and not is_link_local(mine):
        return f"{cut(url, 200)} is an address of the local link, and the server is not"
    return ""


def origin(url: str) -> str:
    """Return scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def same_origin(one: str, other: str) -> bool:
    """Return whether two URLs have the same scheme, host and port."""
    first, second = (urlsplit(each) for each in (one, other))
    ports = [parts.port or {"https": 443, "http": 80}.get(parts.scheme) for parts in (first, second)]
    return (first.scheme, first.hostname) == (second.scheme, second.hostname) and ports[0] == ports[1]


def canonical(url: str) -> str:
    """Return the URL of a server as a resource (RFC 8707): without fragment, and without a lone slash as path."""
    parts = urlsplit(url)
    path = "" if parts.path == "/" else parts.path
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, parts.query, ""))


def covers(resource: str, url: str) -> bool:
    """Return whether a resource equals a URL, or is a parent of it at a path segment. False for an invalid URL."""
    try:
        one, other = urlsplit(canonical(resource)), urlsplit(canonical(url))
    except ValueError:
        return False
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return False
    parent, path = one.path.rstrip("/"), other.path.rstrip("/")
    return path == parent or path.startswith(f"{parent}/")


def login_advice(url: str, scopes: tuple[str, ...] = ()) -> str:
    """Return the command that logs in at a server and stores the login, as a sentence without its full stop.

    `scopes` are those to request; () for what the server names.
    """
    asked = f" --scope {shlex.quote(' '.join(scopes))}" if scopes else ""
    return f"Log in once, for all commands: mcp-inspect auth login{asked} {shlex.quote(canonical(url))}"


# Opening a browser


def out_of_reach(env: Mapping[str, str] = os.environ) -> str:
    """Return why no browser can be opened on the user's screen; "" if one may be."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return "this terminal is on another machine than the browser"
    if sys.platform == "linux" and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("BROWSER")):
        return "no display"
    return ""


def open_browser(url: str) -> bool:
    """Open a URL; return whether a browser was started. Only http and https URLs are opened."""
    return split(url) is not None and webbrowser.open(url)


def tunnel(*ports: int, env: Mapping[str, str] = os.environ) -> str:
    """Return the command to type on the machine with the browser, so that it reaches the ports here."""
    forwards = " ".join(f"-L {port}:127.0.0.1:{port}" for port in ports)
    return f"ssh -N {forwards} {_destination(env)}"


def _destination(env: Mapping[str, str]) -> str:
    """Return this machine as the SSH client reached it: address and port from the SSH server, user from the system."""
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
