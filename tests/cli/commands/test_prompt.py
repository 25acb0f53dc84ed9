"""`mcp-inspect prompt`: a prompt, filled in by the server."""

import json
from pathlib import Path
from typing import Any

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

_MEMBERS = ["result", "error", "duration_ms", "rounds", "outcome"]


def test_a_prompt_is_got(demo_url: str) -> None:
    name = inspect("list", "prompts", "--json", demo_url).data["prompts"][0]["name"]
    ran = inspect("prompt", name, "--json", demo_url)
    assert list(ran.data) == _MEMBERS
    assert ran.status in (0, ExitStatus.TOOL_ERROR)


def test_prompt_arguments_are_strings(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script: dict[str, Any] = {"prompts/get": {"result": {"messages": []}}}
    ran = inspect("prompt", "p", "-a", "n=012", "--json", *scripted(script, f"log={log}"))
    assert ran.data["result"] == {"messages": []}
    sent = json.loads(log.read_text().splitlines()[-1])
    assert sent["params"]["arguments"] == {"n": "012"}


def test_an_argument_given_as_json_is_refused() -> None:
    ran = inspect("prompt", "p", "-a", "n:=1", "--", "no-such-program")
    assert ran.status == ExitStatus.USAGE
    assert "a prompt's arguments are texts" in ran.stderr


def test_a_prompt_that_is_not_there_is_an_error_of_the_server() -> None:
    ran = inspect("prompt", "nothing", "--json", *demo())
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.data["error"]["code"] == -32602
