"""What an answer brought is carried into later requests, and nothing else is."""

from typing import Any

import pytest

from inspector.features.resend.resend import CarriedValue, Provenance


def _after(recorded: Any, live: Any, method: str = "tools/call", said: Any = None) -> Provenance:
    found = Provenance()
    found.asked(said or {})
    found.answered(method, recorded, live, 7)
    return found


def _text(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize(
    ("recorded", "live", "params", "carried"),
    [
        ({"id": "abcd1"}, {"id": "zyxw9"}, {"arguments": {"item": "abcd1"}}, {"arguments": {"item": "zyxw9"}}),
        ({"id": 7}, {"id": 12}, {"arguments": {"itemId": 7, "count": 7}}, {"arguments": {"itemId": 12, "count": 7}}),
        ({"id": 7}, {"id": 12}, {"arguments": {"item_id": "7"}}, {"arguments": {"item_id": "12"}}),
        (
            {"key": "k1"},
            {"key": "k2"},
            {"arguments": {"key": "k1", "word": "k1"}},
            {"arguments": {"key": "k2", "word": "k1"}},
        ),
        (_text('{"id": "abcd1"}'), _text('{"id": "zyxw9"}'), {"x": ["abcd1"]}, {"x": ["zyxw9"]}),
        (
            _text("Made task abc-123."),
            _text("Made task xyz-789."),
            {"uri": "task://abc-123/log"},
            {"uri": "task://xyz-789/log"},
        ),
        ({"id": "same1"}, {"id": "same1"}, {"x": "same1"}, {"x": "same1"}),
        ({"id": "abcd1"}, {}, {"x": "abcd1"}, {"x": "abcd1"}),
        ({"id": "abcd1"}, {"id": 5}, {"x": "abcd1"}, {"x": "5"}),
        ({"ok": True}, {"ok": False}, {"isId": True}, {"isId": True}),
    ],
)
def test_value_from_a_response_is_replaced_by_the_live_one(recorded: Any, live: Any, params: Any, carried: Any) -> None:
    assert _after(recorded, live).carry("tools/call", params)[0] == carried


def test_carried_value_has_place_and_source() -> None:
    found = _after({"id": "abcd1"}, {"id": "zyxw9"})
    assert found.carry("x", {"a": [{"b": "abcd1"}]})[1] == [CarriedValue("a[0].b", "abcd1", "zyxw9", 7)]
    assert found.carry("x", [1]) == ([1], [])


def test_value_first_sent_by_the_client_is_not_carried() -> None:
    found = _after(_text("Echo: hello"), _text("Echo: other"), said={"arguments": {"message": "Echo: hello"}})
    assert found.carry("tools/call", {"arguments": {"message": "Echo: hello"}})[1] == []


def test_names_are_never_carried_and_of_a_list_only_its_cursor_is() -> None:
    listed = {"tools": [{"name": "first"}], "nextCursor": "page-2"}
    found = _after(listed, {"tools": [{"name": "other"}], "nextCursor": "seite-2"}, "tools/list")
    params = {"name": "first", "cursor": "page-2", "arguments": {"x": "first"}}
    assert found.carry("tools/call", params)[0] == {**params, "cursor": "seite-2"}
    assert not found.lost_cursor({"cursor": "page-2"})


def test_a_page_that_is_not_there_now_is_known_to_be_lost() -> None:
    found = _after({"tools": [], "nextCursor": "page-2"}, {"tools": []}, "tools/list")
    assert found.lost_cursor({"cursor": "page-2"})
    assert not found.lost_cursor({"cursor": "another"})
    assert not found.lost_cursor(None)


def test_deep_and_odd_values_are_no_trouble() -> None:
    deep: Any = "x1"
    for _ in range(500):
        deep = [deep]
    found = _after({"a": deep, "b": None}, {"a": deep, "b": 1.5})
    assert found.carry("x", {"c": None, "d": deep})[0] == {"c": None, "d": deep}
