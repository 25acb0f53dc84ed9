"""The rows and details of tools, and what MCP Apps declare."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import text
from inspector.present.blocks import resource_block
from inspector.present.items import (
    BITE,
    MARKS,
    NEVER_RENDERED,
    ToolList,
    about,
    annotation_facts,
    best_first,
    filter_words,
    icon_facts,
    icon_words,
    item_facts,
    link_line,
    mark,
    meta_lines,
    page_facts,
    row_spans,
    source_facts,
    source_lines,
    stream_lines,
    subscription_of,
    tool_facts,
    tool_rows,
    total_cost,
)
from inspector.present.spans import plain
from inspector.protocol.apps import AppLink, page_of
from inspector.protocol.listed_items import Prompt, Resource, Tool
from inspector.protocol.tracking.subscriptions import StreamFilter, SubscriptionState
from inspector.text import cell_width
from inspector.tui.screens.items.model import ListedRows, PromptRow
from tests.protocol.test_apps import HTML, content
from tests.protocol.tracking.test_subscriptions import known, listening, subscribed, updated
from tests.protocol.wire import C2S, Wire


def test_the_line_of_a_tool_names_the_page_and_the_key() -> None:
    assert plain(link_line(AppLink("t", "ui://x"), "o")) == "App: ui://x  o shows its source"
    hidden = plain(link_line(AppLink("t", "ui://x", ("app",), ("odd\x1b[31m",))))
    assert hidden == "App: ui://x  hidden from the model  ▲ odd␛[31m"
    assert plain(link_line(AppLink("t", "", ("app",)))) == "Shown to: app  hidden from the model"


def test_facts_say_that_nothing_is_rendered_and_what_the_page_may() -> None:
    facts = {fact.key: fact.value for fact in page_facts(page_of(content()))}
    assert facts["app"] == NEVER_RENDERED
    assert facts["csp"].startswith("not specified")
    assert facts["permissions"] == "none"
    meta = {"ui": {"csp": {"connectDomains": ["https://a"]}, "prefersBorder": True, "domain": "d"}}
    facts = {fact.key: fact.value for fact in source_facts(page_of(content(_meta=meta)))}
    assert (facts["connectDomains"], facts["border"], facts["domain"]) == ("https://a", "wanted", "d")
    assert facts["size"] == f"{len(HTML)} bytes"


def test_the_source_is_coloured_and_nothing_in_it_acts() -> None:
    lines = source_lines(page_of(content(text="<html>\n<p>\x1b]0;owned\x07\u202e</p>")))
    assert [plain(line) for line in lines] == ["<html>", "<p>␛]0;owned␇‹U+202E›</p>"]
    assert ("p", "key") in lines[1]


def test_long_source_is_cut_with_a_note() -> None:
    lines = source_lines(page_of(content(text="<html>" + "x" * 300_000)))
    assert "more characters" in plain(lines[-1])


def test_a_page_among_resources_carries_its_facts() -> None:
    block = resource_block(content())
    assert ("app", NEVER_RENDERED) in [(fact.key, fact.value) for fact in block.facts]
    other = resource_block({"uri": "file:///x.html", "mimeType": "text/html", "text": HTML})
    assert "app" not in [fact.key for fact in other.facts]


def test_a_mark_is_a_sign_and_a_word() -> None:
    assert {word: said for word, (said, _) in MARKS.items()} == {"new": "+ new", "changed": "◆ changed"}


def test_rows_of_tools_and_of_offers_wear_them() -> None:
    tools = ToolList()
    tools.marks = {"sum": "new"}
    tools.replace([Tool({"name": "sum", "inputSchema": {}}), Tool({"name": "old", "inputSchema": {}})])
    assert [plain(tools.row(index, 36).spans).split("  ")[0] for index in (0, 1)] == ["sum + new", "old"]
    offers = ListedRows(("", "", ""))
    offers.marks = {"hail": "changed"}
    offers.replace([PromptRow(Prompt({"name": "hail"}))])
    assert plain(offers.row(0, 36).spans).startswith("hail ◆ changed")


def test_rows_of_one_rank_stay_in_their_order_and_those_without_are_left_out() -> None:
    ranks = {"a": 2, "b": 0, "c": None, "d": 2, "e": 0}
    assert best_first(list(ranks), ranks.get) == ["b", "e", "a", "d"]


def test_a_search_that_is_called_off_looks_no_further() -> None:
    looked_at: list[int] = []
    best_first(range(10 * BITE), looked_at.append, lambda: len(looked_at) < 2 * BITE)
    assert len(looked_at) == 2 * BITE


def told(thing: Any) -> dict[str, str]:
    return {each.key: each.value for each in item_facts(thing)}


def test_displayed_title_is_marked_among_three() -> None:
    raw = {"name": "add", "title": "Add", "annotations": {"title": "Adder"}}
    assert told(Tool(raw)) == {"title": "Add  (displayed)", "annotations.title": "Adder", "name": "add"}
    without = {"name": "add", "annotations": {"title": "Adder"}}
    assert told(Tool(without)) == {"annotations.title": "Adder  (displayed)", "name": "add"}
    assert told(Prompt(without)) == {"annotations.title": "Adder", "name": "add  (displayed)"}
    assert told(Tool({"name": "add", "title": "Add"})) == {}


def test_resource_facts_are_complete() -> None:
    raw = {
        "uri": "x://a",
        "name": "a",
        "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"},
        "icons": [{"src": "https://example.test/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
        "_meta": {"example.test/a": 1},
    }
    assert told(Resource(raw)) == {
        "audience": "user",
        "priority": "0.5",
        "lastModified": "2025-01-12T15:00:58Z",
        "icon": "https://example.test/i.png image/png 48x48 dark theme",
        "_meta": "example.test/a",
    }


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("audience", ["robot"], "robot  (not user or assistant)"),
        ("audience", "user", "user  (not an array)"),
        ("priority", 7, "7  (not between 0 and 1)"),
        ("priority", True, "true  (not a number)"),
        ("lastModified", "yesterday", "yesterday  (not an ISO 8601 time)"),
        ("lastModified", 5, "5  (not a string)"),
        ("readOnlyHint", "yes", "yes  (not a boolean)"),
        ("other\x1b", {"a": 1}, '{"a":1}'),
    ],
)
def test_wrong_annotation_is_marked(key: str, value: Any, shown: str) -> None:
    (found,) = annotation_facts({"annotations": {key: value}})
    assert found.value == shown
    assert "\x1b" not in found.key


@pytest.mark.parametrize("raw", [None, 7, {"icons": 7, "annotations": [], "_meta": "x"}])
def test_members_of_wrong_types_are_reported(raw: Any) -> None:
    facts = item_facts(Tool(raw))
    assert [each.value for each in facts] == (
        []
        if not isinstance(raw, dict)
        else ["array instead of object", "number instead of array", "string instead of object"]
    )
    assert list(meta_lines(None)) == []


def test_icons_are_counted_and_never_whole() -> None:
    icons = [{"src": "data:image/png;base64," + "A" * 10_000}] * 12
    facts = icon_facts({"icons": icons})
    assert facts[-1].value == "2 more"
    assert len(facts[0].value) == 80
    assert icon_words({"sizes": "any"}) == "no src any"


def test_meta_is_shown_as_json() -> None:
    lines = [plain(line) for line in meta_lines({"_meta": {"ui": {"csp": ["\x1b"]}}})]
    assert lines[0] == "_meta"
    assert '"ui"' in "".join(lines)
    assert "\x1b" not in "".join(lines)
    many = [plain(line) for line in meta_lines({"_meta": {str(n): n for n in range(500)}})]
    assert many[-1].endswith("more lines")


_SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


def _tool(name: str, **more: Any) -> Tool:
    return Tool({"name": name, "inputSchema": _SCHEMA} | more)


_TOOLS = [
    _tool("read_file", title="Read a file", annotations={"readOnlyHint": True}),
    _tool("delete_file", annotations={"destructiveHint": True}, description="Removes a file for good."),
    _tool("echo", description="Says again what it was told, such as a path to read."),
    Tool({"name": "broken"}),
    Tool("nonsense"),
]


def _names(wanted: str) -> list[str]:
    return [row.label for row in tool_rows(_TOOLS, wanted)]


def test_all_tools_are_listed_in_the_servers_order_bad_ones_too() -> None:
    assert _names("") == ["read_file", "delete_file", "echo", "broken", "(no name)"]
    assert _names("e")[:1] == ["echo"]


def test_tool_list_lays_out_visible_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    visible = text.visible

    def noting(shown: str, **more: Any) -> str:
        made.append(shown)
        return visible(shown, **more)

    monkeypatch.setattr(text, "visible", noting)
    tools = ToolList()
    many = [_tool(f"tool_{n}") for n in range(500)]
    tools.replace(many)
    assert (total_cost(tools.all_rows(many))[:9], made) == ("500 tools", [])
    assert "tool_7" in plain(tools.row(7, 60).spans)
    assert set(made) == {"tool_7"}


def test_a_search_finds_names_then_letters_in_order_then_descriptions() -> None:
    assert _names("file") == ["read_file", "delete_file"]
    assert _names("READ") == ["read_file", "echo"]
    assert _names("rdf") == ["read_file"]
    assert _names("a file") == ["read_file", "delete_file"]
    assert _names("nowhere") == []


def test_tool_row_has_claims_and_cost() -> None:
    tools = ToolList()
    tools.replace(_TOOLS)
    assert _row(tools, 0, 44) == "read_file R  Read a file".ljust(44)
    assert _row(tools, 1, 30) == "delete_file D".ljust(30)
    tools.sorted_by = ("Size", True)
    assert _row(tools, 1, 30) == "delete_file D            188 B"
    assert _row(tools, 3, 60) == "broken ▲ its inputSchema is missing           17 B         5"
    assert "a string instead of an object" in _row(tools, 4, 60)


def _row(tools: ToolList, at: int, width: int) -> str:
    return plain(tools.row(at, width).spans)


@pytest.mark.parametrize("width", [1, 5, 20, 40, 59, 60, 120])
def test_tool_rows_and_header_have_the_requested_width(width: int) -> None:
    tools = ToolList()
    tools.replace([*_TOOLS, _tool("数据库" * 20)])
    for index in range(tools.count):
        assert cell_width(plain(tools.row(index, width).spans)) == width
    assert cell_width(plain(tools.header(width))) == width


def test_titles_stand_over_their_columns() -> None:
    tools = ToolList()
    tools.replace(_TOOLS)
    assert plain(tools.header(60)).strip() == "Tool"
    assert [tools.sort_next() for _ in range(2)] == ["Tool", "Size"]
    assert tools.item(0).name == "delete_file"
    assert plain(tools.header(60)).endswith("Size   ≈Tokens")
    assert plain(tools.row(0, 60).spans).endswith("188 B        47")
    assert tools.sort_next() == ""


def test_a_tool_is_known_by_the_same_wherever_its_row_is() -> None:
    tools = ToolList()
    tools.replace(_TOOLS, "")
    before = tools.identity(2)
    assert len({tools.identity(at) for at in range(3)}) == 3
    tools.replace(_TOOLS[2:], "")
    assert tools.identity(0) == before


def test_other_tools_are_another_generation() -> None:
    tools = ToolList()
    before = tools.generation
    tools.replace(_TOOLS, "echo")
    assert (tools.count, tools.generation != before) == (1, True)


def test_the_cost_of_all_is_a_count_and_a_labelled_guess() -> None:
    assert total_cost(tool_rows(_TOOLS[:1])) == "1 tool, 164 B, ≈41 tokens"
    assert total_cost([]) == "0 tools, 0 B, ≈0 tokens"


def test_a_tool_is_introduced_by_title_description_and_what_is_wrong_with_it() -> None:
    facts = tool_facts(_tool("search", title="Search", description="Finds\nthings.\x1b[8m"))
    assert plain(facts.title) == "search  Search"
    assert [plain(line) for line in facts.description] == ["Finds", "things.␛[8m"]
    assert facts.flaw == ""
    facts = tool_facts(Tool({"name": "x"}))
    assert plain(facts.description[0]) == "no description"
    assert facts.flaw == "its inputSchema is missing"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_RAW = st.dictionaries(
    st.sampled_from(["name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "_meta"]),
    _JSON | st.fixed_dictionaries({"properties": _JSON, "required": _JSON, "type": _JSON}),
)


@given(_RAW | _JSON)
def test_no_tool_is_too_strange(raw: Any) -> None:
    tools = [Tool(raw)]
    tool_rows(tools, "x")
    row = plain(row_spans(tool_rows(tools)[0], 50))
    assert row.isprintable()
    assert cell_width(row) == 50


ONE = {"resourceSubscriptions": ["a:b"]}


def lines(wire: Wire) -> list[str]:
    return [plain(line) for line in stream_lines(known(wire))]


def marked(wire: Wire, *uris: str) -> str:
    return plain(mark(known(wire), uris)).strip()


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (StreamFilter(), ""),
        (StreamFilter(tools=True), "list of tools"),
        (StreamFilter(tools=True, prompts=True, resources=True), "lists of tools, prompts and resources"),
        (StreamFilter(prompts=True, uris=("a:b",)), "list of prompts, a:b"),
        (StreamFilter(uris=tuple(f"a:{n}" for n in range(9))), "a:0, a:1, a:2, 6 more"),
        (StreamFilter(task_ids=("t", "u")), "2 tasks"),
        (StreamFilter(uris=("a:\x1b[31m",)), "a:␛[31m"),
    ],
)
def test_a_filter_in_words(wanted: StreamFilter, words: str) -> None:
    assert filter_words(wanted) == words


def test_without_any_watching_there_is_nothing_to_say() -> None:
    assert lines(Wire()) == []
    assert marked(Wire(), "a:b") == ""
    assert about(known(Wire()), "a:b", lambda n: n) == ()


def test_subscriptions_of_the_handshake_era_are_named() -> None:
    assert lines(subscribed("a:b", "c:d")) == ["● subscribed to a:b, c:d"]


def test_subscription_lines_show_granted_and_refused() -> None:
    asked: dict[str, Any] = {"toolsListChanged": True, "resourceSubscriptions": ["a:b", "c:d"]}
    wire = listening(asked)
    assert lines(wire) == ["⋯ subscribing to list of tools, a:b, c:d"]
    wire = listening(asked, ONE)
    assert lines(wire) == ["● subscribed to a:b", "▲ not granted: list of tools, c:d"]
    assert marked(wire, "a:b") == "● Subscribed"
    assert marked(wire, "c:d") == "▲ Not granted"
    assert lines(listening(asked, {}))[0] == "● subscribed to nothing"


def test_ended_subscription_is_marked() -> None:
    wire = listening(ONE, ONE)
    wire.notify("notifications/cancelled", {"requestId": 1}, direction=C2S)
    assert lines(wire) == ["○ ended: a:b"]
    assert marked(wire, "a:b") == "○ No longer subscribed"
    refused = listening(ONE)
    refused.fail(1, -32601)
    assert lines(refused) == ["▲ not acknowledged: a:b"]


def test_updates_are_counted_not_listed() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    assert marked(wire, "a:b") == "● Subscribed ◆ updated"
    updated(wire, "a:b")
    assert marked(wire, "a:b") == "● Subscribed ◆ updated ×2"
    assert plain(mark(known(wire), ["a:b"], short=True)) == " ◆ updated ×2"
    for _ in range(10_000):
        updated(wire, "a:b")
    assert marked(wire, "a:b") == "● Subscribed ◆ updated ×9,999+"


def test_a_template_is_marked_by_whatever_it_could_have_made() -> None:
    wire = subscribed("a:1", "a:2")
    updated(wire, "a:1")
    updated(wire, "a:2")
    assert marked(wire, "a:1", "a:2") == "● Subscribed ◆ updated ×2"
    assert subscription_of(known(wire), ["z:", "a:1"]) is SubscriptionState.WATCHED
    assert marked(listening(ONE), "a:b") == "⋯ Subscribing"


def test_one_resource_in_a_line() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    said = plain(about(known(wire), "a:b", lambda n: 0))
    assert said.startswith("● Subscribed  ◆ updated once, 1 since it was read, last ")
    assert said.endswith("(#3)")
    wire.ask(7, "resources/read", {"uri": "a:b"})
    wire.answer(7, {"contents": []})
    assert "updated once, read since" in plain(about(known(wire), "a:b", lambda n: 0))
