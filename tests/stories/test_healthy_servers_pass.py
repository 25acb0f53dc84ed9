"""Servers of others that work: nothing that `check` says of them is an error, over any transport."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.servers.healthy import Healthy, check, servers

AT_ONCE = 4


@pytest.mark.real
async def test_no_error_is_found_in_servers_that_work(tmp_path: Path) -> None:
    chosen, few, faults = [each for each in servers() if each.is_real], asyncio.Semaphore(AT_ONCE), list[str]()
    assert len(chosen) >= 10

    async def look(number: int, server: Healthy) -> None:
        scratch = tmp_path / str(number)
        scratch.mkdir()
        async with few:
            ran = await check(server, str(scratch))
        found = json.loads(ran.stdout)["findings"] if ran.stdout else []
        errors = [f"{each['id']} {each['sentence']}" for each in found if each["severity"] == "error"]
        if ran.status or errors:
            faults.append(f"{server}: exit {ran.status} {errors} {ran.stderr[-200:]}")

    async with asyncio.TaskGroup() as group:
        for number, server in enumerate(chosen):
            group.create_task(look(number, server))
    assert not faults
