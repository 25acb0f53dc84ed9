"""The ids of requests: each number once."""

from inspector.session.ids import Ids


def test_ids_are_numbers_from_one() -> None:
    ids = Ids()
    assert [next(ids), next(ids)] == [1, 2]


def test_an_id_that_a_person_has_used_is_left_out() -> None:
    ids = Ids()
    ids.spend([2, 3, "4", 5])
    assert [next(ids), next(ids), next(ids)] == [1, 4, 6]
