"""`mcp-inspect read`: a resource as it came."""

import pytest

from inspector.cli.commands import read
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect

_MEMBERS = ["result", "error", "duration_ms", "rounds"]


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_a_resource_is_read(flag: str) -> None:
    ran = inspect("read", "lighthouse://logbook", "--json", *demo(flag))
    assert ran.status == 0
    assert list(ran.data) == _MEMBERS
    assert ran.data["result"]["contents"][0]["uri"] == "lighthouse://logbook"
    assert (ran.data["error"], ran.data["rounds"]) == (None, 1)


def test_a_resource_that_is_not_there_is_an_error_of_the_server(demo_url: str) -> None:
    ran = inspect("read", "lighthouse://nothing", "--json", demo_url)
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.data["result"] is None
    assert "lighthouse://nothing" in ran.data["error"]["message"]


def test_without_json_it_is_text() -> None:
    assert "lighthouse://logbook" in inspect("read", "lighthouse://logbook", *demo()).stdout
    assert read.command.name == "read"
