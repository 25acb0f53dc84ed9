"""Names of findings."""

import re
from collections.abc import Iterator

import pytest

from inspector.checks.catalog import all_checks
from inspector.checks.findings import Severity
from inspector.checks.registry import CHECKS, LAST, Check, Violation, declare, rules_of, tables
from inspector.checks.state import CheckMoment
from inspector.protocol.revisions.table import ROWS


def test_a_slug_is_one_name_in_one_form() -> None:
    for each in all_checks():
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", each.id), each.id
        assert len(each.id) <= 40, each.id


def test_a_check_is_found_by_its_slug() -> None:
    functions = {check.id: check.judge.__name__ for check in all_checks() if check.judge is not None}
    named = {id_: name for id_, name in functions.items() if not name.startswith("_")}
    assert named == {id_: id_.replace("-", "_") for id_ in named}


def test_rules_of_takes_name_and_docstring_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, Check] = {}
    monkeypatch.setattr("inspector.checks.registry.CHECKS", known)
    _, warning, _ = rules_of("server/tools")

    @warning("Title", "answer", since=ROWS[1].date)
    def some_name(case: CheckMoment) -> Iterator[Violation]:
        """Say what.

        Fix: Do this
        and that.
        """
        yield from ()

    made = known["some-name"]
    assert (made.severity, made.topic, made.fix) == (Severity.WARNING, "server/tools", "Do this and that.")
    assert (made.hooks, made.since, made.judge) == (("answer",), 2, some_name)


def test_titles_differ() -> None:
    titles = [each.title.lower() for each in all_checks()]
    assert len(titles) == len(set(titles))


def test_check_of_some_revisions_does_not_apply_to_an_unknown_one() -> None:
    assert CHECKS["unexpected-response"].applies_to(0)
    assert not CHECKS["server-request-not-allowed"].applies_to(0)
    assert not CHECKS["request-id-reused"].applies_to(LAST)


def test_advice_that_became_a_rule_is_milder_before() -> None:
    assert [CHECKS["list-changed-undeclared"].severity_in(row) for row in (1, 2, 3)] == ["warning", "warning", "error"]
    assert CHECKS["unexpected-response"].severity_in(0) is Severity.ERROR


def test_a_check_names_the_revisions_it_applies_to() -> None:
    assert CHECKS["server-request-not-allowed"].revisions == (ROWS[-1].date,)


def test_two_checks_of_one_name_are_a_mistake() -> None:
    with pytest.raises(AssertionError, match="two checks are called unexpected-response"):
        declare("unexpected-response", Severity.HINT, "again", topic="")


def test_there_is_a_table_for_each_row_and_one_for_none() -> None:
    assert len(tables()) == LAST + 1
    assert "end" in tables()[0].quick


def test_each_check_has_a_short_title_and_a_fix() -> None:
    for each in all_checks():
        assert 0 < len(each.title) <= 64, each.id
        assert not each.title.endswith("."), each.id
        assert each.fix.endswith((".", "]")) or each.id == "tool-description", each.id
