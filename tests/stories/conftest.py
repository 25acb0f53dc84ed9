"""The visits of the stories: one to each real server, made when the first story wants it."""

import asyncio

import pytest

from tests.servers.real import NotInstalled, is_ci
from tests.stories.real_targets import REAL, Real
from tests.stories.visits import Visit, visit

_PATIENCE_S = 60


def _or_skip(real: Real, error: NotInstalled) -> None:
    if is_ci():
        pytest.fail(f"{real}: {error}")
    pytest.skip(str(error))


@pytest.fixture(scope="session", params=REAL, ids=str)
def visited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """A visit to this server; it was left again before the story begins."""
    real: Real = request.param
    try:
        return asyncio.run(asyncio.wait_for(visit(real, tmp_path_factory.mktemp(str(real))), _PATIENCE_S))
    except NotInstalled as error:
        _or_skip(real, error)
        raise
