"""One value against one comparison: types are distinguished, and nothing raises."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.filters.engine.matching import matcher, reach, same
from inspector.filters.language.fields import Compare, Op, Ref, Value

_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=6,
)


def holds(op: Op, wanted: Value, found: Any) -> bool:
    return matcher(Compare(Ref("params", ("a",)), op, (wanted,)), [])(found)


@pytest.mark.parametrize(
    ("op", "wanted", "found", "verdict"),
    [
        (Op.EQ, 1, 1.0, True),
        (Op.EQ, 1, True, False),
        (Op.EQ, 1, "1", False),
        (Op.EQ, None, None, True),
        (Op.NE, 1, "1", True),
        (Op.CONTAINS, "B", "abc", True),
        (Op.CONTAINS, "b", ["a", "B"], True),
        (Op.CONTAINS, "b", ["abc"], False),
        (Op.CONTAINS, "b", {"b": 1}, True),
        (Op.CONTAINS, "2", 123, True),
        (Op.MATCHES, "^a", "abc", True),
        (Op.MATCHES, "^1", 12, True),
        (Op.MATCHES, "t", True, False),
        (Op.DIFFERS, "^a", "bc", True),
        (Op.DIFFERS, "^a", None, False),
        (Op.GT, 3, 4, True),
        (Op.GT, 3, "4", False),
        (Op.GT, "a", "b", True),
        (Op.LE, 3, True, False),
    ],
)
def test_a_value_is_compared_by_its_type(op: Op, wanted: Value, found: Any, verdict: bool) -> None:
    assert holds(op, wanted, found) is verdict


@given(st.sampled_from([op for op in Op if op is not Op.IN]), st.one_of(st.text(max_size=2), st.integers()), _JSON)
def test_no_value_raises(op: Op, wanted: Value, found: Any) -> None:
    if op in (Op.MATCHES, Op.DIFFERS):
        wanted = "a|b"
    assert holds(op, wanted, found) in (True, False)


def test_a_path_leads_to_all_values_there() -> None:
    value = {"a": [{"b": 1}, {"b": 2}, 3], "c": {"x": 4, "y": 5}}
    assert reach(value, ("a", 0, "b")) == [1]
    assert reach(value, ("a", None, "b")) == [1, 2]
    assert reach(value, ("c", None)) == [4, 5]
    assert reach(value, ("a", -1)) == [3]
    assert reach(value, ("a", "b")) == reach(value, ("d",)) == reach(None, (0,)) == []
    assert same(2, 2.0)
