"""Compact integer columns: one for numbers close to their neighbours, one for mostly small numbers.

Columns only grow. One thread appends, any thread may read what was there before: an append updates the length last.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

_BITS = 6
BLOCK = 1 << _BITS
"""Numbers per block; a block shares a base."""
_LEAST, _MASK = -(2**63), 0xFFFF_FFFF
_BACK = 1 << 30
"""How far a number may be below the first one of its block."""
_FIRST_HALF = slice(0 if sys.byteorder == "little" else 1, None, 2)
_SMALL = 0xFFFF
"""Marks a number that is not small and is stored elsewhere."""
Parts = Mapping[str, "array[int]"]


class DeltaArray:
    """A column of 64-bit integers whose neighbours mostly differ by less than a billion: file offsets, times.

    Each number takes four bytes and its share of a base. In blocks with larger differences it takes eight more.
    """

    def __init__(self) -> None:
        self._low = array("I")
        """Lower 32 bits of each number."""
        self._bases = array("q")
        """Base of each block: the lowest number that its lower halves can represent."""
        self._wide = array("q")
        """Numbers of blocks with too large a range, 64 bits each."""
        self._wide_blocks = array("I")
        self._at: dict[int, int] = {}
        """Position in `_wide` where a block begins, by block."""

    def __len__(self) -> int:
        return len(self._low)

    def __getitem__(self, at: int) -> int:
        block = at >> _BITS
        if self._at and (wide := self._at.get(block)) is not None:
            return self._wide[wide + (at & BLOCK - 1)]
        base = self._bases[block]
        return base + (self._low[at] - base & _MASK)

    def part(self, first: int, last: int) -> list[int]:
        """Return the numbers at positions `first` (inclusive) to `last` (exclusive)."""
        found: list[int] = []
        while first < last:
            block = first >> _BITS
            end = min(last, (block + 1) << _BITS)
            wide, base = self._at.get(block), self._bases[block]
            if wide is not None:
                begin = wide - (block << _BITS)
                found += self._wide[begin + first : begin + end]
            else:
                found += [base + (low - base & _MASK) for low in self._low[first:end]]
            first = end
        return found

    def differences(self, first: int, last: int) -> "array[int]":
        """Return the difference of each number from the first one; valid if all are less than 2**32."""
        low = self._low[first:last]
        begin = low[0] if low else 0
        return array("I", [each - begin & _MASK for each in low])

    def spread(self, first: int, last: int) -> int:
        """Return the largest of `differences`, without building them; 0 for an empty range."""
        low = self._low[first:last]
        if not low or min(low) < low[0]:  # some wrap at 2**32, or are below the first
            return max(self.differences(first, last), default=0)
        return max(low) - low[0]

    def append(self, number: int) -> None:
        at = len(self._low)
        if not at & BLOCK - 1:
            self._bases.append(max(_LEAST, number - _BACK))
        elif not 0 <= number - self._bases[-1] <= _MASK or (self._at and at >> _BITS in self._at):
            self._put_wide(at, (number,))
        self._low.append(number & _MASK)

    def extend(self, numbers: Sequence[int]) -> None:
        """Append several numbers."""
        if not numbers:
            return
        at, least, most = len(self._low), min(numbers), max(numbers)
        begun = at & BLOCK - 1
        fits = most - least < _BACK and least - _BACK >= _LEAST
        if begun and fits:
            base = self._bases[-1]
            fits = base <= least and most - base <= _MASK and at >> _BITS not in self._at
        if not fits:
            for number in numbers:
                self.append(number)
            return
        self._bases.extend([number - _BACK for number in numbers[-at % BLOCK :: BLOCK]])
        self._low.frombytes(memoryview(array("q", numbers)).cast("B").cast("I")[_FIRST_HALF].tobytes())

    @property
    def parts(self) -> Parts:
        """The underlying arrays, by name."""
        return {"low": self._low, "bases": self._bases, "wide": self._wide, "wide_blocks": self._wide_blocks}

    @classmethod
    def of(cls, parts: Parts) -> "DeltaArray":
        """Create a column from its arrays.

        Raises: ValueError if the arrays are inconsistent, KeyError if one is missing.
        """
        found = cls()
        found._low, found._bases = parts["low"], parts["bases"]
        found._wide, found._wide_blocks = parts["wide"], parts["wide_blocks"]
        found._at = {block: at << _BITS for at, block in enumerate(found._wide_blocks)}
        blocks = -(-len(found._low) // BLOCK)
        if len(found._bases) != blocks or len(found._wide) != len(found._at) << _BITS:
            raise ValueError("parts of a column differ in length")
        return found

    def _put_wide(self, at: int, numbers: Sequence[int]) -> None:
        block = at >> _BITS
        begin = self._at.get(block)
        if begin is None:
            known = self.part(block << _BITS, at)
            begin = len(self._wide)
            self._wide.extend(known + [0] * (BLOCK - len(known)))
            self._wide_blocks.append(block)
            self._at[block] = begin  # last: readers check this first
        for number in numbers:
            self._wide[begin + (at & BLOCK - 1)] = number


class ShortArray:
    """A column of 32-bit integers, nearly all below 65,535. Those take two bytes, the others ten."""

    def __init__(self) -> None:
        self._low = array("H")
        self._at = array("I")
        """Positions of the numbers that are not small, in ascending order."""
        self._large = array("I")

    def __len__(self) -> int:
        return len(self._low)

    def __getitem__(self, at: int) -> int:
        found = self._low[at]
        return self._large[bisect_left(self._at, at)] if found == _SMALL else found

    def part(self, first: int, last: int) -> "array[int]":
        """Return the numbers at positions `first` (inclusive) to `last` (exclusive)."""
        low = self._low[first:last]
        found = array("I", low)
        for at in _where(low, _SMALL):
            found[at] = self[first + at]
        return found

    def append(self, number: int) -> None:
        """Append a number of at most 32 bits."""
        if number >= _SMALL:
            self._at.append(len(self._low))
            self._large.append(number)
            number = _SMALL
        self._low.append(number)

    def extend(self, numbers: Sequence[int]) -> None:
        """Append several numbers."""
        if numbers and max(numbers) >= _SMALL:
            for number in numbers:
                self.append(number)
        else:
            self._low.extend(numbers)

    @property
    def largest(self) -> int:
        """Return the largest number; 0 if the column is empty."""
        return max(self._large, default=0) or max(self._low, default=0)

    @property
    def parts(self) -> Parts:
        """The underlying arrays, by name."""
        return {"low": self._low, "at": self._at, "large": self._large}

    @classmethod
    def of(cls, parts: Parts) -> "ShortArray":
        """Create a column from its arrays.

        Raises: ValueError if the arrays are inconsistent, KeyError if one is missing.
        """
        found = cls()
        found._low, found._at, found._large = parts["low"], parts["at"], parts["large"]
        if list(found._at) != list(_where(found._low, _SMALL)) or len(found._large) != len(found._at):
            raise ValueError("parts of a column do not agree")
        return found


def _where(column: "array[int]", number: int) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = column.index(number, at + 1)
            yield at
    except ValueError:
        return
