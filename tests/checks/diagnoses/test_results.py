"""What calls cost and give away."""

from typing import Any

import pytest

from inspector.checks.findings import Severity
from inspector.protocol import probes
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked

_SENT = "x" * 10_000
_TOKEN = "ghp_" + "a1B2" * 9


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def _image(size: int) -> dict[str, Any]:
    return {"content": [{"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=" + "A" * (size * 4 // 3)}]}


def _muttered(lines: int) -> Script:
    return lambda: Talk().said(*["x" * 999] * lines).close()


def _given_up(seconds: float, *, progress: bool = False) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a"}, 7, progressToken=7)
        if progress:
            begun.tell("notifications/progress", {"progressToken": 7, "progress": 1})
        return begun.wait(seconds).inform("notifications/cancelled", {"requestId": 7}).close()

    return talk


def _failed_with(text: str, *logged: str) -> Script:
    """A call that fails with these words, while an exception is logged."""
    result = _text(text) | {"isError": True}
    lines = logged or ("sqlite3.OperationalError: no such table: users",)
    return lambda: Talk().ask("tools/call", {"name": "a"}, 7).said("Traceback", *lines).answer(result).close()


def _raw(text: bytes) -> Script:
    result = b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"%b"}]}}' % text
    return lambda: Talk().ask("tools/call", {"name": "a"}, 7).frame(result)


_CHROME = "browserType.launch: Chromium distribution 'chrome' is not found at /opt/google/chrome/chrome"
CASES: Cases = {
    "result-too-long": (
        asked("tools/call", _text("word " * 30_000)),
        asked("tools/call", _text("word " * 10_000 + _SENT * 11), params={"name": "a", "arguments": {"b": _SENT}}),
    ),
    "image-too-large": (asked("tools/call", _image(2_000_000)), asked("tools/call", _image(900_000))),
    "stderr-flood": (_muttered(1100), _muttered(900)),
    "failure-logged": (_failed_with("Internal error"), _failed_with("no such table: users")),
    "call-timed-out": (_given_up(60), _given_up(1)),
    "image-undecodable": (
        asked("tools/call", {"content": [{"type": "image", "mimeType": "image/png", "data": "aGVsbG8gd29ybGQ="}]}),
        asked("tools/call", {"content": [{"type": "image", "mimeType": "image/svg+xml", "data": "aGVsbG8gd29ybGQ="}]}),
    ),
    "tool-backend-fails": (
        asked("tools/call", _text("fetch failed: connect ECONNREFUSED 127.0.0.1:8189") | {"isError": True}),
        asked("tools/call", _text("the log says: connect ECONNREFUSED 127.0.0.1:8189")),
    ),
    "result-unawaited": (
        asked("tools/call", _text("The price is <coroutine object fetch at 0x7fea5176b100>")),
        asked("tools/call", _text("repr() gives <coroutine object NAME at ADDRESS>")),
    ),
    "tool-program-missing": (
        asked("tools/call", _text(_CHROME) | {"isError": True}),
        asked("tools/call", _text("Chrome is not installed with extensions") | {"isError": True}),
    ),
    "nul-in-text": (_raw(rb"a\u0000"), _raw(rb"a\\u0000")),
    "half-surrogate": (_raw(rb"\ud83d half"), _raw(rb"\ud83d\ude00 \\ud83d")),
    "base64-in-text": (
        asked("tools/call", _text("iVBORw0KGgo" + "A" * 500)),
        asked("tools/call", _text("see iVBORw0KGgo" + "A" * 500)),
    ),
    "text-decoded-twice": (
        asked("tools/call", _text("GrÃ¼ÃŸe aus KÃ¶ln")),
        asked("tools/call", _text("Ã¼ was written in place of ü, Ã, and Ä")),
    ),
    "secret-in-result": (
        asked("tools/call", _text(f"use {_TOKEN} for it")),
        asked("tools/call", _text("use ghp_… for it")),
    ),
}


def test_a_backend_or_program_that_two_tools_lack_is_named_once() -> None:
    talk = Talk()
    for lacking in ("getaddrinfo ENOTFOUND api.acme.com", _CHROME):
        for name in "ab":
            talk.ask("tools/call", {"name": name}, name).answer(_text(lacking) | {"isError": True}, name)
    found = of_one(talk.findings(), "tool-backend-fails") + of_one(talk.findings(), "tool-program-missing")
    assert [each.sentence[:2] for each in found] == ["a ", "a "]


def test_nul_that_was_sent_may_come_back() -> None:
    sent = {"name": "echo", "arguments": {"text": "a\0b"}}
    assert not of_one(asked("tools/call", _text("a\0b"), params=sent)().findings(), "nul-in-text")


def test_a_secret_is_never_repeated() -> None:
    (found,) = of_one(CASES["secret-in-result"][0]().findings(), "secret-in-result")
    assert _TOKEN not in found.sentence


@pytest.mark.parametrize(("progress", "said"), [(True, "60 s after its last progress"), (False, "without progress")])
def test_call_timed_out_names_the_expired_timeout(progress: bool, said: str) -> None:
    (found,) = of_one(_given_up(60, progress=progress)().findings(), "call-timed-out")
    assert said in found.sentence


def test_image_undecodable_image_without_data_is_found() -> None:
    talk = asked("tools/call", {"content": [{"type": "image", "mimeType": "image/png", "data": ""}]})()
    assert of_one(talk.findings(), "image-undecodable")


def test_the_fix_of_a_failure_that_is_reported_wrongly_is_to_report_it() -> None:
    talk = asked("tools/call", _text("Error: connect ECONNREFUSED 127.0.0.1:9200"))()
    (found,) = of_one(talk.findings(), "tool-failure-unmarked")
    assert "isError" in found.fix


def test_failure_logged_quotes_the_exception_of_that_request() -> None:
    lost = "getaddrinfo ENOTFOUND api.acme.com"
    assert not of_one(_failed_with(f"Error: {lost}", f'{{"error": "{lost}", "ms": 2}}')().findings(), "failure-logged")
    coded = "ApiError: the map has no layer 'road': 404"
    assert not of_one(
        _failed_with("The map has none: the map has no layer 'road'", coded)().findings(), "failure-logged"
    )
    (found,) = of_one(_failed_with("Error")().findings(), "failure-logged")
    assert "stderr has: sqlite3.OperationalError: no such table: users (the table does" in found.sentence
    sdk = "mcp.server.mcpserver.exceptions.UnexpectedToolError: Error executing tool run"
    above = "The above exception was the direct cause of the following exception:"
    (found,) = of_one(_failed_with("Error", "AstError: no file: ", "", above, "", sdk)().findings(), "failure-logged")
    assert found.sentence.endswith("stderr has: AstError: no file:")
    assert not of_one(_failed_with("Error", "INFO an error was expected")().findings(), "failure-logged")
    (hint,) = of_one(_failed_with("no such user: ada")().findings(), "failure-logged")
    assert (hint.severity, "ada" in hint.sentence, "users" in hint.sentence) == ("hint", True, True)
    earlier = Talk().ask("ping", {}, 6).said("ValueError: of the ping").answer({}, 6)
    earlier.ask("tools/call", {"name": "a"}, 7).answer(_text("Error") | {"isError": True}, 7)
    assert not of_one(earlier.close().findings(), "failure-logged")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Error calling tool execute_sql: {}", True),
        ("An unexpected error occurred.", True),
        ("Error: None", True),
        ("", True),
        ("Error executing tool query_db: ", True),
        ("Unknown error", True),
        ("Unknown tool: query_db", False),
        ("Tool query_db not found", False),
        ("Network error", False),
        ("Title cannot be empty", False),
        ("Invalid arguments: state: Required", False),
    ],
)
def test_a_failure_without_a_reason_is_a_warning(text: str, found: bool) -> None:
    talk = asked("tools/call", _text(text) | {"isError": True})()
    warned = [each for each in of_one(talk.findings(), "empty-result") if each.severity is Severity.WARNING]
    assert bool(warned) is found


def test_a_program_that_is_missing_when_no_tool_was_named_is_needed_by_the_server() -> None:
    talk = asked("tools/call", _text(_CHROME) | {"isError": True}, params={"name": probes.TOOL})()
    (found,) = of_one(talk.findings(), "tool-program-missing")
    assert found.sentence.startswith("the server needs the browser")
