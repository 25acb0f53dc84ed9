"""The demo's app: the page, and the tool that brings it."""

from inspector.demo import apps
from inspector.demo.call import Options
from inspector.demo.station import Station
from inspector.demo.tools import catalogue


def test_a_tool_names_the_page_and_the_page_can_be_read() -> None:
    tool = next(tool for tool in catalogue(Station(), Options()) if tool.meta)
    uri = tool.listed()["_meta"]["ui"]["resourceUri"]
    contents = apps.read(uri)
    assert contents is not None
    assert (contents[0]["uri"], contents[0]["mimeType"]) == (uri, "text/html;profile=mcp-app")
    assert contents[0]["text"].startswith("<!doctype html>")
    assert apps.read("ui://gull-rock/other") is None
