"""`mcp-inspect check` and `doctor`: find faults of a server or a capture."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.checks.findings import Finding
from inspector.cli.captures import loaded_capture
from inspector.cli.command_line import duration
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented, shared
from inspector.cli.judging import (
    PlannedCall,
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
from inspector.cli.options import headless_options, headless_settings, watch_option
from inspector.cli.output import Output
from inspector.cli.targets import choose, names_a_server
from inspector.cli.watching import Ran, run_watching
from inspector.config.targets import secrets_of
from inspector.errors import UsageError
from inspector.features.probe.plan import MOST, ProbeCall
from inspector.features.probe.running import ProbeOptions, plan_calls, run_probe, tools_of
from inspector.forms.typed import json_text
from inspector.protocol.capabilities import SKILLS, declares
from inspector.protocol.credentials import without_credentials
from inspector.protocol.flows.skills import list_skills
from inspector.session.probing import look_around, make_first_requests, probe, probe_unopened
from inspector.text import counted, visible

_CHECK_EXAMPLES = (
    "mcp-inspect check session.mcpcap",
    "mcp-inspect check --sarif findings.sarif https://example.com/mcp",
    "mcp-inspect check --fail-on warning --junit junit.xml -- node server.js",
    """mcp-inspect check --call 'add={"a": 1}' --baseline known.json -- node server.js""",
    "mcp-inspect check --probe -- node server.js",
)
_FILE = click.Path(path_type=Path, dir_okay=False)
_LEFT_OUT_SHOWN = 5
_NAMED = 10

_DOCTOR_EXAMPLES = (
    "mcp-inspect doctor -- node server.js",
    "mcp-inspect doctor http://localhost:8000/mcp --capture examined.mcpcap",
    "mcp-inspect doctor --json --fail-on never https://example.com/mcp",
)


@documented(
    "check",
    _CHECK_EXAMPLES,
    "`target`, `entries`, `counts`, `found`, `failure` (null: none), `primary` (the finding to look "
    "at first; null also if none can be why something failed), `findings` with evidence and cause, that one first, "
    "`disabled_checks`; with --probe also `not_probed` (each tool with `why`, also those that were probed in part)",
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
@shared("probe", "--probe", is_flag=True, help="Call read-only tools with valid and invalid arguments.")
@shared("probe", "--dry-run", is_flag=True, help="With --probe, print the calls and do not make them.")
@shared("probe", "--allow-destructive", is_flag=True, help="With --probe, also call tools without readOnlyHint.")
@shared(
    "probe",
    "--random",
    type=click.IntRange(0, 10_000),
    default=0,
    metavar="N",
    help="Also make N random calls per tool.",
)
@shared("probe", "--seed", type=int, default=0, metavar="S", help="Set the seed of the random calls.")
@shared(
    "probe", "--probe-timeout", type=duration, default=10.0, metavar="S", help="Wait this long for a response (10)."
)
@shared("probe", "--probe-for", type=duration, default=180.0, metavar="S", help="Make no call after this long (180).")
@watch_option
@judging_options
@click.argument("word", required=False, metavar="[FILE | URL | NAME | -- COMMAND]")
@headless_settings
@click.pass_obj
def check_command(
    env: CliEnv, /, word: str | None, calls: tuple[str, ...], lock: Path | None, remember: bool, **options: Any
) -> ExitStatus:
    """Check a server or a capture for protocol violations and other problems.

    Calls tools only with --call and --probe; may try other paths of a URL, and --call without _meta. Exits with 1 if a
    finding is as severe as --fail-on, 5 if a --call failed or a list is missing, 3, 4, 6 or 7 without a session.
    """
    if options["watch"]:
        if env.server_argv is None and word is not None and not names_a_server(env, word):
            raise UsageError("--watch needs a server, and this is a file")
        cases = read_cases(calls, env.stdin)

        def once(env: CliEnv, options: dict[str, Any]) -> Ran:
            found: list[Finding] = []
            return Ran(_check(env, word, cases, lock, remember, options, found.extend), _facts(found))

        return run_watching(env, choose(env, word, options).target, options, once)
    return _check(env, word, read_cases(calls, env.stdin), lock, remember, options)


def _ignore(what: str) -> None:
    """Print nothing about a request that every check makes."""


def _facts(found: Sequence[Finding]) -> dict[str, str]:
    """Return the facts to compare between runs: sentences of findings, by check and count."""
    facts: dict[str, str] = {}
    counts = Counter[str]()
    for each in found:
        counts[each.id] += 1
        facts[f"{each.id} {counts[each.id]}" if counts[each.id] > 1 else each.id] = f"{each.severity}: {each.sentence}"
    return facts


def _check(
    env: CliEnv,
    word: str | None,
    cases: Sequence[PlannedCall],
    lock: Path | None,
    remember: bool,
    options: dict[str, Any],
    heard: Callable[[Sequence[Finding]], object] = len,
) -> ExitStatus:
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    is_file = env.server_argv is None and word is not None and not names_a_server(env, word)
    probing = read_probe_options(options)
    for option, is_given in (("--call", cases), ("--remember", remember), ("--probe", probing.wanted)):
        if is_file and is_given:
            raise UsageError(f"{option} needs a server, and this is a file")
    key = "" if is_file else target_key(env, word, options)
    seen = seen_before(env, key, lock, output)
    left_out = frozenset({"call-timed-out"} if probing.wanted else ())
    report = msgspec.structs.replace(
        read_report_options(options, target_of(env, word), output), seen=seen, left_out=left_out
    )
    if is_file:
        return _check_file(output, Path(word or ""), report)
    found, lists, probed, gaps = [ExitStatus.OK], [ExitStatus.OK], list[Finding](), dict[str, str]()
    before_probing: int | None = None

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        problem = _remembered(env, key, journal, output) if remember else None
        so_far = lists[0] if status is ExitStatus.OK else status
        so_far = so_far if problem is None else ExitStatus.USAGE
        beside = {"not_probed": [{"tool": name, "why": why} for name, why in gaps.items()]} if probing.wanted else {}
        found[0] = conclude(output, journal, report, so_far, probed, heard, until=before_probing, beside=beside)
        if not cases and not probing.wanted and so_far is ExitStatus.OK:
            say_uncalled(output, journal)
        if problem is not None:
            raise problem

    async def work(visit: CommandSession) -> ExitStatus:
        lists[0] = await ask_for_lists(visit)
        await make_first_requests(visit.session, _ignore)
        status = await make_cases(visit, cases)
        if probing.wanted:
            nonlocal before_probing
            before_probing = visit.session.journal.count
            probed.extend(await probe_tools(visit, probing, gaps))
        return status

    status = visit(env, word, options, work, at_last, look_around, judges=True)
    return status or found[0] or lists[0]


def _remembered(env: CliEnv, key: str, journal: Journal, output: Output) -> UsageError | None:
    """Save the definitions as a baseline. Return the error if that fails, because findings are printed anyway."""
    try:
        if journal.conversation.opening is not None:
            remember_now(env, key, journal, output)
    except UsageError as error:
        return error
    return None


def read_probe_options(options: dict[str, Any]) -> ProbeOptions:
    """Pop the options of --probe from all options. Raises: UsageError for one of them without --probe."""
    found = ProbeOptions(
        options.pop("probe"),
        options.pop("dry_run"),
        options.pop("allow_destructive"),
        options.pop("random"),
        options.pop("seed"),
        options.pop("probe_timeout"),
        options.pop("probe_for"),
    )
    if not found.wanted and (found.is_dry or found.allows_writes or found.random):
        raise UsageError("--dry-run, --allow-destructive and --random need --probe")
    return found


async def probe_tools(visit: CommandSession, options: ProbeOptions, gaps: dict[str, str]) -> list[Finding]:
    """Print the calls of each allowed tool, make them, and return the findings. `gaps` as in `run_probe`."""
    output, planned = visit.output, plan_calls(tools_of(visit.session), options)
    count = sum(map(len, planned.calls.values()))
    all_tools = len(planned.calls) + len(planned.left_out)
    extent = f"probing {len(planned.calls)} of {counted(all_tools, 'tool')} with {counted(count, 'call')}"
    extent += f", for {options.most_s:g} s at most (--probe-for)"
    output.narrate(
        extent if count else "no tool is probed" if all_tools else "no tool is probed: the server lists none"
    )
    if planned.left_out:
        names = ", ".join(visible(name, limit=60) for name in planned.left_out[:_NAMED])
        more = f" and {len(planned.left_out) - _NAMED:,} more" if len(planned.left_out) > _NAMED else ""
        output.narrate(f"not probed, without readOnlyHint: {names}{more} (--allow-destructive calls them, too)")
    for name, calls in planned.calls.items():
        kinds = f"{sum(call.valid for call in calls)} valid, {sum(not call.valid for call in calls)} invalid"
        made = (
            f"{counted(len(calls), 'call')} ({kinds})" if calls else "no call: its inputSchema gives no valid arguments"
        )
        output.narrate(f"  {visible(name, limit=60)}: {made}")
        if options.is_dry:
            output.narrate_lines(((f"    {_call_said(call)}", "muted"),) for call in calls)
        if left := planned.not_tried.get(name):
            more = f"; and {len(left) - _LEFT_OUT_SHOWN:,} more" if len(left) > _LEFT_OUT_SHOWN else ""
            message = "; ".join(visible(each, limit=60) for each in left[:_LEFT_OUT_SHOWN])
            output.narrate(f"    not tried ({MOST} calls at most): {message}{more}")
    if options.is_dry:
        return []
    return await run_probe(
        visit.session,
        planned,
        options,
        reopen=visit.reopen,
        secrets=secrets_of(visit.target),
        warn=output.warn,
        gaps=gaps,
    )


def _call_said(call: ProbeCall) -> str:
    sign = "valid" if call.valid else "invalid"
    return f"{sign:<8} {visible(call.what, limit=60):<44} {visible(json_text(call.arguments, indent=None), limit=120)}"


def target_of(env: CliEnv, word: str | None) -> str:
    """Return the name of the target in reports: the URL without credentials, the file, or the server's program."""
    return without_credentials(word or "") or (Path(env.server_argv[0]).name if env.server_argv else "")


async def ask_for_lists(visit: CommandSession) -> ExitStatus:
    """Request every declared list. Return TOOL_ERROR if one is missing or incomplete.

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


@documented("doctor", _DOCTOR_EXAMPLES, "as for check")
@click.option("--call", "calls", multiple=True, metavar="TOOL=JSON", help="Also call this tool; @FILE reads the JSON.")
@judging_options
@headless_options
@click.pass_obj
def doctor_command(env: CliEnv, /, url: str | None, calls: tuple[str, ...], **options: Any) -> ExitStatus:
    """Run check, and send invalid requests that a server should reject.

    Requests a method, a tool, a resource and a page that do not exist, fetches lists twice, subscribes to a resource,
    and over HTTP sends unknown sessions, versions, Origin and Host headers, a charset, and bodies in chunks and in a
    second packet; if nothing is at the URL, it tries usual paths. Existing tools are called only with --call. The
    filter `probe` finds these requests in a --capture. Exit status as for check.
    """
    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    cases = read_cases(calls, env.stdin)
    report = read_report_options(options, target_of(env, url), output)
    found, lists = [ExitStatus.OK], [ExitStatus.OK]

    def tell(what: str) -> None:
        output.narrate(f"trying {what}")

    def at_last(journal: Journal, status: ExitStatus | None) -> None:
        so_far = lists[0] if status is ExitStatus.OK else status
        found[0] = conclude(output, journal, report, so_far)
        if not cases and so_far is ExitStatus.OK:
            say_uncalled(output, journal)

    async def work(visit: CommandSession) -> ExitStatus:
        lists[0] = await ask_for_lists(visit)
        await make_first_requests(visit.session, tell)
        status = await make_cases(visit, cases)
        await probe(visit.session, tell)
        return status

    status = visit(env, url, options, work, at_last, lambda session: probe_unopened(session, tell), judges=True)
    return status or found[0] or lists[0]
