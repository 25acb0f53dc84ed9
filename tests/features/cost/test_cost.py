"""What definitions and results cost."""

import json
from typing import Any

from inspector.features.cost.cost import PARTS, cost_of, tool_cost
from tests.present.tape import Tape

_TOOL: dict[str, Any] = {
    "name": "order",
    "description": "Order a meal",
    "inputSchema": {
        "type": "object",
        "properties": {
            "size": {"type": "string", "enum": ["small", "large"], "description": "How much"},
            "rest": {"$ref": "#/$defs/rest"},
        },
        "$defs": {"rest": {"type": "object", "description": "Anything else"}},
    },
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}


def compact(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def test_the_parts_of_a_definition_add_up() -> None:
    cost = tool_cost(_TOOL)
    assert cost.size == compact(_TOOL)
    assert sum(cost.parts.values()) == cost.size
    assert list(cost.parts) == list(PARTS)
    assert cost.parts["description"] == compact("Order a meal")
    assert cost.parts["output schema"] == compact({"type": "object"})
    assert cost.parts["enums"] == compact(["small", "large"]) + len('"enum":')
    assert cost.parts["$defs"] == compact(_TOOL["inputSchema"]["$defs"]) + len('"$defs":')
    assert cost.parts["property descriptions"] == compact("How much") + len('"description":')
    assert cost.parts["properties"] > 0


def test_a_property_that_is_called_like_a_keyword_is_no_description() -> None:
    schema = {"type": "object", "properties": {"enum": {"type": "string"}, "description": {"type": "string"}}}
    parts = tool_cost({"name": "t", "inputSchema": schema}).parts
    assert (parts["enums"], parts["property descriptions"]) == (0, 0)


def test_strange_definitions_have_a_cost() -> None:
    deep: Any = {}
    for _ in range(500):
        deep = {"properties": deep}
    for strange in (
        {},
        {"name": 1, "inputSchema": 7},
        {"inputSchema": {"enum": 3, "$defs": []}},
        {"inputSchema": deep},
    ):
        cost = tool_cost(strange)
        assert sum(cost.parts.values()) == cost.size


def played(tool: dict[str, Any], *results: dict[str, Any]) -> Tape:
    tape = Tape()
    tape.request(1, "tools/list")
    tape.wait(1).answer(1, {"tools": [tool, {"name": "small", "inputSchema": {}}]})
    for at, result in enumerate(results, 2):
        tape.call(at, "order")
        tape.wait(1).answer(at, result)
    return tape


def test_tools_and_results_are_measured_from_a_journal() -> None:
    structured = {"meals": list(range(101))}
    text = json.dumps(structured)
    tape = played(
        _TOOL,
        {"content": [{"type": "text", "text": text}], "structuredContent": structured},
        {"content": [{"type": "text", "text": "see data:image/png;base64," + "iVBORw0K" * 100}]},
        {"content": [{"type": "text", "text": "short"}]},
    )
    cost = cost_of(tape.journal)
    tape.journal.close()
    assert [tool.name for tool in cost.tools] == ["order", "small"]
    assert cost.size == sum(tool.size for tool in cost.tools)
    assert sum(cost.parts.values()) == cost.size
    (found,) = cost.results
    assert (found.tool, found.calls) == ("order", 3)
    assert found.median <= found.p95 <= found.largest
    assert found.repeated == len(text)
    assert found.base64 >= 800
    assert found.longest_list == 101


def test_a_tool_with_pages_and_other_text_have_no_remarks() -> None:
    paged = {"name": "order", "inputSchema": {"type": "object", "properties": {"cursor": {"type": "string"}}}}
    structured = {"meals": list(range(500))}
    tape = played(
        paged,
        {"content": [{"type": "text", "text": "500 meals"}], "structuredContent": structured},
        {"content": [{"type": "text", "text": "[1, 2"}], "structuredContent": structured},
    )
    (found,) = cost_of(tape.journal).results
    tape.journal.close()
    assert (found.repeated, found.base64, found.longest_list) == (0, 0, 0)


def test_without_tools_there_is_no_cost() -> None:
    tape = Tape()
    cost = cost_of(tape.journal)
    tape.journal.close()
    assert (cost.tokens, cost.tools, cost.confusable, cost.results) == (0, (), (), ())
