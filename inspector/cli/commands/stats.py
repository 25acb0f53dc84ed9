"""`mcp-inspect stats`: request statistics of captures or of a session with a server."""

from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import click
import msgspec

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.filtering import read_tail_options
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.judging import make_cases, read_cases
from inspector.cli.lists import declared, fetch_each, raise_failure
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.progress import progress_of
from inspector.cli.targets import names_a_server
from inspector.config.paths import places
from inspector.config.remembered import SavedFilters
from inspector.errors import UsageError
from inspector.present.stats import TOPS, Repeated, StatsTable, read_grouping
from inspector.present.stats_counting import JournalStats, Repeats
from inspector.present.stats_report import csv_text, grouping_names, markdown_text, report_lines, stats_data

_EXAMPLES = (
    "mcp-inspect stats session.mcpcap",
    "mcp-inspect stats monday.mcpcap tuesday.mcpcap --by hour --csv",
    "mcp-inspect stats session.mcpcap --by args.path --where 'tool == read_file'",
    "mcp-inspect stats --json session.mcpcap | jq '.groups[] | {key, p95_ms}'",
    """mcp-inspect stats --call 'add={"a": 1, "b": 2}' -- node server.js""",
)
_WIDE = 140
"""Default width in columns if there is no terminal."""
_PIECE = 20_000
"""Number of requests between two progress reports."""


class _Chosen(msgspec.Struct, frozen=True):
    """The entries that a filter selects."""

    hits: bytearray
    changes: int = 1


class _Count:
    """Counts requests in several journals, and prints the statistics."""

    def __init__(self, output: Output, by: str, where: str, style: str) -> None:
        """Parse the options. Raises: UsageError."""
        try:
            self.table = StatsTable(read_grouping(by))
        except ValueError as error:
            names = ", ".join(grouping_names())
            raise UsageError(f"invalid --by: {error}", hint=f"Write one of {names}.") from None
        own = places(output.env.environ)
        read_tail_options(
            where, (), named=SavedFilters(own.config, own.state).named()
        )  # report errors before a long read
        self._where, self._style, self._output = where, style, output
        self._sources: list[str] = []
        self._repeated: list[Repeated] = []

    def add(self, journal: Journal, name: str) -> None:
        """Add the requests of a journal."""
        chosen = None
        if self._where.strip():
            chosen = _Chosen(bytearray(journal.count + 1))
            for n in matching_entries(self._output, journal, self._where):
                chosen.hits[n] = 1
        source = len(self._sources)
        self._sources.append(name)
        stats = JournalStats(journal, self.table, chosen, source)
        total = len(journal.conversation.exchanges)
        with progress_of(self._output, "counting", "requests") as progress:
            while stats.take(_PIECE):
                progress(stats.done, total)
        repeats = Repeats(stats)
        with progress_of(self._output, "comparing arguments", "requests") as progress:
            while repeats.take(_PIECE):
                progress(repeats.done, total)
        found = self._repeated + repeats.top(source=source)
        self._repeated = sorted(found, key=lambda each: -each.count)[:TOPS]

    def write(self) -> None:
        """Print the statistics of all journals."""
        output, table = self._output, self.table
        if self._style == "json":
            output.data(stats_data(table, self._repeated, self._sources))
        elif self._style == "csv":
            output.chunks([csv_text(table).encode("utf-8", "replace")])
        elif self._style == "md":
            output.text(markdown_text(table, self._repeated))
        else:
            wide = get_terminal_size((_WIDE, 24)).columns if output.env.stdout.isatty() else _WIDE
            output.lines(report_lines(table, self._repeated, wide))


@documented(
    "stats",
    _EXAMPLES,
    "`by`, `sources`, `groups` (`key`, `calls`, `ok`, `tool_errors`, `errors`, `cancelled`, `lost`, `p50_ms`, "
    "`p95_ms`, `p99_ms`, `max_ms`, `bytes_in`, `bytes_out` and more), `totals`, `slowest`, `largest`, `failing`, "
    "`repeated`, `never_called`",
)
@click.option("--by", default="tool", metavar="KEY", help="Group by tool, method, server, client, hour or args.NAME.")
@click.option("--where", default="", metavar="FILTER", help="Count only requests that match, or whose response does.")
@click.option("--csv", "as_csv", is_flag=True, help="Write the groups as CSV.")
@click.option("--md", "as_md", is_flag=True, help="Write Markdown.")
@click.option("--call", "calls", multiple=True, metavar="TOOL=JSON", help="Call this tool first; @FILE reads the JSON.")
@click.argument("words", nargs=-1, metavar="FILE... | URL | NAME | -- COMMAND")
@headless_settings
@click.pass_obj
def command(
    env: CliEnv,
    /,
    words: tuple[str, ...],
    by: str,
    where: str,
    as_csv: bool,
    as_md: bool,
    calls: tuple[str, ...],
    **options: Any,
) -> ExitStatus:
    """Count the requests of captures: how many, how they ended, how long they took, how large their results are.

    Several captures are counted together. For a server, connects, fetches its lists, makes each --call and disconnects.
    Percentiles are of requests with a response, within 1 %.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    style = _style(as_json=options["as_json"], as_csv=as_csv, as_md=as_md)
    count = _Count(output, by, where, style)
    cases = read_cases(calls, env.stdin)
    if env.server_argv is None and not words:
        raise UsageError("nothing to count", hint="Name captures, a URL, or a server's command after --.")
    if env.server_argv is None and not (len(words) == 1 and names_a_server(env, words[0])):
        if cases:
            raise UsageError("--call needs a server, and this is a file")
        return _of_files(output, [Path(word) for word in words], count)
    if len(words) > (0 if env.server_argv is not None else 1):
        raise UsageError(f"unexpected argument {words[-1]!r}", hint="Name captures, or one server.")

    async def work(visit: CommandSession) -> ExitStatus:
        lists = (await fetch_each(visit, declared(visit.opening))).values()
        status = await make_cases(visit, cases)
        raise_failure(visit.output, lists)
        return ExitStatus.TOOL_ERROR if any(each.missing for each in lists) else status

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        if journal.conversation.opening is not None:
            count.add(journal, words[0] if words else "session")
            count.write()

    return visit(env, words[0] if words else None, options, work, at_last)


def _style(**flags: bool) -> str:
    chosen = [name.removeprefix("as_") for name, is_set in flags.items() if is_set]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} exclude each other", hint="Choose one format.")
    return chosen[0] if chosen else ""


def _of_files(output: Output, paths: Sequence[Path], count: _Count) -> ExitStatus:
    for path in paths:
        demand_file(path, "Name captures, a URL, or a server's command after --.")
    names: Callable[[Path], str] = str if len({path.name for path in paths}) < len(paths) else lambda path: path.name
    for path in paths:
        with loaded_capture(output, path) as journal:
            count.add(journal, names(path))
    count.write()
    return ExitStatus.OK
