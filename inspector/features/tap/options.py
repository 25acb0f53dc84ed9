"""The command line of `mcp-tap`. Nothing is imported: the tap reads it before it starts the server."""

SMALLEST_PART = 50_000
"""Minimum size in bytes of one of the two parts of a capture with `--keep`."""


class UnusableOptions(Exception):
    """The tap's command line is invalid."""


class Options:
    """Command line options of the tap."""

    def __init__(self, argv: list[str]) -> None:
        """Parse the arguments. Raises: UnusableOptions."""
        self.label = ""
        self.capture = ""
        """Path of the capture; "" for a new file in the directory of captures."""
        self.rules = ""
        self.host_timeout = 0.0
        """Seconds that the client waits for a response; 0 if not given."""
        self.stderr = "record"
        self.keep = 0
        """Bytes of the newest traffic that the capture keeps; 0 for all."""
        self.keep_on = ""
        """Filter: the capture is removed at the end unless a message matches; "" to keep it."""
        self.fail_on = ""
        """Filter: if a message matches, the tap exits with 1 although the server exited with 0."""
        self.inherited: tuple[bytes, tuple[int, ...], bool] = (b"", (), False)
        """What the server inherits from the client; see `own_status`."""
        if "--" not in argv:
            raise UnusableOptions("the server's command is missing; give it after --: mcp-tap -- node server.js")
        at = argv.index("--")
        self.command = argv[at + 1 :]
        if not self.command:
            raise UnusableOptions("the server's command after -- is empty")
        words = iter(argv[:at])
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                value = next(words, "")
            self._set(name, value)

    def _set(self, name: str, value: str) -> None:
        if name == "--label":
            self.label = value
        elif name == "--capture":
            self.capture = value
        elif name == "--rules":
            self.rules = value
        elif name == "--host-timeout":
            self.host_timeout = _number(name, value.removesuffix("s"))
        elif name == "--stderr" and value in ("record", "inherit"):
            self.stderr = value
        elif name == "--keep":
            self.keep = read_size(value)
        elif name in ("--keep-on", "--fail-on") and value:
            setattr(self, name[2:].replace("-", "_"), value)
        else:
            raise UnusableOptions(f"{name} {value}: no such option")


def _number(name: str, text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e6:
        raise UnusableOptions(f"{name} needs a number of seconds above 0, not {text!r}")
    return found


def read_size(text: str) -> int:
    """Return the number of bytes that `--keep` states. Raises: UnusableOptions."""
    units = {"k": 1000, "M": 1000**2, "G": 1000**3}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    size = int(number) * unit if number.isdecimal() else 0
    if size < SMALLEST_PART * 2:
        raise UnusableOptions(f"--keep needs a size of at least 100k, such as 20M, not {text!r}")
    return size
