"""`mcp-inspect list`: all pages, exact items, and messages about incomplete lists."""

import json
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import LEGACY, demo, inspect, scripted

_MEMBERS = ["revision", "era", "server", "tools", "resources", "templates", "prompts", "lists", "notices"]
_TOOL = '{"name":"odd","inputSchema":{"type":"object"},"n":1.50e2,"big":123456789012345678901234567890}'


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
@pytest.mark.parametrize(("kind", "count"), [("tools", 19), ("resources", 6), ("templates", 2), ("prompts", 3)])
def test_a_kind_is_listed_with_all_its_pages_and_the_others_are_empty(flag: str, kind: str, count: int) -> None:
    ran = inspect("list", kind, "--json", *demo(flag, "--page-size", "2")).exits(0)
    assert list(ran.data) == _MEMBERS
    lengths = {name: len(ran.data[name]) for name in _MEMBERS[3:7]}
    assert lengths == dict.fromkeys(_MEMBERS[3:7], 0) | {kind: count}


def test_all_kinds_come_at_once(demo_url: str) -> None:
    ran = inspect("list", "all", "--json", demo_url)
    assert [len(ran.data[name]) for name in _MEMBERS[3:7]] == [19, 6, 2, 3]
    assert "inputSchema" in ran.data["tools"][0]


def test_an_item_is_written_digit_by_digit_as_it_came() -> None:
    page = {"raw": '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[' + _TOOL + "]}}"}
    inspect("list", "tools", "--json", *scripted({"tools/list": page})).prints(_TOOL)


def test_an_item_that_only_a_tolerant_reader_takes_is_written_as_json() -> None:
    page = {"raw": '{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"\\ud800"}, 7]}}'}
    ran = inspect("list", "tools", "--json", *scripted({"tools/list": page}))
    assert ran.data["tools"] == [{"name": "\ud800"}, 7]


def test_list_of_an_undeclared_kind_reports_the_error() -> None:
    ran = inspect("list", "prompts", "--json", *scripted({}, capabilities={"tools": {}})).exits(ExitStatus.TOOL_ERROR)
    assert ran.stdout == ""
    assert ran.error["code"] == "server_error"
    assert ran.error["message"] == "prompts/list failed with JSON-RPC error -32601: no such method"
    assert ran.error["jsonrpc_error"] == {"code": -32601, "message": "no such method"}
    assert ran.error["hint"] == "It declares: tools."


def test_among_all_kinds_those_not_declared_are_passed_over_in_silence() -> None:
    script = {"tools/list": {"result": {"tools": [{"name": "a"}]}}}
    ran = inspect("list", "all", "--json", *scripted(script, capabilities={"tools": {}})).exits(0)
    assert ran.data["tools"] == [{"name": "a"}]
    assert "!" not in ran.stderr


def test_among_all_kinds_unknown_templates_are_no_failure_and_every_other_error_is() -> None:
    resources: dict[str, Any] = {"resources/list": {"result": {"resources": []}}}
    templates = inspect("list", "all", "--json", *scripted(resources, capabilities={"resources": {}}))
    assert (templates.status, templates.data["templates"]) == (0, [])
    assert "! resources/templates/list failed with JSON-RPC error -32601" in templates.stderr
    unknown = inspect("list", "all", "--json", *scripted({}, capabilities={"tools": {}}))
    assert (unknown.status, unknown.data["tools"]) == (ExitStatus.TOOL_ERROR, [])
    assert "! tools/list failed with JSON-RPC error -32601" in unknown.stderr
    broken = {"tools/list": {"error": {"code": -32603, "message": "broken"}}}
    inspect("list", "all", "--json", *scripted(broken, capabilities={"tools": {}})).exits(ExitStatus.TOOL_ERROR)


def test_a_cursor_that_leads_in_circles_makes_the_list_incomplete() -> None:
    page = {"result": {"tools": [{"name": "a"}], "nextCursor": "again"}}
    ran = inspect("list", "tools", "--json", *scripted({"tools/list": page})).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["tools"] == [{"name": "a"}, {"name": "a"}]
    assert "the server gave the cursor 'again' a second time; 2 items up to there" in ran.stderr


def test_list_keeps_items_before_a_failed_page() -> None:
    pages = [
        {"result": {"tools": [{"name": "a"}], "nextCursor": "2"}},
        {"error": {"code": -32603, "message": "no more"}},
    ]
    ran = inspect("list", "tools", "--json", *scripted({"tools/list": pages})).exits(ExitStatus.TOOL_ERROR)
    assert json.loads(ran.stdout)["tools"] == [{"name": "a"}]
    assert "with JSON-RPC error -32603: no more, after 1 item\n" in ran.stderr


def test_list_reports_a_result_without_array() -> None:
    ran = inspect("list", "tools", "--json", *scripted({"tools/list": {"result": {"tools": "none"}}}))
    assert ran.data["tools"] == []
    assert "the result has no array 'tools'" in ran.stderr


def test_without_json_it_is_text() -> None:
    assert "\x1b" not in inspect("list", "tools", *demo()).prints("long_running").stdout


def test_a_revision_can_be_pinned() -> None:
    assert inspect("list", "tools", "--json", "--revision", LEGACY, *demo()).data["revision"] == LEGACY


def test_list_page_by_page_has_the_next_cursor() -> None:
    ran = inspect("list", "prompts", "--json", "--page-by-page", *demo("--page-size", "2"))
    assert len(ran.data["prompts"]) == 2
    about = ran.data["lists"]["prompts"]
    assert about["pages"] == 1
    assert f"there is more; go on with --cursor {about['nextCursor']}" in ran.stderr
    rest = inspect("list", "prompts", "--json", "--cursor", about["nextCursor"], *demo("--page-size", "2"))
    assert len(rest.data["prompts"]) == 1
    assert rest.data["lists"]["prompts"]["nextCursor"] is None


def test_no_more_pages_are_fetched_than_are_wanted() -> None:
    ran = inspect("list", "prompts", "--json", "--limit", "2", *demo("--page-size", "1"))
    assert (len(ran.data["prompts"]), ran.data["lists"]["prompts"]["pages"]) == (2, 2)


def test_a_cursor_belongs_to_one_list() -> None:
    assert inspect("list", "all", "--cursor", "x", *demo()).status == ExitStatus.USAGE


def test_list_reports_remarks_on_pages() -> None:
    items = [{"name": "a"}, {"name": "a"}]
    script = {"tools/list": {"result": {"tools": items, "ttlMs": "60", "cacheScope": "all"}}}
    ran = inspect("list", "tools", "--json", *scripted(script))
    about = ran.data["lists"]["tools"]
    assert (about["ttlMs"], about["cacheScope"]) == ("60", "all")
    assert about["remarks"][0] == "1 item comes more than once: a"
    assert "! tools/list: ttlMs is a string, not a number: '60'" in ran.stderr


def test_list_reports_ttl_and_cache_scope() -> None:
    script = {"tools/list": {"result": {"tools": [], "ttlMs": 60000, "cacheScope": "private"}}}
    assert "tools: TTL 60 s, cacheScope private" in inspect("list", "tools", *scripted(script)).stderr


@pytest.mark.parametrize("line", ['{"jsonrpc":"2.0","id":$ID,"result":%s}', '{"jsonrpc":"2.0","result":%s,"id":$ID}'])
def test_list_of_deeply_nested_result_fails_at_once(line: str) -> None:
    server = scripted({"tools/list": {"raw": line % '{"tools":$DEEP}'}}, capabilities={"tools": {}})
    ran = inspect("list", "tools", "--era", "legacy", "--timeout", "60", "--json", *server).exits(4)
    assert ran.error["message"].endswith("its response can't be read: JSON nested too deeply to be read")
    checked = inspect("check", "--era", "legacy", "--timeout", "60", "--json", *server)
    assert [each["id"] for each in checked.data["findings"]] == ["invalid-json-rpc"]


def test_a_list_whose_server_rejects_its_empty_cursor_is_whole() -> None:
    first = {"result": {"tools": [{"name": "a", "inputSchema": {"type": "object"}}], "nextCursor": ""}}
    script = {"tools/list": [first, {"error": {"code": -32602, "message": "Invalid cursor"}}]}
    server = scripted(script, capabilities={"tools": {}})
    ran = inspect("list", "tools", "--json", "--era", "legacy", *server)
    assert (ran.status, [each["name"] for each in ran.data["tools"]]) == (0, ["a"])
    assert 'the server rejects the cursor "" that it sent: the list ends there' in ran.stderr
    found = inspect("check", "--json", "--era", "legacy", *server).data["findings"]
    assert "cursor-rejected" in {each["id"] for each in found}


_NEEDS = "Tools for sampling need a client with that capability. See the rootstock manual."


@pytest.mark.parametrize(
    ("words", "tools", "instructions", "said"),
    [
        ((), ["a"], _NEEDS, "advertises sampling: "),
        ((), [], "", "advertises elicitation, roots, sampling: "),
        ((), ["a"], "", ""),
        (("--capability", "all"), [], _NEEDS, ""),
        (("--capability", "sampling"), ["a"], _NEEDS, ""),
        (("-q",), ["a"], _NEEDS, ""),
        (("--json",), ["a"], _NEEDS, "advertises sampling: "),
    ],
)
def test_list_notes_that_capabilities_may_show_more_tools_where_something_suggests_it(
    words: tuple[str, ...], tools: list[str], instructions: str, said: str
) -> None:
    script = {"tools/list": {"result": {"tools": [{"name": name} for name in tools]}}}
    ran = inspect("list", "tools", *words, *scripted(script, capabilities={"tools": {}}, instructions=instructions))
    assert ("may list more tools" in ran.stderr) is bool(said)
    assert said in ran.stderr
    assert ran.status == 0
