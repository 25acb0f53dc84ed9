"""Imports all modules with checks, which registers them."""

from inspector.checks.diagnoses import authorization, definitions, opening, probes, process, schemas, starting
from inspector.checks.diagnoses import bytes as bytes_
from inspector.checks.diagnoses import http as http_
from inspector.checks.diagnoses import results as results_
from inspector.checks.diagnoses import streams as streams_
from inspector.checks.registry import CHECKS, Check
from inspector.checks.rules import (
    clients,
    envelope,
    http,
    lifecycle,
    lines,
    logins,
    resources,
    results,
    shape,
    subscriptions,
    tasks,
    tools,
    utilities,
)
from inspector.checks.rules import http as streams
from inspector.checks.rules import shape as members
from inspector.checks.rules import subscriptions as rounds
from inspector.checks.rules import tasks as extension_tasks
from inspector.checks.rules import tools as apps

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
    schemas,
    definitions,
    definitions,
    definitions,
    definitions,
    definitions,
)
"""The chapters, in the order of the list."""


def all_checks() -> list[Check]:
    """Every check, rules before diagnoses, by chapter and number."""
    return sorted(CHECKS.values(), key=lambda each: ("-" in each.id, each.id))
