"""The cases of all checks: each has a fault that it finds, and a near miss that it does not."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from inspector.checks.findings import Finding
from tests.checks.talks import Cases

_HERE = Path(__file__).parent


def tables() -> Iterator[tuple[str, Cases]]:
    """Yield the tables of cases with the modules that they are in."""
    for folder in ("rules", "diagnoses"):
        for file in sorted((_HERE / folder).glob("test_*.py")):
            module = importlib.import_module(f"tests.checks.{folder}.{file.stem}")
            for name, found in vars(module).items():
                if name == "CASES" or name.endswith("_CASES"):
                    yield f"{folder}/{file.stem}", found


def of_one(findings: list[Finding], id_: str) -> list[Finding]:
    return [each for each in findings if each.id == id_]
