"""Findings and checks as lines for a terminal: worst first, grouped by check, each with its evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector import text
from inspector.capture.journal import Journal
from inspector.checks import catalog
from inspector.checks.catalog import all_checks, area_of
from inspector.checks.findings import Confidence, Finding, Severity, page_of
from inspector.checks.registry import CHECKS, LAST, Check
from inspector.checks.verdict import primary_of, roots_of
from inspector.present import spans
from inspector.present.compatibility import words_of
from inspector.present.spans import Fact, Line, Role, Section, fact, plain, section_lines, span
from inspector.protocol import peek
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.unreadable import messages_of

GLYPHS: dict[Severity, tuple[str, Role]] = {
    Severity.ERROR: ("✗", "error"),
    Severity.WARNING: ("!", "warning"),
    Severity.HINT: ("·", "muted"),
}
_SHOWN = 3
"""Maximum findings of one check that are shown in full."""
_HOSTS = 3
"""Maximum effects on clients that are shown."""


def groups_of(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Group findings by check: the worst first, otherwise in the given order."""
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(each.id, []).append(each)
    groups = [sorted(group, key=lambda each: each.severity.rank) for group in found.values()]
    return sorted(groups, key=lambda group: group[0].severity.rank)


def group_lines(group: Sequence[Finding], check: Check, counts: Mapping[str, int]) -> list[Line]:
    """Return the findings of one check: its title, the evidence of the first few, and the fix."""
    first = group[0]
    glyph, role = GLYPHS[first.severity]
    total = sum(each.count for each in group)
    times = total if total < counts.get(check.id, 0) // 2 else counts.get(check.id, total)
    many = f"  ×{times:,}" if times > 1 else ""
    title: Line = ((f"{glyph} ", role), (check.title, "strong"), (f"  {check.id}", "faint"), (many, "muted"))
    lines: list[Line] = [title]
    lines += [
        (("        ", "text"), *_milder(each, first), span(each.sentence, limit=400), *_place(each))
        for each in group[:_SHOWN]
    ]
    if len(group) > _SHOWN:
        lines.append((("        … and more of the same", "muted"),))
    if first.fix:
        lines.append((("        → ", "accent"), span(first.fix, limit=400)))
    lines += _hosts(first)
    if first.page:
        lines.append(((f"        {first.page}", "faint"),))
    return lines


def _milder(finding: Finding, worst: Finding) -> Line:
    """Return the severity of a finding if it is lower than that of its heading."""
    return () if finding.severity is worst.severity else ((f"({finding.severity}) ", GLYPHS[finding.severity][1]),)


def _hosts(finding: Finding) -> list[Line]:
    told = words_of(finding)
    lines: list[Line] = [((f"        {names}: ", "muted"), (sentence, "muted")) for names, sentence in told[:_HOSTS]]
    return [*lines, ((f"        and {len(told) - _HOSTS} more", "muted"),)] if len(told) > _HOSTS else lines


def _place(finding: Finding) -> tuple[tuple[str, Role], ...]:
    where = f"  #{finding.frames[0]}" if finding.frames else ""
    if finding.count > 1:
        where += f" and {finding.count - 1:,} more"
    if finding.pointer:
        where += f" {finding.pointer}"
    if finding.span:
        where += f" bytes {finding.span[0]}–{finding.span[1]}"
    sure = "" if finding.confidence is Confidence.CERTAIN else f"  ({finding.confidence})"
    return span(where, "muted", limit=200), (sure, "faint")


def unexplained(failure: str) -> Line:
    """Return a line for a failure without a finding."""
    return (("! ", "warning"), span(f"Failure: {failure}", "warning", limit=400))


def summary(findings: Iterable[Finding], failure: str = "") -> Line:
    """Return the number of each severity. `failure` is what failed: then the absence of findings is no success."""
    counts = dict.fromkeys(Severity, 0)
    for each in findings:
        counts[each.severity] += 1
    if not any(counts.values()):
        return unexplained(failure) if failure else (("✓ No findings", "ok"),)
    parts = [f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ((", ".join(parts), "strong"),)


def check_lines(checks: Iterable[Check]) -> list[Line]:
    """Return one line per check: severity, slug, title, and the protocol versions unless it applies to all."""
    lines: list[Line] = []
    for each in checks:
        glyph, role = GLYPHS[each.severity]
        lines.append(
            (
                (f"{glyph} ", role),
                (f"{each.id:<40}", "strong"),
                (each.title, "text"),
                (f"  {_revisions(each)}".rstrip(), "faint"),
            )
        )
    return lines


def _revisions(check: Check) -> str:
    if (check.since, check.until) == (1, LAST):
        return ""
    first, last = check.revisions[0], check.revisions[-1]
    if check.until == LAST:
        return f"from {first}"
    return first if first == last else f"{first} to {last}"


_REFERENCE = """\
# Checks

<!-- Generated by `mcp-inspect checks --markdown`; do not edit. -->

Each check has a slug. `mcp-inspect check` prints it, reports contain it as rule id, a mute names it, and the filter
`finding == "duplicate-response"` finds the messages that a check is about.

A check is an *error* if the specification forbids what was found, or nothing works; a *warning* if the specification
advises against it, or some clients fail; a *hint* if it is legal, but worth knowing. The protocol version in use
decides which checks apply; without a version in the table a check applies to all.
"""


def checks_markdown() -> str:
    """Return the reference of all checks as Markdown: one table per area."""
    parts = [_REFERENCE]
    area = ""
    for check in all_checks():
        if area_of(check) != area:
            area = area_of(check)
            parts += [f"\n## {area}\n\n", "| check | severity | finding | fix |\n", "|---|---|---|---|\n"]
        page = page_of(check.topic, ROWS[check.until - 1])
        title = f"[{check.title}]({page})" if page else check.title
        versions = f" ({_revisions(check)})" if _revisions(check) else ""
        fix = check.fix.replace("|", "\\|")
        parts.append(f"| `{check.id}` | {check.severity}{versions} | {title} | {fix} |\n")
    return "".join(parts)


# One finding as text: in one line, in full, or for pasting. The text is the same wherever findings are shown.

assert catalog.AREAS
SIGNS: dict[Severity, tuple[str, Role]] = {
    Severity.ERROR: (spans.ERROR, "error"),
    Severity.WARNING: (spans.WARNING, "warning"),
    Severity.HINT: (spans.NOTE, "muted"),
}
_LINE = 300
_FINDING_FACTS_HOSTS = 4
"""Maximum effects on clients that are shown."""


def title_of(id_: str) -> str:
    """Return the title of a check; the id if it is unknown."""
    check = CHECKS.get(id_)
    return check.title if check is not None else id_


def finding_line(finding: Finding, more: int = 0) -> Line:
    """Return a finding in one line: sign, sentence, slug, and the number of others like it."""
    sign, role = SIGNS[finding.severity]
    others: Line = ((f"  +{more} more", "accent"),) if more else ()
    return ((f"{sign} ", role), span(finding.sentence, "text", limit=_LINE), (f"  {finding.id}", "faint"), *others)


def place_of(finding: Finding) -> str:
    """Return the place of its evidence: `#12 /result/tools/0`, `#12 bytes 3–7`; "" if something is absent."""
    where = f"#{finding.frames[0]}" if finding.frames else ""
    if finding.pointer:
        where += f" {text.visible(finding.pointer, limit=200)}"
    if finding.span is not None:
        where += f" bytes {finding.span[0]}–{finding.span[1]}"
    return where


def finding_section(finding: Finding) -> Section:
    """Return one finding in full, under the title of its check."""
    return Section(title_of(finding.id), tuple(_facts(finding)))


def _facts(finding: Finding) -> Iterable[Fact]:
    sign, role = SIGNS[finding.severity]
    sure = "" if finding.confidence is Confidence.CERTAIN else f" ({finding.confidence})"
    yield Fact("Check", finding.id, "muted")
    yield Fact("Severity", f"{sign} {finding.severity.capitalize()}{sure}", role)
    yield fact("Found", finding.sentence, "strong")
    if where := place_of(finding):
        yield Fact("Evidence", ", ".join((where, *(f"#{n}" for n in finding.frames[1:20]))), "accent")
    for at, (names, does) in enumerate(words_of(finding)[:_FINDING_FACTS_HOSTS]):
        yield fact("" if at else "Impact", f"{names}: {does}", "warning")
    if finding.fix:
        yield fact("Fix", finding.fix, "ok")
    if finding.page or finding.revision:
        version = f"({finding.revision})" if finding.revision else ""
        yield fact("Spec", f"{finding.page} {version}".strip(), "muted")


def findings_text(findings: Sequence[Finding]) -> str:
    """Return findings as text for pasting."""
    blocks = ["\n".join(map(plain, section_lines(finding_section(each)))) for each in findings]
    return text.for_clipboard("\n\n".join(blocks))[0]


# Findings by importance: what to examine first, and below each finding its consequences.

_LOOKED_AT = 1000
"""Maximum failed requests that are examined."""
_VERDICTS_SHOWN = 5
"""Maximum consequences of one fault that are named."""


def verdict_lines(
    findings: Sequence[Finding], checks: Mapping[str, Check], counts: Mapping[str, int], failure: str = ""
) -> list[Line]:
    """Return all findings as lines; the last line has the number of each severity. `failure` as for `summary`."""
    first, roots = primary_of(findings), roots_of(findings)
    below: dict[str, list[Finding]] = {}
    above: list[Finding] = []
    for each, root in zip(findings, roots, strict=True):
        (above if root == each.id else below.setdefault(root, [])).append(each)
    groups = groups_of(above)
    if first is not None:
        groups.sort(key=lambda group: group[0].id != first.id)
    lines: list[Line] = []
    for group in groups:
        lines += group_lines(group, checks[group[0].id], counts)
        lines += _below(below.pop(group[0].id, []))
    return [*lines, summary(findings, failure)]


_JUDGED_ELSEWHERE = frozenset(("initialize", "server/discover", *(listed.method for listed in LISTS.values())))


def failure_in(journal: Journal, until: int | None = None, *, with_lists: bool = False) -> str:
    """Return what failed in a conversation and why, in a few words: the connection or requests; "" if nothing did.

    Failed list requests are left out without `with_lists`, because checks report their errors, and so are the
    requests that open a session. Probes are left out, and so are requests that were pending when this side closed.
    With `until`, requests after that entry are left out, too.
    """
    ended, exchanges = journal.ended, journal.conversation.exchanges
    if ended is not None and journal.conversation.opening is None:
        cause = ended.why or _why_not_opened(journal)
        return f"no session was opened{f': {cause}' if cause else ''}"
    lost = ended is not None and bool(ended.why)
    aside = frozenset[str]() if with_lists else _JUDGED_ELSEWHERE
    failed = [each for each in _failed(exchanges, aside) if lost or each.state is not ExchangeState.LOST]
    failed = [each for each in failed if until is None or each.request_frame <= until]
    if failed:
        first = f"{failed[0].method} {failed[0].target}".rstrip()
        cause = _cause_of(journal, failed[0])
        more = f" (and {len(failed) - 1:,} more)" if len(failed) > 1 else ""
        return f"{first} failed{f': {cause}' if cause else ''}{more}"
    return f"the connection was lost: {ended.why}" if ended is not None and ended.why else ""


_LONGEST_CAUSE = 200


def _cause_of(journal: Journal, exchange: Exchange) -> str:
    """Return why a request failed: the message of its response, else why there is none; "" if unknown."""
    what = journal.store.entry(exchange.answer_frame).what if exchange.answer_frame else None
    for message in messages_of(what) if isinstance(what, Frame) else ():
        if isinstance(message, ErrorResponse) and message.id in (exchange.id, None):
            return f"error {message.code}: {message.message[:_LONGEST_CAUSE]}"
        if isinstance(message, ResultResponse) and message.id == exchange.id:
            texts = (peek.text(block, "text") for block in peek.items(message.result, "content"))
            return next((each[:_LONGEST_CAUSE] for each in texts if each), "isError without a message")
    return exchange.why[:_LONGEST_CAUSE]


def _why_not_opened(journal: Journal) -> str:
    """Return why the newest request that opens a session failed; "" if unknown."""
    for each in reversed(journal.conversation.exchanges):
        if each.method == "initialize" or (each.method == "server/discover" and not each.probe):
            if each.state in (ExchangeState.PENDING, ExchangeState.CANCELLED):
                return f"no response to {each.method}"
            cause = _cause_of(journal, each)
            return f"{each.method} failed: {cause}" if cause else ""
    return ""


def _failed(exchanges: ExchangeLog, aside: frozenset[str]) -> Iterator[Exchange]:
    """Yield the first failed requests of the client, except probes and some methods."""
    at = exchanges.failures.find(1)
    for _ in range(_LOOKED_AT):
        if not 0 < at <= len(exchanges):
            return
        each = exchanges[at - 1]
        if each.sender is Direction.TO_SERVER and not each.probe and each.method not in aside:
            yield each
        at = exchanges.failures.find(1, at + 1)


def _below(follows: Sequence[Finding]) -> list[Line]:
    by_id: dict[str, Finding] = {}
    for each in follows:
        by_id.setdefault(each.id, each)
    lines: list[Line] = [_consequence(each) for each in list(by_id.values())[:_VERDICTS_SHOWN]]
    more = len(by_id) - _VERDICTS_SHOWN
    return [*lines, ((f"        └ and {more} more that follow", "muted"),)] if more > 0 else lines


def _consequence(finding: Finding) -> Line:
    where = f"  #{finding.frames[0]}" if finding.frames else ""
    return (
        ("        └ ", "muted"),
        span(finding.sentence, "muted", limit=300),
        (f"{where}  {finding.id}", "faint"),
    )
