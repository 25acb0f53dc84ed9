"""All checks: importing this file is what puts them on the list."""

from inspector.checks.diagnoses import bytes as bytes_
from inspector.checks.diagnoses import opening, process, starting
from inspector.checks.diagnoses import results as results_
from inspector.checks.registry import CHECKS, Check
from inspector.checks.rules import (
    clients,
    envelope,
    http,
    lifecycle,
    resources,
    results,
    shape,
    subscriptions,
    tasks,
    tools,
    utilities,
)

IMPORTED = (
    shape,
    envelope,
    lifecycle,
    tools,
    results,
    resources,
    utilities,
    subscriptions,
    clients,
    http,
    tasks,
    process,
    starting,
    bytes_,
    opening,
    results_,
)
"""The chapters, in the order of the list."""


def all_checks() -> list[Check]:
    """Every check, rules before diagnoses, by chapter and number."""
    return sorted(CHECKS.values(), key=lambda each: ("-" in each.id, each.id))
