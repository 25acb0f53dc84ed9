"""`mcp-inspect request`: any method, any params, and notifications."""

from pathlib import Path

import pytest

from inspector.cli.commands import request
from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

_MEMBERS = ["result", "error", "duration_ms", "rounds"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_request_of_any_method_is_one_object(demo_url: str, era: str) -> None:
    ran = inspect("request", "resources/templates/list", "--json", "--era", era, demo_url)
    assert ran.status == 0
    assert list(ran.data) == _MEMBERS
    assert len(ran.data["result"]["resourceTemplates"]) == 2
    assert (ran.data["error"], ran.data["rounds"]) == (None, 1)


def test_a_method_that_is_not_known_is_an_error_as_it_came() -> None:
    ran = inspect("request", "acme/dance", "--json", *demo())
    assert ran.status == ExitStatus.TOOL_ERROR
    assert (list(ran.data), ran.data["result"], ran.data["error"]["code"]) == (_MEMBERS, None, -32601)


@pytest.mark.parametrize("params", ["[1,2]", '"x"', "7", "false"])
def test_params_go_out_as_they_are(tmp_path: Path, params: str) -> None:
    log = tmp_path / "log"
    server = scripted({"acme/do": {"result": {}}}, f"log={log}")
    assert inspect("request", "acme/do", "--params", params, *server).status == 0
    assert f'"method":"acme/do","params":{params}' in log.read_text()


def test_params_come_from_stdin_and_are_json(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = scripted({"acme/do": {"result": {}}}, f"log={log}")
    assert inspect("request", "acme/do", "--params", "-", *server, stdin='{"a": 1}').status == 0
    assert '"params":{"a":1' in log.read_text() or '"a":1' in log.read_text()
    ran = inspect("request", "acme/do", "--params", "{", "--", "no-such-program")
    assert ran.status == ExitStatus.USAGE
    assert "--params: this is no JSON" in ran.stderr


def test_a_notification_is_sent_and_nothing_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("request", "notifications/acme", "--notification", "--params", '{"a":1}')
    ran = inspect(*words, "--json", *scripted({}, f"log={log}"))
    assert ran.status == 0
    assert ran.data == {"result": None, "error": None, "duration_ms": None, "rounds": 0}
    assert '{"jsonrpc":"2.0","method":"notifications/acme","params":{"a":1}}\n' in log.read_text()
    assert "notifications/acme was sent" in inspect(*words, *scripted({})).stderr


def test_the_command_is_named_request() -> None:
    assert request.command.name == "request"
