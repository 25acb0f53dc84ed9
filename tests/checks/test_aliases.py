"""Names of findings."""

from inspector.checks.aliases import ALIASES, aliases_of, names_of
from inspector.checks.registry import CHECKS


def test_a_rule_that_says_what_a_diagnosis_says_has_both_names() -> None:
    assert names_of("E08") == ("E08", "L-02")
    assert aliases_of("T11") == ()


def test_a_rule_has_one_other_name_at_most() -> None:
    rules = [rule for found in ALIASES.values() for rule in found]
    assert len(rules) == len(set(rules))
    assert not set(rules) & set(ALIASES)
    assert set(ALIASES["L-15"]) <= set(CHECKS)
