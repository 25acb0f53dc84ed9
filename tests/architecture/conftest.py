"""The syntax trees of all files are millions of objects: they go when the tests on them are over."""

from collections.abc import Iterator

import pytest

from tests.architecture.sources import sources


@pytest.fixture(autouse=True, scope="package")
def _trees_go() -> Iterator[None]:
    """Let the trees go."""
    yield
    sources.cache_clear()
