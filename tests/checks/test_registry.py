"""Names of findings."""

import pytest

from inspector.checks.everything import all_checks
from inspector.checks.findings import Severity
from inspector.checks.registry import ALIASES, CHECKS, LAST, aliases_of, declare, names_of, tables
from inspector.protocol.revisions.table import ROWS


def test_a_rule_that_says_what_a_diagnosis_says_has_both_names() -> None:
    assert names_of("E08") == ("E08", "L-02")
    assert aliases_of("T11") == ()


def test_a_rule_has_one_other_name_at_most() -> None:
    rules = [rule for found in ALIASES.values() for rule in found]
    assert len(rules) == len(set(rules))
    assert not set(rules) & set(ALIASES)
    assert set(ALIASES["L-15"]) <= set(CHECKS)


def test_of_an_unknown_revision_only_what_holds_in_all_of_them_is_asked() -> None:
    assert CHECKS["E08"].applies_to(0)
    assert not CHECKS["E16"].applies_to(0)
    assert not CHECKS["E07"].applies_to(LAST)


def test_advice_that_became_a_rule_is_milder_before() -> None:
    assert [CHECKS["C01"].severity_in(row) for row in (1, 2, 3)] == ["warning", "warning", "error"]
    assert CHECKS["E08"].severity_in(0) is Severity.ERROR


def test_a_check_names_the_revisions_it_applies_to() -> None:
    assert CHECKS["E16"].revisions == (ROWS[-1].date,)


def test_two_checks_of_one_name_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="two checks are called E08"):
        declare("E08", Severity.HINT, "again", topic="")


def test_there_is_a_table_for_each_row_and_one_for_none() -> None:
    assert len(tables()) == LAST + 1
    assert "end" in tables()[0].quick


def test_each_check_says_what_it_finds_in_few_words() -> None:
    for each in all_checks():
        assert 0 < len(each.title) <= 80, each.id
        assert not each.title.endswith(".")
