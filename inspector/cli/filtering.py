"""Prints the entries of a journal that match a filter, colored by rules."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import msgspec

from inspector.capture.journal import Journal
from inspector.cli.output import Output
from inspector.cli.progress import counted, progress_of
from inspector.errors import FilterError, UsageError
from inspector.filters.language.fields import Term
from inspector.filters.language.parser import Named, parse
from inspector.present.spans import Role
from inspector.present.traffic.matching import EntryFilter
from inspector.present.traffic.tail import TailWriter

_ROLES: dict[str, Role] = {
    "red": "error",
    "yellow": "warning",
    "green": "ok",
    "cyan": "accent",
    "bold": "strong",
    "dim": "muted",
}
_RULE = re.compile(r"\s*(\w+)\s+when\s+(.+)", re.DOTALL)
_WIDE = 160
"""Default width of a line if there is no terminal."""
_BATCH = 100
"""Lines that are written at once: each write is passed on immediately."""


class ColorRule(msgspec.Struct, frozen=True):
    """A filter and the color of entries that match it."""

    role: Role
    term: Term


class TailOptions(msgspec.Struct, frozen=True):
    """What part of the traffic is printed, and how."""

    term: Term | None = None
    """Filter; None for all entries."""
    rules: tuple[ColorRule, ...] = ()
    """Color rules; the first match counts."""
    as_jsonl: bool = False
    last: int | None = None
    """Maximum number of existing entries to print; None for all."""
    width: int = _WIDE


def read_tail_options(
    text: str,
    rules: Iterable[str],
    *,
    named: Named,
    as_jsonl: bool = False,
    last: int | None = None,
    width: int = _WIDE,
) -> TailOptions:
    """Parse a filter and color rules. Raises: UsageError that shows the filter with a mark below the problem."""
    return TailOptions(_read(text, named), tuple(_rule(each, named) for each in rules), as_jsonl, last, width)


def _read(text: str, named: Named) -> Term | None:
    try:
        return parse(text, named=named)
    except FilterError as error:
        start = max(0, error.column - 60)
        shown = text[start : start + 120].replace("\n", " ")
        mark = " " * (error.column - start) + "^"
        raise UsageError(f"{error}\n  {shown}\n  {mark}", hint=error.hint) from None


def _rule(text: str, named: Named) -> ColorRule:
    found = _RULE.fullmatch(text)
    if found is None or found.group(1) not in _ROLES:
        raise UsageError(f"invalid --color {text!r}", hint=f"Write COLOR when FILTER. Colors: {', '.join(_ROLES)}.")
    term = _read(found.group(2), named)
    if term is None:
        raise UsageError(f"missing filter in --color {text!r}", hint="Write COLOR when FILTER.")
    return ColorRule(_ROLES[found.group(1)], term)


class Tail:
    """Prints the new entries of a journal on each call."""

    def __init__(self, journal: Journal, output: Output, options: TailOptions) -> None:
        self._journal = journal
        self._output = output
        self._options = options
        self._writer = TailWriter(journal)
        self._entries = EntryFilter(journal)
        self._filter = self._entries.program(options.term) if options.term is not None else None
        self._rules = [(rule.role, self._entries.program(rule.term)) for rule in options.rules]
        self._colours_findings = any(program.follows_findings for _, program in self._rules)
        self._printed = 0

    @property
    def trouble(self) -> str:
        """Problem with a pattern; "" if there is none."""
        return self._filter.trouble if self._filter is not None else ""

    def print_new(self) -> None:
        """Print matching entries since the last call.

        A request is tested with the information available now; it is not printed again when its response arrives.
        """
        first, end = self._printed + 1, self._journal.count
        if end < first:
            return
        if self._colours_findings:
            self._entries.check()
        last = self._options.last if first == 1 else None
        if self._output.env.stdout.isatty():
            self._print(self._matching(first, end, last))
        else:
            with progress_of(self._output, "printing", "entries") as progress:
                self._print(counted(self._matching(first, end, last, progress), progress))
        self._printed = end

    def print_entry(self, n: int) -> None:
        """Print one entry, whether or not it matches."""
        self._print((n,))

    def matching(self) -> Sequence[int]:
        """Return all matching entries so far."""
        return self._matching(1, self._journal.count, None)

    def _matching(
        self, first: int, end: int, last: int | None, progress: Callable[[int, int], None] | None = None
    ) -> Sequence[int]:
        if self._filter is None:
            return range(first if last is None else max(first, end - last + 1), end + 1)
        return self._entries.matching(self._filter, first, end, last, progress)

    def _print(self, entries: Iterable[int]) -> None:
        if self._options.as_jsonl:
            for n in entries:
                self._output.record(self._writer.data(n))
            return
        lines = (self._writer.line(n, self._options.width, self._role(n)) for n in entries)
        while batch := list(islice(lines, _BATCH)):
            self._output.lines(batch)

    def _role(self, n: int) -> Role | None:
        return next((role for role, program in self._rules if program.matches(n)), None)
