"""Checks of `check --probe`: how a tool handles valid and invalid arguments.

`features.probe` plans the calls and judges them together, so these checks are never called at a moment. They are
declared here because their findings are ordinary ones, with severity, fix and evidence.

Source: specification, server/tools (error handling; "Servers MUST: Validate all tool inputs").
"""

from collections.abc import Iterator

from inspector.checks.findings import Confidence, Finding, Severity, page_of
from inspector.checks.registry import CHECKS, Violation, declare
from inspector.checks.state import CheckMoment
from inspector.protocol.revisions._shape import Revision

_RULES = (
    ("input-ends-server", Severity.ERROR, "A call ends the server", Confidence.CERTAIN,
     "Catch exceptions in the tool, and return isError with a text."),
    ("input-without-response", Severity.ERROR, "A call gets no response", Confidence.CERTAIN,
     "Limit the input and the time of the tool, and return isError when a limit is reached."),
    ("slow-tool", Severity.HINT, "A tool takes long", Confidence.CERTAIN,
     "Send notifications/progress, or offer the tool as a task: clients have timeouts."),
    ("valid-input-rejected", Severity.ERROR, "Valid arguments are rejected", Confidence.LIKELY,
     "Correct inputSchema or the validation: a model can only follow the schema."),
    ("undeclared-constraint", Severity.HINT, "inputSchema does not declare a constraint", Confidence.LIKELY,
     "Declare it (minimum, minLength, pattern, additionalProperties: false), so that a model can follow it."),
    ("invalid-input-accepted", Severity.WARNING, "Invalid arguments are accepted", Confidence.CERTAIN,
     "Validate arguments against inputSchema before the tool runs."),
    ("input-error-unspecific", Severity.HINT, "The error does not name the invalid argument", Confidence.LIKELY,
     "Name the argument and what is wrong with it, so that a model can correct the call."),
    ("input-fails-inside", Severity.WARNING, "Invalid arguments cause an internal error", Confidence.CERTAIN,
     "Validate arguments first, and answer with isError or error -32602."),
    ("value-changed", Severity.WARNING, "A value comes back changed", Confidence.LIKELY,
     "Decode and encode as UTF-8 throughout, and keep large integers as integers or strings."),
    ("value-ignored", Severity.WARNING, "A value is treated as missing", Confidence.LIKELY,
     "Test whether the argument is present, not whether it is true: 0, false, an empty text or list are values."),
    ("fraction-lost", Severity.HINT, "A number comes back without its fraction", Confidence.LIKELY,
     "Decode numbers as floating point, or declare the argument as an integer."),
    ("default-not-applied", Severity.HINT, "A declared default is not applied", Confidence.LIKELY,
     "Apply the default that inputSchema declares, or leave it out of the schema: clients do not fill it in."),
    ("text-of-another-call", Severity.WARNING, "A read-only tool returns the arguments of an earlier call",
     Confidence.LIKELY,
     "Keep what a call gets in the call: look for a mutable default argument or a module variable."),
    ("slow-input", Severity.WARNING, "A value takes much longer than others", Confidence.LIKELY,
     "Limit the work that the value causes, or declare its bounds in inputSchema."),
    ("response-has-traceback", Severity.WARNING, "A response has a stack trace", Confidence.CERTAIN,
     "Return a short error text; write stack traces to stderr."),
    ("response-has-path", Severity.WARNING, "A response has a path of the server's machine", Confidence.LIKELY,
     "Do not return paths of the installation or of home directories."),
    ("response-has-secret", Severity.ERROR, "A response has the value of an environment variable", Confidence.CERTAIN,
     "Never return values of environment variables."),
    ("not-idempotent", Severity.WARNING, "A tool with `idempotentHint` gives different results", Confidence.LIKELY,
     "Remove idempotentHint, or return the same result for a repeated call."),
    ("calls-change-definitions", Severity.WARNING, "Calls change the tool definitions", Confidence.CERTAIN,
     "Keep definitions stable, or send notifications/tools/list_changed."),
)  # fmt: skip


def _judged_by_probe(_: CheckMoment) -> Iterator[Violation]:
    """Do nothing: `features.probe` judges these checks."""
    yield from ()


for _id, _severity, _title, _confidence, _fix in _RULES:
    declare(_id, _severity, _title, topic="server/tools", confidence=_confidence, fix=_fix, judge=_judged_by_probe)


def input_finding(id_: str, sentence: str, frames: tuple[int, ...], revision: Revision | None) -> Finding:
    """Return a finding of one of these checks. `frames`: the entries of the evidence, the most important first."""
    rule = CHECKS[id_]
    page = page_of(rule.topic, revision)
    date = revision.date if revision is not None else ""
    return Finding(rule.id, rule.severity, rule.confidence, sentence, frames, fix=rule.fix, page=page, revision=date)
