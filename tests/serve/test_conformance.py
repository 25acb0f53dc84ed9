"""The official conformance suite on `mcp-inspect serve`: the scenarios that need no tools of its reference server."""

import asyncio
import re

import pytest

from inspector.serve.http import new_token, serve_http
from tests.conformance.suite import run_server_scenario
from tests.serve.agent import script, sessions_for
from tests.waiting import until

pytestmark = [pytest.mark.real, pytest.mark.slow]

_SCENARIOS = (
    *((name, "2025-11-25") for name in ("server-initialize", "server-session-lifecycle", "ping", "tools-list")),
    *((name, "2025-11-25") for name in ("resources-list", "prompts-list", "dns-rebinding-protection")),
    *((name, "2026-07-28") for name in ("tools-list", "caching", "http-header-validation")),
    *((name, "2026-07-28") for name in ("sep-2164-resource-not-found", "server-stateless")),
)
_NEED_TOOLS = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""Checks that fail as "not testable" without the diagnostic tools of the suite's reference server."""
_CHECK = re.compile(r"\[(\S+) *\] (SUCCESS|FAILURE)")


async def test_all_scenarios_that_apply_pass() -> None:
    announced: list[str] = []
    sessions = sessions_for(script("conforming"))
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve_http(sessions, 0, new_token(), announced.append))
        await until(lambda: announced, "it listens")
        url = announced[0].split()[0]
        for name, wire in _SCENARIOS:
            found = _CHECK.findall(printed := await run_server_scenario(url, name, wire))
            failed = {check for check, outcome in found if outcome == "FAILURE"}
            assert failed <= _NEED_TOOLS, (name, wire, printed)
            assert len(found) - len(failed) > len(failed), (name, wire, printed)
        serving.cancel()
