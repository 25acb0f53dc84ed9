"""Which tool brings which page, and what a page is."""

import base64
from typing import Any

import pytest

from inspector.protocol.apps import app_of, apps_of, is_app, listed_pages, page_of
from inspector.protocol.capabilities import APP_TYPE
from inspector.protocol.listed_items import Resource, Tool

HTML = "<!doctype html>\n<p>hello"


def tool(**meta: Any) -> Tool:
    return Tool({"name": "chart", "_meta": meta})


def content(**changed: Any) -> dict[str, Any]:
    return {"uri": "ui://x/chart", "mimeType": APP_TYPE, "text": HTML} | changed


def test_a_tool_names_its_page_and_who_sees_the_tool() -> None:
    link = app_of(tool(ui={"resourceUri": "ui://x/chart", "visibility": ["app"]}))
    assert link is not None
    assert (link.tool, link.uri, link.visibility, link.flaws) == ("chart", "ui://x/chart", ("app",), ())
    assert link.hidden_from_model


def test_deprecated_app_form_is_accepted_with_a_flaw() -> None:
    link = app_of(Tool({"name": "chart", "_meta": {"ui/resourceUri": "ui://x/chart"}}))
    assert link is not None
    assert (link.uri, link.flaws) == ("ui://x/chart", ('it is in the deprecated _meta["ui/resourceUri"]',))
    both = app_of(Tool({"name": "a", "_meta": {"ui": {"resourceUri": "ui://x"}, "ui/resourceUri": "ui://y"}}))
    assert both is not None
    assert both.flaws == ('the deprecated _meta["ui/resourceUri"] names another',)


@pytest.mark.parametrize(
    ("uri", "flaw"),
    [("https://x", "it does not begin with ui://"), (3, "it is not a string"), ("", "it is not a string")],
)
def test_a_link_to_something_else_is_a_flaw(uri: Any, flaw: str) -> None:
    link = app_of(tool(ui={"resourceUri": uri}))
    assert link is not None
    assert link.flaws == (flaw,)


@pytest.mark.parametrize("raw", [None, 3, {}, {"_meta": None}, {"_meta": {"ui": []}}, {"_meta": {"ui": {}}}])
def test_most_tools_bring_none(raw: Any) -> None:
    assert app_of(Tool(raw)) is None
    assert apps_of([Tool(raw)]) == ()


def test_app_settings_come_from_content_before_listing() -> None:
    listed = {"uri": "ui://x/chart", "_meta": {"ui": {"csp": {"connectDomains": ["https://a"]}, "prefersBorder": True}}}
    read = {"contents": [content()]}
    assert listed_pages(read, [Resource({"uri": "ui://y"}), Resource(listed)]) == {"ui://x/chart": listed}
    page = page_of(content(), listed)
    assert (page.domains, page.prefers_border, page.by_listing) == ((("connectDomains", ("https://a",)),), True, True)
    own = content(_meta={"ui": {"permissions": {"camera": {}}}})
    page = page_of(own, listed)
    assert (page.domains, page.permissions, page.by_listing) == ((), ("camera",), False)
    assert listed_pages({"contents": [own]}, [Resource(listed)]) == {}


def test_app_page_has_its_permissions() -> None:
    meta = {
        "csp": {"connectDomains": ["https://a", 3], "frameDomains": []},
        "permissions": {"camera": {}, "microphone": {}},
        "domain": "a.example",
        "prefersBorder": False,
    }
    page = page_of(content(_meta={"ui": meta}))
    assert page.domains == (("connectDomains", ("https://a",)),)
    assert (page.permissions, page.domain, page.prefers_border) == (("camera", "microphone"), "a.example", False)
    assert (page.source, page.flaws) == (HTML.encode(), ())
    assert len(page.sha256) == 64


def test_a_page_in_base64_is_the_same_page() -> None:
    raw = content(blob=base64.b64encode(HTML.encode()).decode())
    del raw["text"]
    assert page_of(raw).source == HTML.encode()


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"mimeType": "text/html"}, "its type is text/html, not text/html;profile=mcp-app"),
        ({"mimeType": None}, "its type is not said"),
        ({"text": "{}"}, "it does not begin like an HTML document"),
        ({"text": ""}, "it is empty"),
        ({"text": None}, "it has neither text nor blob"),
        ({"text": None, "blob": "%"}, "its base64 can't be decoded"),
    ],
)
def test_non_page_has_flaws(changed: dict[str, Any], flaw: str) -> None:
    assert any(each.startswith(flaw) for each in page_of(content(**changed)).flaws)


def test_a_page_is_known_by_its_scheme_or_its_type() -> None:
    assert is_app({"uri": "ui://x"})
    assert is_app({"uri": "file:///x", "mimeType": "text/html; profile=mcp-app"})
    assert not is_app({"uri": "file:///x", "mimeType": "text/html"})
    assert not is_app(None)
