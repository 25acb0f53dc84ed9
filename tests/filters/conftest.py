"""A tape that is put away after the test."""

from collections.abc import Iterator

import pytest

from tests.present.tape import Tape


@pytest.fixture
def tape() -> Iterator[Tape]:
    made = Tape()
    yield made
    made.journal.close()
