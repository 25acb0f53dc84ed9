"""A narrow column holds exactly the numbers that it was given, however far apart they are."""

import sys
from array import array
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.compact_arrays import BLOCK, DeltaArray, ShortArray

FAR = st.integers(-(2**63), 2**63 - 1)
STEPS = st.integers(0, 10**6) | st.integers(-(2**31), 2**33)
SMALL = st.integers(0, 70_000) | st.sampled_from([65_534, 65_535, 65_536, 2**32 - 1])


@st.composite
def close(draw: st.DrawFn) -> list[int]:
    """Numbers close to each other, but for a jump now and then."""
    number, found = draw(st.integers(-(2**62), 2**62)), []
    for step in draw(st.lists(STEPS, max_size=3 * BLOCK)):
        number += step
        found.append(number)
    return found


def same(column: DeltaArray | ShortArray, numbers: Sequence[int]) -> None:
    assert len(column) == len(numbers)
    assert [column[at] for at in range(len(numbers))] == list(numbers)
    for first in range(0, len(numbers), 23):
        assert list(column.part(first, len(numbers) - 2)) == list(numbers[first:-2])


@pytest.mark.parametrize("kind", [DeltaArray, ShortArray])
@given(st.data())
def test_compact_array_returns_what_was_added(kind: type[DeltaArray] | type[ShortArray], data: Any) -> None:
    numbers = close() | st.lists(FAR, max_size=2 * BLOCK + 3) if kind is DeltaArray else st.lists(SMALL)
    column, known = kind(), []
    for several in data.draw(st.lists(numbers, max_size=4)):
        if len(several) % 2:
            column.extend(several)
        else:
            for number in several:
                column.append(number)
        known += several
    same(column, known)
    raw = {name: array(part.typecode, part.tobytes()) for name, part in column.parts.items()}
    same(kind.of(raw), known)
    if kind is ShortArray:
        assert kind.of(raw).largest == max(known, default=0)


@given(st.integers(-(2**62), 2**62), st.lists(st.integers(0, 2**25), min_size=1, max_size=2 * BLOCK))
def test_differences_are_those_to_the_first(start: int, steps: list[int]) -> None:
    numbers = [start]
    for step in steps:
        numbers.append(numbers[-1] + step)
    column = DeltaArray()
    column.extend(numbers)
    assert list(column.differences(1, len(numbers))) == [number - numbers[1] for number in numbers[1:]]
    assert column.spread(1, len(numbers)) == numbers[-1] - numbers[1]


@pytest.mark.parametrize(("numbers", "spread"), [((), 0), ((7,), 0), ((7, 9, 8), 2), ((7, 9, -1), 2**32 - 8)])
def test_spread_before_the_first_item(numbers: Sequence[int], spread: int) -> None:
    column = DeltaArray()
    column.extend(numbers)
    assert column.spread(0, len(numbers)) == spread


def test_times_of_a_capture_take_half_of_what_they_would() -> None:
    column = DeltaArray()
    for second in range(1_000):
        column.extend([second * 10**9 + n * 10**7 for n in range(100)])
    assert sum(map(sys.getsizeof, column.parts.values())) / len(column) < 4.5


@pytest.mark.parametrize(
    ("kind", "part"), [(DeltaArray, "bases"), (DeltaArray, "wide"), (ShortArray, "at"), (ShortArray, "large")]
)
def test_parts_that_do_not_fit_are_refused(kind: type[DeltaArray] | type[ShortArray], part: str) -> None:
    column = kind()
    column.extend(range(BLOCK + 1))
    raw = {name: array(each.typecode, each) for name, each in column.parts.items()}
    raw[part].append(7)
    with pytest.raises(ValueError, match="parts of a column"):
        kind.of(raw)
