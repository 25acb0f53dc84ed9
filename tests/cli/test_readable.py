"""Readable output of commands."""

from inspector.cli.commands.info import info_lines
from inspector.cli.commands.list import list_lines
from inspector.cli.requests import result_lines
from inspector.present.result import Finished, result_view, verdict_of
from inspector.present.spans import plain
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from tests.present.tape import Tape

_LEGACY = newest_of(Era.LEGACY)


def test_server_description_has_name_version_and_lists(tape: Tape) -> None:
    tape.initialized(_LEGACY.date)
    opening = tape.journal.conversation.opening
    assert opening is not None
    told = [plain(line) for line in info_lines(opening, "stdio", {"tools": 3, "prompts": None})]
    assert told[:3] == ["Server", "  name     lighthouse", "  version  1.2.3"]
    assert told[-4:] == ["It has", "  transport  stdio", "  tools      3", "  prompts    none declared"]


def test_tools_are_listed_with_their_first_words() -> None:
    items = [
        {
            "name": "echo",
            "title": "Echo",
            "description": "\n  Says it again.\nAnd more.",
            "inputSchema": {},
            "annotations": {"readOnlyHint": True},
        },
        {"name": "br\x1boken"},
    ]
    assert [plain(line) for line in list_lines("tools", items)] == [
        "2 tools, 152 B, ≈38 tokens",
        "echo  Echo  ~read-only  129 B",
        "    Says it again.",
        "br␛oken  23 B  ▲ its inputSchema is missing",
    ]


def test_list_lines_name_uri_and_arguments() -> None:
    resources = [{"uri": "file:///a", "name": "a", "mimeType": "text/plain", "description": "The a."}, 7]
    assert [plain(line) for line in list_lines("resources", resources)] == [
        "2 resources",
        "file:///a  a  text/plain",
        "    The a.",
        "(no uri)  (no name)",
    ]
    templates = [{"uriTemplate": "file:///{path}", "name": "files"}]
    assert [plain(line) for line in list_lines("templates", templates)] == ["1 template", "file:///{path}  files"]
    prompts = [{"name": "ask", "title": "Ask", "arguments": [{"name": "what", "required": True}, {"name": "how"}, 1]}]
    assert [plain(line) for line in list_lines("prompts", prompts)] == ["1 prompt", "ask  Ask  (what, how?, ??)"]
    assert [plain(line) for line in list_lines("prompts", [])] == ["prompts: none"]


def test_a_result_is_printed_whole_with_its_verdict() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    result = {"content": [{"type": "text", "text": "one\ntwo\x1b"}], "structuredContent": {"n": "x"}}
    finished = Finished("tools/call", "t", result, duration_ns=5_000_000, output_schema=schema)
    assert [plain(line) for line in result_lines(result_view(finished, verdict_of(finished)))] == [
        "▲ OK, but does not match outputSchema (1) · 5.0 ms",
        "",
        "text · 8 B",
        "one",
        "two␛",
        "",
        "structuredContent  ✗ does not match its outputSchema: 1 problem",
        "  /n  must be an integer, got a string: x",
        "{",
        '  "n": "x"',
        "}",
    ]


def test_an_error_is_printed_with_the_servers_words_and_data() -> None:
    view = result_view(Finished("tools/call", error={"code": -32602, "message": "a\nb", "data": 1}))
    assert [plain(line) for line in result_lines(view)] == [
        "✗ JSON-RPC error -32602 invalid params",
        "  a",
        "  b",
        "",
        "data · 1 B",
        "1",
    ]


def test_a_remark_of_ours_comes_last() -> None:
    view = result_view(Finished("tools/call", result={"content": [{"type": "text", "text": "Error: x"}]}))
    assert plain(result_lines(view)[-1]).startswith("· The text looks like an error")
