"""What a case is: the names that a file of cases has for what can be expected."""

from inspector.features.cases.model import CaseDefinition, Expectation, ExpectationKind


def test_expectation_defaults_to_the_result() -> None:
    assert Expectation(ExpectationKind.EXISTS, True).at == "/result"


def test_new_case_has_no_expectations() -> None:
    case = CaseDefinition("a", "ping")
    assert (case.params, case.expect, case.answers, case.isolate) == ({}, (), (), False)


def test_the_file_has_a_word_for_each_kind() -> None:
    assert [*ExpectationKind] == ["equals", "type", "exists", "matches", "schema", "faster", "snapshot"]
