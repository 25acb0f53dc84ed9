"""Names of tools: what is left of them in a host, which of them are one and the same there, and what they promise."""

import re
from collections.abc import Iterator
from typing import Final

from inspector.checks.diagnoses.surface import LIST, tools_seen
from inspector.checks.findings import Confidence, Severity
from inspector.checks.hosts.packs import HOSTS
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case
from inspector.checks.surface.names import shown_name
from inspector.checks.surface.tools import writes
from inspector.protocol import peek

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_MOST = 10
_SAME: Final = re.compile(r"[^A-Za-z0-9]")


@check(
    "S-12",
    _WARNING,
    "a long or ambiguous tool name",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Shorten it: clients with several servers put the server's name before it.",
)
def names_survive(case: Case) -> Iterator[Flaw]:
    """Too long with the server's own name before it, or the same as another once hosts have made it plain."""
    server = peek.text(case.scene.opening.server if case.scene.opening else None, "name") or ""
    seen_as: dict[str, str] = {}
    told = 0
    for seen in tools_seen(case):
        name = peek.text(seen.tool, "name") or ""
        before = seen_as.setdefault(_SAME.sub("_", name).lower(), name)
        if before != name:
            how = "but for capitals" if before.lower() == name.lower() else "but for punctuation"
            said, fix = f"{before[:80]!r} and {seen.name!r} are the same {how}", "Rename one of the two."
            yield Flaw(said, f"{seen.place}/name", severity=_HINT, fix=fix)
        hosts = _too_long_for(server, name) if len(name) <= 128 and told < _MOST else ()
        if hosts:
            told += 1
            whose = f"as a tool of {server[:40]!r} " if len(name) <= 64 and server else ""
            said = f"{seen.name} has {len(name)} characters; {whose}it is too long for {_listed(hosts)}"
            mild = None if len(name) > 64 else _HINT
            yield Flaw(said, f"{seen.place}/name", severity=mild, trait="shown-name-length", hosts=hosts)


def _too_long_for(server: str, name: str) -> tuple[str, ...]:
    """The hosts whose models see a name that is too long; of a server that has no name yet its own length alone."""
    if len(server) + len(name) < 40:
        return ()
    hosts = (host for host in HOSTS.values() if host.naming is not None)
    return tuple(host.id for host in hosts if host.naming and shown_name(host.naming, server, name).is_too_long)


def _listed(hosts: tuple[str, ...]) -> str:
    """The hosts of which the version is known, each with it and the date; without any, what they have in common."""
    sources = ((HOSTS[each].name, HOSTS[each].naming_source) for each in hosts)
    named = [f"{name} ({source.label})" for name, source in sources if source is not None and source.version]
    return ", ".join(named) or "a limit of 64 characters"


@check(
    "S-19",
    _HINT,
    "annotated as read-only, and named like something that writes",
    LIST,
    topic="server/tools",
    heavy=True,
    confidence=Confidence.GUESS,
    fix="Leave readOnlyHint out unless it is sure: a client may call such a tool without asking.",
)
def annotations_fit_the_name(case: Case) -> Iterator[Flaw]:
    """By a verb in the name."""
    for seen in tools_seen(case):
        if word := writes(seen.tool):
            place = f"{seen.place}/annotations/readOnlyHint"
            yield Flaw(
                f"{seen.name} is annotated as read-only; “{word}” sounds like more", place, trait="read-only-writes"
            )


@check(
    "S-20",
    _HINT,
    "x-mcp-header that would be refused over HTTP",
    LIST,
    topic="http",
    since=5,
    heavy=True,
    fix="Mend it before the server is reached over HTTP: clients must leave such a tool out there.",
)
def headers_would_do(case: Case) -> Iterator[Flaw]:
    """Over HTTP itself it is a fault, which a rule tells."""
    if case.scene.is_http:
        return
    for seen in tools_seen(case):
        for trait in seen.traits:
            if trait.kind == "mirrored":
                yield Flaw(f"{seen.name}: {trait.sentence}", seen.place + trait.pointer, trait=trait.kind)


@check(
    "S-25",
    _HINT,
    "a tool of another server has the same name",
    LIST,
    topic="server/tools",
    heavy=True,
    fix="Give it a name of its own: a model may take one for the other.",
)
def names_are_nobody_else_s(case: Case) -> Iterator[Flaw]:
    """Among the servers that are configured beside this one, as far as they are known."""
    beside = case.scene.beside
    for seen in tools_seen(case) if beside else ():
        name = peek.text(seen.tool, "name") or ""
        others = [server for server, names in beside.items() if name in names]
        if others:
            yield Flaw(f"{seen.name} is also a tool of {', '.join(others)[:80]}", f"{seen.place}/name")
