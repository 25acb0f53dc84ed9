"""`mcp-inspect trace`: the trace of one operation of a capture, as Markdown with a sequence diagram."""

from pathlib import Path

import click
import msgspec

from inspector.capture.format.file import demand_place
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.features.export.selection import to_file
from inspector.present.trace import Trace, markdown_of, story_of

_EXAMPLES = (
    "mcp-inspect trace session.mcpcap 28",
    "mcp-inspect trace session.mcpcap 28 -o slow-search.md",
    "mcp-inspect trace session.mcpcap 28 --json",
)


@click.command("trace", cls=Documented, examples=_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("n", type=click.IntRange(1))
@click.option("-o", "--output", "out", type=click.Path(path_type=Path), metavar="OUT", help="Write it to a new file.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout instead.")
@click.pass_obj
def command(env: CliEnv, /, file: Path, n: int, out: Path | None, force: bool, as_json: bool) -> ExitStatus:
    """Tell the story of the operation that entry N of a capture belongs to.

    Its requests and answers, progress, what the server asked meanwhile, HTTP, logs and stderr of that window.
    """
    output = Output(env)
    if out is not None:
        demand_place(out, file, overwrite=force)
    with loaded_capture(output, file) as journal:
        story = _told(journal, n)
        if as_json:
            output.data(msgspec.to_builtins(story))
            return ExitStatus.OK

        page = markdown_of(story, journal)
    if out is None:
        output.text(page)
    else:
        to_file(out, [page.encode()], overwrite=force)
        output.narrate(f"written to {out}")
    return ExitStatus.OK


def _told(journal: Journal, n: int) -> Trace:
    if n > journal.count:
        raise UsageError(f"there is no entry {n}: the capture has {journal.count:,}", hint="tail FILE shows them.")
    story = story_of(journal, n)
    if story is None:
        raise UsageError(
            f"entry {n} belongs to no request, so there is no story to it",
            hint="Name a request, an answer or a word of progress; tail FILE 'kind == request' shows the requests.",
        )
    return story
