"""`mcp-inspect ping`: round trips, and revisions without a ping."""

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import MODERN, demo, inspect, scripted


def test_each_round_trip_is_measured() -> None:
    ran = inspect("ping", "--count", "7", "--json", *demo("--legacy-only")).exits(0)
    assert list(ran.data) == ["times_ms", "min_ms", "median_ms", "max_ms"]
    assert len(ran.data["times_ms"]) == 7
    assert 0 < ran.data["min_ms"] <= ran.data["median_ms"] <= ran.data["max_ms"] == max(ran.data["times_ms"])


def test_without_json_it_is_a_line_each_and_a_summary() -> None:
    lines = inspect("ping", *demo("--legacy-only")).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4", "least"]


def test_ping_in_a_revision_without_ping_is_refused() -> None:
    inspect("ping", *demo("--modern-only")).exits(ExitStatus.USAGE, f"{MODERN} (modern) has no ping", "--era legacy")


def test_ping_reports_the_servers_error() -> None:
    ran = inspect("ping", "--json", *scripted({"ping": {"error": {"code": -32601, "message": "no"}}}))
    assert (ran.status, ran.stdout) == (ExitStatus.TOOL_ERROR, "")
    assert ran.error["jsonrpc_error"]["code"] == -32601
