"""All chapters are on the list, in order."""

from inspector.checks.everything import IMPORTED, all_checks
from inspector.checks.registry import CHECKS


def test_the_list_has_every_check_once_rules_first() -> None:
    found = [each.id for each in all_checks()]
    assert sorted(found) == sorted(CHECKS)
    assert found[0] == "A01"
    assert found == sorted(found, key=lambda id_: ("-" in id_, id_))


def test_every_chapter_declares_something() -> None:
    homes = {each.judge.__module__ for each in all_checks() if each.judge}
    assert homes == {module.__name__ for module in IMPORTED}
