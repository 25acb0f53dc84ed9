"""`mcp-inspect prompt`: a prompt, filled in by the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

_PROMPTS = {"result": {"prompts": [{"name": "review", "arguments": [{"name": "language", "required": True}]}]}}
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
    assert json.loads(log.read_text().splitlines()[-1])["params"]["arguments"] == {"n": "012"}


def test_an_argument_given_as_json_is_refused() -> None:
    ran = inspect("prompt", "p", "-a", "n:=1", "--", "no-such-program").exits(ExitStatus.USAGE)
    assert "a prompt's arguments are texts" in ran.stderr


def test_a_prompt_that_is_not_there_is_an_error_of_the_server() -> None:
    ran = inspect("prompt", "nothing", "--json", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("words", "warning"),
    [
        (("review",), "! review: the required argument 'language' is missing: -a language=…"),
        (("review", "-a", "langage=p"), "! review: 'langage' is no argument of it (did you mean 'language'?)"),
        (("reviw",), "! 'reviw' is not among the prompts listed (did you mean 'review'?)"),
    ],
)
def test_arguments_that_a_prompt_does_not_declare_are_sent_with_a_warning(words: tuple[str, ...], warning: str) -> None:
    script = {"prompts/list": _PROMPTS, "prompts/get": {"result": {"messages": []}}}
    inspect("prompt", *words, *scripted(script, capabilities={"prompts": {}})).exits(0, warning)


def test_declared_arguments_of_a_prompt_have_no_warning() -> None:
    script = {"prompts/list": _PROMPTS, "prompts/get": {"result": {"messages": []}}}
    ran = inspect("prompt", "review", "-a", "language=p", *scripted(script, capabilities={"prompts": {}}))
    assert "!" not in ran.stderr
