"""The syntax trees of all files are millions of objects: they go when the tests on them are over."""

from pathlib import Path

import pytest

from tests.architecture.sources import sources


def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Let the trees go. A fixture of the scope "package" would keep them: folders of tests are no packages."""
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        sources.cache_clear()
