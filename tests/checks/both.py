"""What every test file of a chapter asks of its cases: the fault is found, the near miss is not."""

from types import ModuleType

from inspector.checks.catalog import all_checks
from inspector.checks.findings import Finding
from tests.checks.talks import Cases


def checks_of(module: ModuleType) -> set[str]:
    """The ids of the checks that a module declares."""
    return {each.id for each in all_checks() if each.judge is not None and each.judge.__module__ == module.__name__}


def of_one(findings: list[Finding], id_: str) -> list[Finding]:
    """The findings of one check."""
    return [each for each in findings if each.id == id_]


def assert_both(cases: Cases, id_: str) -> None:
    """The trigger triggers and gives evidence that exists; the near miss does not."""
    bad, good = cases[id_]
    talk = bad()
    found = of_one(talk.findings(), id_)
    assert found, f"{id_} does not find its fault; found {sorted({each.id for each in talk.findings()})}"
    for each in found:
        assert each.sentence
        assert all(1 <= n <= len(talk.entries) for n in each.frames)
    assert not (wrong := of_one(good().findings(), id_)), wrong
