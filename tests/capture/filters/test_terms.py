"""Trees of filters: what is joined stays flat, and two turns are none."""

from inspector.capture.filters.terms import And, Not, Or, Words, all_of, any_of, opposite

A, B, C = Words("a"), Words("b"), Words("c")


def test_what_is_joined_twice_is_one_list() -> None:
    assert all_of([all_of([A, B]), C]) == And((A, B, C))
    assert any_of([A, any_of([B, C])]) == Or((A, B, C))
    assert all_of([any_of([A, B]), C]) == And((Or((A, B)), C))


def test_one_alone_is_itself() -> None:
    assert all_of([A]) == any_of([A]) == A


def test_the_opposite_of_the_opposite_is_the_thing() -> None:
    assert opposite(A) == Not(A)
    assert opposite(opposite(A)) == A
