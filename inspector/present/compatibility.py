"""What hosts do with a server's surface, as lines: the matrix of tools and hosts, its sources, texts for a finding.

Unknown is shown as a dot, never as a tick: a pack of facts records what goes wrong, not that everything else works.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from inspector.checks.compat.matrix import CheckedDefinitions, CompatVerdict, Matrix, Row, matrix_of, told_of
from inspector.checks.compat.packs import (
    AGES_AFTER_DAYS,
    CompatEffect,
    CompatFact,
    CompatSource,
    Host,
    facts_about,
    newest,
    usual_hosts,
)
from inspector.checks.definitions.schemas import WalkBudget
from inspector.checks.definitions.tools import traits_of
from inspector.checks.findings import Confidence, Finding
from inspector.present.spans import Line, Role, Span, span
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.text import counted, visible

_CODES: dict[CompatEffect, tuple[str, Role]] = {
    CompatEffect.ALL_GONE: ("✗all", "error"),
    CompatEffect.BREAKS: ("✗req", "error"),
    CompatEffect.GONE: ("✗", "error"),
    CompatEffect.FAILS: ("✗call", "error"),
    CompatEffect.CUT: ("!cut", "warning"),
    CompatEffect.CHANGED: ("~", "muted"),
    CompatEffect.WARNED: ("!", "warning"),
    CompatEffect.FINE: ("✓", "ok"),
}
_NOTHING = "·"
_LOST, _LOST_MEANS = "✗oth", "lost because of another tool"
_MEANS = (
    (CompatEffect.ALL_GONE, "all tools are dropped"),
    (CompatEffect.BREAKS, "requests to the model fail"),
    (CompatEffect.GONE, "dropped"),
    (CompatEffect.FAILS, "calls fail"),
    (CompatEffect.CUT, "truncated"),
    (CompatEffect.CHANGED, "changed"),
    (CompatEffect.WARNED, "warning"),
    (CompatEffect.FINE, "known to work"),
)
_DROPPED = (CompatEffect.ALL_GONE, CompatEffect.GONE)
_CELL, _NARROW, _ROOMY = 6, 4, 100
"""Cells of a column, cells of a narrow column, and the screen width below which columns are narrow."""
_LEAST, _MOST_NAME = 12, 60
_NAMED = 3
_HEAD_BUDGET = 2_000
"""Maximum parts of a schema that are examined for the line above a form, which is drawn at once."""


def definitions_of(conversation: Conversation, called: str = "") -> CheckedDefinitions:
    """Return what a server has shown so far; `called` is its name in a host's configuration, "" for its own name."""
    listing = conversation.catalogue.listings["tools"]
    opening = conversation.opening
    own = peek.text(opening.server, "name") if opening else None
    instructions = opening.instructions if opening else ""
    uses = {str(server_request.kind) for server_request in conversation.server_requests}
    uses |= {kind for kind in ("resources", "prompts") if conversation.catalogue.listings[kind].items}
    return CheckedDefinitions(
        tuple(listing.items), called or own or "server", instructions, listing.pages, frozenset(uses)
    )


def compatibility_matrix(surface: CheckedDefinitions, hosts: Iterable[Host] | None = None) -> Matrix:
    """Return the matrix of a surface. The largest takes up to two seconds: do not call this on an event loop."""
    return matrix_of(surface, usual_hosts() if hosts is None else hosts)


def matrix_lines(matrix: Matrix, width: int, *, every: bool = False) -> list[Line]:
    """Return the matrix, its legend and its notes; unless `every`, only tools with known effects."""
    rows = [row for row in matrix.rows if every or any(map(_has_problem, row.cells))]
    cell = _CELL if width >= _ROOMY else _NARROW
    longest = max([len(visible(row.name)) for row in rows] + [_LEAST])
    name = max(_LEAST, min(longest, _MOST_NAME, width - cell * len(matrix.hosts) - 2))
    head = [(f"{host.short[: cell - 1]:<{cell}}", "strong") for host in matrix.hosts]
    lines = [_joined([(" " * (name + 2), "text"), *head])]
    lines.append(_row("(server)", matrix.whole, name, cell))
    takes_along = [matrix.gone(at) for at in range(len(matrix.hosts))]
    lost = [[_is_lost(seen, gone) for seen, gone in zip(row.cells, takes_along, strict=True)] for row in rows]
    lines += [
        _row(row.name or "(no name)", row.cells, name, cell, marks) for row, marks in zip(rows, lost, strict=True)
    ]
    left = len(matrix.rows) - len(rows)
    if left:
        own = f" of its own: lost where another one is {_code(CompatEffect.ALL_GONE, cell)}" if any(takes_along) else ""
        own = own.replace("its", "their") if left > 1 else own
        lines.append(((f"and {counted(left, 'tool')} without known problems{own}", "muted"),))
    used = {verdict.fact.effect for _, cells in _columns(matrix) for each in cells for verdict in each[:1]}
    legend = [f"{_code(effect, cell)} {means}" for effect, means in _MEANS if effect in used]
    if any(map(any, lost)):
        legend.insert(1, f"{_fitted(_LOST, cell)} {_LOST_MEANS}")
    lines += [(), ((", ".join([*legend, "· unknown"]), "muted"),), ()]
    return lines + _notes(matrix)


def _code(effect: CompatEffect, width: int) -> str:
    return _fitted(_CODES[effect][0], width)


def _fitted(code: str, width: int) -> str:
    return code if width == _CELL else code[:2]


def _is_lost(seen: Sequence[CompatVerdict], gone: Row | None) -> bool:
    """Return whether a client drops a tool, of which it has seen this, only because of the tool `gone`."""
    return gone is not None and (not seen or seen[0].fact.effect not in _DROPPED)


def _row(
    name: str, cells: Sequence[tuple[CompatVerdict, ...]], width: int, cell: int, lost: Sequence[bool] = ()
) -> Line:
    """Return the line of one tool; `lost`: for each client whether it drops the tool because of another one."""
    shown = visible(name)
    shown = shown if len(shown) <= width else shown[: width - 1] + "…"
    marks = (_mark(each, cell, lost=bool(lost) and lost[at]) for at, each in enumerate(cells))
    return _joined([(f"{shown:<{width}}  ", "text"), *marks])


def _mark(verdicts: tuple[CompatVerdict, ...], width: int, *, lost: bool) -> Span:
    if lost:
        return f"{_fitted(_LOST, width):<{width}}", "error"
    if not verdicts:
        return f"{_NOTHING:<{width}}", "faint"
    effect = verdicts[0].fact.effect
    return f"{_code(effect, width):<{width}}", _CODES[effect][1]


def _joined(spans: Sequence[tuple[str, Any]]) -> Line:
    """Return the spans without trailing spaces."""
    *others, (text, role) = spans
    return (*others, (text.rstrip(), role))


def _columns(matrix: Matrix) -> list[tuple[Host, list[tuple[CompatVerdict, ...]]]]:
    """Return all cells of each host, beginning with the cell of the server as a whole."""
    return [(host, [matrix.whole[at], *(row.cells[at] for row in matrix.rows)]) for at, host in enumerate(matrix.hosts)]


def _is_problem(verdict: CompatVerdict) -> bool:
    return verdict.fact.effect is not CompatEffect.FINE


def _has_problem(cell: Sequence[CompatVerdict]) -> bool:
    return any(map(_is_problem, cell))


def _notes(matrix: Matrix) -> list[Line]:
    lines: list[Line] = []
    for at, host in enumerate(matrix.hosts):
        members: dict[str, tuple[CompatVerdict, dict[str, None]]] = {}  # the names in order, each once
        for verdict in filter(_is_problem, matrix.whole[at]):
            members.setdefault(verdict.fact.sentence, (verdict, {}))
        for row in matrix.rows:
            for verdict in filter(_is_problem, row.cells[at]):
                members.setdefault(verdict.fact.sentence, (verdict, {}))[1][row.name] = None
        for verdict, names in sorted(members.values(), key=lambda each: each[0].fact.effect.rank):
            lines += _note(host, verdict, list(names))
    return lines


def _note(host: Host, verdict: CompatVerdict, names: Sequence[str]) -> list[Line]:
    fact = verdict.fact
    text, role = _CODES[fact.effect]
    who = f"{', '.join(names[:_NAMED])}{f' and {len(names) - _NAMED:,} more' if len(names) > _NAMED else ''}: "
    message = f"{who if names else ''}{verdict.trait.sentence}"
    return [
        ((f"{text:<{_CELL}}", role), (f"{host.name} ", "strong"), (fact.sentence, "text")),
        ((" " * _CELL, "text"), span(message, "muted", limit=300)),
        ((" " * _CELL, "text"), (dated(host, fact.source), "faint")),
    ]


def dated(host: Host, source: CompatSource) -> str:
    """Return date, version, how it is known, and URL of a source, with a remark if it is old."""
    seen = f", seen in {source.version}" if source.version else ", version not named"
    return f"{source.date}{seen}, {_how(source)}{_age(host, source)}  {source.url}"


def _how(source: CompatSource) -> str:
    if source.is_observed:
        return "observed"
    certain = {Confidence.CERTAIN: ", read in its code", Confidence.GUESS: ", a guess"}
    return f"reported{certain.get(source.confidence, '')}"


def _age(host: Host, source: CompatSource) -> str:
    if host.release is not None and host.is_outdated(source):
        return f", older than {host.release.version}"
    return ", old" if is_old(source) else ""


def is_old(source: CompatSource) -> bool:
    """Whether a source is so much older than the newest one that it may be outdated."""
    return (newest() - source.date).days > AGES_AFTER_DAYS


def matrix_as_json(matrix: Matrix) -> dict[str, Any]:
    """Return the matrix as JSON data: hosts, the server as a whole, and each tool; unknown effects are left out."""
    return {
        "hosts": [{"id": host.id, "name": host.name} for host in matrix.hosts],
        "tokens_estimated": matrix.tokens,
        "server": _cells_as_json(matrix, matrix.whole),
        "tools": [_row_as_json(matrix, row) for row in matrix.rows],
    }


def _row_as_json(matrix: Matrix, row: Row) -> dict[str, Any]:
    names = zip(matrix.hosts, row.shown, strict=True)
    shown = {host.id: name for host, name in names if name}
    lost = {
        host.id: gone.name
        for at, host in enumerate(matrix.hosts)
        if (gone := matrix.gone(at)) is not None and _is_lost(row.cells[at], gone)
    }
    about = {"name": row.name, "shown_as": shown, "hosts": _cells_as_json(matrix, row.cells)}
    return about | ({"lost_because_of": lost} if lost else {})


def _cells_as_json(matrix: Matrix, cells: Sequence[tuple[CompatVerdict, ...]]) -> dict[str, list[dict[str, Any]]]:
    return {
        host.id: [
            fact_as_json(host, each.fact) | {"because": each.trait.sentence, "pointer": each.trait.pointer}
            for each in cell
        ]
        for host, cell in zip(matrix.hosts, cells, strict=True)
        if cell
    }


def fact_as_json(host: Host, fact: CompatFact) -> dict[str, Any]:
    """Return one fact with its source, as JSON data."""
    return {"effect": fact.effect, "sentence": fact.sentence, "source": source_as_json(host, fact.source)}


def source_as_json(host: Host, source: CompatSource) -> dict[str, Any]:
    return {
        "url": source.url,
        "date": source.date.isoformat(),
        "seen_in": source.version or None,
        "confidence": source.confidence,
        "how": "observed" if source.is_observed else "reported",
        "older_than": host.release.version if host.release and host.is_outdated(source) else None,
    }


def words_of(finding: Finding) -> list[tuple[str, str]]:
    """Return the effects of a finding, worst first: the hosts that share one, with version and date, and the effect."""
    same: dict[str, list[str]] = {}
    for host, fact in told_of(finding):
        same.setdefault(fact.sentence, []).append(f"{host.name} ({fact.source.label})")
    return [(", ".join(names), sentence) for sentence, names in same.items()]


def concerned_as_json(finding: Finding) -> list[dict[str, Any]]:
    """Return each host's effect of a finding, as JSON data."""
    return [{"host": host.id} | fact_as_json(host, fact) for host, fact in told_of(finding)]


def outlook_of(tool: Any) -> Line:
    """Return the worst effect on a tool in one line; () if no host is known to cut it, leave it out, or worse."""
    if type(tool) is not dict:
        return ()
    chosen = list(usual_hosts())
    found: dict[str, tuple[Host, CompatFact]] = {}
    for trait in traits_of(tool, WalkBudget(_HEAD_BUDGET)):
        for host, fact in facts_about(trait.kind, chosen, trait.amount):
            if (
                fact.source.version
                and fact.effect.rank <= CompatEffect.CUT.rank
                and (host.id not in found or fact.effect.rank < found[host.id][1].effect.rank)
            ):
                found[host.id] = (host, fact)
    if not found:
        return ()
    host, fact = min(found.values(), key=lambda each: each[1].effect.rank)
    code, role = _CODES[fact.effect]
    more = f" ({len(found) - 1} more client{'s' if len(found) > 2 else ''})" if len(found) > 1 else ""
    sign = code[0]  # the other letters are explained below the matrix, not here
    who = f"{host.name} ({fact.source.label}) "
    return ((f"{sign} in clients: ", role), (who + fact.sentence, "text"), (more, "muted"))


def host_lines(hosts: Iterable[Host]) -> list[Line]:
    """Return everything known about some hosts, with sources."""
    lines: list[Line] = []
    for host in hosts:
        lines.append(((f"{host.name}", "title"), (f"  {host.id}", "muted")))
        if host.naming is not None and host.naming_source is not None:
            lines += _known(host, "names", f"shows a tool as {host.naming.template}", host.naming_source)
        for fact in host.facts:
            lines += _known(host, fact.trait, fact.sentence, fact.source)
        for limit in host.limits:
            lines += _known(host, limit.name, limit.sentence, limit.source)
        for feature in host.features:
            note = f" ({feature.note})" if feature.note else ""
            lines += _known(
                host, feature.name, ("supported" if feature.has else "not supported") + note, feature.source
            )
        lines.append(())
    return lines


def _known(host: Host, what: str, sentence: str, source: CompatSource) -> list[Line]:
    return [((f"  {what:<22} ", "key"), (sentence, "text")), ((f"  {'':<22} ", "text"), (dated(host, source), "faint"))]


def host_as_json(host: Host) -> dict[str, Any]:
    """Return everything known about a host, as JSON data."""
    return {
        "id": host.id,
        "name": host.name,
        "names": host.naming and {"template": host.naming.template, "longest": host.naming.longest or None},
        "facts": [{"trait": each.trait, "over": each.over or None} | fact_as_json(host, each) for each in host.facts],
        "limits": [
            {"name": each.name, "sentence": each.sentence, "source": source_as_json(host, each.source)}
            for each in host.limits
        ],
        "features": [
            {"name": each.name, "has": each.has, "note": each.note or None, "source": source_as_json(host, each.source)}
            for each in host.features
        ],
    }
