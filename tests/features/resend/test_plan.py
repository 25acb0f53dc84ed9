"""The plan of a resend: each request of the client once, and why others are left out."""

import pytest

from inspector.features.resend.resend import ResendPlan, harmful, plan, up_to
from inspector.protocol.listed_items import Tool
from tests.capture.compare.talk import asks, calls, gives, says, told

_OPENING = asks(0, "initialize", {"protocolVersion": "1"}), gives(0, {})


def _sent(found: ResendPlan) -> list[tuple[str, int, bool]]:
    return [(step.method, step.sent.frame, step.page) for step in found.steps]


def test_the_opening_and_pings_are_left_out_and_each_page_is_sent() -> None:
    found = plan(
        told(
            *_OPENING,
            asks(1, "tools/list"),
            gives(1, {"tools": [], "nextCursor": "p"}),
            asks(2, "ping"),
            gives(2, {}),
            asks(3, "tools/list", {"cursor": "p"}),
            gives(3, {"tools": []}),
            calls(4, "add", a=1),
            says(4, "1"),
        )
    )
    assert _sent(found) == [("tools/list", 3, False), ("tools/list", 7, True), ("tools/call", 9, False)]
    assert found.steps[2].params == {"name": "add", "arguments": {"a": 1}}
    assert found.skips == ()


def test_plan_up_to_an_entry_keeps_later_responses() -> None:
    talk = told(
        *_OPENING,
        asks(1, "tools/list"),
        gives(1, {"tools": [], "nextCursor": "p"}),
        calls(2, "add", a=1),
        asks(3, "tools/list", {"cursor": "p"}),
        says(2, "1"),
        calls(4, "late"),
    )
    found = up_to(talk, 5)
    assert _sent(plan(found)) == [("tools/list", 3, False), ("tools/call", 5, False)]
    assert found.operations[-1].answer == {"content": [{"type": "text", "text": "1"}]}
    assert len(talk.operations[1].sent) == 2, "the talk itself is as it was"


def test_cancelled_and_endless_requests_are_skipped_with_a_reason() -> None:
    cancelled = (">", {"method": "notifications/cancelled", "params": {"requestId": 2}})
    found = plan(told(*_OPENING, asks(1, "subscriptions/listen"), calls(2, "slow"), cancelled, calls(3, "hangs")))
    assert _sent(found) == [("tools/call", 6, False)]
    assert [skip.why for skip in found.skips] == ["it is a stream without an end", "it was cancelled"]


def test_only_what_was_chosen_is_sent() -> None:
    talk = told(*_OPENING, calls(1, "a"), says(1, ""), calls(2, "b"), says(2, ""))
    assert _sent(plan(talk, {5})) == [("tools/call", 5, False)]
    assert plan(talk, {1}).steps == ()


@pytest.mark.parametrize(
    ("annotations", "is_harmful"),
    [
        (None, True),
        ({}, True),
        ({"readOnlyHint": True, "destructiveHint": True}, False),
        ({"destructiveHint": False}, False),
        ({"destructiveHint": True}, True),
        ("nonsense", True),
    ],
)
def test_tool_is_harmful_unless_annotated_otherwise(annotations: object, is_harmful: bool) -> None:
    call, listing = plan(told(calls(1, "add"), says(1, ""), asks(2, "tools/list"), gives(2, {}))).steps
    tool = Tool({"name": "add"} | ({} if annotations is None else {"annotations": annotations}))
    assert harmful(call, [tool]) is is_harmful
    assert harmful(call, [])
    assert not harmful(listing, [tool])
