"""What `check` and `doctor` make of findings: text or JSON, reports for other programs, and the exit status."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from inspector.capture.journal import Journal
from inspector.checks.everything import all_checks
from inspector.checks.findings import Finding, Severity
from inspector.checks.hosts.facts import Host
from inspector.checks.hosts.relevance import for_hosts
from inspector.checks.inspection import Inspection
from inspector.checks.registry import CHECKS
from inspector.checks.verdict import primary_of, roots_of
from inspector.cli import reports
from inspector.cli.annotations import annotations, silence, stop_word
from inspector.cli.baseline import Baseline, read_baseline, written
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import shared
from inspector.cli.hosts import chosen_hosts, tools_beside
from inspector.cli.output import Output
from inspector.errors import UsageError
from inspector.protocol.fingerprints import Remembered
from inspector.viewmodels.findings import summary
from inspector.viewmodels.verdicts import failure_in, verdict_lines
from inspector.whole import write_whole

F = TypeVar("F", bound=Callable[..., Any])

_BATCH = 2000
_FILE = click.Path(path_type=Path, dir_okay=False)
_OPTIONS = (
    click.option(
        "--fail-on",
        type=click.Choice([*(each.value for each in Severity), "never"]),
        default="error",
        metavar="WORD",
        help="What ends with 1: error, warning, hint, never.",
    ),
    shared("findings", "--junit", type=_FILE, metavar="FILE", help="Write JUnit XML, too."),
    shared("findings", "--sarif", type=_FILE, metavar="FILE", help="Write SARIF 2.1.0, too."),
    shared("findings", "--github", is_flag=True, help="Write annotations for a GitHub workflow to stderr, too."),
    shared("findings", "--baseline", type=_FILE, metavar="FILE", help="Findings that are known: they fail nothing."),
    shared("findings", "--write-baseline", is_flag=True, help="Write all that is found now into the --baseline file."),
    shared("findings", "--host", "hosts", multiple=True, metavar="LIST", help="Judge by what these hosts do, too."),
    shared("findings", "--beside", multiple=True, type=_FILE, metavar="FILE", help="A server configured beside it."),
)


def judging_options(command: F) -> F:
    """Add the options that say what is made of findings."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


class Wish(msgspec.Struct, frozen=True):
    """What is made of the findings."""

    target: str
    """What was checked, for reports."""
    fails: Severity | None
    """From which severity on the exit status is 1; None for never."""
    junit: Path | None = None
    sarif: Path | None = None
    stop_word: str = ""
    """What ends the silence of a workflow's runner; "" where no annotations are wanted."""
    baseline: Path | None = None
    writes_baseline: bool = False
    hosts: tuple[Host, ...] = ()
    """Those that one cares for; () for the specification alone."""
    beside: Mapping[str, frozenset[str]] = {}
    """The tools of servers that are configured beside it."""
    seen: Mapping[str, Remembered] = {}
    """What is remembered of the server from before, by kind of list."""


def wish_of(options: dict[str, Any], target: str, output: Output) -> Wish:
    """Take the options of `judging_options` out of all options. From here on a workflow's runner is told to be silent.

    Raises: UsageError.
    """
    fail_on, github = options.pop("fail_on"), options.pop("github")
    baseline, writes = options.pop("baseline"), options.pop("write_baseline")
    if writes and baseline is None:
        raise UsageError("--write-baseline says what to write and not where", hint="Add --baseline FILE.")
    word = stop_word() if github else ""
    wish = Wish(
        target,
        None if fail_on == "never" else Severity(fail_on),
        options.pop("junit"),
        options.pop("sarif"),
        word,
        baseline,
        writes,
        chosen_hosts(options.pop("hosts")),
        tools_beside(options.pop("beside")),
    )
    if word:
        output.narrate_lines([((silence(word), "text"),)])
    return wish


def inspected(
    journal: Journal,
    beside: Mapping[str, frozenset[str]] | None = None,
    seen: Mapping[str, Remembered] | None = None,
) -> tuple[list[Finding], Inspection]:
    """All findings about a journal, in the order of their entries, and who found them."""
    inspection, found = Inspection(beside, seen), []
    for first in range(1, journal.count + 1, _BATCH):
        last = min(first + _BATCH, journal.count + 1)
        found += inspection.take(journal.store.entry(n) for n in range(first, last))
    found += inspection.finish()
    return sorted(found, key=lambda each: each.frames[0] if each.frames else journal.count), inspection


def conclude(output: Output, journal: Journal, wish: Wish, status: ExitStatus | None = ExitStatus.OK) -> ExitStatus:
    """Find all that is wrong in a journal, tell it, write the reports.

    `status` is what the command would exit with so far, None if it was interrupted: where something failed, that
    nothing was found is never said.

    Raises: UsageError for a file that can't be read or written, after what was found was told.
    """
    findings, inspection = inspected(journal, wish.beside, wish.seen)
    if wish.hosts:
        findings = for_hosts(findings, wish.hosts)
    if wish.writes_baseline:
        assert wish.baseline is not None, "it was looked at with the options"
        write_whole(wish.baseline, written(findings, wish.target))
    before = Baseline() if wish.baseline is None else read_baseline(wish.baseline)
    new = before.new(findings)
    failure = failure_in(journal)
    if status is not ExitStatus.OK:
        failure = failure or (_IN_WORDS.get(status) if status is not None else None) or "the command was interrupted"
    problem = None
    try:
        _report(findings, before, wish, failure if status is not ExitStatus.OK else "", status)
    except UsageError as error:
        problem, failure = error, failure or "a report can't be written"
    _tell(output, findings, new, inspection, wish, failure)
    _tell_of_baseline(output, before, findings, len(findings) - len(new))
    if inspection.unasked:
        output.warn(f"{inspection.unasked:,} results were too many to be held against their schemas")
    for failed in inspection.set_aside.values():
        output.warn(failed.sentence)
    if wish.stop_word:
        lines = annotations(new, CHECKS, wish.target, wish.stop_word)
        output.narrate_lines([((line, "text"),) for line in lines])
    if problem is not None:
        raise problem
    bad = wish.fails is not None and any(each.severity.rank <= wish.fails.rank for each in new)
    return ExitStatus.FINDINGS if bad else ExitStatus.OK


_IN_WORDS = {
    ExitStatus.AUTHORIZATION: "the server requires authorization",
    ExitStatus.UNREACHABLE: "the server was not reached, or went away",
    ExitStatus.TOOL_ERROR: "a call failed, or a list is missing",
    ExitStatus.PROTOCOL: "what the server sent makes the session unusable",
    ExitStatus.TIMEOUT: "a response did not come in time",
    ExitStatus.USAGE: "the command can't be carried out as given",
}
"""What an exit status says of a conversation that shows no failure itself."""


def _tell(
    output: Output,
    findings: list[Finding],
    new: list[Finding],
    inspection: Inspection,
    wish: Wish,
    failure: str,
) -> None:
    if not output.as_json:
        output.lines(
            [summary(new, failure)] if output.quiet else verdict_lines(new, CHECKS, inspection.counts, failure)
        )
        return
    first, roots = primary_of(new), roots_of(findings)
    told = [reports.finding_as_json(each, root * (root != each.id)) for each, root in zip(findings, roots, strict=True)]
    if wish.baseline is not None:
        told = [about | {"known": each not in new} for about, each in zip(told, findings, strict=True)]
    counts = {severity: sum(each.severity is severity for each in new) for severity in Severity}
    known = {} if wish.baseline is None else {"known": len(findings) - len(new)}
    output.data(
        {
            "target": wish.target,
            "entries": inspection.taken,
            "counts": counts | known,
            "found": inspection.counts,
            "set_aside": list(inspection.set_aside.values()),
            "failure": failure or None,
            "primary": None if first is None else told[findings.index(first)],
            "findings": told,
        }
    )


def _tell_of_baseline(output: Output, before: Baseline, findings: list[Finding], known: int) -> None:
    if known:
        output.narrate(f"{known:,} more known by the baseline")
    if gone := before.gone(findings):
        output.narrate(f"{gone:,} of the baseline did not come any more; --write-baseline leaves them out")


def _report(findings: list[Finding], before: Baseline, wish: Wish, failure: str, status: ExitStatus | None) -> None:
    checks = all_checks()
    if wish.junit is not None:
        fails = wish.fails or Severity.ERROR
        write_whole(
            wish.junit, reports.junit(findings, checks, wish.target, fails, known=before.knows, failure=failure)
        )
    if wish.sarif is not None:
        judged = before.knows if wish.baseline is not None else None
        code = None if status is None else int(status)
        write_whole(wish.sarif, reports.sarif(findings, checks, wish.target, judged, failure, code))
