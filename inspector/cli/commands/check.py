"""`mcp-inspect check`: what is wrong with a server, or with what a capture holds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit, visit
from inspector.cli.help import Documented
from inspector.cli.hosts import chosen_hosts, tools_beside
from inspector.cli.lists import declared, fetch
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.errors import UsageError
from inspector.viewmodels.findings import summary
from inspector.viewmodels.verdicts import verdict_lines

_EXAMPLES = (
    "mcp-inspect check session.mcpcap",
    "mcp-inspect check --sarif findings.sarif https://example.com/mcp",
    "mcp-inspect check --fail-on warning --junit junit.xml -- node server.js",
    "mcp-inspect check --host claude-code,vscode -- node server.js",
)
_URL = ("http://", "https://")
_BATCH = 2000
_FILE = click.Path(path_type=Path, dir_okay=False)


class _Wish(msgspec.Struct, frozen=True):
    """What is made of the findings."""

    fails: Severity | None
    """From which severity on the exit status is 1; None for never."""
    junit: Path | None
    sarif: Path | None
    target: str
    """What was checked, for reports."""
    hosts: tuple[Host, ...] = ()
    """Those that one cares for; () for the specification alone."""
    beside: Mapping[str, frozenset[str]] = {}
    """The tools of servers that are configured beside it."""


@click.command("check", cls=Documented, examples=_EXAMPLES)
@click.option("--junit", type=_FILE, metavar="FILE", help="Write JUnit XML, too.")
@click.option("--sarif", type=_FILE, metavar="FILE", help="Write SARIF 2.1.0, too.")
@click.option(
    "--fail-on",
    type=click.Choice([*(each.value for each in Severity), "never"]),
    default="error",
    help="From what on the exit status is 1 (error).",
)
@click.option("--host", "hosts", multiple=True, metavar="LIST", help="Judge by what these hosts do, too.")
@click.option("--beside", multiple=True, type=_FILE, metavar="FILE", help="A server configured beside it, too.")
@click.argument("word", required=False, metavar="[FILE | URL | -- CMD…]")
@headless_settings
@click.pass_obj
def command(
    world: World,
    /,
    word: str | None,
    junit: Path | None,
    sarif: Path | None,
    fail_on: str,
    hosts: tuple[str, ...],
    beside: tuple[Path, ...],
    **options: Any,
) -> ExitStatus:
    """Say what is wrong with a server or a capture.

    A server is connected to, asked for its lists, and left. Of a capture nothing is started. The exit status is 1 if
    something as bad as --fail-on was found, and 4, 6 or 7 if no session came about; findings are told all the same.
    With --host it counts what those hosts do about it.
    """
    output = Output(world, as_json=options["as_json"], quiet=options["quiet"])
    fails = None if fail_on == "never" else Severity(fail_on)
    label = word or (Path(world.theirs[0]).name if world.theirs else "")
    wish = _Wish(fails, junit, sarif, label, chosen_hosts(hosts), tools_beside(beside))
    if world.theirs is None and word and not word.startswith(_URL):
        return _check_file(output, Path(word), wish)
    found = [ExitStatus.OK]

    def conclude(journal: Journal) -> None:
        found[0] = _conclude(output, journal, wish)

    status = visit(world, word, options, _ask_for_lists, at_last=conclude)
    return status or found[0]


async def _ask_for_lists(visit: Visit) -> ExitStatus:
    """Ask for everything that is declared; what is refused is a finding, no failure."""
    for kind in declared(visit.opening):
        await fetch(visit, kind)
    return ExitStatus.OK


def _check_file(output: Output, path: Path, wish: _Wish) -> ExitStatus:
    from inspector.capture.load import load

    if not path.is_file():
        raise UsageError(f"{path}: no such file", hint="Name a capture, a URL, or a server's command after --.")
    journal = load(path)
    try:
        for notice in journal.notices:
            output.warn(notice)
        return _conclude(output, journal, wish)
    finally:
        journal.close()


def inspected(journal: Journal, beside: Mapping[str, frozenset[str]] | None = None) -> tuple[list[Finding], Inspection]:
    """All findings about a journal, in the order of their entries, and who found them."""
    inspection, found = Inspection(beside), []
    for first in range(1, journal.count + 1, _BATCH):
        last = min(first + _BATCH, journal.count + 1)
        found += inspection.take(journal.store.entry(n) for n in range(first, last))
    found += inspection.finish()
    return sorted(found, key=lambda each: each.frames[0] if each.frames else journal.count), inspection


def _conclude(output: Output, journal: Journal, wish: _Wish) -> ExitStatus:
    findings, inspection = inspected(journal, wish.beside)
    if wish.hosts:
        findings = for_hosts(findings, wish.hosts)
    _tell(output, findings, inspection, wish)
    if inspection.unasked:
        output.warn(f"{inspection.unasked:,} results were too many to be held against their schemas")
    for path, content in _reports(findings, wish):
        try:
            path.write_bytes(content)
        except OSError as error:
            raise UsageError(f"{path}: can't be written: {error.strerror}") from None
    bad = wish.fails is not None and any(each.severity.rank <= wish.fails.rank for each in findings)
    return ExitStatus.FINDINGS if bad else ExitStatus.OK


def _tell(output: Output, findings: list[Finding], inspection: Inspection, wish: _Wish) -> None:
    if not output.as_json:
        output.lines([summary(findings)] if output.quiet else verdict_lines(findings, CHECKS, inspection.counts))
        return
    first, roots = primary_of(findings), roots_of(findings)
    told = [reports.finding_as_json(each, root * (root != each.id)) for each, root in zip(findings, roots, strict=True)]
    counts = {severity: sum(each.severity is severity for each in findings) for severity in Severity}
    output.data(
        {
            "target": wish.target,
            "entries": inspection.taken,
            "counts": counts,
            "found": inspection.counts,
            "primary": None if first is None else told[findings.index(first)],
            "findings": told,
        }
    )


def _reports(findings: list[Finding], wish: _Wish) -> list[tuple[Path, bytes]]:
    checks, made = all_checks(), []
    if wish.junit is not None:
        made.append((wish.junit, reports.junit(findings, checks, wish.target, wish.fails or Severity.ERROR)))
    if wish.sarif is not None:
        made.append((wish.sarif, reports.sarif(findings, checks, wish.target)))
    return made
