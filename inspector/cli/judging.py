"""Handles the findings of `check` and `doctor`: prints them, writes reports, chooses the exit status."""

import json
import secrets
import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click
import msgspec

from inspector.atomic_write import write_whole
from inspector.capture.format.lines import demand_file
from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.checks.catalog import all_checks
from inspector.checks.compat.matrix import as_serious, for_hosts
from inspector.checks.compat.packs import HOST_IDS, Host, known_hosts
from inspector.checks.diagnoses.causes import error_of_tool
from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import CHECKS, Check
from inspector.checks.rules.tools import over_budget
from inspector.checks.runner import Inspection
from inspector.checks.verdict import explains_nothing, in_reading_order, primary_of, roots_of
from inspector.cli import reports
from inspector.cli.arguments import read_whole
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered
from inspector.cli.help import option_group, shared
from inspector.cli.output import Output
from inspector.cli.progress import progress_of
from inspector.cli.reports import Baseline, read_baseline, written
from inspector.cli.targets import found_by_name, found_key
from inspector.config.eras import process_key, url_key
from inspector.config.paths import places
from inspector.config.remembered import SeenServer
from inspector.errors import UsageError
from inspector.features.lock.lock_file import read_lock_file
from inspector.forms.arguments import smallest_valid
from inspector.present.findings import failure_in, inspected, summary, unexplained, verdict_lines
from inspector.present.result import Finished, incomplete
from inspector.protocol import peek
from inspector.protocol.fingerprints import INSTRUCTIONS, KINDS, Remembered, known_of, known_text
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.session.probing import call_without_meta, show_what_waits
from inspector.text import cut, visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_LONGEST_SAMPLE = 80
_OF_PARAMS = (-32600, -32602)
"""Error codes of requests that were not carried out."""
_MOST = 50
"""Maximum number of annotations. A runner shows ten per type and step, and thousands slow it down."""

_FILE = click.Path(path_type=Path, dir_okay=False)

_IN_WORDS = {
    ExitStatus.AUTHORIZATION: "the server requires authorization",
    ExitStatus.UNREACHABLE: "the server is not reachable, or disconnected",
    ExitStatus.TOOL_ERROR: "a call failed, or a list is missing",
    ExitStatus.PROTOCOL: "protocol violation that makes the session unusable",
    ExitStatus.TIMEOUT: "a request timed out",
    ExitStatus.USAGE: "usage error",
}
"""Description of a failure by exit status, for a conversation that shows no failure itself."""


class ReportOptions(msgspec.Struct, frozen=True):
    """How findings are reported."""

    target: str
    """Name of the target in reports."""
    fails: Severity | None
    """Minimum severity for exit status 1; None for never."""
    junit: Path | None = None
    sarif: Path | None = None
    stop_word: str = ""
    """Token that resumes workflow commands; "" if no annotations are requested."""
    baseline: Path | None = None
    writes_baseline: bool = False
    hosts: tuple[Host, ...] = ()
    """Hosts to consider; () for the specification only."""
    beside: Mapping[str, frozenset[str]] = {}
    """Tools of other configured servers, by server name."""
    seen: Mapping[str, Remembered] = {}
    """Previously stored definitions of the server, by kind of list."""
    budget: int | None = None
    """Maximum estimated tokens of the tool definitions; None for no limit."""
    left_out: frozenset[str] = frozenset()
    """Checks that are not reported, because the command judges the same itself."""


class PlannedCall(msgspec.Struct, frozen=True):
    tool: str
    arguments: Any


def stop_word() -> str:
    """Return a random token that ends the suspension of workflow commands."""
    return secrets.token_hex(16)


def silence(word: str) -> str:
    """Return the line from which on a runner ignores workflow commands until the token."""
    return f"::stop-commands::{word}"


def annotations(findings: Iterable[Finding], checks: Mapping[str, Check], target: str, word: str) -> list[str]:
    """Return the line that resumes workflow commands, then one for each finding, most severe first."""
    worst = sorted(findings, key=lambda each: each.severity.rank)[:_MOST]
    return [f"::{word}::", *[_annotation(each, checks[each.id], target) for each in worst]]


def _annotation(finding: Finding, check: Check, target: str) -> str:
    where = f" (entry {finding.frames[0]})" if finding.frames else ""
    fix = f"\nTo do: {visible(finding.fix)}" if finding.fix else ""
    text = f"{visible(target)}: {visible(finding.sentence)}{where}{fix}"
    return f"::{_COMMANDS[finding.severity]} title={_property(f'{finding.id} {check.title}')}::{_escaped(text)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")


def chosen_hosts(words: Iterable[str]) -> tuple[Host, ...]:
    """Return the hosts of `--host` values, which are comma-separated lists; () for none.

    “python-sdk” means every version of it. Raises: UsageError for an unknown host.
    """
    chosen: dict[str, Host] = {}
    for word in (each.strip().lower() for words_ in words for each in words_.split(",")):
        found = [host for host in known_hosts().values() if host.id == word or host.id.rstrip("0123456789-") == word]
        if not found:
            known = ", ".join(HOST_IDS)
            raise UsageError(f"unknown client {word!r}", hint=f"Known clients: {known}.")
        chosen |= {host.id: host for host in found}
    return tuple(chosen.values())


def other_servers_tools(paths: Sequence[Path]) -> dict[str, frozenset[str]]:
    """Return the tool names in captures of other servers, by server name. Raises: UsageError if one is not a file."""
    beside: dict[str, frozenset[str]] = {}
    for path in paths:
        demand_file(path, "--other-server takes a capture of another server.")
        journal = load(path)
        try:
            conversation = journal.conversation
            opening = conversation.opening
            name = (peek.text(opening.server, "name") if opening else None) or path.stem
            names = {peek.text(each, "name") for each in conversation.catalogue.listings["tools"].items}
            beside[name] = beside.get(name, frozenset()) | frozenset(each for each in names if each is not None)
        finally:
            journal.close()
    return beside


judging_options = option_group(
    click.option(
        "--fail-on",
        type=click.Choice([*(each.value for each in Severity), "never"]),
        default="error",
        metavar="LEVEL",
        help="Exit 1 if a finding is at least this severe: error (default), warning, hint, never.",
    ),
    shared("findings", "--junit", type=_FILE, metavar="FILE", help="Write a JUnit XML report."),
    shared("findings", "--sarif", type=_FILE, metavar="FILE", help="Write a SARIF 2.1.0 report."),
    shared("findings", "--github", is_flag=True, help="Write GitHub workflow annotations to stderr."),
    shared("findings", "--baseline", type=_FILE, metavar="FILE", help="Ignore findings listed in this file."),
    shared("findings", "--write-baseline", is_flag=True, help="Write all findings to the --baseline file."),
    shared(
        "findings", "--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Report definitions over this cost."
    ),
    shared(
        "findings",
        "--host",
        "hosts",
        multiple=True,
        metavar="LIST",
        help="Also check compatibility with these clients; findings count by their effect there.",
    ),
    shared(
        "findings",
        "--other-server",
        "other_servers",
        multiple=True,
        type=_FILE,
        metavar="FILE",
        help="Also compare tool names with a capture of another server.",
    ),
)


def read_report_options(options: dict[str, Any], target: str, output: Output) -> ReportOptions:
    """Pop the options of `judging_options` from all options. With --github, runners ignore commands from here on.

    Raises: UsageError.
    """
    fail_on, github = options.pop("fail_on"), options.pop("github")
    baseline, writes = options.pop("baseline"), options.pop("write_baseline")
    if writes and baseline is None:
        raise UsageError("--write-baseline needs --baseline FILE")
    word = stop_word() if github else ""
    report = ReportOptions(
        target,
        None if fail_on == "never" else Severity(fail_on),
        options.pop("junit"),
        options.pop("sarif"),
        word,
        baseline,
        writes,
        chosen_hosts(options.pop("hosts")),
        other_servers_tools(options.pop("other_servers")),
        budget=options.pop("budget"),
    )
    if word:
        output.narrate_lines([((silence(word), "text"),)])
    return report


def _over_budget(journal: Journal, budget: int) -> list[Finding]:
    """Return a finding if the tools of a journal cost more tokens than the budget. Evidence is the last page."""
    conversation = journal.conversation
    tools = [tool for tool in conversation.catalogue.listings["tools"].items if isinstance(tool, dict)]
    instructions = conversation.opening.instructions if conversation.opening is not None else ""
    pages = (each.answer_frame for each in conversation.exchanges if each.method == "tools/list" and not each.probe)
    return over_budget(tools, instructions, budget, tuple(n for n in pages if n is not None)[-1:])


def conclude(
    output: Output,
    journal: Journal,
    report: ReportOptions,
    status: ExitStatus | None = ExitStatus.OK,
    more: Sequence[Finding] = (),
    heard: Callable[[Sequence[Finding]], object] = len,
    *,
    until: int | None = None,
    beside: Mapping[str, Any] | None = None,
) -> ExitStatus:
    """Check a journal, print the findings, write the reports, and return the exit status.

    `more`: findings made during the session; `heard` is called with all findings. `status` is the command's exit
    status so far, None if it was interrupted. Requests after entry `until` may fail, because they are meant to. After
    a failure, "no findings" is never printed. `beside`: more members of the JSON.

    Raises: UsageError for a file that can't be read or written, after the findings were printed.
    """
    with progress_of(output, "checking", "entries") as progress:
        findings, inspection = inspected(journal, report.beside, report.seen, progress)
    findings = [each for each in findings if each.id not in report.left_out] + [*more]
    if report.budget is not None:
        findings = [*findings, *_over_budget(journal, report.budget)]
    findings = in_reading_order(for_hosts(findings, report.hosts) if report.hosts else as_serious(findings))
    heard(findings)
    if report.writes_baseline:
        assert report.baseline is not None, "it was looked at with the options"
        write_whole(report.baseline, written(findings, report.target))
    before = Baseline() if report.baseline is None else read_baseline(report.baseline)
    new = before.new(findings)
    failure = _failure(journal, status, until)
    problem = None
    try:
        _report(findings, before, report, failure if status is not ExitStatus.OK else "", status)
    except UsageError as error:
        problem, failure = error, failure or "cannot write a report"
    _print_findings(output, findings, new, inspection, report, failure, beside or {})
    _print_baseline(output, before, findings, len(findings) - len(new))
    if inspection.unvalidated:
        output.warn(f"{inspection.unvalidated:,} results were not validated against their schemas: too many")
    for failed in inspection.disabled_checks.values():
        output.warn(failed.sentence)
    if report.stop_word:
        lines = annotations(new, CHECKS, report.target, report.stop_word)
        output.narrate_lines([((line, "text"),) for line in lines])
    if problem is not None:
        raise problem
    bad = report.fails is not None and any(each.severity.rank <= report.fails.rank for each in new)
    return ExitStatus.FINDINGS if bad else ExitStatus.OK


def _failure(journal: Journal, status: ExitStatus | None, until: int | None) -> str:
    """Return what failed, "" if nothing did; `status` is None for an interrupted command."""
    failure = failure_in(journal, until)
    if failure or status is ExitStatus.OK:
        return failure
    described = None if status is None else _IN_WORDS.get(status)
    return failure_in(journal, with_lists=True) or described or "the command was interrupted"


def _print_findings(
    output: Output,
    findings: list[Finding],
    new: list[Finding],
    inspection: Inspection,
    report: ReportOptions,
    failure: str,
    beside: Mapping[str, Any],
) -> None:
    if not output.as_json:
        shown = [each for each in new if each.severity is not Severity.HINT] if output.quiet else new
        *lines, _ = verdict_lines(shown, CHECKS, inspection.counts)
        above = [unexplained(failure)] if failure and lines and explains_nothing(new) else []
        output.lines([*above, *lines, summary(new, failure)])
        return
    first, roots = primary_of(new), roots_of(findings)
    members = [
        reports.finding_as_json(each, root * (root != each.id)) for each, root in zip(findings, roots, strict=True)
    ]
    if report.baseline is not None:
        members = [about | {"known": each not in new} for about, each in zip(members, findings, strict=True)]
    counts = {severity: sum(each.severity is severity for each in new) for severity in Severity}
    known = {} if report.baseline is None else {"known": len(findings) - len(new)}
    output.data(
        {
            "target": report.target,
            "entries": inspection.taken,
            "counts": counts | known,
            "found": inspection.counts,
            "disabled_checks": list(inspection.disabled_checks.values()),
            "failure": failure or None,
            "primary": None if first is None or (failure and explains_nothing(new)) else members[findings.index(first)],
            "findings": members,
            **beside,
        }
    )


def _print_baseline(output: Output, before: Baseline, findings: list[Finding], known: int) -> None:
    if known:
        output.narrate(f"{known:,} more in the baseline")
    if gone := before.gone(findings):
        output.narrate(f"no longer found: {gone:,} of the baseline; --write-baseline removes them")


def _report(
    findings: list[Finding], before: Baseline, report: ReportOptions, failure: str, status: ExitStatus | None
) -> None:
    checks = all_checks()
    if report.junit is not None:
        fails = report.fails or Severity.ERROR
        write_whole(
            report.junit, reports.junit(findings, checks, report.target, fails, known=before.knows, failure=failure)
        )
    if report.sarif is not None:
        judged = before.knows if report.baseline is not None else None
        code = None if status is None else int(status)
        write_whole(report.sarif, reports.sarif(findings, checks, report.target, judged, failure, code))


def read_cases(words: Sequence[str], stdin: TextIO) -> tuple[PlannedCall, ...]:
    """Parse `TOOL`, `TOOL=JSON`, or `TOOL=@FILE`. Raises: UsageError."""
    return tuple(_case(word, stdin) for word in words)


def _case(word: str, stdin: TextIO) -> PlannedCall:
    tool, given, text = word.partition("=")
    if not tool:
        raise UsageError(f"invalid --call {word!r}: missing tool name", hint="Write --call 'TOOL={\"a\": 1}'.")
    arguments = read_whole(text, stdin, f"--call {tool}=") if given else {}
    if not isinstance(arguments, dict):
        raise UsageError(f"--call {tool}: arguments must be an object", hint="Write --call 'TOOL={\"a\": 1}'.")
    return PlannedCall(tool, arguments)


async def make_cases(visit: CommandSession, cases: Sequence[PlannedCall]) -> ExitStatus:
    """Make the calls in sequence. Return TOOL_ERROR if one of them failed. Raises: what `answered` raises."""
    status = ExitStatus.OK
    for case in cases:
        called = await visit.session.call("tools/call", {"name": case.tool, "arguments": case.arguments})
        await show_what_waits(visit.session, called.reply)
        message = answered(called.reply, "tools/call").message
        if why := failure_of(message):
            visit.output.warn(f"{case.tool} failed: {why}")
            status = ExitStatus.TOOL_ERROR
            if isinstance(message, ErrorResponse) and message.code in _OF_PARAMS:
                await call_without_meta(visit.session, case.tool, case.arguments)
        else:
            visit.output.narrate(f"{case.tool}: OK")
    return status


def say_uncalled(output: Output, journal: Journal) -> None:
    """Note that no tool was called, if there are any: results were not checked. The example is one that only reads."""
    tools = [each for each in journal.conversation.catalogue.listings["tools"].items if peek.text(each, "name")]
    if tools:
        tool = next((each for each in tools if peek.flag(peek.mapping(each, "annotations"), "readOnlyHint")), tools[0])
        sample = json.dumps(smallest_valid(peek.at(tool, "inputSchema")), ensure_ascii=False)
        word = shlex.quote(f"{peek.text(tool, 'name')}={sample if len(sample) < _LONGEST_SAMPLE else '{…}'}")
        output.narrate(f"no tool was called; --call {word} calls one and checks the result")


def failure_of(message: ResultResponse | ErrorResponse) -> str:
    """Return why a call failed, or why its result is incomplete; "" if it succeeded."""
    if isinstance(message, ErrorResponse):
        return f"error {message.code}: {cut(message.message, 200)}"
    if not peek.flag(message.result, "isError"):
        return incomplete(Finished("tools/call", result=message.result))
    return error_of_tool(message.result)


def target_key(env: CliEnv, url: str | None, options: Mapping[str, Any]) -> str:
    """Return the key of the target on the command line; "" if there is none."""
    if env.server_argv is not None:
        return process_key(env.server_argv, Path(options.get("cwd") or ".").absolute())
    if (server := found_by_name(env, url)) is not None:
        return found_key(server, env.environ)
    return url_key(url) if url else ""


def seen_before(env: CliEnv, key: str, lock: Path | None, output: Output) -> Mapping[str, Remembered]:
    """Return the baseline: a lock file if given, otherwise the saved baseline of a key.

    Raises: UsageError for a file that is not a lock file.
    """
    if lock is not None:
        surface, odd = read_lock_file(lock)
        for message in odd:
            output.warn(message)
        locked = {kind: known_of(kind, surface.lists[kind], 0) for kind in KINDS if kind in surface.lists}
        return locked if surface.server is None else locked | {INSTRUCTIONS: known_text(surface.instructions, 0)}
    return SeenServer(places(env.environ).state, key).read() if key else {}


def remember(env: CliEnv, key: str, journal: Journal, output: Output) -> None:
    """Save the current definitions as the baseline. Raises: UsageError if that fails."""
    conversation, now = journal.conversation, int(time.time())
    listings = conversation.catalogue.listings
    found = {kind: known_of(kind, listings[kind].items, now) for kind in KINDS if listings[kind].whole}
    if conversation.opening is not None:
        found[INSTRUCTIONS] = known_text(conversation.opening.instructions, now)
    if not SeenServer(places(env.environ).state, key).keep(found):
        raise UsageError("cannot save the baseline", hint="Is the state directory writable?")
    if found:
        output.narrate("baseline saved; later changes are reported")
