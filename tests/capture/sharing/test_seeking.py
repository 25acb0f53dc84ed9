"""Many values are looked for together, and none is missed wherever it lies."""

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


def test_a_value_is_found_at_each_place() -> None:
    seeker = Seeker()
    seeker.add(b"Lamp-77")
    assert all(seeker.found(b"x" * n + b"Lamp-77" + b"y" * m) for n in range(9) for m in range(9))
