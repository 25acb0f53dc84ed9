"""MCP Apps."""

from typing import Any

import pytest

from inspector.checks.rules import apps
from tests.checks.both import assert_both, checks_of
from tests.checks.talks import Cases, Script, Talk, ids

_TYPE = "text/html;profile=mcp-app"


def _listed(meta: Any, row: int = 4) -> Talk:
    tool = {"name": "a", "description": "d", "inputSchema": {"type": "object"}, "_meta": meta}
    return Talk(row).ask("tools/list").answer({"tools": [tool]})


def _app(uri: str = "ui://a", **more: Any) -> dict[str, Any]:
    return {"ui": {"resourceUri": uri, **more}}


def _read(kind: str, uri: str = "ui://a") -> Script:
    content = {"uri": uri, "mimeType": kind, "text": "<!doctype html>"}
    return lambda: _listed(_app()).ask("resources/read", {"uri": uri}).answer({"contents": [content]})


def _called(text: str, meta: Any = None, **more: Any) -> Script:
    result = {"content": [{"type": "text", "text": text}], **more}
    return lambda: _listed(meta or _app()).ask("tools/call", {"name": "a"}).answer(result)


CASES: Cases = {
    "U01": (_read("text/html"), _read("Text/HTML; profile=mcp-app")),
    "U02": (
        lambda: _listed({"ui/resourceUri": "ui://a"}),
        lambda: _listed({"ui/resourceUri": "ui://a"} | _app()),
    ),
    "U03": (_called(" "), _called("12 °C")),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(apps)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize(
    "script",
    [
        lambda: _listed(_app("https://example.com/page")),
        lambda: _listed(_app()).ask("resources/read", {"uri": "ui://a"}).error(-32002, "not found"),
    ],
)
def test_a_page_elsewhere_and_one_that_is_not_there_can_t_be_shown(script: Script) -> None:
    assert "U01" in ids(script())


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("U01", _read("text/html", "ui://of-another-kind")),
        ("U03", _called("", _app(visibility=["app"]))),
        ("U03", _called("", isError=True)),
        ("U03", _called("", {"other": 1})),
    ],
)
def test_what_is_near_and_legal_is_left_alone(id_: str, script: Script) -> None:
    assert id_ not in ids(script())
