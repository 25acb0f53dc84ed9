"""`mcp-inspect info` against the demo in both eras, on stdio and over HTTP, and against servers that do little."""

from typing import Any

import pytest

from tests.cli.running import LEGACY, MODERN, demo, inspect, scripted

MEMBERS = [
    "revision",
    "era",
    "transport",
    "server",
    "capabilities",
    "instructions",
    "counts",
    "failed",
    "apps",
    "caching",
    "notices",
]


@pytest.mark.parametrize(
    ("flag", "revision", "era"), [("--legacy-only", LEGACY, "legacy"), ("--modern-only", MODERN, "modern")]
)
def test_info_json_has_server_and_counts(flag: str, revision: str, era: str) -> None:
    ran = inspect("info", "--json", *demo(flag, "--page-size", "4"))
    about = ran.data
    assert ran.status == 0
    assert list(about) == MEMBERS
    assert (about["revision"], about["era"], about["transport"]) == (revision, era, "stdio")
    assert about["server"]["name"] == "gull-rock-lighthouse"
    assert {"tools", "resources", "prompts"} <= set(about["capabilities"])
    assert about["instructions"].startswith("A demo server with every feature")
    assert about["counts"] == {"tools": 19, "resources": 6, "templates": 2, "prompts": 3}
    assert f"connected to gull-rock-lighthouse {about['server']['version']}, {revision} ({era})" in ran.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_info_is_the_same_over_http(demo_url: str, era: str) -> None:
    about = inspect("info", "--json", "--era", era, demo_url).data
    assert (about["era"], about["transport"]) == (era, "http")
    assert about["counts"]["tools"] == 19


def test_info_is_the_same_over_sse(demo_url: str) -> None:
    about = inspect("info", "--json", "--transport", "sse", demo_url.removesuffix("/mcp") + "/sse").data
    assert (about["era"], about["transport"]) == ("legacy", "sse")
    assert about["counts"]["tools"] == 19


def test_info_does_not_request_undeclared_lists() -> None:
    script: dict[str, Any] = {"prompts/list": {"result": {"prompts": []}}}
    ran = inspect("info", "--json", *scripted(script, capabilities={"prompts": {}}))
    assert ran.data["counts"] == {"tools": None, "resources": None, "templates": None, "prompts": 0}
    assert ran.data["instructions"] is None


def test_info_reports_a_refused_list() -> None:
    script = {"resources/list": {"result": {"resources": [{"uri": "a:b"}]}}}
    ran = inspect("info", "--json", *scripted(script, capabilities={"resources": {}}))
    assert (ran.status, ran.data["failed"]) == (0, {})
    assert ran.data["counts"]["resources"] == 1
    assert ran.data["counts"]["templates"] is None
    assert "resources/templates/list failed with JSON-RPC error -32601" in ran.stderr


def test_without_json_it_is_text() -> None:
    ran = inspect("info", *demo()).prints("gull-rock-lighthouse", "19")
    assert "\x1b" not in ran.stdout
    assert not ran.stdout.startswith("{")


def test_info_quiet_writes_nothing_to_stderr() -> None:
    assert inspect("info", "-q", *demo()).stderr == ""


def test_caching_hints_are_written_as_they_came() -> None:
    script = {"prompts/list": {"result": {"prompts": [], "ttlMs": -1, "cacheScope": "public"}}}
    ran = inspect("info", "--json", *scripted(script, capabilities={"prompts": {}}))
    assert ran.data["caching"] == {"prompts/list": {"ttlMs": -1, "cacheScope": "public"}}
    modern = inspect("info", "--json", *demo("--modern-only")).data["caching"]
    assert set(modern["server/discover"]) == {"ttlMs", "cacheScope"}
