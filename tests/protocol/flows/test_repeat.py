"""What is asked again where a stream was cut, and what is not."""

import pytest

from inspector.protocol.flows.call import call
from inspector.protocol.flows.list_all import list_all
from inspector.protocol.flows.repeat import PAUSES, is_repeated, is_safe, sent, was_cut
from inspector.protocol.flows.steps import Pause, Send, Tell
from inspector.protocol.revisions._shape import Carriage
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.protocol.things import Tool
from tests.protocol.flows.scripted import Played, refused, result

CUT = refused(200, why="the server broke the connection off", begun=True)
ASK = Send("tools/list")


def tool(**annotations: bool) -> Tool:
    return Tool({"name": "work", "annotations": annotations})


@pytest.mark.parametrize(
    "method", ["tools/list", "skills/list", "resources/read", "prompts/get", "completion/complete", "tasks/get"]
)
def test_lists_and_reads_can_be_made_twice(method: str) -> None:
    assert is_safe(method)


@pytest.mark.parametrize("method", ["tasks/update", "tasks/cancel", "logging/setLevel", "my/method"])
def test_what_may_change_something_can_not(method: str) -> None:
    assert not is_safe(method)


def test_of_a_tool_its_own_word_counts_and_silence_does_not() -> None:
    assert is_safe("tools/call", tool(readOnlyHint=True))
    assert is_safe("tools/call", tool(idempotentHint=True))
    assert not is_safe("tools/call", tool(destructiveHint=False))
    assert not is_safe("tools/call")


def test_only_where_nothing_outlives_its_stream_is_it_asked_again_unbidden() -> None:
    assert [is_repeated("tools/list", row) for row in ROWS] == [row.carriage is Carriage.STATELESS for row in ROWS]
    assert is_repeated("tools/list", NEWEST)
    assert not is_repeated("tools/list", None)


def test_a_response_that_was_no_stream_is_not_cut() -> None:
    assert was_cut(CUT)
    assert not was_cut(refused(200))
    assert not was_cut(result({}))


def test_it_is_told_waited_and_asked_again_until_an_answer_comes() -> None:
    played = Played()
    reply, tries = played.play(sent(ASK, again=True), [CUT, None, None, CUT, None, None, result({})])
    assert (tries, was_cut(reply)) == (3, False)
    assert played.methods == ["tools/list", "Tell", "Pause", "tools/list", "Tell", "Pause", "tools/list"]
    assert [step.seconds for step in played.steps if isinstance(step, Pause)] == list(PAUSES[:2])
    assert all("tools/list was cut" in step.what for step in played.steps if isinstance(step, Tell))


def test_it_is_not_asked_for_ever() -> None:
    reply, tries = Played().play(sent(ASK, again=True), [CUT, None, None] * len(PAUSES) + [CUT])
    assert (tries, was_cut(reply)) == (len(PAUSES) + 1, True)


def test_unbidden_nothing_is_asked_again() -> None:
    assert Played().play(sent(ASK, again=False), [CUT]) == (CUT, 1)


def test_every_try_of_a_call_is_a_round() -> None:
    called = Played().play(call("resources/read", {}, revision=NEWEST), [CUT, None, None, result({})])
    assert called.rounds == 2


def test_a_call_decides_by_what_it_is_told_and_else_by_its_method() -> None:
    assert was_cut(Played().play(call("tools/call", {}, revision=NEWEST), [CUT]).reply)
    told = Played().play(call("tools/call", {}, revision=ROWS[-2], again=True), [CUT, None, None, result({})])
    assert told.rounds == 2


def test_the_pages_of_a_list_are_asked_again_each() -> None:
    page = result({"tools": [{"name": "a"}], "nextCursor": "2"})
    replies = [page, CUT, None, None, result({"tools": [{"name": "b"}]})]
    pages = Played().play(list_all("tools", revision=NEWEST), replies)
    assert (len(pages.items), pages.stopped) == (2, "")
