"""Two published versions of one server: what the newer one breaks is rated, and a script is stopped by it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.servers.real import NotInstalled, argv, is_ci
from tests.stories.commands import mcp_inspect


def _program(name: str) -> tuple[str, ...]:
    try:
        return "--", *argv(name)
    except NotInstalled as error:
        if is_ci():
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.mark.real
async def test_newer_server_is_compared_with_the_older_lock_file(tmp_path: Path) -> None:
    older, newer = _program("earlier everything"), _program("everything")
    places = tmp_path / "older", tmp_path / "newer"
    for place in places:
        place.mkdir()
    old, new = (str(place / "mcp.lock.json") for place in places)
    saved = [
        mcp_inspect("lock", "-o", lock, *words, place=place)
        for lock, words, place in zip((old, new), (older, newer), places, strict=True)
    ]
    assert [ran.status for ran in await asyncio.gather(*saved)] == [ExitStatus.OK] * 2
    told, lasting = await asyncio.gather(
        mcp_inspect("diff", "--json", "--fail-on", "breaking", old, new, place=places[0]),
        mcp_inspect("diff", "--json", "--fail-on", "info", new, *newer, place=places[1]),
    )
    assert told.status == ExitStatus.FINDINGS, told.messages
    found: dict[tuple[str, str, str], Any] = {
        (each["kind"], each["name"], each["path"]): each["rating"] for each in told.json["changes"]
    }
    assert found["tools", "longRunningOperation", ""] == "breaking"
    assert found["prompts", "complex_prompt", ""] == "breaking"
    assert found["resources", "test://static/resource/7", ""] == "warning"
    assert found["tools", "echo", "description"] == "warning"
    assert found["tools", "echo", "title"] == "info"
    assert found["tools", "trigger-long-running-operation", ""] == "info"
    assert told.json["counts"]["breaking"] == sum(rating == "breaking" for rating in found.values())
    assert (lasting.status, lasting.json["changes"]) == (ExitStatus.OK, [])
