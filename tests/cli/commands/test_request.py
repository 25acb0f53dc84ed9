"""`mcp-inspect request`: any method, any params, and notifications."""

import io
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.commands.request import read_batch, read_bytes
from inspector.cli.exit_status import ExitStatus
from inspector.errors import UsageError
from inspector.protocol.revisions.table import ROWS
from tests.cli.running import demo, inspect, scripted

_MEMBERS = ["result", "error", "duration_ms", "rounds", "outcome"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_request_of_any_method_is_one_object(demo_url: str, era: str) -> None:
    ran = inspect("request", "resources/templates/list", "--json", "--era", era, demo_url).exits(0)
    assert list(ran.data) == _MEMBERS
    assert len(ran.data["result"]["resourceTemplates"]) == 2
    assert (ran.data["error"], ran.data["rounds"]) == (None, 1)


def test_a_method_that_is_not_known_is_an_error_as_it_came() -> None:
    ran = inspect("request", "acme/dance", "--json", *demo()).exits(ExitStatus.TOOL_ERROR)
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
    ran = inspect("request", "acme/do", "--params", "{", "--", "no-such-program").exits(ExitStatus.USAGE)
    assert "--params: invalid JSON" in ran.stderr


def test_a_notification_is_sent_and_nothing_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = ("request", "notifications/acme", "--notification", "--params", '{"a":1}')
    ran = inspect(*words, "--json", *scripted({}, f"log={log}")).exits(0)
    assert ran.data == {"result": None, "error": None, "duration_ms": None, "rounds": 0}
    assert '{"jsonrpc":"2.0","method":"notifications/acme","params":{"a":1}}\n' in log.read_text()
    assert "notifications/acme was sent" in inspect(*words, *scripted({})).stderr


def test_raw_bytes_go_out_as_they_are_and_what_comes_is_written(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = scripted({"acme/do": {"result": {"done": True}}}, f"log={log}")
    ran = inspect("request", "--raw", '{"jsonrpc":"2.0",  "id":"mine","method":"acme/do"}', *server).exits(0)
    assert '{"jsonrpc":"2.0",  "id":"mine","method":"acme/do"}\n' in log.read_text()
    assert ran.stdout == '{"jsonrpc": "2.0", "id": "mine", "result": {"done": true}}\n'


def test_raw_request_of_broken_json_reports_the_response() -> None:
    ran = inspect("request", "--raw", '{"jsonrpc":', "--json", "--era", "legacy", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert (ran.data["ended"], ran.data["received"][0]["error"]["code"]) == ("answered", -32700)
    assert "Not a JSON-RPC message: not JSON" in ran.stderr


def test_raw_bytes_come_from_a_file_and_from_stdin(tmp_path: Path) -> None:
    file, log = tmp_path / "message", tmp_path / "log"
    file.write_bytes(b'{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n')
    words = ("request", "--wait", "0", "--raw")
    assert inspect(*words, f"@{file}", *scripted({}, f"log={log}")).status == 0
    assert log.read_text().endswith('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n')
    assert inspect(*words, "-", *scripted({}, f"log={log}"), stdin='{"method":"c"}').status == 0
    assert log.read_text().endswith('{"method":"c"}\n')
    assert inspect(*words, f"@{tmp_path}", "--", "no-such-program").status == ExitStatus.USAGE


def test_raw_request_without_response_times_out() -> None:
    ran = inspect("request", "--raw", '{"jsonrpc":"2.0","id":1,"method":"x"}', "--wait", "0.05", *scripted({"x": {}}))
    assert ran.status == ExitStatus.TIMEOUT
    assert "timeout: no response within 0.05 s" in ran.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_raw_bytes_over_http(demo_url: str, era: str) -> None:
    ran = inspect("request", "--raw", '{"jsonrpc":"2.0","id":', "--json", "--era", era, demo_url)
    assert ran.status == ExitStatus.TOOL_ERROR
    assert (ran.data["status"], ran.data["received"][0]["error"]["code"]) == (400, -32700)


def test_a_batch_is_one_frame_and_its_answers_stand_in_the_order_of_the_requests() -> None:
    batch = '[{"method": "tools/list"}, {"method": "ping"}, {"method": "acme/x"}]'
    with_batches = next(row.date for row in ROWS if row.batches)
    ran = inspect("request", "--batch", batch, "--json", "--revision", with_batches, *demo())
    assert ran.status == ExitStatus.TOOL_ERROR
    assert [list(each["result"] or []) for each in ran.data] == [["tools"], [], []]
    assert ran.data[2]["error"]["code"] == -32601
    inspect("request", "--batch", batch, "--era", "legacy", *demo()).exits(ExitStatus.USAGE, "has no batches")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--raw", "{}", "--params", "{}"), "--params conflicts with --raw"),
        (("--raw", "{}", "--batch", "[]"), "--batch conflicts with --raw"),
        (("--batch", "{}"), "--batch needs an array"),
        (("--batch", '[{"id": 1}]'), "item 1 has no method"),
        (("ping", "--raw", "{}"), "conflicts with --raw"),
        ((), "no method named"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words: tuple[str, ...], said: str) -> None:
    inspect("request", *words, "--", "no-such-program").exits(ExitStatus.USAGE, said)


def test_a_batch_is_methods_with_params() -> None:
    given = [{"method": "a", "params": {"x": 1}}, {"method": "b"}]
    assert read_batch(given) == (("a", {"x": 1}), ("b", None))


@pytest.mark.parametrize("given", [None, [], {}, [1], [{"method": 2}], [{"method": "a"}, {}]])
def test_read_batch_refuses_non_batches(given: Any) -> None:
    with pytest.raises(UsageError):
        read_batch(given)


def test_bytes_are_a_text_a_file_or_stdin(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"\xff\n")
    assert read_bytes("hé", io.StringIO()) == "hé".encode()
    assert read_bytes(f"@{file}", io.StringIO()) == b"\xff\n"
    assert read_bytes("-", io.StringIO("abc\n")) == b"abc\n"
    assert read_bytes("-", io.TextIOWrapper(io.BytesIO(b"\xfe"))) == b"\xfe"


def test_read_bytes_reports_a_missing_file() -> None:
    with pytest.raises(UsageError, match="can't be read: No such file"):
        read_bytes("@/no/such/file", io.StringIO())
