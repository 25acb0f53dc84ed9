"""Findings as annotations of a GitHub workflow: commands that its runner reads from what a step writes.

Foreign text must not give such commands itself, so the runner is told not to listen until the annotations come.
"""

import secrets
from collections.abc import Iterable, Mapping

from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import Check
from inspector.viewmodels.text import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_MOST = 50
"""A runner shows ten of a kind for a step, and takes more time over thousands."""


def stop_word() -> str:
    """A word that nobody can guess, to end the silence with."""
    return secrets.token_hex(16)


def silence(word: str) -> str:
    """From this line on the runner obeys nothing, until the word comes."""
    return f"::stop-commands::{word}"


def annotations(findings: Iterable[Finding], checks: Mapping[str, Check], target: str, word: str) -> list[str]:
    """The line that ends the silence, then one for each finding, the worst first."""
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
