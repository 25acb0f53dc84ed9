"""Checks of `check --probe`: how a tool handles valid and invalid arguments.

`features.probe` plans the calls and judges them together, so these checks are never called at a moment. They are
declared here because their findings are ordinary ones, with severity, fix and evidence.

Source: specification, server/tools (error handling; "Servers MUST: Validate all tool inputs").
"""

from collections.abc import Iterator
from pathlib import Path

from inspector.checks.findings import Confidence, Finding, Severity, page_of
from inspector.checks.registry import CHECKS, Violation, declare
from inspector.checks.state import CheckMoment
from inspector.protocol.revisions._shape import Revision


def _judged_by_probe(_: CheckMoment) -> Iterator[Violation]:
    """Do nothing: `features.probe` judges these checks."""
    yield from ()


for _row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]:
    _id, _severity, _title, _confidence, _fix = _row.split("\t")
    declare(
        _id,
        Severity(_severity),
        _title,
        topic="server/tools",
        confidence=Confidence(_confidence),
        fix=_fix,
        judge=_judged_by_probe,
    )


def input_finding(id_: str, sentence: str, frames: tuple[int, ...], revision: Revision | None) -> Finding:
    """Return a finding of one of these checks. `frames`: the entries of the evidence, the most important first."""
    rule = CHECKS[id_]
    page = page_of(rule.topic, revision)
    date = revision.date if revision is not None else ""
    return Finding(rule.id, rule.severity, rule.confidence, sentence, frames, fix=rule.fix, page=page, revision=date)
