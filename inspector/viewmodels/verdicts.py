"""Findings as lines in the order of their weight: what to look at first, and below each what follows from it."""

from collections.abc import Iterator, Mapping, Sequence

from inspector.capture.journal import Journal
from inspector.checks.findings import Finding
from inspector.checks.registry import Check
from inspector.checks.verdict import primary_of, roots_of
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.protocol.things import LISTS
from inspector.viewmodels.findings import group_lines, groups_of, summary
from inspector.viewmodels.lines import Line, span

_LOOKED_AT = 1000
"""Failed requests that are looked at."""
_SHOWN = 5
"""Consequences of one fault that are named."""


def verdict_lines(
    findings: Sequence[Finding], checks: Mapping[str, Check], counts: Mapping[str, int], failure: str = ""
) -> list[Line]:
    """All findings, and how many there are of each severity in the last line; `failure` as for `summary`."""
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


def failure_in(journal: Journal) -> str:
    """What failed in a conversation, in a few words: the connection, or requests; "" if nothing did.

    Lists are left out, for what is wrong with their errors is a finding; and so is how a session that was opened began.
    Requests that doctor sent to see them rejected are left out, and so are those that waited when this side closed.
    """
    ended, exchanges = journal.ended, journal.conversation.exchanges
    if ended is not None and journal.conversation.opening is None:
        return f"no session was opened{f': {ended.why}' if ended.why else ''}"
    lost = ended is not None and bool(ended.why)
    failed = [each for each in _failed(exchanges) if lost or each.state is not ExchangeState.LOST]
    if failed:
        first = f"{failed[0].method} {failed[0].target}".rstrip()
        return f"{first} failed" + (f", and {len(failed) - 1:,} more" if len(failed) > 1 else "")
    return f"the connection was lost: {ended.why}" if ended is not None and ended.why else ""


def _failed(exchanges: ExchangeLog) -> Iterator[Exchange]:
    """The first requests of ours that failed, but for probes."""
    at = exchanges.failures.find(1)
    for _ in range(_LOOKED_AT):
        if not 0 < at <= len(exchanges):
            return
        each = exchanges[at - 1]
        if each.sender is Direction.TO_SERVER and not each.probe and each.method not in _JUDGED_ELSEWHERE:
            yield each
        at = exchanges.failures.find(1, at + 1)


def _below(follows: Sequence[Finding]) -> list[Line]:
    by_id: dict[str, Finding] = {}
    for each in follows:
        by_id.setdefault(each.id, each)
    lines: list[Line] = [_consequence(each) for each in list(by_id.values())[:_SHOWN]]
    more = len(by_id) - _SHOWN
    return [*lines, ((f"        └ and {more} more that follow", "muted"),)] if more > 0 else lines


def _consequence(finding: Finding) -> Line:
    where = f"  #{finding.frames[0]}" if finding.frames else ""
    return (
        (f"        └ {finding.id:<5} ", "muted"),
        span(finding.sentence, "muted", limit=300),
        (where, "faint"),
    )
