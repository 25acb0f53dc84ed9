"""MCP Apps as a reader sees them."""

from inspector.protocol.apps import AppLink, page_of
from inspector.viewmodels.apps import NEVER_RENDERED, link_line, page_facts, source_facts, source_lines
from inspector.viewmodels.lines import plain
from inspector.viewmodels.result_blocks import resource_block
from tests.protocol.test_apps import HTML, content


def test_the_line_of_a_tool_names_the_page_and_the_key() -> None:
    assert plain(link_line(AppLink("t", "ui://x"), "o")) == "App: ui://x  o shows its source"
    hidden = plain(link_line(AppLink("t", "ui://x", ("app",), ("odd\x1b[31m",))))
    assert hidden == "App: ui://x  hidden from the model  ▲ odd␛[31m"
    assert plain(link_line(AppLink("t", "", ("app",)))) == "Shown to: app  hidden from the model"


def test_facts_say_that_nothing_is_rendered_and_what_the_page_may() -> None:
    facts = {fact.key: fact.value for fact in page_facts(page_of(content()))}
    assert facts["app"] == NEVER_RENDERED
    assert facts["csp"].startswith("nothing said")
    assert facts["permissions"] == "none"
    meta = {"ui": {"csp": {"connectDomains": ["https://a"]}, "prefersBorder": True, "domain": "d"}}
    facts = {fact.key: fact.value for fact in source_facts(page_of(content(_meta=meta)))}
    assert (facts["connectDomains"], facts["border"], facts["domain"]) == ("https://a", "wanted", "d")
    assert facts["size"] == f"{len(HTML)} bytes"


def test_the_source_is_coloured_and_nothing_in_it_acts() -> None:
    lines = source_lines(page_of(content(text="<html>\n<p>\x1b]0;owned\x07\u202e</p>")))
    assert [plain(line) for line in lines] == ["<html>", "<p>␛]0;owned␇‹U+202E›</p>"]
    assert ("p", "key") in lines[1]


def test_a_long_source_is_cut_and_says_so() -> None:
    lines = source_lines(page_of(content(text="<html>" + "x" * 300_000)))
    assert "characters more" in plain(lines[-1])


def test_a_page_among_resources_carries_its_facts() -> None:
    block = resource_block(content())
    assert ("app", NEVER_RENDERED) in [(fact.key, fact.value) for fact in block.facts]
    other = resource_block({"uri": "file:///x.html", "mimeType": "text/html", "text": HTML})
    assert "app" not in [fact.key for fact in other.facts]
