"""What a case is: the names that a file of cases has for what can be expected."""

from inspector.features.cases.model import CaseDefinition, Expectation, ExpectationKind


def test_an_expectation_is_about_the_result_unless_it_says_otherwise() -> None:
    assert Expectation(ExpectationKind.EXISTS, True).at == "/result"


def test_a_case_expects_nothing_in_particular_until_it_is_told() -> None:
    case = CaseDefinition("a", "ping")
    assert (case.params, case.expect, case.answers, case.isolate) == ({}, (), (), False)


def test_the_file_has_a_word_for_each_kind() -> None:
    assert [*ExpectationKind] == ["equals", "type", "exists", "matches", "schema", "faster", "snapshot"]
