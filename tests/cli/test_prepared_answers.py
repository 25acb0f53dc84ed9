"""A script answers what the demo asks: each kind of question, in both eras, over every transport, from one file."""

import json
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

_ANSWERS = [
    {"kind": "elicitation", "message": "How many", "answer": "accept", "content": {"guests": 4}},
    {"kind": "elicitation", "tool": "elicit_steps", "answer": "accept", "content": {"dish": "soup"}},
    {"kind": "elicitation", "answer": "accept"},
    {"kind": "sampling", "message": "fog", "answer": "text", "text": "Fog, and fish."},
]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps(_ANSWERS))
    return file


@pytest.fixture(params=[("legacy", "stdio"), ("modern", "stdio"), ("legacy", "http"), ("modern", "http"), ("", "sse")])
def target(request: pytest.FixtureRequest, demo_url: str) -> tuple[str, ...]:
    """The words that name the demo, in an era and over a transport."""
    era, transport = request.param
    if transport == "sse":
        return ("--transport", "sse", demo_url.removesuffix("/mcp") + "/sse")
    return ("--era", era, *(demo() if transport == "stdio" else (demo_url,)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("elicit_form",), "Agnes keeps the light."),
        (("elicit_form", "-a", "copies=7"), "\n".join(["Agnes keeps the light."] * 7)),
        (("elicit_steps", "-a", "simmer=1"), "Soup for 4."),
        (("elicit_url",), "The book is open at your page."),
        (("sampling_request",), "The model (prepared) responded: Fog, and fish."),
        (("roots_request",), "1 roots"),
    ],
)
def test_each_question_is_answered(
    answers: Path, target: tuple[str, ...], call: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    ran = inspect("call", *call, "--json", "--responses", str(answers), "--root", str(tmp_path), *target)
    assert (ran.status, ran.data["error"]) == (0, None)
    assert ran.data["result"]["content"][0]["text"].startswith(said)


@pytest.mark.parametrize("tool", ["elicit_form", "elicit_url", "sampling_request"])
def test_unprepared_server_request_fails_at_once(target: tuple[str, ...], tool: str) -> None:
    ran = inspect("call", tool, "--json", "--capability", "all", *target).exits(ExitStatus.TOOL_ERROR)
    assert ran.error["code"] == "unanswered"
    assert "no response was prepared" in ran.error["message"]


@pytest.mark.parametrize("tool", ["elicit_form", "elicit_url", "sampling_request", "roots_request"])
def test_undeclared_capability_gets_no_request(target: tuple[str, ...], tool: str) -> None:
    ran = inspect("call", tool, "--json", *target).exits(ExitStatus.TOOL_ERROR).prints("needs the client capability")
    assert "? " not in ran.stderr


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("sampling/createMessage", "--capability sampling"),
        ("elicitation/create", "--capability elicitation.form"),
        ("roots/list", "--root DIR"),
    ],
)
def test_refused_server_request_has_the_hint_to_responses(method: str, hint: str) -> None:
    asks = json.dumps({"jsonrpc": "2.0", "id": "q", "method": method, "params": {"message": "Which?"}})
    fails = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"isError":true}}'
    ran = inspect("call", "t", "--json", *scripted({"tools/call": {"raw": f"{asks}\n{fails}"}}))
    assert ran.status == ExitStatus.TOOL_ERROR
    assert (ran.error["code"], "this client does not declare" in ran.error["message"]) == ("unanswered", True)
    assert hint in ran.error["hint"]


def test_cancelled_server_request_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text(json.dumps([{"kind": "elicitation", "answer": "accept", "delay_ms": 60_000}]))
    words = ("elicit_form", "-a", "patience_s=0.05", "--json", "--era", "legacy", "--responses", str(file))
    ran = inspect("call", *words, *demo()).exits(ExitStatus.TOOL_ERROR)
    assert "→ the server cancelled elicitation/create: the call was cancelled" in ran.stderr
    assert "accept" not in ran.stderr


def test_a_visit_that_an_error_demands_is_consented_to_and_the_call_made_again(answers: Path) -> None:
    arguments = ("elicit_url", "-a", "how=error", "--json", "--era", "legacy")
    ran = inspect("call", *arguments, "--responses", str(answers), *demo())
    assert (ran.status, ran.data["rounds"]) == (0, 2)
    assert ran.data["result"]["content"][0]["text"] == "The book is signed. Welcome!"
    refused = inspect("call", *arguments, "--capability", "all", *demo()).exits(ExitStatus.TOOL_ERROR)
    assert refused.data["error"]["code"] == -32042
    assert refused.error["code"] == "unanswered"
