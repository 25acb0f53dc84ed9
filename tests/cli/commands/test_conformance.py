"""`mcp-inspect conformance`: a scenario that the environment names, against a server that wants a login or none."""

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inspector.cli import scenarios
from inspector.cli.commands import conformance
from inspector.cli.exit_status import ExitStatus
from inspector.transports.http.listener import HttpRequest
from tests.cli.running import MODERN, inspect
from tests.servers.http_fixtures import Handler, serving
from tests.servers.streams import LEGACY, legacy, modern, tools


def asked(requests: Sequence[HttpRequest], method: str) -> list[Any]:
    bodies = [json.loads(each.body) for each in requests if each.method == "POST"]
    return [body["params"] for body in bodies if body["method"] == method]


@pytest.mark.parametrize(("server", "wire"), [(legacy, LEGACY), (modern, MODERN)])
async def test_the_scenario_is_played_at_the_wire_that_the_environment_names(
    server: Callable[[Any], Handler], wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(scenarios.SCENARIO, "tools_call")
    monkeypatch.setenv(scenarios.VERSION, wire)
    async with serving(server(tools())) as site:
        await conformance._play(site.url, dict(os.environ))
    (call,) = asked(site.requests, "tools/call")
    assert call["arguments"] == {"a": 5, "b": 3}
    opening = "initialize" if wire == LEGACY else "server/discover"
    assert [json.loads(site.requests[0].body)["method"]] == [opening]


def test_a_server_that_is_not_there_is_a_failure_of_ours_with_its_reason() -> None:
    ran = inspect("conformance", "http://127.0.0.1:9/mcp")
    assert ran.status == ExitStatus.UNREACHABLE
    assert "refuses connections" in ran.stderr


def test_a_context_that_is_no_json_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(scenarios.CONTEXT, "{")
    ran = inspect("conformance", "http://127.0.0.1:9/mcp")
    assert ran.status == ExitStatus.USAGE
    assert "is no JSON" in ran.stderr


def test_it_is_not_among_the_commands_that_help_shows() -> None:
    assert "conformance" not in inspect("--help").stdout
