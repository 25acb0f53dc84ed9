"""`mcp-inspect check` and `doctor`: find faults of a server or a capture."""

from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import Documented, shared
from inspector.cli.judging import (
    ReportOptions,
    conclude,
    judging_options,
    make_cases,
    read_cases,
    read_report_options,
    say_uncalled,
    seen_before,
    target_key,
)
from inspector.cli.judging import remember as remember_now
from inspector.cli.lists import declared, fetch_each, raise_failure
from inspector.cli.options import headless_options, headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import names_a_server
from inspector.errors import UsageError
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.credentials import without_credentials
from inspector.protocol.flows.skills import list_skills
from inspector.session.probing import probe, probe_unopened

_CHECK_EXAMPLES = (
    "mcp-inspect check session.mcpcap",
    "mcp-inspect check --sarif findings.sarif https://example.com/mcp",
    "mcp-inspect check --fail-on warning --junit junit.xml -- node server.js",
    """mcp-inspect check --call 'add={"a": 1}' --baseline known.json -- node server.js""",
    "mcp-inspect check --host claude-code,vscode -- node server.js",
)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    "check",
    cls=Documented,
    examples=_CHECK_EXAMPLES,
    json_shape=(
        "`target`, `entries`, `counts`, `found`, `failure` (null: none), `primary` (the finding to look "
        "at first), `findings` with evidence and cause, `disabled_checks`"
    ),
)
@click.option("--call", "calls", multiple=True, metavar="TOOL=JSON", help="Also call this tool; @FILE reads the JSON.")
@shared(
    "findings",
    "--lock",
    type=_FILE,
    metavar="FILE",
    help="Compare with a lock file; changes are findings (definition-changed).",
)
@shared(
    "findings", "--remember", is_flag=True, help="Save the current definitions as the baseline for definition-changed."
)
@judging_options
@click.argument("word", required=False, metavar="[FILE | URL | NAME | -- COMMAND]")
@headless_settings
@click.pass_obj
def check_command(
    env: CliEnv,
    /,
    word: str | None,
    calls: tuple[str, ...],
    lock: Path | None,
    remember: bool,
    **options: Any,
) -> ExitStatus:
    """Check a server or a capture for protocol violations and other problems.

    Connects to the server, fetches its lists and disconnects. Tools are called only with --call. Exit status: 1 if a
    finding is at least as severe as --fail-on, 5 if a --call failed or a list is missing, 3, 4, 6 or 7 if there was no
    session or no response. Findings are printed in each case. --host counts findings by their effect in these clients.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    cases = read_cases(calls, env.stdin)
    is_file = env.server_argv is None and word is not None and not names_a_server(env, word)
    if is_file and cases:
        raise UsageError("--call needs a server, and this is a file")
    if is_file and remember:
        raise UsageError("--remember needs a server, and this is a file")
    key = "" if is_file else target_key(env, word, options)
    seen = seen_before(env, key, lock, output)
    report = msgspec.structs.replace(read_report_options(options, target_of(env, word), output), seen=seen)
    if is_file:
        return _check_file(output, Path(word or ""), report)
    found, lists = [ExitStatus.OK], [ExitStatus.OK]

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        problem = None
        if remember and journal.conversation.opening is not None:
            try:
                remember_now(env, key, journal, output)
            except UsageError as error:  # findings are printed nevertheless
                problem = error
        so_far = lists[0] if status is ExitStatus.OK else status
        found[0] = conclude(output, journal, report, so_far if problem is None else ExitStatus.USAGE)
        if not cases:
            say_uncalled(output, journal)
        if problem is not None:
            raise problem

    async def work(visit: CommandSession) -> ExitStatus:
        lists[0] = await ask_for_lists(visit)
        return await make_cases(visit, cases)

    status = visit(env, word, options, work, at_last=at_last, judges=True)
    return status or found[0] or lists[0]


def target_of(env: CliEnv, word: str | None) -> str:
    """What the reports call the target: the URL without what gives access, the file, or the server's program."""
    return without_credentials(word or "") or (Path(env.server_argv[0]).name if env.server_argv else "")


async def ask_for_lists(visit: CommandSession) -> ExitStatus:
    """Request every list that is declared; TOOL_ERROR if one is missing or incomplete.

    Raises: RequestFailed, RequestTimeout, after the other lists were requested.
    """
    lists = (await fetch_each(visit, declared(visit.opening))).values()
    if declares(visit.opening.capabilities, SKILLS):
        await visit.session.perform(lambda revision: list_skills(revision=revision))
    raise_failure(visit.output, lists)
    return ExitStatus.TOOL_ERROR if any(each.missing for each in lists) else ExitStatus.OK


def _check_file(output: Output, path: Path, report: ReportOptions) -> ExitStatus:
    demand_file(path, "Name a capture, a URL, or a server's command after --.")
    with loaded_capture(output, path) as journal:
        return conclude(output, journal, report)


_DOCTOR_EXAMPLES = (
    "mcp-inspect doctor -- node server.js",
    "mcp-inspect doctor http://localhost:8000/mcp --capture examined.mcpcap",
    "mcp-inspect doctor --json --fail-on never https://example.com/mcp",
)


@click.command(
    "doctor",
    cls=Documented,
    examples=_DOCTOR_EXAMPLES,
    json_shape="as for check",
)
@click.option("--call", "calls", multiple=True, metavar="TOOL=JSON", help="Also call this tool; @FILE reads the JSON.")
@judging_options
@headless_options
@click.pass_obj
def doctor_command(env: CliEnv, /, url: str | None, calls: tuple[str, ...], **options: Any) -> ExitStatus:
    """Run check, and send invalid requests that a server should reject.

    Requests a method, a tool, a resource and a page that do not exist, fetches lists twice, and over HTTP sends unknown
    sessions, versions, Origin and Host headers. Existing tools are called only with --call. The filter `probe` finds
    these requests in a --capture. Exit status as for check.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    cases = read_cases(calls, env.stdin)
    report = read_report_options(options, target_of(env, url), output)
    found, lists = [ExitStatus.OK], [ExitStatus.OK]

    def tell(what: str) -> None:
        output.narrate(f"trying {what}")

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        found[0] = conclude(output, journal, report, lists[0] if status is ExitStatus.OK else status)
        if not cases:
            say_uncalled(output, journal)

    async def work(visit: CommandSession) -> ExitStatus:
        lists[0] = await ask_for_lists(visit)
        status = await make_cases(visit, cases)
        await probe(visit.session, tell)
        return status

    status = visit(env, url, options, work, at_last, lambda session: probe_unopened(session, tell), judges=True)
    return status or found[0] or lists[0]
