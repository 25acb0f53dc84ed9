"""All hosts there are packs of, by their id; and which of them have something to say of a trait."""

from collections.abc import Iterable
from datetime import date

from inspector.checks.hosts.claude import CLAUDE_CODE, CLAUDE_DESKTOP
from inspector.checks.hosts.editors import CURSOR, VS_CODE
from inspector.checks.hosts.facts import Fact, Host
from inspector.checks.hosts.sdks import PYTHON_1, PYTHON_2, TYPESCRIPT_1, TYPESCRIPT_2
from inspector.checks.hosts.terminals import CODEX, GEMINI_CLI

HOSTS: dict[str, Host] = {
    host.id: host
    for host in (
        CLAUDE_CODE,
        CLAUDE_DESKTOP,
        VS_CODE,
        CURSOR,
        CODEX,
        GEMINI_CLI,
        TYPESCRIPT_1,
        TYPESCRIPT_2,
        PYTHON_1,
        PYTHON_2,
    )
}
"""In the order of the matrix's columns."""
AGES_AFTER_DAYS = 180
"""A fact whose source is older than this before the newest one is shown as old."""


def facts_about(trait: str, hosts: Iterable[Host], amount: int = 0) -> list[tuple[Host, Fact]]:
    """What hosts do when they meet a trait, worst first; `amount` is its number, if it is one."""
    found = [
        (host, fact)
        for host in hosts
        for fact in host.facts
        if fact.trait == trait and (not fact.over or amount > fact.over)
    ]
    return sorted(found, key=lambda each: each[1].effect.rank)


def newest() -> date:
    """The date of the newest source."""
    return max(fact.source.date for host in HOSTS.values() for fact in host.facts)
