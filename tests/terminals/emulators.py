"""The terminals that are run: how each is started, and where its version is read."""

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Command = Callable[[Path, Sequence[str]], list[str]]
"""Returns the command that runs a program, by its words, in a terminal; settings are written into the folder."""


class Emulator(NamedTuple):
    """A terminal, or what is between it and the program, in xterm."""

    name: str
    program: str
    package: str
    """Its Debian package, whose version is shown."""
    command: Command
    ended_by: tuple[str, ...] = ()
    """Ends what outlives its window."""
    kill_needs: str = ""
    """A key that makes it usable after the program was killed, pressed before “reset” is typed."""


def _words(*argv: str) -> Command:
    return lambda _home, words: [*argv, *words]


def _line(*argv: str) -> Command:
    return lambda _home, words: [*argv, shlex.join(words)]


def _foot(home: Path, words: Sequence[str]) -> list[str]:
    """Run it in sway in a window of X11. sway refuses root; in a namespace without root, files are still its own."""
    (home / "sway").write_text(f"output X11-1 mode 1000x640\ndefault_border none\nexec foot {shlex.join(words)}\n")
    user = ("unshare", "--user") if os.geteuid() == 0 else ()
    return ["env", "WLR_BACKENDS=x11", "WLR_RENDERER=pixman", *user, "sway", "-c", str(home / "sway")]


def _ssh(home: Path, words: Sequence[str]) -> list[str]:
    """Connect to an sshd that it starts itself, with a key in the folder."""
    key, settings = home / "key", home / "sshd"
    if not key.exists():
        os.spawnlp(os.P_WAIT, "ssh-keygen", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    Path("/run/sshd").mkdir(exist_ok=True)
    options = {"HostKey": key, "AuthorizedKeysFile": f"{key}.pub", "StrictModes": "no", "UsePAM": "no"}
    options |= {"PidFile": "none", "SetEnv": f"LANG=C.UTF-8 PYTHONPATH={os.environ.get('PYTHONPATH', '')}"}
    settings.write_text("".join(f"{name} {value}\n" for name, value in options.items()))
    server = shlex.join(["/usr/sbin/sshd", "-i", "-f", str(settings)])
    quiet = ("-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR")
    argv = ["ssh", "-tt", "-F", "none", "-i", str(key), *quiet, "-o", f"ProxyCommand={server}", "localhost"]
    return [*_XTERM, *argv, f"cd {shlex.quote(os.getcwd())} && {shlex.join(words)}"]


_XTERM = ("xterm", "-fa", "DejaVu Sans Mono", "-fs", "10", "-geometry", "100x30", "-e")
_DBUS = "dbus-run-session"
_NAME = "mcp-inspect-terminals"
EMULATORS = (
    Emulator("xterm", "xterm", "xterm", _words(*_XTERM)),
    Emulator("xterm vt340", "xterm", "xterm", _words(*_XTERM[:-1], "-ti", "vt340", "-e")),
    Emulator("urxvt", "urxvt", "rxvt-unicode", _words("urxvt", "-geometry", "100x30", "-e")),
    Emulator(
        "kitty", "kitty", "kitty", _words("kitty", "-o", "remember_window_size=no"), kill_needs="ctrl+shift+Delete"
    ),
    Emulator("foot", "foot", "foot", _foot),
    Emulator("alacritty", "alacritty", "alacritty", _words("alacritty", "-e")),
    Emulator("st", "st", "stterm", _words("st", "-g", "100x30", "-e")),
    Emulator("mlterm", "mlterm", "mlterm", _words("mlterm", "-g", "100x30", "-e")),
    Emulator("xfce4-terminal", "xfce4-terminal", "xfce4-terminal", _words(_DBUS, "xfce4-terminal", "-x")),
    Emulator("gnome-terminal", "gnome-terminal", "gnome-terminal", _words(_DBUS, "gnome-terminal", "--wait", "--")),
    Emulator("gnome-console", "kgx", "gnome-console", _line(_DBUS, "kgx", "-e")),
    Emulator("tilix", "tilix", "tilix", _line(_DBUS, "tilix", "-e")),
    Emulator("terminator", "terminator", "terminator", _words(_DBUS, "terminator", "-u", "-x")),
    Emulator("lxterminal", "lxterminal", "lxterminal", _line(_DBUS, "lxterminal", "--no-remote", "-e")),
    Emulator(
        "mate-terminal", "mate-terminal", "mate-terminal", _words(_DBUS, "mate-terminal", "--disable-factory", "-x")
    ),
    Emulator("konsole", "konsole", "konsole", _words(_DBUS, "konsole", "--separate", "-e")),
    Emulator("qterminal", "qterminal", "qterminal", _line("qterminal", "-e")),
    Emulator(
        "screen",
        "screen",
        "screen",
        _words(*_XTERM, "screen", "-S", _NAME, "-c", "/dev/null"),
        ("screen", "-S", _NAME, "-X", "quit"),
    ),
    Emulator(
        "tmux",
        "tmux",
        "tmux",
        _words(*_XTERM, "tmux", "-L", _NAME, "-f", "/dev/null", "new"),
        ("tmux", "-L", _NAME, "kill-server"),
    ),
    Emulator(
        "byobu",
        "byobu-tmux",
        "byobu",
        _words(*_XTERM, "byobu-tmux", "-L", _NAME, "new"),
        ("tmux", "-L", _NAME, "kill-server"),
    ),
    Emulator("dvtm", "dvtm", "dvtm", _line(*_XTERM, "dvtm")),
    Emulator("ssh", "ssh", "openssh-client", _ssh),
    Emulator("script", "script", "bsdutils", _line(*_XTERM, "script", "-q", "/dev/null", "-c")),
    Emulator(
        "asciinema", "asciinema", "asciinema", _line(*_XTERM, "asciinema", "rec", "-q", "--overwrite", "cast", "-c")
    ),
)
