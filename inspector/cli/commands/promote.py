"""`mcp-inspect promote`: make test cases of the requests of a capture, with results as snapshots."""

from pathlib import Path

import click

from inspector.capture.compare.operations import accounts
from inspector.capture.format.lines import demand_file
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect promote session.mcpcap",
    "mcp-inspect promote --where 'tool == search' -o search.cases.yaml session.mcpcap",
)


@click.command("promote", cls=Documented, examples=_EXAMPLES)
@click.option("--where", default="", metavar="FILTER", help="Only requests that match, of any method.")
@click.option("-o", "--output", "out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where.")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_obj
def command(env: CliEnv, /, file: Path, where: str, out: Path | None) -> ExitStatus:
    """Make a case of each call of a capture: the request as it was sent, and what came as a snapshot.

    They are added to NAME.cases.yaml beside the capture, where nothing that is there is changed. Made-up ids and times
    are left out of what is compared.
    """
    from inspector.features.cases.file import add_cases, beside
    from inspector.features.cases.making import promoted

    output = Output(env)
    demand_file(file, "mcp-inspect without any words lists recent captures.")
    with loaded_capture(output, file) as journal:
        chosen = frozenset(matching_entries(output, journal, where)) if where else None
        found = accounts(journal).operations
    cases = promoted(found, chosen)
    if not cases:
        raise UsageError("no request of the capture can become a case", hint=_hint(where))
    path = out or beside(file)
    count = add_cases(path, cases)
    cases_now = "1 case; run it" if count == 1 else f"{count:,} cases; run them"
    output.narrate(f"{path}: {cases_now} with mcp-inspect test {path} TARGET")
    return ExitStatus.OK


def _hint(where: str) -> str:
    if where:
        return "Only those that --where lets through and that got an answer can: mcp-inspect tail FILE lists them."
    return "Calls, reads, prompts and completions can that got an answer, and what --where chooses."
