"""`mcp-inspect attach`: look at a running tap, from its first message on."""

import time
from pathlib import Path

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.output import Output
from inspector.errors import UsageError

_PACE_S = 0.05
_EXAMPLES = (
    "mcp-inspect attach",
    "mcp-inspect attach github",
    "mcp-inspect attach github --until 'tool == create_issue and failed' --json",
)


@click.command("attach", cls=Documented, examples=_EXAMPLES)
@click.argument("wanted", required=False, metavar="[ID | LABEL]")
@click.option(
    "--until", "until", metavar="FILTER", help="Print matching messages without a screen; end with the first."
)
@click.option("--json", "as_json", is_flag=True, help="With --until, write the message as a JSON object.")
@click.pass_obj
def command(env: CliEnv, /, wanted: str | None, until: str | None, as_json: bool) -> ExitStatus:
    """Show the traffic of a running tap on all screens, and decide what is held.

    Without ID or LABEL it opens the newest tap. Nothing is sent to the server or to the client unless you act.
    """
    from inspector.features.tap.client import find

    tap = find(wanted or "")
    if not tap["capture"]:
        raise UsageError(f"this tap records nothing: {tap['trouble']}", hint="See mcp-inspect tap list.")
    if until is None:
        if as_json:
            raise UsageError("--json goes with --until", hint="See mcp-inspect attach --help.")
        from inspector.cli import interface

        return interface.attach(env, Path(tap["capture"]), tap["socket"])
    return _follow(Output(env, as_json=as_json), Path(tap["capture"]), until)


def _follow(output: Output, path: Path, text: str) -> ExitStatus:
    """Follow the capture until an entry matches; status 1 if the tap ends before."""
    from inspector.capture.open import Following
    from inspector.cli.filtering import Tail, read_tail_options
    from inspector.config.paths import places
    from inspector.config.remembered import SavedFilters

    own = places(output.env.environ)
    options = read_tail_options(
        text, (), named=SavedFilters(own.config, own.state).named(), as_jsonl=output.as_json, last=None
    )
    while True:
        following = Following(path)
        tail = Tail(following.journal, output, options)
        try:
            grows = True
            while grows:
                grows = following.follow()
                found = tail.matching()
                if found:
                    tail.print_entry(found[0])
                    return ExitStatus.OK
                if grows:
                    time.sleep(_PACE_S)
        finally:
            following.journal.close()
        if following.trouble is None:
            output.narrate(f"nothing matched before the tap ended: {following.why}")
            return ExitStatus.FINDINGS
        time.sleep(_PACE_S)  # with --keep, the next part of the capture takes its place
