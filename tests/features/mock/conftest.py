"""What every test of the mock needs."""

from collections.abc import Iterator

import pytest

from tests.features.mock.making import close_scripts


@pytest.fixture(autouse=True)
def closed_scripts() -> Iterator[None]:
    """No capture is left open."""
    yield
    close_scripts()
