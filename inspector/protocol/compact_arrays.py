"""Columns of whole numbers in half the bytes: of those close to their neighbours, and of those that are mostly small.

They only grow. One thread appends, any may read what was there before: a part that a reader needs is in place before
the number counts.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

_BITS = 6
BLOCK = 1 << _BITS
"""Numbers that share a base."""
_LEAST, _MASK = -(2**63), 0xFFFF_FFFF
_BACK = 1 << 30
"""How far below the first of a block its others may be."""
_FIRST_HALF = slice(0 if sys.byteorder == "little" else 1, None, 2)
_SMALL = 0xFFFF
"""Stands for a number that is not small."""
Parts = Mapping[str, "array[int]"]


class DeltaArray:
    """Numbers of 64 bits, of which those side by side differ by less than a billion: places in a file, times.

    Each takes four bytes and its share of a base. Where they are farther apart, each of their block takes eight more.
    """

    def __init__(self) -> None:
        self._low = array("I")
        """The lower half of each."""
        self._bases = array("q")
        """By block: the least that its lower halves can stand for."""
        self._wide = array("q")
        """Blocks that are too wide for that, whole."""
        self._wide_blocks = array("I")
        self._at: dict[int, int] = {}
        """Where in `_wide` a block begins."""

    def __len__(self) -> int:
        return len(self._low)

    def __getitem__(self, at: int) -> int:
        block = at >> _BITS
        if self._at and (wide := self._at.get(block)) is not None:
            return self._wide[wide + (at & BLOCK - 1)]
        base = self._bases[block]
        return base + (self._low[at] - base & _MASK)

    def part(self, first: int, last: int) -> list[int]:
        """Those at the positions `first` to `last`, the latter not among them."""
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
        """How much each of these is more than the first of them, if all of that is less than 2**32."""
        low = self._low[first:last]
        begin = low[0] if low else 0
        return array("I", [each - begin & _MASK for each in low])

    def spread(self, first: int, last: int) -> int:
        """The greatest of their differences, found without making them; 0 of none."""
        low = self._low[first:last]
        if not low or min(low) < low[0]:  # some restart at 2**32, or precede the first
            return max(self.differences(first, last), default=0)
        return max(low) - low[0]

    def append(self, number: int) -> None:
        """One more."""
        at = len(self._low)
        if not at & BLOCK - 1:
            self._bases.append(max(_LEAST, number - _BACK))
        elif not 0 <= number - self._bases[-1] <= _MASK or (self._at and at >> _BITS in self._at):
            self._put_wide(at, (number,))
        self._low.append(number & _MASK)

    def extend(self, numbers: Sequence[int]) -> None:
        """Several more."""
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
        """The arrays that hold it."""
        return {"low": self._low, "bases": self._bases, "wide": self._wide, "wide_blocks": self._wide_blocks}

    @classmethod
    def of(cls, parts: Parts) -> "DeltaArray":
        """The column of such arrays.

        Raises: ValueError if they do not agree with each other, KeyError if one is missing.
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
            self._at[block] = begin  # last: who reads looks here first
        for number in numbers:
            self._wide[begin + (at & BLOCK - 1)] = number


class ShortArray:
    """Numbers of 32 bits, nearly all of them below 65,535. Those take two bytes, the others ten."""

    def __init__(self) -> None:
        self._low = array("H")
        self._at = array("I")
        """Positions of those that are not small, in their order."""
        self._large = array("I")

    def __len__(self) -> int:
        return len(self._low)

    def __getitem__(self, at: int) -> int:
        found = self._low[at]
        return self._large[bisect_left(self._at, at)] if found == _SMALL else found

    def part(self, first: int, last: int) -> "array[int]":
        """Those at the positions `first` to `last`, the latter not among them."""
        low = self._low[first:last]
        found = array("I", low)
        for at in _where(low, _SMALL):
            found[at] = self[first + at]
        return found

    def append(self, number: int) -> None:
        """One more, of at most 32 bits."""
        if number >= _SMALL:
            self._at.append(len(self._low))
            self._large.append(number)
            number = _SMALL
        self._low.append(number)

    def extend(self, numbers: Sequence[int]) -> None:
        """Several more."""
        if numbers and max(numbers) >= _SMALL:
            for number in numbers:
                self.append(number)
        else:
            self._low.extend(numbers)

    @property
    def largest(self) -> int:
        """Of all of them; 0 if there are none."""
        return max(self._large, default=0) or max(self._low, default=0)

    @property
    def parts(self) -> Parts:
        """The arrays that hold it."""
        return {"low": self._low, "at": self._at, "large": self._large}

    @classmethod
    def of(cls, parts: Parts) -> "ShortArray":
        """The column of such arrays.

        Raises: ValueError if they do not agree with each other, KeyError if one is missing.
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
