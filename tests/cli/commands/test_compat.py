"""`mcp-inspect compat`, and `check` for chosen hosts."""

from typing import Any

import pytest

from tests.captures.record import sample
from tests.cli.running import inspect, scripted

_ARRAY = {"type": "object", "properties": {"p": {"type": "array", "description": "d"}}}
_TOOL = {"name": "a", "description": "d", "inputSchema": _ARRAY}


def _server(*tools: object) -> tuple[str, ...]:
    listed: dict[str, Any] = {"tools/list": {"result": {"tools": list(tools)}}}
    return tuple(scripted(listed, capabilities={"tools": {}}))


def test_a_server_s_tools_are_held_against_the_chosen_hosts() -> None:
    ran = inspect("compat", "--host", "vscode,cursor", "--server-name", "mine", "--json", *_server(_TOOL)).exits(0)
    (tool,) = ran.data["tools"]
    assert [each["effect"] for each in tool["hosts"]["vscode"]] == ["breaks"]
    assert tool["shown_as"]["vscode"] == "mcp_mine_a"
    assert "cursor" not in tool["hosts"]


@pytest.mark.parametrize("command", ["compat", "cost"])
def test_a_server_that_declares_only_prompts_has_no_tools(command: str) -> None:
    server = scripted({"tools/list": {"error": {"code": -32601, "message": "no"}}}, capabilities={"prompts": {}})
    assert "failed" not in inspect(command, *server).exits(0).stderr


def test_a_capture_is_drawn_as_a_matrix() -> None:
    ran = inspect("compat", "--all", str(sample("evening"))).exits(0)
    assert ran.stdout.splitlines()[0].split()[:2] == ["ClCod", "ClDes"]
    assert any(line.startswith("add ") for line in ran.stdout.splitlines())


def test_without_a_server_all_that_is_known_is_listed() -> None:
    assert "vscode" in inspect("compat").stdout
    (host,) = inspect("compat", "--json", "--host", "codex").data
    assert host["facts"][0]["source"]["url"].startswith("https://")


@pytest.mark.parametrize(
    ("words", "said"), [(("nothing.mcpcap",), "no such file"), (("--host", "x"), "unknown client")]
)
def test_compat_of_a_missing_target_is_refused(words: tuple[str, ...], said: str) -> None:
    inspect("compat", *words).exits(2, said)


@pytest.mark.parametrize(("chosen", "status", "count"), [("vscode", 0, 1), ("codex", 0, 1), ("cursor", 0, 0)])
def test_check_judges_by_the_chosen_hosts(chosen: str, status: int, count: int) -> None:
    ran = inspect("check", "--host", chosen, "--json", *_server(_TOOL)).exits(status)
    about = [each for each in ran.data["findings"] if each["id"] == "array-without-items"]
    assert [host["host"] for found in about for host in found["hosts"]] == [chosen] * count


def test_check_text_names_effects_on_hosts() -> None:
    ran = inspect("check", *_server(_TOOL)).exits(0)
    assert "VS Code (commit 31acd00a8642, 2026-03-29, reported): fails each request" in ran.stdout


def test_check_finds_collisions_with_other_servers() -> None:
    tool = {"name": "add", "description": "d", "inputSchema": {"type": "object"}}
    ran = inspect("check", "--other-server", str(sample("evening")), "--json", *_server(tool))
    assert "tool-name-collision" in [each["id"] for each in ran.data["findings"]]
