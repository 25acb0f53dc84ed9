"""Imports all modules with checks, which registers them, and names their areas."""

from inspector.checks.diagnoses import (
    authorization,
    definitions,
    opening,
    probes,
    process,
    replies,
    schemas,
    stalls,
    starting,
    statuses,
)
from inspector.checks.diagnoses import bytes as bytes_
from inspector.checks.diagnoses import headers as headers_
from inspector.checks.diagnoses import http as http_
from inspector.checks.diagnoses import results as results_
from inspector.checks.diagnoses import streams as streams_
from inspector.checks.registry import CHECKS, Check
from inspector.checks.rules import (
    apps,
    clients,
    envelope,
    http,
    inputs,
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

AREAS = {
    "Process": (process, starting, stalls),
    "stdio": (bytes_, lines),
    "JSON-RPC": (envelope, shape),
    "Initialization and lifecycle": (opening, replies, lifecycle),
    "HTTP": (http_, statuses, headers_, streams_, http),
    "Authorization": (authorization, logins),
    "Tools": (tools, schemas, definitions),
    "Tool results": (results, results_),
    "Resources, prompts and completion": (resources,),
    "Pagination, logging, progress, cancellation and caching": (utilities,),
    "Subscriptions and input required": (subscriptions,),
    "Sampling, elicitation and roots": (clients,),
    "Tasks": (tasks,),
    "MCP Apps": (apps,),
    "Probes": (probes, inputs),
}
"""The modules with checks by area, in the order of the documentation."""
_AREA_OF = {module.__name__: area for area, modules in AREAS.items() for module in modules}


def area_of(check: Check) -> str:
    """Return the area that a check belongs to, a key of `AREAS`."""
    return _AREA_OF[check.module]


def all_checks() -> list[Check]:
    """Return every check by area, then by slug."""
    order = list(AREAS)
    return sorted(CHECKS.values(), key=lambda each: (order.index(area_of(each)), each.id))
