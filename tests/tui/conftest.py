"""A journal to fill, and to close."""

from collections.abc import Iterator

import pytest

from tests.present.tape import Tape


@pytest.fixture
def tape() -> Iterator[Tape]:
    """An empty journal on stdio."""
    made = Tape()
    yield made
    made.journal.close()
