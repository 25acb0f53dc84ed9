"""What is watched, in words."""

from typing import Any

import pytest

from inspector.protocol.tracking.subscriptions import Filter, Standing
from inspector.viewmodels.lines import plain
from inspector.viewmodels.watching import about, filter_words, mark, standing_of, stream_lines
from tests.protocol.tracking.test_subscriptions import known, listening, subscribed, updated
from tests.protocol.wire import C2S, Wire

ONE = {"resourceSubscriptions": ["a:b"]}


def lines(wire: Wire) -> list[str]:
    return [plain(line) for line in stream_lines(known(wire))]


def marked(wire: Wire, *uris: str) -> str:
    return plain(mark(known(wire), uris)).strip()


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (Filter(), ""),
        (Filter(tools=True), "list of tools"),
        (Filter(tools=True, prompts=True, resources=True), "lists of tools, prompts and resources"),
        (Filter(prompts=True, uris=("a:b",)), "list of prompts, a:b"),
        (Filter(uris=tuple(f"a:{n}" for n in range(9))), "a:0, a:1, a:2, 6 more"),
        (Filter(task_ids=("t", "u")), "2 tasks"),
        (Filter(uris=("a:\x1b[31m",)), "a:␛[31m"),
    ],
)
def test_a_filter_in_words(wanted: Filter, words: str) -> None:
    assert filter_words(wanted) == words


def test_without_any_watching_there_is_nothing_to_say() -> None:
    assert lines(Wire()) == []
    assert marked(Wire(), "a:b") == ""
    assert about(known(Wire()), "a:b", lambda n: n) == ()


def test_subscriptions_of_the_handshake_era_are_named() -> None:
    assert lines(subscribed("a:b", "c:d")) == ["● watching a:b, c:d"]


def test_what_a_stream_was_granted_and_what_not() -> None:
    asked: dict[str, Any] = {"toolsListChanged": True, "resourceSubscriptions": ["a:b", "c:d"]}
    wire = listening(asked)
    assert lines(wire) == ["⋯ asked to hear of list of tools, a:b, c:d"]
    wire = listening(asked, ONE)
    assert lines(wire) == ["● watching a:b", "▲ not granted: list of tools, c:d"]
    assert marked(wire, "a:b") == "● watched"
    assert marked(wire, "c:d") == "▲ watching not granted"
    assert lines(listening(asked, {}))[0] == "● watching nothing"


def test_a_stream_that_ended_says_so() -> None:
    wire = listening(ONE, ONE)
    wire.notify("notifications/cancelled", {"requestId": 1}, direction=C2S)
    assert lines(wire) == ["○ ended: a:b"]
    assert marked(wire, "a:b") == "○ was watched"
    refused = listening(ONE)
    refused.fail(1, -32601)
    assert lines(refused) == ["▲ never acknowledged: a:b"]


def test_updates_are_counted_not_listed() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    assert marked(wire, "a:b") == "● watched ◆ updated"
    updated(wire, "a:b")
    assert marked(wire, "a:b") == "● watched ◆ updated ×2"
    assert plain(mark(known(wire), ["a:b"], short=True)) == " ◆ updated ×2"
    for _ in range(10_000):
        updated(wire, "a:b")
    assert marked(wire, "a:b") == "● watched ◆ updated ×9,999+"


def test_a_template_is_marked_by_whatever_it_could_have_made() -> None:
    wire = subscribed("a:1", "a:2")
    updated(wire, "a:1")
    updated(wire, "a:2")
    assert marked(wire, "a:1", "a:2") == "● watched ◆ updated ×2"
    assert standing_of(known(wire), ["z:", "a:1"]) is Standing.WATCHED
    assert marked(listening(ONE), "a:b") == "⋯ asked"


def test_one_resource_in_a_line() -> None:
    wire = subscribed("a:b")
    updated(wire, "a:b")
    said = plain(about(known(wire), "a:b", lambda n: 0))
    assert said.startswith("● watched  ◆ updated once, 1 since it was read, last ")
    assert said.endswith("(#3)")
    wire.ask(7, "resources/read", {"uri": "a:b"})
    wire.answer(7, {"contents": []})
    assert "updated once, read since" in plain(about(known(wire), "a:b", lambda n: 0))
