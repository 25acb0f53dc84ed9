"""One finding in words: in a line, in full, as text to be pasted. The same words wherever findings are shown.

A sentence may quote what a server sent, so every text of a finding is made safe here.
"""

from collections.abc import Iterable, Sequence

from inspector.checks import everything
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.viewmodels import signs, text
from inspector.viewmodels.hosts import words_of
from inspector.viewmodels.lines import Fact, Line, Section, fact, plain, section_lines, span
from inspector.viewmodels.roles import Role, Span

assert everything.IMPORTED
SIGNS: dict[Severity, tuple[str, Role]] = {
    Severity.ERROR: (signs.ERROR, "error"),
    Severity.WARNING: (signs.WARNING, "warning"),
    Severity.HINT: (signs.NOTE, "muted"),
}
_LINE = 300
_HOSTS = 4
"""Ways of hosts to take it that are told."""


def sign_of(severity: Severity) -> Span:
    """A sign for a severity; beside it stands a word or the id of the check."""
    return SIGNS[severity]


def title_of(id_: str) -> str:
    """The fault in a few words; the id where the check is not known."""
    check = CHECKS.get(id_)
    return check.title if check is not None else id_


def finding_line(finding: Finding, more: int = 0) -> Line:
    """One line: sign, id, sentence, and how many others there are."""
    sign, role = SIGNS[finding.severity]
    others: Line = ((f"  +{more} more", "accent"),) if more else ()
    return ((f"{sign} {finding.id} ", role), span(finding.sentence, "text", limit=_LINE), *others)


def place_of(finding: Finding) -> str:
    """Where its evidence is: `#12 /result/tools/0`, `#12 bytes 3–7`; "" if it rests on an absence."""
    where = f"#{finding.frames[0]}" if finding.frames else ""
    if finding.pointer:
        where += f" {text.visible(finding.pointer, limit=200)}"
    if finding.span is not None:
        where += f" bytes {finding.span[0]}–{finding.span[1]}"
    return where


def finding_section(finding: Finding) -> Section:
    """All of one finding, under the title of its check."""
    return Section(f"{finding.id}  {title_of(finding.id)}", tuple(_facts(finding)))


def _facts(finding: Finding) -> Iterable[Fact]:
    sign, role = SIGNS[finding.severity]
    sure = "" if finding.confidence is Confidence.CERTAIN else f", {finding.confidence}"
    yield Fact("severity", f"{sign} {finding.severity}{sure}", role)
    yield fact("what", finding.sentence, "strong")
    if where := place_of(finding):
        yield Fact("evidence", where, "accent")
    if len(finding.frames) > 1:
        yield Fact("see also", " ".join(f"#{n}" for n in finding.frames[1:20]), "muted")
    if finding.fix:
        yield fact("fix", finding.fix, "ok")
    for at, (names, does) in enumerate(words_of(finding)[:_HOSTS]):
        yield fact("" if at else "hosts", f"{names}: {does}", "warning")
    if finding.page:
        yield fact("page", finding.page, "muted")
    if finding.revision:
        yield fact("judged by", f"revision {finding.revision}", "muted")


def findings_text(findings: Sequence[Finding]) -> str:
    """Findings as text that is fit to be pasted."""
    blocks = ["\n".join(map(plain, section_lines(finding_section(each)))) for each in findings]
    return text.for_clipboard("\n\n".join(blocks))[0]
