"""All checks: importing this file is what puts them on the list."""

from inspector.checks.diagnoses import (
    authorization,
    opening,
    probes,
    process,
    starting,
    surface_memory,
    surface_names,
    surface_results,
    surface_schemas,
    surface_size,
    surface_texts,
)
from inspector.checks.diagnoses import bytes as bytes_
from inspector.checks.diagnoses import http as http_
from inspector.checks.diagnoses import results as results_
from inspector.checks.diagnoses import streams as streams_
from inspector.checks.registry import CHECKS, Check
from inspector.checks.rules import (
    apps,
    clients,
    envelope,
    extension_tasks,
    http,
    lifecycle,
    lines,
    logins,
    members,
    resources,
    results,
    rounds,
    shape,
    streams,
    subscriptions,
    tasks,
    tools,
    utilities,
)

IMPORTED = (
    shape,
    members,
    envelope,
    lines,
    lifecycle,
    tools,
    results,
    resources,
    utilities,
    subscriptions,
    rounds,
    clients,
    http,
    streams,
    logins,
    tasks,
    extension_tasks,
    apps,
    process,
    starting,
    bytes_,
    opening,
    http_,
    streams_,
    authorization,
    results_,
    probes,
    surface_schemas,
    surface_names,
    surface_texts,
    surface_size,
    surface_results,
    surface_memory,
)
"""The chapters, in the order of the list."""


def all_checks() -> list[Check]:
    """Every check, rules before diagnoses, by chapter and number."""
    return sorted(CHECKS.values(), key=lambda each: ("-" in each.id, each.id))
