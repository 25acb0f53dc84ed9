"""Many values are looked for together, and none is missed wherever it lies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.sharing.seeking import Seeker

_BYTES = st.binary(min_size=1, max_size=24) | st.text("ab\\", min_size=1, max_size=12).map(str.encode)


@given(st.sets(_BYTES, max_size=8), st.lists(_BYTES, max_size=8))
def test_all_values_that_stand_in_bytes_are_found_and_no_others(values: set[bytes], parts: list[bytes]) -> None:
    seeker = Seeker()
    for value in values:
        seeker.add(value)
    data = b"".join([*parts, *sorted(values)[:2], b"end"])
    assert seeker.found(data) == {value for value in values if value in data}


@pytest.mark.parametrize("value", [b"abc", b"Lamp-77", b"Lamp-77-oi", b"Lamp-77-oil", b"a quiet harbour lamp"])
def test_a_value_is_found_at_each_place(value: bytes) -> None:
    seeker = Seeker()
    for each in (value, b"another", b"and another one"):
        seeker.add(each)
    for before in range(17):
        for behind in range(17):
            data = b"x" * before + value + b"y" * behind
            assert seeker.may_find(data)
            assert seeker.found(data) == {value}
