"""What one message says about a task, whatever it says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.jsonrpc import Part
from inspector.protocol.tracking.task_words import asks_for_task, handle_in, read_word, related_task, word_of

TIMES = {"createdAt": "2026-08-01T00:00:00Z", "lastUpdatedAt": "2026-08-01T00:00:01Z"}
CORE = {"taskId": "t1", "status": "working", "statusMessage": "on it", **TIMES, "ttl": 60000, "pollInterval": 500}
FLAT = {"taskId": "t1", "status": "completed", **TIMES, "ttlMs": None, "pollIntervalMs": 250}


def part(value: Any) -> Part:
    return Part(json.dumps(value).encode())


def test_both_eras_say_the_same_in_their_words() -> None:
    core = read_word(part(CORE))
    assert core is not None
    assert (core.id, core.state, core.message, core.ttl_ms, core.poll_ms) == ("t1", "working", "on it", 60000, 500)
    flat = read_word(part(FLAT | {"result": {"content": []}}))
    assert flat is not None
    assert (flat.state, flat.ttl_ms, flat.poll_ms, flat.ended) == ("completed", None, 250, True)
    assert flat.result is not None
    assert flat.result.value == {"content": []}
    assert core.flaws == flat.flaws == ()


@pytest.mark.parametrize(
    ("wrong", "flaw"),
    [
        ({"status": "sleeping"}, "'sleeping' is no state of a task"),
        ({"status": 7}, "its status is of type number"),
        ({"status": None}, "it has no status"),
        ({"ttl": -5}, "ttl is -5"),
        ({"ttl": "soon"}, "ttl is of type string"),
        ({"pollInterval": "often"}, "pollInterval is of type string"),
        ({"pollInterval": True}, "pollInterval is of type boolean"),
        ({"createdAt": 5}, "createdAt is of type number"),
    ],
)
def test_what_is_wrong_is_said_and_the_rest_is_kept(wrong: dict[str, Any], flaw: str) -> None:
    word = read_word(part(CORE | wrong))
    assert word is not None
    assert flaw in word.flaws
    assert word.id == "t1"
    assert word.message == "on it"


def test_what_is_left_out_is_said_too() -> None:
    word = word_of({"taskId": "t"})
    assert word is not None
    assert set(word.flaws) == {"it has no status", "it has no createdAt", "it has no lastUpdatedAt", "it has no ttl"}


@pytest.mark.parametrize("value", [None, 5, "t1", [], {}, {"taskId": 5}, {"taskId": ""}])
def test_what_names_no_task_is_no_word(value: Any) -> None:
    assert read_word(part(value)) is None
    assert word_of(value) is None


def test_a_handle_is_nested_in_one_era_and_flat_in_the_other() -> None:
    nested, flat = (
        handle_in(part({"task": CORE}), asked=False),
        handle_in(part(FLAT | {"resultType": "task"}), asked=False),
    )
    assert nested is not None
    assert flat is not None
    assert (nested.nested, flat.nested) == (True, False)
    assert nested.word is not None
    assert flat.word is not None
    assert nested.word.id == flat.word.id == "t1"


def test_a_handle_without_an_id_is_still_one_where_it_was_asked_for() -> None:
    assert handle_in(part({"task": {}}), asked=False) is None
    asked = handle_in(part({"task": {}}), asked=True)
    assert asked is not None
    assert asked.word is None
    unsolicited = handle_in(part({"resultType": "task"}), asked=False)
    assert unsolicited is not None
    assert unsolicited.word is None


def test_an_ordinary_result_is_no_handle() -> None:
    assert handle_in(part({"content": [{"type": "text", "text": "task"}]}), asked=True) is None
    assert handle_in(part({"content": [], "task": "sweep"}), asked=True) is None


def test_a_request_asks_for_a_task_and_a_message_belongs_to_one() -> None:
    assert asks_for_task({"task": {"ttl": 5}})
    assert not asks_for_task({"task": True})
    assert not asks_for_task(None)
    assert related_task({"_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}}}) == "t"
    assert related_task({"_meta": None}) is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*CORE, *FLAT, "task", "resultType"]), inner)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_nothing_that_comes_raises(value: Any) -> None:
    raw = Part(json.dumps(value).encode())
    read_word(raw)
    word_of(value)
    handle_in(raw, asked=True)
    asks_for_task(value)
    related_task(value)
