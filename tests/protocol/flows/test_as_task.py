"""Whether a tool can be called as a task."""

from typing import Any

import pytest

from inspector.protocol.flows.as_task import Support, as_task, support_of, why_no_task
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.things import Tool

BEFORE, CORE, EXTENSION = ROWS[2:5]
ABLE: dict[str, Any] = {"tasks": {"requests": {"tools": {"call": {}}}}}
EXTENDED: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def tool(support: Any) -> Tool:
    return Tool({"name": "dig", "inputSchema": {}, "execution": {"taskSupport": support}})


@pytest.mark.parametrize(
    ("said", "support"),
    [
        ("required", Support.REQUIRED),
        ("optional", Support.OPTIONAL),
        ("forbidden", Support.FORBIDDEN),
        ("perhaps", Support.FORBIDDEN),
        (5, Support.FORBIDDEN),
        (None, Support.FORBIDDEN),
    ],
)
def test_in_the_core_the_tool_says_so(said: Any, support: Support) -> None:
    assert support_of(tool(said), Opening(CORE, capabilities=ABLE)) is support


def test_without_the_servers_capability_what_a_tool_says_means_nothing() -> None:
    declared: list[dict[str, Any]] = [{}, {"tasks": {}}, {"tasks": {"requests": {"tools": {}}}}, {"tasks": None}]
    for capabilities in declared:
        assert support_of(tool("required"), Opening(CORE, capabilities=capabilities)) is Support.NONE
    assert support_of(tool("required"), Opening(BEFORE, capabilities=ABLE)) is Support.NONE


def test_in_the_extension_the_server_decides() -> None:
    assert support_of(tool("forbidden"), Opening(EXTENSION, capabilities=EXTENDED)) is Support.SERVER_DECIDES
    assert support_of(None, Opening(EXTENSION)) is Support.NONE


def test_a_tool_that_is_not_listed_has_not_said_that_it_may() -> None:
    assert support_of(None, Opening(CORE, capabilities=ABLE)) is Support.FORBIDDEN


def test_what_can_not_be_asked_for_says_why() -> None:
    assert why_no_task(Support.NONE, "dig", Opening(BEFORE)) == f"{BEFORE.date} has no tasks"
    assert "does not declare tasks" in why_no_task(Support.NONE, "dig", Opening(CORE))
    assert "does not let dig" in why_no_task(Support.FORBIDDEN, "dig", Opening(CORE))
    for fine in (Support.OPTIONAL, Support.REQUIRED, Support.SERVER_DECIDES):
        assert why_no_task(fine, "dig", Opening(CORE)) == ""


def test_a_call_asks_with_its_time_to_live_or_without() -> None:
    assert as_task({"name": "dig"}) == {"name": "dig", "task": {}}
    assert as_task({"name": "dig"}, 5000.0) == {"name": "dig", "task": {"ttl": 5000}}
    assert as_task({}, 0) == {"task": {"ttl": 0}}
    assert as_task({}, -1.5) == {"task": {"ttl": -1.5}}
