"""Items are paired by identity, and items without a counterpart keep their position."""

from typing import Any

import pytest

from inspector.capture.compare.differences import Comparison, OperationVerdict, align, compare, document, essence
from inspector.capture.compare.normal import Normal, read_rule
from inspector.capture.compare.operations import accounts
from inspector.capture.store.load import load
from inspector.present.changes.captures import Names, comparison_data, comparison_lines
from tests.capture.compare.talk import Said, asks, calls, gives, says, tells, told
from tests.captures.record import sample


def test_equal_items_are_paired_wherever_they_stand_and_each_once() -> None:
    assert align("abca", "caab", str) == [(0, 1), (1, 3), (2, 0), (3, 2)]


def test_align_puts_unmatched_items_behind_their_neighbour() -> None:
    assert align("abc", "xacyb", str) == [(None, 0), (0, 1), (1, 4), (2, 2), (None, 3)]
    assert align("aoc", "anc", str) == [(0, 0), (1, None), (None, 1), (2, 2)]
    assert align("", "ab", str) == [(None, 0), (None, 1)]
    assert align("ab", "", str) == [(0, None), (1, None)]


def test_the_stricter_key_comes_first() -> None:
    first, second = ["a1", "a2"], ["a2", "a3"]
    assert align(first, second, str, lambda item: item[0]) == [(0, 1), (1, 0)]


def test_a_hundred_thousand_items_in_another_order_are_all_paired() -> None:
    many = [*range(100_000)]
    assert align(many, many[::-1], int) == [(at, 99_999 - at) for at in many]


_A: tuple[Said, ...] = (
    calls(1, "add", a=1),
    says(1, "1"),
    calls(2, "add", a=2),
    says(2, "2"),
    calls(3, "hi"),
    says(3, "hi"),
)


def _seen(found: Comparison) -> list[tuple[OperationVerdict, str, list[str]]]:
    return [(row.verdict, row.target, [change.path for change in row.changes]) for row in found.rows]


def test_calls_in_another_order_with_other_ids_are_the_same() -> None:
    other = told(calls(9, "hi"), calls(8, "add", a=2), calls(7, "add", a=1), says(7, "1"), says(9, "hi"), says(8, "2"))
    assert compare(told(*_A), other, Normal()).is_empty


def test_a_difference_is_named_by_its_path_with_both_sides() -> None:
    found = compare(told(*_A), told(*_A[:3], says(2, "two"), *_A[4:]), Normal())
    assert _seen(found)[1] == (OperationVerdict.DIFFERENT, "add", ["result.content[0].text"])
    (change,) = found.rows[1].changes
    assert (change.before, change.after) == ("2", "two")
    assert (found.count(OperationVerdict.SAME), found.count(OperationVerdict.DIFFERENT), found.is_empty) == (
        2,
        1,
        False,
    )


def test_operation_on_one_side_is_listed_in_its_place() -> None:
    found = compare(told(*_A[:2], *_A[4:]), told(*_A[:2], calls(2, "new"), says(2, ""), *_A[4:]), Normal())
    assert _seen(found) == [
        (OperationVerdict.SAME, "add", []),
        (OperationVerdict.ONLY_AFTER, "new", []),
        (OperationVerdict.SAME, "hi", []),
    ]


def test_error_instead_of_result_is_a_change_of_both_members() -> None:
    failed = ("<", {"id": 1, "error": {"code": -32602, "message": "no"}})
    (row,) = compare(told(*_A[:2]), told(_A[0], failed), Normal()).rows
    assert [change.path for change in row.changes] == ["result", "error"]


def test_messages_beside_the_calls_are_compared_as_a_heap() -> None:
    one, two = tells("notifications/message", {"data": 1}), tells("notifications/message", {"data": 2})
    assert compare(told(one, *_A, two), told(two, one, *_A), Normal()).is_empty
    (*_, row) = compare(told(one, *_A), told(*_A), Normal()).rows
    assert (row.verdict, row.method, row.loose) == (OperationVerdict.ONLY_BEFORE, "notifications/message", True)


def test_rules_and_a_choice_narrow_what_is_compared() -> None:
    other = told(*_A[:3], says(2, "two"), *_A[4:5], says(3, "ho"))
    assert compare(told(*_A), other, Normal([read_rule("result.content[*].text")])).is_empty
    assert [row.target for row in compare(told(*_A), other, Normal(), ["h*"]).rows] == ["hi"]
    assert compare(told(*_A), other, Normal(), ["prompts/*"]).rows == ()


def test_a_capture_is_the_same_as_itself_and_unlike_another() -> None:
    found = {}
    for name in ("lighthouse", "evening"):
        journal = load(sample(name))
        found[name] = accounts(journal)
        journal.close()
    assert compare(found["lighthouse"], found["lighthouse"], Normal()).is_empty
    assert not compare(found["lighthouse"], found["evening"], Normal()).is_empty


def test_members_due_to_the_revision_are_no_difference_between_revisions() -> None:
    opened = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    older = told(
        *(asks(0, "initialize", {"protocolVersion": "2025-11-25"}), gives(0, opened)),
        *(calls(1, "add", a=1), gives(1, {"content": [], "structuredContent": {"sum": 1}, "_meta": {"mine": 1}})),
    )
    envelope = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
    own = {"io.modelcontextprotocol/serverInfo": {"name": "s"}, "mine": 1}

    def newer(sum_: int) -> Any:
        asked = asks(1, "tools/call", {"name": "add", "arguments": {"a": 1}, "_meta": meta})
        return told(asked, gives(1, {"content": [], "structuredContent": {"sum": sum_}, "_meta": own, **envelope}))

    assert compare(older, newer(1), Normal(), ["add"]).is_empty
    (row,) = compare(older, newer(2), Normal(), ["add"]).rows
    assert [change.path for change in row.changes] == ["result.structuredContent.sum"]
    bare = told(
        *(asks(1, "tools/call", {"name": "add", "arguments": {"a": 1}, "_meta": meta}), gives(1, {"_meta": {}}))
    )
    (row,) = compare(newer(1), bare, Normal(), ["add"]).rows
    assert "result.ttlMs" in [change.path for change in row.changes], "of one revision, all is compared"


def test_another_number_of_pages_is_no_difference() -> None:
    whole = told(asks(1, "tools/list"), gives(1, {"tools": [{"name": "a"}, {"name": "b"}]}))
    paged = told(
        asks(1, "tools/list"),
        gives(1, {"tools": [{"name": "a"}], "nextCursor": "x"}),
        asks(2, "tools/list", {"cursor": "x"}),
        gives(2, {"tools": [{"name": "b"}]}),
    )
    assert compare(whole, paged, Normal()).is_empty


@pytest.mark.parametrize("depth", [300, 800])
def test_deeply_nested_values_are_compared(depth: int) -> None:
    def deep(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(depth):
            value = [value]
        return value

    one, two = (told(calls(1, "a"), gives(1, deep(leaf))) for leaf in (1, 2))
    found = compare(one, two, Normal())
    assert found.rows[0].verdict is OperationVerdict.DIFFERENT
    assert comparison_data(found, Names("a", "b"))["operations"][0]["changes"]
    assert comparison_lines(found, Names("a", "b"))
    assert compare(one, one, Normal()).is_empty


def test_essence_drops_what_clients_add_to_every_request() -> None:
    meta = {"progressToken": 1, "io.modelcontextprotocol/clientInfo": {}, "mine": 1}
    assert essence("tools/call", {"name": "a", "_meta": meta}) == {"name": "a", "_meta": {"mine": 1}}
    assert essence("tools/list", {"_meta": {"progressToken": 1}}) is None
    assert essence("initialize", {"clientInfo": {}, "capabilities": {}, "x": 1}) == {"x": 1}
    assert essence("odd", [1]) == [1]


def test_all_parts_stand_under_their_names() -> None:
    (call, open_) = told(
        calls(1, "a", x=1),
        tells("notifications/progress", {"progressToken": 1, "progress": 2}),
        says(1, "ok"),
        calls(2, "b"),
    ).operations
    assert document(call, Normal()) == {
        "params": {"name": "a", "arguments": {"x": 1}},
        "result": {"content": [{"type": "text", "text": "ok"}]},
        "progress": [{"progress": 2}],
    }
    assert document(open_, Normal(), {"params"}) == {"outcome": "pending"}
