"""`mcp-inspect resend`: send the requests of a capture to a live server and compare the results."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.compare.operations import Operations, accounts
from inspector.capture.format.lines import demand_file
from inspector.cli.captures import loaded_capture, matching_entries
from inspector.cli.comparing import comparing_options, read_compare_options
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.interface import inspect, show_live
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import TargetOptions, choose
from inspector.errors import InspectError, UsageError
from inspector.features.resend.resend import (
    NAME,
    CarriedValue,
    Replies,
    ResendOptions,
    ResendPlan,
    Resent,
    Skip,
    offers_of,
    plan,
    resend,
    up_to,
)
from inspector.present.changes.captures import Names, comparison_data, comparison_lines
from inspector.present.changes.sides import shown
from inspector.session.engine import Live
from inspector.session.options import SessionState
from inspector.session.session import Session
from inspector.text import visible

LIVE = "the live server"

_MOST = 100
"""Maximum number of lines about replaced values and skipped requests."""

_POLL_S = 0.02

_EXAMPLES = (
    "mcp-inspect resend session.mcpcap https://example.com/mcp",
    "mcp-inspect resend --yes --json session.mcpcap -- node server.js",
    "mcp-inspect resend --where 'tool == search' session.mcpcap -- node server.js",
)


class RecordedRequests(msgspec.Struct, frozen=True):
    """The requests of a capture to resend."""

    found: Operations
    plan: ResendPlan
    offers: frozenset[str]
    """Capabilities that the captured client declared."""


def read_recorded(output: Output, path: Path, where: str, to: int | None) -> RecordedRequests:
    """Read a capture and plan its requests. `where`: a filter, "" for none; `to`: the last entry, None for all.

    Raises: CaptureError, UsageError.
    """
    demand_file(path, "mcp-inspect without arguments lists recent captures.")
    with loaded_capture(output, path) as journal:
        if to is not None and not 1 <= to <= journal.count:
            raise UsageError(
                f"--to {to}: the capture has {journal.count:,} entries",
                hint="mcp-inspect tail FILE shows entry numbers.",
            )
        found = accounts(journal) if to is None else up_to(accounts(journal), to)
        chosen = frozenset(matching_entries(output, journal, where)) if where else None
        opening = journal.conversation.opening
        made = plan(found, chosen)
    if not made.steps:
        raise UsageError(
            "nothing of the capture is to be sent again" + (f": {made.skips[0].why}" if made.skips else ""),
            hint="Its opening, pings and streams without an end are left out; see --where.",
        )
    return RecordedRequests(found, made, offers_of(opening.client_capabilities) if opening else frozenset())


def demand_agreement(output: Output, recorded: RecordedRequests, target: str, *, agreed: bool) -> bool:
    """Ask for confirmation. Return False if it is declined. Raises: UsageError without a terminal."""
    count = len(recorded.plan.steps)
    message = f"{count:,} {'request' if count == 1 else 'requests'} to {target}"
    if agreed:
        output.narrate(f"sending {message}")
        return True
    env = output.env
    if not (env.stdin.isatty() and env.stderr.isatty()):
        raise UsageError(f"sending {message} needs confirmation", hint="Add --yes to send without a prompt.")
    for method, number in _by_method(recorded.plan).items():
        output.narrate(f"  {number:>5,} {visible(method, limit=80)}")
    env.stderr.write(f"Send {visible(message)}? [y/N] ")
    env.stderr.flush()
    return env.stdin.readline().strip().lower() in ("y", "yes")


def tell(output: Output, resent: Resent, name: str) -> ExitStatus:
    """Print the results."""
    names = Names(name, LIVE)
    for note in resent.notes:
        output.warn(note)
    _print_skips(output, resent.skips)
    if output.as_json:
        output.data(_data(resent, names))
    else:
        for step, carried in resent.carried[:_MOST]:
            output.narrate(_carried_line(step.method, carried))
        output.lines(comparison_lines(resent.comparison, names))
    if not resent.sent:
        output.warn("nothing was sent")
        return ExitStatus.FINDINGS
    return ExitStatus.OK if resent.comparison.is_empty else ExitStatus.FINDINGS


def _print_skips(output: Output, skips: Sequence[Skip]) -> None:
    for skip in skips[:_MOST]:
        about = f"{skip.account.method} {skip.account.target}".strip()
        hint = "; --allow-destructive sends it" if "destroy" in skip.why else ""
        output.warn(f"not sent: {visible(about, limit=120)} (#{skip.account.frame}): {skip.why}{hint}")
    if len(skips) > _MOST:
        output.warn(f"not sent: {len(skips) - _MOST:,} more")


def _carried_line(method: str, carried: CarriedValue) -> str:
    return (
        f"{method} {carried.path}: {shown(carried.recorded, 60)} is now {shown(carried.live, 60)}"
        f" (from the answer to #{carried.source})"
    )


def _data(resent: Resent, names: Names) -> dict[str, Any]:
    return comparison_data(resent.comparison, names) | {
        "sent": resent.sent,
        "skipped": [
            {"method": each.account.method, "target": each.account.target, "frame": each.account.frame, "why": each.why}
            for each in resent.skips
        ],
        "carried": [
            {"frame": step.sent.frame, "path": each.path, "recorded": each.recorded, "live": each.live}
            for step, each in resent.carried
        ],
        "notes": [*resent.notes],
    }


def _by_method(made: ResendPlan) -> dict[str, int]:
    found: dict[str, int] = {}
    for step in made.steps:
        found[step.method] = found.get(step.method, 0) + 1
    return found


def take_over(
    output: Output, chosen: TargetOptions, plan: ResendPlan, resend_options: ResendOptions, name: str
) -> ExitStatus:
    """Send the plan, print the results to stdout, and open the interface on the session.

    An unreachable server is shown in the interface as well.
    """

    def show(begin: Callable[..., Live], first: Live) -> ExitStatus:
        resent = first.engine.submit(_replay(first, plan, resend_options)).result()
        resend_options.replies.stop()
        if resent is not None:
            tell(output, resent, name)
        return show_live(begin, first)

    return inspect(output.env, chosen, show)


async def _replay(live: Live, plan: ResendPlan, resend_options: ResendOptions) -> Resent | None:
    """Send the plan once the session is open. Return None if it does not open."""
    session = await _opened(live)
    if session is None:
        return None
    try:
        await live.lists.fetch(session)  # wait for the initial fetch: concurrent fetches would mix pages
        return await resend(session, plan, resend_options)
    except InspectError:
        return None


async def _opened(live: Live) -> Session | None:
    while live.state is SessionState.CONNECTING and live.crash is None:  # noqa: ASYNC110 - it is a state, set by its session
        await asyncio.sleep(_POLL_S)
    return live.session if live.state is SessionState.OPEN else None


@documented("resend", _EXAMPLES, "`before`, `after`, `counts`, `operations`, `sent`, `skipped`, `carried`, `notes`")
@click.option("--yes", "agreed", is_flag=True, help="Send without asking.")
@click.option("--allow-destructive", is_flag=True, help="Also call tools that may destroy something.")
@click.option("--where", default="", metavar="FILTER", help="Send only requests that match.")
@click.option(
    "--to", type=click.IntRange(1), metavar="N", help="Send requests up to entry N, then open the live server."
)
@comparing_options
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("url", required=False, metavar="[URL | -- COMMAND]")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, file: Path, url: str | None, **options: Any) -> ExitStatus:
    """Send the requests of a capture to a server, and compare the results; exit 1 if they differ.

    Ids and cursors that the server returns are carried into later requests; server requests get the recorded responses.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    if env.server_argv is None and url is None:
        raise UsageError("no server to send to", hint="Name a URL, or a server's command after --.")
    choose(env, url, options)  # report an invalid target before any prompt
    if options["to"] is not None and options["as_json"]:
        raise UsageError("--to opens the interface and excludes --json", hint="Remove one of them.")
    normal = read_compare_options(options)
    recorded = read_recorded(output, file, options["where"], options["to"])
    if not demand_agreement(output, recorded, url or Path((env.server_argv or [""])[0]).name, agreed=options["agreed"]):
        return ExitStatus.OK
    replies = Replies(recorded.found)
    resend_options = ResendOptions(normal.normal, replies, options["allow_destructive"])
    options |= {"policies": ((NAME, replies.answer),), "capabilities_instead": recorded.offers}
    if options["to"] is not None:
        return take_over(output, choose(env, url, options), recorded.plan, resend_options, file.name)
    found = [ExitStatus.OK]

    async def work(visit: CommandSession) -> ExitStatus:
        found[0] = tell(output, await resend(visit.session, recorded.plan, resend_options), file.name)
        return ExitStatus.OK

    return visit(env, url, options, work) or found[0]
