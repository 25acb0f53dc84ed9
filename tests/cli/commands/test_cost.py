"""`mcp-inspect cost`, and the budget of `check`."""

from pathlib import Path

from inspector.cli.exit_status import ExitStatus
from tests.captures.record import sample
from tests.cli.running import inspect, scripted

_TOOLS = {
    "tools/list": {
        "result": {
            "tools": [
                {"name": "get_user", "description": "Get a user by id", "inputSchema": {"type": "object"}},
                {"name": "get_users", "description": "Get users by id", "inputSchema": {"type": "object"}},
                {"name": "\x1b[31mred", "description": "Paint", "inputSchema": {"type": "object"}},
            ]
        }
    }
}
_SERVER = scripted(_TOOLS, capabilities={"tools": {}})


def test_a_server_s_cost_as_text_and_json() -> None:
    ran = inspect("cost", *_SERVER).exits(ExitStatus.OK).prints("3 tools", "get_user ~ get_users")
    assert "\x1b" not in ran.stdout
    data = inspect("cost", "--json", "--budget", "1000", *_SERVER).data
    assert (data["budget"], data["over_budget"], data["server"]) == (1000, False, "scripted")
    assert sum(tool["bytes"] for tool in data["tools"]) == data["bytes"] == sum(data["parts"].values())
    assert data["confusable"][0]["tools"] == ["get_user", "get_users"]


def test_a_budget_is_a_gate_in_cost_and_in_check() -> None:
    ran = inspect("cost", "--budget", "10", *_SERVER)
    assert (ran.status, "Over the budget of 10 tokens" in ran.stdout) == (ExitStatus.FINDINGS, True)
    assert inspect("cost", "--budget", "1000", *_SERVER).status == ExitStatus.OK
    ran = inspect("check", "--json", "--budget", "10", *_SERVER)
    (found,) = [each for each in ran.data["findings"] if each["id"] == "definitions-over-budget"]
    assert (ran.status, found["severity"]) == (ExitStatus.FINDINGS, "error")
    assert "the budget is 10; the largest is" in found["sentence"]
    ran = inspect("check", "--json", "--budget", "1000", *_SERVER)
    assert not [each for each in ran.data["findings"] if each["id"] == "definitions-over-budget"]
    assert inspect("check", "--budget", "0", *_SERVER).status == ExitStatus.USAGE


def test_queries_find_their_tool_or_fail(tmp_path: Path) -> None:
    ran = inspect("cost", "--query", "user by id => get_user", "--query", "color => \x1b[31mred", *_SERVER)
    assert ran.status == ExitStatus.FINDINGS
    assert "✓ user by id" in ran.stdout
    assert "words that ␛[31mred lacks: color" in ran.stdout
    queries = tmp_path / "queries.txt"
    queries.write_text("# what people ask\nget a user by id => get_user\n")
    data = inspect("cost", "--json", "--queries", str(queries), *_SERVER).data
    assert [(each["query"], each["found"], each["rank"]) for each in data["queries"]] == [("get a user by id", True, 1)]
    assert inspect("cost", "--queries", str(tmp_path / "no"), *_SERVER).status == ExitStatus.USAGE
    assert "does not exist" in inspect("cost", "--query", "x => y", *_SERVER).stderr


def test_a_capture_has_results_as_well() -> None:
    data = inspect("cost", "--json", str(sample("lighthouse"))).data
    assert data["results"]
    assert all(each["p50_bytes"] <= each["p95_bytes"] <= each["max_bytes"] for each in data["results"])
    assert "Results" in inspect("cost", str(sample("lighthouse"))).stdout


def test_cost_of_a_missing_capture_is_refused() -> None:
    assert inspect("cost", "no-such.mcpcap").status == ExitStatus.USAGE
