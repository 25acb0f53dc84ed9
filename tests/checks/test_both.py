"""Each check finds the fault of its case, with evidence that exists, and does not find the near miss."""

import pytest

from inspector.checks.catalog import all_checks
from inspector.checks.rules import inputs
from tests.checks.both import of_one, tables
from tests.checks.talks import Case

CASES = [(id_, case) for _, table in tables() for id_, case in table.items()]
_ELSEWHERE = {"definitions-over-budget", "issuer-final-slash", "named-version-refused"}
"""They look at more than messages: all pages together, two documents of a login, two connections."""


def test_each_check_has_one_case() -> None:
    of_probe = {each.id for each in all_checks() if each.judge and each.judge.__module__ == inputs.__name__}
    ids = {each.id for each in all_checks()} - of_probe - _ELSEWHERE
    assert sorted(id_ for id_, _ in CASES) == sorted(ids)


@pytest.mark.parametrize(("id_", "case"), CASES, ids=[id_ for id_, _ in CASES])
def test_check_finds_its_fault_and_no_near_miss(id_: str, case: Case) -> None:
    bad, good = case
    talk = bad()
    found = of_one(talk.findings(), id_)
    assert found, f"{id_} does not find its fault; found {sorted({each.id for each in talk.findings()})}"
    for each in found:
        assert each.sentence
        assert all(1 <= n <= len(talk.entries) for n in each.frames)
    assert not (wrong := of_one(good().findings(), id_)), wrong
