"""Parameters as they are compared."""

from inspector.features.mock.script import asked_of, key_of


def test_equal_values_have_one_key_in_whatever_order_their_members_stand() -> None:
    assert key_of({"a": 1, "b": [True]}) == key_of({"b": [True], "a": 1})
    assert key_of(1) != key_of("1")


def test_key_of_a_lone_surrogate_is_stable() -> None:
    assert key_of({"half": "\ud800"}) == key_of({"half": "\ud800"})


def test_key_params_drop_meta_and_responses() -> None:
    assert asked_of({"name": "x", "_meta": {}, "inputResponses": {}, "requestState": "s"}) == {"name": "x"}
    assert asked_of(None) == {}
