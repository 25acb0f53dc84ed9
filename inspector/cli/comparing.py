"""Comparing on the command line: what is left out of it, and how two captures are told apart."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import NAMES, Normal, read_rule, read_rules
from inspector.capture.compare.operations import Accounts
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import shared
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.viewmodels.compare import Names, comparison_data, comparison_lines

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = [
    shared(
        "comparing", "--ignore", "ignored", multiple=True, metavar="RULE", help="PATH, PATH => TEXT or /REGEX/ => TEXT."
    ),
    shared(
        "comparing",
        "--rules",
        "rules_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Such rules, YAML or TOML.",
    ),
    shared(
        "comparing",
        "--exact",
        multiple=True,
        metavar="NAME",
        help=f"Compare these as they are: {', '.join(NAMES)}, all.",
    ),
    shared("comparing", "--only", multiple=True, metavar="PATTERN", help="Only these methods or names: tools/*, echo."),
]


class Wish(msgspec.Struct, frozen=True):
    """How to compare."""

    normal: Normal
    only: tuple[str, ...] = ()


def comparing_options(command: F) -> F:
    """Add what every command that compares takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_wish(options: Mapping[str, Any]) -> Wish:
    """What those options come to. Raises: UsageError."""
    rules = [read_rule(text) for text in options["ignored"]]
    exact = set(options["exact"])
    if options["rules_file"] is not None:
        more, also_exact = read_rules(options["rules_file"])
        rules, exact = [*rules, *more], exact | set(also_exact)
    if unknown := sorted(exact - {*NAMES, "all"}):
        raise UsageError(f"--exact {unknown[0]!r}: nothing of that name is replaced", hint=f"There are {NAMES}.")
    return Wish(Normal(rules, off=NAMES if "all" in exact else exact), tuple(options["only"]))


def refuse_rules(options: Mapping[str, Any]) -> None:
    """Raises: UsageError if rules for operations were given where none are compared."""
    names = {"ignored": "--ignore", "rules_file": "--rules", "exact": "--exact", "only": "--only"}
    if given := [shown for name, shown in names.items() if options.get(name)]:
        raise UsageError(f"{', '.join(given)}: only for what was asked and answered, which --sessions compares")


def is_capture(path: Path) -> bool:
    """Whether a file says that it is a capture."""
    try:
        with path.open("rb") as file:
            return path.suffix == ".mcpcap" or b'"mcpcap"' in file.read(400)
    except OSError:
        return False


def compare_captures(output: Output, before: Path, after: Path, wish: Wish) -> ExitStatus:
    """Tell what differs; the exit status is 1 if anything does. Raises: CaptureError."""
    names = names_of(before, after)
    found = compare(read_accounts(before, output), read_accounts(after, output), wish.normal, wish.only)
    return tell(output, found, names)


def tell(output: Output, found: Comparison, names: Names) -> ExitStatus:
    """Print a comparison."""
    if output.as_json:
        output.data(comparison_data(found, names))
    else:
        output.lines(comparison_lines(found, names))
    return ExitStatus.OK if found.is_empty else ExitStatus.FINDINGS


def read_accounts(path: Path, output: Output) -> Accounts:
    """What the operations of a capture came to. Raises: CaptureError, UsageError where there is no file."""
    from inspector.capture.compare import reading
    from inspector.capture.lines import demand_file

    demand_file(path, "mcp-inspect without any words lists recent captures.")
    read = reading.read_accounts(path)
    for notice in read.notices:
        output.warn(f"{path.name}: {notice}")
    return read.accounts


def names_of(before: Path, after: Path) -> Names:
    """What two files are called: by their names, or where those are the same by the paths that were given."""
    same = before.name == after.name
    return Names(str(before) if same else before.name, str(after) if same else after.name)
