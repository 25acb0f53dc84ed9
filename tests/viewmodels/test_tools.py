"""The list of tools, and what is known of one of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.things import Tool
from inspector.viewmodels import text
from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.text import cell_width
from inspector.viewmodels.tools import (
    MOST_PROPERTIES,
    ToolList,
    row_spans,
    schema_lines,
    tool_facts,
    tool_rows,
    total_cost,
    type_words,
)

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
    return [row.name for row in tool_rows(_TOOLS, wanted)]


def test_all_tools_are_listed_in_the_servers_order_bad_ones_too() -> None:
    assert _names("") == ["read_file", "delete_file", "echo", "broken", "(no name)"]
    assert [row.position for row in tool_rows(_TOOLS, "e")][:1] == [2]


def test_what_a_row_shows_is_made_of_the_rows_in_sight_alone(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_row_says_what_it_is_claimed_to_be_and_what_it_costs() -> None:
    rows = tool_rows(_TOOLS)
    assert plain(row_spans(rows[0], 44)) == "read_file ~read-only  Read a file      164 B"
    assert plain(row_spans(rows[1], 30)) == "delete_file ~destructive 188 B"
    assert plain(row_spans(rows[3], 60)) == "broken ▲ its inputSchema is missing        17 B           ~5"
    assert "a string instead of an object" in plain(row_spans(rows[4], 60))


@pytest.mark.parametrize("width", [1, 5, 20, 40, 59, 60, 120])
def test_rows_and_titles_are_as_wide_as_was_asked_for(width: int) -> None:
    tools = ToolList()
    tools.replace([*_TOOLS, _tool("数据库" * 20)])
    for index in range(tools.count):
        assert cell_width(plain(tools.row(index, width).spans)) == width
    assert cell_width(plain(tools.header(width))) == width


def test_titles_stand_over_their_columns() -> None:
    tools = ToolList()
    tools.replace(_TOOLS)
    assert plain(tools.header(60)).endswith("size  tokens est.")
    assert plain(tools.row(0, 60).spans).endswith("164 B          ~41")


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
    assert total_cost(tool_rows(_TOOLS[:1])) == "1 tool, 164 B, ~41 tokens est."
    assert total_cost([]) == "0 tools, 0 B, ~0 tokens est."


def _read(tool: Tool) -> list[str]:
    return [plain(line).rstrip() for section in tool_facts(tool).sections for line in section_lines(section)]


def test_everything_known_of_a_tool_is_shown() -> None:
    tool = _tool(
        "search",
        title="Search",
        description="Finds\nthings.\x1b[8m",
        annotations={"readOnlyHint": True, "openWorldHint": False},
        outputSchema={"type": "object", "properties": {"hits": {"type": "array", "items": {"type": "string"}}}},
        icons=[{"src": "https://example.test/i.png", "mimeType": "image/png", "sizes": ["48x48"]}],
        _meta={"example.test/x": 1},
        execution={"taskSupport": "optional"},
        colour="red",
    )
    facts = tool_facts(tool)
    assert plain(facts.title) == "search  Search"
    assert [plain(line) for line in facts.description] == ["Finds", "things.␛[8m"]
    assert facts.flaw == ""
    assert _read(tool) == [
        "Claims",
        "  claimed by server, checked by nobody",
        "  is         read-only",
        "  is         closed world",
        "  as a task  optional",
        "Cost",
        "  in the list   487 bytes, ~122 tokens est.",
        "  description   25 bytes",
        "  inputSchema   71 bytes",
        "  outputSchema  82 bytes",
        "Input",
        "  q* string",
        "Output",
        "  hits  array of string",
        "Also",
        "  icon             https://example.test/i.png image/png 48x48",
        "  _meta            example.test/x",
        "  unknown members  colour",
    ]


def test_a_tool_that_says_nothing_has_little_to_show() -> None:
    facts = tool_facts(Tool({"name": "x"}))
    assert plain(facts.description[0]) == "no description"
    assert facts.flaw == "its inputSchema is missing"
    assert [section.title for section in facts.sections] == ["Cost", "Input"]


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, "array of array of integer"),
        ({"type": "array"}, "array"),
        ({"enum": ["a", "b", "c"]}, "one of 3 values"),
        ({"const": 1}, "one value"),
        ({"anyOf": [{}, {}]}, "one of 2 shapes"),
        ({"$ref": "#/$defs/Place"}, "Place"),
        ({}, "anything"),
        (True, "anything"),
        (False, "nothing"),
        (None, "?"),
        ({"type": 7}, "anything"),
        ({"type": "str\x1bing"}, "str␛ing"),
    ],
)
def test_a_type_is_told_in_a_few_words(schema: Any, words: str) -> None:
    assert type_words(schema) == words


def test_a_schema_is_a_line_for_each_property() -> None:
    schema = {"properties": {"a": {"type": "string", "description": "the a"}, "long": True}, "required": ["a", 7]}
    assert [plain(line) for line in schema_lines(schema)] == ["a   * string  the a", "long  anything"]
    assert [plain(line) for line in schema_lines({"type": "object"})] == ["no parameters"]
    assert [plain(line) for line in schema_lines({"oneOf": [{}]})] == ["one of 1 shapes"]
    assert [plain(line) for line in schema_lines("x")] == ["a string instead of a schema"]
    many: dict[str, Any] = {"properties": {f"p{number}": {} for number in range(MOST_PROPERTIES + 3)}}
    assert plain(schema_lines(many)[-1]) == "and 3 more"


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
    assert all(line.isprintable() for line in _read(tools[0]))
