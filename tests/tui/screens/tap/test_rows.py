"""What is held and the rules of a tap as rows, and the rules that are proposed."""

import json
from pathlib import Path

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.features.tap.rules import armed
from inspector.present.held_messages import (
    HeldRows,
    TapStatus,
    proposed_rule,
    recorded_results,
    request_like,
    rule_for,
    verdict_on,
    written_rule,
)
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.listed_items import Prompt, Resource, Template, Tool

C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER
HELD = {
    "held": 1,
    "method": "tools/call",
    "target": "create",
    "side": "request",
    "dir": "c2s",
    "releases_in_s": 7.0,
    "payload": "{}",
}
RULE = {"name": "r", "action": "hold", "when": "tool == x", "hits": 3, "enabled": True, "trouble": ""}


def test_rows_show_the_countdown_and_the_rules() -> None:
    rows = HeldRows()
    rows.show(TapStatus({"held": [HELD], "rules": [RULE]}))
    said = ["".join(text for text, _ in rows.row(index, 100).spans) for index in range(rows.count)]
    assert "tools/call create to server releases in 7 s" in said[0]
    assert said[1] == "[x] r  hold either tool == x  ×3"
    assert ("7 s", "error") in TapStatus({"held": [HELD]}).badge
    assert TapStatus().badge == []


def test_rule_for_an_item_holds_its_requests() -> None:
    items = (Tool({"name": "echo"}), Prompt({"name": "p"}), Resource({"uri": "a:b"}), Template({"uriTemplate": "a"}))
    assert [rule_for(item)["when"] for item in (*items, None)] == [
        'tool == "echo"',
        'prompt == "p"',
        'uri == "a:b"',
        'method == "tools/call"',
        'method == "tools/call"',
    ]


def _journal(tmp_path: Path) -> Journal:
    journal = start_capture(None)
    for direction, message in (
        (C2S, {"id": 1, "method": "tools/call", "params": {"name": "new issue", "arguments": {}}}),
        (S2C, {"id": 1, "result": {"content": [{"type": "text", "text": "old"}]}}),
        (C2S, {"id": 2, "method": "tools/call", "params": {"name": "new issue", "arguments": {}}}),
        (S2C, {"id": 2, "result": {"content": []}}),
        (C2S, {"method": "notifications/initialized"}),
    ):
        channel = Channel.STDIN if direction is C2S else Channel.STDOUT
        journal.frame(direction, channel, json.dumps({"jsonrpc": "2.0"} | message).encode())
    return journal


def test_a_rule_is_proposed_from_a_row(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    proposed = [proposed_rule(journal, n) for n in (1, 2, 5)]
    assert [(each["side"], each["when"]) for each in proposed if each] == [
        ("request", 'tool == "new issue"'),
        ("response", 'tool == "new issue"'),
        ("notification", 'method == "notifications/initialized"'),
    ]
    assert all(armed(each) for each in proposed)
    assert proposed_rule(journal, 0) is None


def test_recorded_responses_are_offered_the_newest_first(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    found = recorded_results(journal, "tools/call", "new issue")
    assert found == [{"content": []}, {"content": [{"type": "text", "text": "old"}]}]
    assert recorded_results(journal, "tools/call", "other") == []
    assert request_like(journal, 2)["params"]["name"] == "new issue"


@pytest.mark.parametrize(
    ("text", "kind", "side", "said"),
    [
        ('{"params": {"arguments": {"repo": "a"}}}', "held", "request", "✓ Valid against inputSchema"),
        ('{"params": {}}', "held", "request", "▲ inputSchema: /repo is required"),
        ('{"params": {', "held", "request", "▲ Not JSON: line 1, column 13: "),
        ('{"structuredContent": {"total": "x"}}', "response", "request", "▲ outputSchema: /total "),
        ('{"result": {"structuredContent": {"total": 1}}}', "held", "response", "✓ Valid against outputSchema"),
        ('{"result": {"content": []}}', "held", "response", "✓ JSON"),
    ],
)
def test_an_edited_message_is_checked_by_the_schema_of_its_tool(text: str, kind: str, side: str, said: str) -> None:
    schema = {"type": "object", "required": ["repo"]}
    output = {"type": "object", "properties": {"total": {"type": "integer"}}}
    tool = Tool({"name": "create", "inputSchema": schema, "outputSchema": output})
    assert verdict_on(text, tool, kind, side)[0].startswith(said)


def test_a_rule_of_the_tap_is_written_as_in_a_file() -> None:
    assert written_rule(RULE | {"by": "file"}) == {"name": "r", "action": "hold", "when": "tool == x"}
