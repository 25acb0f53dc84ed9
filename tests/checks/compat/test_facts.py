"""Effects and their order."""

from inspector.checks.compat.packs import CompatEffect
from inspector.checks.findings import Severity


def test_effects_are_ordered_from_the_worst_and_what_leaves_a_tool_out_is_an_error() -> None:
    assert [effect.rank for effect in CompatEffect] == list(range(len(CompatEffect)))
    assert CompatEffect.FAILS.severity is Severity.ERROR
    assert CompatEffect.CUT.severity is Severity.WARNING
    assert CompatEffect.CHANGED.severity is Severity.HINT
