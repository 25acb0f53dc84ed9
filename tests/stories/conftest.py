"""Selection of the stories of real servers, and the sessions with these servers."""

import asyncio
from collections import Counter, defaultdict
from pathlib import Path
from zlib import crc32

import pytest

from tests.servers.real import NotInstalled, is_ci
from tests.stories.real_targets import REAL, Real
from tests.stories.visits import Visit, visit
from tests.waiting import PATIENCE_S

_WHERE = {"name", "real", "server", "package", "transport", "between"}
"""Parameters that say at which server a story is told, and nothing about the story."""
_SHARED = {"visited", "ran"}
"""Parameters that stand for all that one server said, which many stories share."""
_USUAL = {"everything-stdio", "mcp1-sse", "mcp2-http"}
"""The servers whose shared results are looked at by default: each transport, both eras, JavaScript and Python."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what repeats a story at another real server. By default a story has one server, not always the same one.

    Runs before pytest selects by markers.
    """
    told: defaultdict[tuple[Path, str, str], list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.get_closest_marker("real"):
            given = item.callspec.params
            case = ", ".join(f"{name}={value}" for name, value in sorted(given.items()) if name not in _WHERE | _SHARED)
            if _SHARED & given.keys():
                if not _USUAL & set(map(str, given.values())):
                    item.add_marker("every_server")
            else:
                told[item.path, item.originalname, case].append(item)
    cases: Counter[tuple[Path, str]] = Counter()
    for (path, name, _), same in told.items():
        # By the place among the cases, not by their values: these may have another text in each process.
        usual = same[(crc32(name.encode()) + cases[path, name]) % len(same)]
        cases[path, name] += 1
        for item in same:
            if item is not usual:
                item.add_marker("every_server")


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
