"""`mcp-inspect read`: an unmodified resource."""

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, scripted

_MEMBERS = ["result", "error", "duration_ms", "rounds", "outcome"]


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_a_resource_is_read(flag: str) -> None:
    ran = inspect("read", "lighthouse://logbook", "--json", *demo(flag)).exits(0)
    assert list(ran.data) == _MEMBERS
    assert ran.data["result"]["contents"][0]["uri"] == "lighthouse://logbook"
    assert (ran.data["error"], ran.data["rounds"]) == (None, 1)


def test_a_resource_that_is_not_there_is_an_error_of_the_server(demo_url: str) -> None:
    ran = inspect("read", "lighthouse://nothing", "--json", demo_url).exits(ExitStatus.TOOL_ERROR)
    assert ran.data["result"] is None
    assert "lighthouse://nothing" in ran.data["error"]["message"]


def test_refused_uri_that_a_listed_template_makes_names_the_template() -> None:
    templates = [{"uriTemplate": "tide://{port}/{day}", "name": "tide"}, {"uriTemplate": "log://{day}", "name": "log"}]
    refused = {"error": {"code": -32602, "message": "Unknown resource: tide://Leith/mon"}}
    script = {"resources/read": refused, "resources/templates/list": {"result": {"resourceTemplates": templates}}}
    words = scripted(script, capabilities={"resources": {}})
    ran = inspect("read", "tide://Leith/mon", *words).exits(ExitStatus.TOOL_ERROR)
    assert "the listed template tide://{port}/{day} makes this URI" in ran.stderr
    assert "makes this URI" not in inspect("read", "tides://Leith/mon", *words).stderr


def test_without_json_it_is_text() -> None:
    assert "lighthouse://logbook" in inspect("read", "lighthouse://logbook", *demo()).stdout


def test_a_page_that_leaves_it_to_its_entry_in_the_list_what_it_may_do_is_shown_with_that() -> None:
    page = {"uri": "ui://x", "mimeType": "text/html;profile=mcp-app", "text": "<!doctype html>"}
    listed = {"uri": "ui://x", "name": "x", "_meta": {"ui": {"csp": {"connectDomains": ["https://api.example"]}}}}
    script = {"resources/read": {"result": {"contents": [page]}}, "resources/list": {"result": {"resources": [listed]}}}
    ran = inspect("read", "ui://x", *scripted(script, capabilities={"resources": {}})).exits(0)
    assert "connectDomains  https://api.example" in ran.stdout
