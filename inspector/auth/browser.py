"""The person's browser: whether there is one within reach, and opening it on an address that was checked.

It is a library's call with one address and never a shell. What is opened, and that it is, decides a person.
"""

import ipaddress
import os
import sys
import webbrowser
from collections.abc import Mapping

from inspector.auth.addresses import split


def out_of_reach(env: Mapping[str, str] = os.environ) -> str:
    """Why no browser can be opened from here that the person would see; "" if one may be."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return "this terminal is on another machine than the browser"
    if sys.platform == "linux" and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY") or env.get("BROWSER")):
        return "there is no display here"
    return ""


def open_browser(url: str) -> bool:
    """Open it; whether that was begun. What is no address of the web is not opened."""
    return split(url) is not None and webbrowser.open(url)


def tunnel(port: int, env: Mapping[str, str] = os.environ) -> str:
    """What to type on the machine with the browser, so that it reaches the port here."""
    return f"ssh -N -L {port}:127.0.0.1:{port} {_destination(env)}"


def _destination(env: Mapping[str, str]) -> str:
    """This machine as it was reached: the address and port are told by the SSH server, the user by the system."""
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
