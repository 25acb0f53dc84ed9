"""`mcp-inspect call`: arguments by schema, the unmodified result, the verdict, and the exit status."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import LEGACY, MODERN, demo, inspect, scripted

_MEMBERS = ["result", "error", "valid", "duration_ms", "rounds", "outcome"]


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_a_tool_is_called_with_arguments_as_its_schema_asks(flag: str) -> None:
    ran = inspect("call", "add", "-a", "a=2", "-a", "b:=3.5", "--json", *demo(flag)).exits(0)
    assert list(ran.data) == _MEMBERS
    assert ran.data["result"]["structuredContent"] == {"sum": 5.5, "below_the_keel": True}
    assert (ran.data["error"], ran.data["valid"], ran.data["rounds"]) == (None, True, 1)
    assert ran.data["duration_ms"] > 0
    assert "listed 19 tools to find the schema of add" in ran.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_call_over_http_mirrors_parameters(demo_url: str, era: str) -> None:
    ran = inspect("call", "image_result", "-a", "hours=3", "-a", "harbour=Teal Bay", "--era", era, "--json", demo_url)
    assert (ran.status, ran.data["valid"]) == (0, True)
    assert ran.data["result"]["structuredContent"]["harbour"] == "Teal Bay"


def _sent(log: Path) -> object:
    calls = [line for line in map(json.loads, log.read_text().splitlines()) if line["method"] == "tools/call"]
    return calls[-1]["params"]["arguments"]


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ((), {}),
        (("-a", "text=012", "-a", "number=012"), {"text": "012", "number": 12}),
        (("-a", "number=12", "-a", "more=12"), {"number": 12, "more": 12}),
        (("-a", "more=twelve"), {"more": "twelve"}),
        (("-a", "text:=12", "-a", 'x:={"a": [null]}'), {"text": 12, "x": {"a": [None]}}),
        (("-a", "text=a=b:=c"), {"text": "a=b:=c"}),
        (("--args", '{"text": "x", "more": 1.5}'), {"text": "x", "more": 1.5}),
        (("--args", '{"text": "x"}', "-a", "text=y"), {"text": "y"}),
        (("--args", "-"), {"from": "stdin"}),
        (("--args", "[1]"), [1]),
    ],
)
def test_call_sends_arguments_as_typed(tmp_path: Path, words: tuple[str, ...], arguments: object) -> None:
    log = tmp_path / "log"
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "number": {"type": "integer"}}}
    script = {
        "tools/list": {"result": {"tools": [{"name": "t", "inputSchema": schema}]}},
        "tools/call": {"result": {"content": []}},
    }
    ran = inspect("call", "t", *words, "--json", *scripted(script, f"log={log}"), stdin='{"from": "stdin"}')
    assert (ran.status, _sent(log)) == (0, arguments)


def test_a_result_is_written_digit_by_digit_as_it_came() -> None:
    raw = '{"content":[],"n":1.50e2,"big":123456789012345678901234567890}'
    answer = {"raw": '{"jsonrpc":"2.0","id":$ID,"result":' + raw + "}"}
    inspect("call", "t", "--json", *scripted({"tools/call": answer})).prints(f'"result":{raw}')


def test_a_tools_own_error_has_its_exit_status_and_its_object() -> None:
    ran = inspect("call", "tool_error", "--json", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["result"]["isError"] is True
    assert (ran.data["error"], ran.data["valid"]) == (None, None)


def test_a_json_rpc_error_has_its_exit_status_and_its_object() -> None:
    ran = inspect("call", "jsonrpc_error", "--json", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["result"] is None
    assert isinstance(ran.data["error"]["code"], int)
    assert ran.data["valid"] is None


def test_structured_content_that_does_not_fit_is_shown_and_judged() -> None:
    ran = inspect("call", "invalid_output", "--json", *demo()).exits(0)
    assert ran.data["result"]["structuredContent"]
    assert ran.data["valid"] is False
    assert "! structuredContent" in ran.stderr


def test_a_tool_that_is_not_listed_is_called_all_the_same() -> None:
    ran = inspect("call", "ad", "-a", "a=2", "--json", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["error"]["code"] == -32602
    assert "'ad' is not among the 19 tools that are listed (did you mean 'add'?); calling it anyway" in ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-a", "tags=x,y"), "tags must be an array, got a string; what is nested is JSON: -a 'tags:=[…]'"),
        (("-a", "maybe=[1"), "; what is nested is JSON: -a 'maybe:=[…]'"),
        (("-a", "number=x", "-a", "tags=[1, 2]"), "number must be an integer, got a string; tags[0] must be a string"),
        (("--args", '{"tags": {}}'), "tags must be an array, got an object"),
        (("-a", "at=noon"), "at is not a time with its zone, such as 23:59:59Z"),
        (("-a", "tags=[]", "-a", "number=1e3"), ""),
    ],
)
def test_arguments_that_do_not_match_the_schema_are_sent_with_a_warning(words: tuple[str, ...], said: str) -> None:
    texts = {"type": "array", "items": {"type": "string"}}
    maybe = {"anyOf": [texts, {"type": "null"}]}
    fields = {"tags": texts, "maybe": maybe, "number": {"type": "integer"}, "at": {"type": "string", "format": "time"}}
    methods = {
        "tools/list": {"result": {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": fields}}]}},
        "tools/call": {"result": {"content": []}},
    }
    ran = inspect("call", "t", *words, *scripted(methods)).exits(0)
    assert ("! t: sent unchanged" in ran.stderr) is bool(said)
    assert said in ran.stderr


def test_a_server_that_lists_nothing_is_called_without_a_schema() -> None:
    ran = inspect("call", "t", "--json", *scripted({"tools/call": {"result": {"content": []}}}))
    assert (ran.status, ran.data["result"]) == (0, {"content": []})
    assert "t is called without its schema" in ran.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-a", "nothing"), "-a 'nothing' names no argument"),
        (("-a", "x:={"), "-a x:=: invalid JSON"),
        (("-a", "x=1", "-a", "x=2"), "-a x is given twice"),
        (("--args", "{"), """Quote it for the shell: --args '{"a": 1}'."""),
        (("--args", "{"), "--args: invalid JSON: line 1, column 2: expecting property name enclosed in double quotes"),
        (("--args", "@nowhere.json"), "--args @nowhere.json: the file can't be read: No such file or directory\n"),
        (("--args", "[1]", "-a", "x=1"), "-a needs --args to be an object"),
    ],
)
def test_arguments_that_are_wrong_by_themselves_start_no_server(words: tuple[str, ...], said: str) -> None:
    inspect("call", "t", *words, "--", "no-such-program").exits(ExitStatus.USAGE, said)


def test_without_json_it_is_text_with_the_verdict() -> None:
    inspect("call", "add", "-a", "a=2", "-a", "b=3", *demo()).prints("2 + 3 = 5 fathoms", "matches its outputSchema")


def test_call_output_has_no_terminal_codes() -> None:
    ran = inspect("call", "hostile_text", *demo(), terminal=True, env={"NO_COLOR": "1", "TERM": "xterm"})
    assert ran.stdout
    assert "\x1b" not in ran.stdout + ran.stderr
    as_json = inspect("call", "hostile_text", "--json", *demo(), terminal=True, env={"NO_COLOR": "1"})
    assert "\x1b" not in as_json.stdout
    assert as_json.data["result"]["content"]


_UNSENT = "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests."
_ASKS = {"method": "elicitation/create", "params": {"message": "Which?", "requestedSchema": {"type": "object"}}}


def _asking(*results: Any) -> tuple[str, ...]:
    """A server of the stateless era whose tool gives these results, one after the other."""
    found = {"result": {"supportedVersions": [MODERN], "capabilities": {}, "resultType": "complete"}}
    return scripted({"server/discover": found, "tools/call": [{"result": result} for result in results]})


def test_a_question_inside_a_result_is_answered_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("- {kind: elicitation, answer: accept, content: {}}\n")
    asks = {"resultType": "input_required", "inputRequests": {"q": _ASKS}, "requestState": "s"}
    server = _asking(asks, {"resultType": "complete", "content": []})
    ran = inspect("call", "t", "--json", "--era", "modern", "--responses", str(file), *server).exits(0)
    assert list(ran.data) == _MEMBERS
    assert ran.data["rounds"] == 2
    assert "? elicitation: Which?\n  → accept {}\n" in ran.stderr


@pytest.mark.parametrize(("offer", "rounds"), [((), 1), (("--capability", "elicitation"), 2)])
def test_call_with_unanswered_input_request_fails_at_once(offer: tuple[str, ...], rounds: int) -> None:
    asks = {"resultType": "input_required", "inputRequests": {"q": _ASKS}}
    ran = inspect("call", "t", "--json", "--era", "modern", *offer, *_asking(asks)).exits(ExitStatus.TOOL_ERROR)
    assert (ran.data["result"], ran.data["valid"], ran.data["rounds"]) == (asks, None, rounds)
    assert ran.error["code"] == "unanswered"
    assert "--responses" in ran.error["hint"]


def test_unanswered_elicitation_is_cancelled_and_the_call_completes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    asks = {"resultType": "input_required", "inputRequests": {"q": _ASKS}}
    server = _asking(asks, {"resultType": "complete", "content": []})
    ran = inspect("call", "t", "--json", "--era", "modern", "--capability", "elicitation", *server, f"log={log}")
    calls = [line for line in map(json.loads, log.read_text().splitlines()) if line["method"] == "tools/call"]
    assert calls[1]["params"]["inputResponses"] == {"q": {"action": "cancel"}}
    assert (ran.status, ran.data["result"]["resultType"]) == (ExitStatus.TOOL_ERROR, "complete")
    assert (ran.error["code"], "no user to respond" in ran.error["message"]) == ("unanswered", True)


def test_progress_is_shown_if_it_is_wanted() -> None:
    words = ("call", "long_running", "-a", "steps=3", "-a", "seconds_per_step=0", "--json", *demo())
    said = inspect(*words[:2], "--progress", *words[2:]).stderr
    assert re.search(r"3 of 3 · 100 %.*swept to 360°", said)
    assert "of 3" not in inspect(*words).stderr


@pytest.mark.parametrize("spelling", ["$ID.0", "$IDe0", "$ID.000E+0"])
def test_a_server_whose_json_library_turns_ids_into_doubles_is_understood_and_that_is_reported(
    tmp_path: Path, spelling: str
) -> None:
    def written(result: str) -> dict[str, str]:
        return {"raw": '{"jsonrpc":"2.0","id":' + spelling + ',"result":' + result + "}"}

    hello = json.dumps({"protocolVersion": LEGACY, "serverInfo": {"name": "gson", "version": "1"}, "capabilities": {}})
    script = {"initialize": written(hello), "tools/call": written('{"content":[{"type":"text","text":"hi"}]}')}
    capture = tmp_path / "c.mcpcap"
    words = ("--capture", str(capture), "--era", "legacy", "--timeout", "5", *scripted(script))
    ran = inspect("call", "t", "--json", *words)
    assert (ran.status, ran.data["result"]["content"][0]["text"]) == (0, "hi")
    found = inspect("check", str(capture), "--json").data["findings"]
    assert [
        each["id"]
        for each in found
        if each["id"] in ("unexpected-response", "id-spelling-changed", "invalid-json-rpc", "result-and-error")
    ] == ["id-spelling-changed"]


_IMAGE = {"content": [{"type": "image", "mimeType": "image/png", "data": "no base64!"}]}


@pytest.mark.parametrize(
    ("result", "rounds", "why"),
    [
        ({"resultType": "input_required", "requestState": "s"}, 11, "it asked more than 10 times"),
        ({"resultType": "later", "content": []}, 1, 'resultType is "later"'),
        ({"resultType": "complete", **_IMAGE}, 1, "image: invalid base64"),
    ],
)
def test_only_a_complete_result_is_a_success_in_text_json_and_exit_status(result: Any, rounds: int, why: str) -> None:
    server = _asking(result)
    text = inspect("call", "t", "--era", "modern", *server)
    told = inspect("call", "t", "--json", "--era", "modern", *server)
    assert (text.status, told.status) == (ExitStatus.TOOL_ERROR, ExitStatus.TOOL_ERROR)
    assert "Succeeded" not in text.stdout
    assert text.stdout.startswith("✗ Incomplete result")
    assert why in text.stdout
    assert (told.data["result"], told.data["outcome"], told.data["rounds"]) == (result, "incomplete result", rounds)
    assert why in told.error["message"]
    assert inspect("check", "--call", "t", "--era", "modern", *server).status == ExitStatus.TOOL_ERROR


@pytest.mark.parametrize("command", [("read", "a:b"), ("prompt", "p")])
def test_reads_and_prompts_are_held_to_the_same(command: tuple[str, ...]) -> None:
    method = {"read": "resources/read", "prompt": "prompts/get"}[command[0]]
    broken = {"uri": "a:b", "blob": "no base64!"}
    result = {"contents": [broken], "messages": [{"role": "user", "content": _IMAGE["content"][0]}]}
    server = scripted({method: {"result": result}})
    text, told = inspect(*command, *server), inspect(*command, "--json", *server)
    assert (text.status, told.status, told.data["outcome"]) == (5, 5, "incomplete result")
    assert text.stdout.startswith("✗ Incomplete result")


@contextmanager
def _over_http(schema: Any) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server of the stateless era with one tool; its URL, and the headers of each call."""
    called: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found: dict[str, Any] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public", "content": []}
            found |= {"supportedVersions": [MODERN], "capabilities": {"tools": {}}}
            if asked["method"] == "tools/call":
                called.append(dict(self.headers))
            found["tools"] = [{"name": "t", "inputSchema": schema}]
            body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": found}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", called
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("kind", "value", "warning"),
    [
        ("integer", "9007199254740993", "! t: p is beyond 2^53 and can't be sent in Mcp-Param-P"),
        ("number", "1", "! t: its x-mcp-header is invalid (p: x-mcp-header needs a string, an integer or a boolean)"),
        ("integer", "7", ""),
    ],
)
def test_value_unfit_for_a_header_is_a_warning_before_the_call(kind: str, value: str, warning: str) -> None:
    schema = {"type": "object", "properties": {"p": {"type": kind, "x-mcp-header": "P"}}}
    with _over_http(schema) as (url, called):
        ran = inspect("call", "t", "-a", f"p={value}", "--json", url)
    assert ran.status == 0
    assert (warning in ran.stderr) if warning else ("x-mcp-header" not in ran.stderr and "2^53" not in ran.stderr)
    assert called[0].get("Mcp-Param-P") == (None if warning else value)


def _failing(answer: Any) -> tuple[str, ...]:
    found = {"result": {"supportedVersions": [MODERN], "capabilities": {}, "resultType": "complete"}}
    return scripted({"server/discover": found, "tools/call": answer})


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32600, "message": _UNSENT}},
        {"result": {"resultType": "complete", "content": [{"type": "text", "text": _UNSENT}], "isError": True}},
    ],
)
def test_error_of_a_request_that_the_era_does_not_have_names_the_era(answer: Any) -> None:
    ran = inspect("call", "t", "--json", *_failing(answer)).exits(ExitStatus.TOOL_ERROR)
    assert ran.error["code"] == ran.data["failure"]["code"] == "request_not_sent"
    assert ran.error["message"].startswith("the server wanted to send elicitation/create, a request of the legacy era")
    assert "--era legacy" in ran.data["failure"]["hint"]
    shown = inspect("call", "t", *_failing(answer))
    assert shown.stderr.count("--era legacy") == 1
    assert "--era" not in shown.stdout


def test_a_failed_call_shows_what_the_server_wrote_to_stderr_meanwhile() -> None:
    error = {"result": {"content": [], "isError": True}, "stderr": "Traceback\nValueError: no such \x1bkind"}
    ran = inspect("call", "t", "--json", *scripted({"tools/call": error}))
    assert ran.data["failure"] == {"stderr": ["Traceback", "ValueError: no such ␛kind"]}
    assert "stderr during the call\n  Traceback\n  ValueError: no such ␛kind\n" in ran.stderr


def test_successful_call_shows_no_stderr() -> None:
    ran = inspect("call", "t", "--json", *scripted({"tools/call": {"result": {"content": []}, "stderr": "note"}}))
    assert "failure" not in ran.data
    assert "stderr during" not in ran.stderr


def test_unsent_request_that_only_stderr_names_is_reported() -> None:
    error = {"result": {"resultType": "complete", "content": [], "isError": True}, "stderr": f"MCPError: {_UNSENT}"}
    assert inspect("call", "t", "--json", *_failing(error)).error["code"] == "request_not_sent"


def test_error_about_an_undeclared_capability_has_the_hint_to_responses() -> None:
    data: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
    ran = inspect("call", "t", "--json", *_failing({"error": {"code": -32021, "message": "no", "data": data}}))
    assert ran.error["message"] == "the server requires sampling, which this client does not declare"
    assert "--responses" in ran.error["hint"]
    assert "--capability sampling" in ran.error["hint"]


def test_arguments_that_the_schema_does_not_declare_are_sent_with_a_warning(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "opts": {"type": "object"}}}
    tools = {"result": {"tools": [{"name": "t", "inputSchema": schema}]}}
    script = {"tools/list": tools, "tools/call": {"result": {"content": []}}}
    words = ("-a", "city=x", "-a", "bogus=1", "-a", "opts.fields[0]=temp")
    ran = inspect("call", "t", *words, *scripted(script, capabilities={"tools": {}})).exits(0)
    assert "! t: its inputSchema declares no argument 'bogus'; it is sent as it is\n" in ran.stderr
    assert "'opts.fields[0]'; it is sent as it is; what is nested is JSON: -a 'opts:={…}'\n" in ran.stderr
    assert "'city'" not in ran.stderr


@pytest.mark.parametrize("command", ["call", "prompt"])
def test_an_argument_without_its_option_is_no_server(command: str) -> None:
    inspect(command, "find", "text=a b", "--", "no-such-program").exits(ExitStatus.USAGE, "-a 'text=a b'")
