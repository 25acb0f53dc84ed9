"""`mcp-inspect tail`: print the traffic of a capture or a server line by line, filtered."""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Any

import click

from inspector.capture.format.notes import NotesFile
from inspector.capture.journal import Journal
from inspector.capture.open import Following
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.filtering import Tail, TailOptions, read_tail_options
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.progress import progress_of
from inspector.cli.targets import names_a_server
from inspector.config.paths import places
from inspector.config.remembered import SavedFilters
from inspector.errors import UsageError
from inspector.session.options import SessionState

_EXAMPLES = (
    "mcp-inspect tail session.mcpcap 'tool == search and dur > 500ms'",
    "mcp-inspect tail session.mcpcap is:error --jsonl --last 20",
    "mcp-inspect tail --follow session.mcpcap --color 'red when is:error'",
    "mcp-inspect tail 'not kind == notification' -- node server.js",
)
_PACE_S = 0.05
"""Seconds between two polls."""


@documented(
    "tail",
    _EXAMPLES,
    "one object per line: `n`, `time`, `kind`, `dir`, `method`, `target`, `status`, `cause`, `size`, `message`",
)
@click.option("-f", "--follow", is_flag=True, help="Follow a capture that is being recorded.")
@click.option("--jsonl", "as_jsonl", is_flag=True, help="Write one JSON object per line.")
@click.option("-n", "--last", type=click.IntRange(0), metavar="N", help="Start with the last N entries.")
@click.option(
    "--color", "rules", multiple=True, metavar="RULE", help="Color lines: 'COLOR when FILTER' (first match wins)."
)
@click.argument("words", nargs=-1, metavar="[FILE | URL] [FILTER] [-- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, words: tuple[str, ...], follow: bool, **options: Any) -> ExitStatus:
    """Print the traffic of a capture, or of a server until Ctrl+C, in wire order.

    See docs/filters.md for the filter language.
    """
    source, text = _taken_apart(words, served=env.server_argv is not None)
    own = places(env.environ)
    tail_options = read_tail_options(
        text,
        options.pop("rules"),
        named=SavedFilters(own.config, own.state).named(),
        as_jsonl=options.pop("as_jsonl") or options["as_json"],
        last=options.pop("last"),
        width=shutil.get_terminal_size().columns if env.stdout.isatty() else 160,
    )
    if env.server_argv is None and not names_a_server(env, source):
        return _tail_file(Output(env, quiet=options["quiet"]), Path(source), tail_options, follow=follow)

    output = Output(env, quiet=options["quiet"])
    tails: list[Tail] = []

    def tail(journal: Journal) -> Tail:
        if not tails:
            tails.append(Tail(journal, output, tail_options))
        return tails[0]

    async def work(visit: CommandSession) -> ExitStatus:
        while visit.session.state is not SessionState.CLOSED:
            tail(visit.session.journal).print_new()
            await asyncio.sleep(_PACE_S)
        visit.output.narrate(visit.session.why or "the connection is closed")
        return ExitStatus.OK

    return visit(env, source or None, options, work, at_last=lambda journal, _: _conclude(output, tail(journal), ()))


def _taken_apart(words: tuple[str, ...], *, served: bool) -> tuple[str, str]:
    """Return the source and the filter; each may be ""."""
    if served:
        words = ("", *words)
    if not words:
        raise UsageError("nothing to tail", hint="Name a capture, a URL, or a server's command after --.")
    if len(words) > 2:
        raise UsageError(f"unexpected argument {words[2]!r}", hint="Quote the filter.")
    return words[0], words[1] if len(words) > 1 else ""


def _tail_file(output: Output, path: Path, tail_options: TailOptions, *, follow: bool) -> ExitStatus:
    loading = Following(path)
    loading.journal.marks.update(NotesFile(path, loading.journal.head.id).read().marks)
    tail = Tail(loading.journal, output, tail_options)
    try:
        if follow:
            while loading.follow():
                tail.print_new()
                time.sleep(_PACE_S)
            output.narrate(loading.why)
        else:
            with progress_of(output, "reading") as progress:
                while loading.step():
                    progress(loading.done, loading.total)
        _conclude(output, tail, loading.journal.notices)
    finally:
        loading.journal.close()
    return ExitStatus.OK


def _conclude(output: Output, tail: Tail, notices: tuple[str, ...]) -> None:
    """Print the remaining entries and warnings."""
    tail.print_new()
    for notice in (*notices, tail.trouble):
        if notice:
            output.warn(notice)
