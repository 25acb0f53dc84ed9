"""Imports all modules with checks, which registers them, and names their areas."""

from importlib import import_module

from inspector.checks.registry import CHECKS, Check

AREAS = {
    "Process": ("diagnoses.process", "diagnoses.starting", "diagnoses.stalls"),
    "stdio": ("diagnoses.bytes", "rules.lines"),
    "JSON-RPC": ("rules.envelope", "rules.shape"),
    "Initialization and lifecycle": ("diagnoses.opening", "diagnoses.replies", "rules.lifecycle"),
    "HTTP": ("diagnoses.http", "diagnoses.statuses", "diagnoses.headers", "diagnoses.streams", "rules.http"),
    "Authorization": ("diagnoses.authorization", "rules.logins"),
    "Tools": ("rules.tools", "diagnoses.schemas", "diagnoses.definitions"),
    "Tool results": ("rules.results", "diagnoses.results"),
    "Resources, prompts and completion": ("rules.resources",),
    "Pagination, logging, progress, cancellation and caching": ("rules.utilities",),
    "Subscriptions and input required": ("rules.subscriptions",),
    "Sampling, elicitation and roots": ("rules.clients",),
    "Tasks": ("rules.tasks",),
    "MCP Apps": ("rules.apps",),
    "Probes": ("diagnoses.probes", "rules.inputs"),
}
"""The modules with checks by area, in the order of the documentation."""
_AREA_OF = {
    import_module(f"inspector.checks.{module}").__name__: area
    for module, area in sorted((module, area) for area, modules in AREAS.items() for module in modules)
}
"""Imported by name, diagnoses before rules: of findings that weigh the same, that of the first module comes first."""


def area_of(check: Check) -> str:
    """Return the area that a check belongs to, a key of `AREAS`."""
    return _AREA_OF[check.module]


def all_checks() -> list[Check]:
    """Return every check by area, then by slug."""
    order = list(AREAS)
    return sorted(CHECKS.values(), key=lambda each: (order.index(area_of(each)), each.id))
