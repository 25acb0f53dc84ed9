"""Effects and their order."""

from inspector.checks.compat.facts import Effect
from inspector.checks.findings import Severity


def test_effects_are_ordered_from_the_worst_and_what_leaves_a_tool_out_is_an_error() -> None:
    assert [effect.rank for effect in Effect] == list(range(len(Effect)))
    assert Effect.FAILS.severity is Severity.ERROR
    assert Effect.CUT.severity is Severity.WARNING
    assert Effect.CHANGED.severity is Severity.HINT
