"""How bad it is has one order everywhere, and a sign of its own."""

from inspector.capture.filters.fields import GRADES as OF_FILTERS
from inspector.checks.findings import Severity
from inspector.viewmodels.grades import GRADES, SIGNS_OF_GRADES, badge, mark
from tests.viewmodels.test_found import finding


def test_severities_are_the_same_everywhere() -> None:
    assert GRADES == OF_FILTERS == tuple(reversed([each.value for each in Severity]))


def test_each_grade_has_a_sign_of_its_own() -> None:
    assert len({sign for sign, _ in SIGNS_OF_GRADES}) == len(SIGNS_OF_GRADES) == len(GRADES) + 1
    assert mark(3) == ("✗", "error")


def test_a_badge_counts_and_has_the_sign_of_the_worst() -> None:
    assert badge(()) is None
    assert badge([finding("A", 1, Severity.HINT), finding("B", 1, Severity.WARNING)]) == ("▲2", "warning")
