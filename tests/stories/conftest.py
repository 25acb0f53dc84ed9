"""The visits of the stories: one to each real server, made when the first story wants it."""

import asyncio

import pytest

from tests.servers.real import NotInstalled, is_ci
from tests.stories.real_targets import REAL, Real
from tests.stories.visits import Visit, visit
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="session")
def visits() -> dict[Real, Visit]:
    """The visits made so far."""
    return {}


@pytest.fixture(params=REAL, ids=str)
def visited(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, visits: dict[Real, Visit]
) -> Visit:
    """A visit to this server; it was left again before the story begins."""
    real: Real = request.param
    if real not in visits:
        place = tmp_path_factory.mktemp(str(real))
        try:
            visits[real] = asyncio.run(asyncio.wait_for(visit(real, place), PATIENCE_S))
        except NotInstalled as error:
            if is_ci():
                pytest.fail(f"{real}: {error}")
            pytest.skip(str(error))
    return visits[real]
