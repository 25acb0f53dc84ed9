"""The flow that polls a task, and whether a tool can be called as one."""

from typing import Any

import pytest
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import (
    Await,
    Broken,
    GivenUp,
    Refused,
    Replied,
    Reply,
    RequestUserInput,
    Send,
    Silent,
    StillWaiting,
    WaitForNews,
    Withdraw,
)
from inspector.protocol.flows.tasks import (
    AFTER_CANCEL,
    FAILURES,
    FIRST_S,
    LEAST_S,
    MOST_S,
    USUAL_S,
    Followed,
    Support,
    as_task,
    follow,
    list_tasks,
    pause_of,
    support_of,
    why_no_list,
    why_no_task,
)
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.server_requests import ErrorReply, Result
from inspector.protocol.tracking.tasks import Task, TaskReport
from tests.protocol.flows.scripted import Played, error, refused, result

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
def test_core_task_support_is_declared_by_the_tool(said: Any, support: Support) -> None:
    assert support_of(tool(said), Opening(CORE, capabilities=ABLE)) is support


def test_task_support_requires_the_server_capability() -> None:
    declared: list[dict[str, Any]] = [{}, {"tasks": {}}, {"tasks": {"requests": {"tools": {}}}}, {"tasks": None}]
    for capabilities in declared:
        assert support_of(tool("required"), Opening(CORE, capabilities=capabilities)) is Support.NONE
    assert support_of(tool("required"), Opening(BEFORE, capabilities=ABLE)) is Support.NONE


def test_extension_leaves_task_support_to_the_server() -> None:
    assert support_of(tool("forbidden"), Opening(EXTENSION, capabilities=EXTENDED)) is Support.SERVER_DECIDES
    assert support_of(None, Opening(EXTENSION)) is Support.NONE


def test_unlisted_tool_forbids_tasks() -> None:
    assert support_of(None, Opening(CORE, capabilities=ABLE)) is Support.FORBIDDEN


def test_why_no_task_has_a_reason() -> None:
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


FOLLOW_CORE, FOLLOW_EXTENSION = ROWS[3], ROWS[4]
BEGUN = TaskReport("t1", "working", poll_ms=2000)
TIMES = {"createdAt": "", "lastUpdatedAt": ""}
QUESTION = {"method": "elicitation/create", "params": {"message": "Who?"}}


def core(state: str = "working", **more: Any) -> Reply:
    return result({"taskId": "t1", "status": state, **TIMES, "ttl": None, "pollInterval": 2000, **more})


def flat(state: str = "working", **more: Any) -> Reply:
    raw = {"taskId": "t1", "status": state, **TIMES, "ttlMs": None, "pollIntervalMs": 2000, **more}
    return result({"resultType": "complete", **raw})


def played(*replies: Any, revision: Any = FOLLOW_CORE, word: TaskReport | None = BEGUN) -> tuple[Followed, Played]:
    game = Played()
    return game.play(follow("t1", revision=revision, word=word, cause=7), replies), game


def text_of(reply: Reply) -> Any:
    assert isinstance(reply, Replied)
    message = reply.message
    return message.result if isinstance(message, ResultResponse) else message.error


def test_a_task_of_the_core_is_polled_until_it_ends_and_then_its_result_is_fetched() -> None:
    followed, game = played(None, core(), None, core("completed"), result({"content": []}))
    assert game.methods == ["WaitForNews", "tasks/get", "WaitForNews", "tasks/get", "tasks/result"]
    assert [step.seconds for step in game.steps if isinstance(step, WaitForNews)] == [2.0, 2.0]
    assert text_of(followed.reply) == {"content": []}
    assert (followed.rounds, followed.end.state, followed.end.why) == (3, "completed", "")
    assert all(step.params["taskId"] == "t1" for step in game.steps if isinstance(step, Send))


def test_the_result_of_a_failed_task_is_fetched_too() -> None:
    followed, _ = played(None, core("failed"), error(-32603, message="broke"))
    assert text_of(followed.reply)["message"] == "broke"
    assert followed.end.state == "failed"


def test_a_handle_that_has_ended_already_is_not_polled() -> None:
    followed, game = played(result({"content": []}), word=TaskReport("t1", "completed"))
    assert game.methods == ["tasks/result"]
    assert followed.end.state == "completed"


def test_a_task_of_which_nothing_is_known_is_polled_at_once() -> None:
    _, game = played(core("completed"), result({}), word=None)
    assert game.methods == ["tasks/get", "tasks/result"]


def test_input_required_task_is_polled_while_its_result_is_requested() -> None:
    waiting = Exchange(9, Direction.TO_SERVER, 9, "tasks/result", "t1", 1, 0)
    silent = Silent(waiting, 2, "total")
    followed, game = played(
        None, core("input_required"), silent, core("input_required"), silent, core("working"), result({"content": [1]})
    )
    assert game.methods == ["WaitForNews", "tasks/get", "tasks/result", "tasks/get", "Await", "tasks/get", "Await"]
    assert all(step.exchange is waiting for step in game.steps if isinstance(step, Await))
    assert text_of(followed.reply) == {"content": [1]}
    assert followed.end.state == "completed"


def test_refused_task_result_is_requested_again_at_the_end() -> None:
    followed, game = played(
        None,
        core("input_required"),
        error(-32602, message="not yet"),
        core("input_required"),
        None,
        core("completed"),
        result({"content": []}),
    )
    assert game.methods == [
        "WaitForNews",
        "tasks/get",
        "tasks/result",
        "tasks/get",
        "WaitForNews",
        "tasks/get",
        "tasks/result",
    ]
    assert followed.end == replace(followed.end, state="completed", why="")


def test_a_cancelled_task_has_no_result_to_fetch() -> None:
    followed, game = played(None, core("cancelled", statusMessage="by the harbour master"))
    assert game.methods == ["WaitForNews", "tasks/get"]
    assert isinstance(followed.reply, GivenUp)
    assert followed.reply.why == "the task was cancelled: by the harbour master"
    assert followed.end.state == "cancelled"


def test_news_that_it_was_cancelled_needs_no_poll() -> None:
    task = Task(1, "t1", True, 0, 1, state="cancelled", message="called off", cancel_asked=4)
    followed, game = played(task)
    assert game.methods == ["WaitForNews"]
    assert followed.end.state == "cancelled"


def test_uncancellable_task_is_given_up() -> None:
    going = Task(1, "t1", True, 0, 1, state="working", cancel_asked=4)
    replies: list[Any] = [going, flat()] * AFTER_CANCEL + [going]
    followed, game = played(*replies, revision=FOLLOW_EXTENSION)
    assert isinstance(followed.reply, GivenUp)
    assert followed.end.why == "it was cancelled, but continues"
    assert game.methods.count("tasks/get") == AFTER_CANCEL


def test_a_task_of_the_extension_brings_its_result_with_the_last_poll() -> None:
    followed, game = played(None, flat(), None, flat("completed", result={"content": [1]}), revision=FOLLOW_EXTENSION)
    assert game.methods == ["WaitForNews", "tasks/get", "WaitForNews", "tasks/get"]
    assert text_of(followed.reply) == {"content": [1]}
    assert followed.end.state == "completed"


def test_the_error_of_a_failed_task_is_as_if_the_call_had_failed() -> None:
    followed, _ = played(None, flat("failed", error={"code": -32603, "message": "broke"}), revision=FOLLOW_EXTENSION)
    assert isinstance(followed.reply, Replied)
    assert isinstance(followed.reply.message, ErrorResponse)
    assert followed.reply.message.message == "broke"


@pytest.mark.parametrize(("state", "lacks"), [("completed", "result"), ("failed", "error")])
def test_task_without_required_result_has_a_reason(state: str, lacks: str) -> None:
    followed, _ = played(None, flat(state), revision=FOLLOW_EXTENSION)
    assert followed.end.why == f"it is {state}, and brings no {lacks}"


def test_a_handle_of_the_extension_that_has_ended_is_polled_for_its_result() -> None:
    _, game = played(flat("completed", result={}), revision=FOLLOW_EXTENSION, word=TaskReport("t1", "completed"))
    assert game.methods == ["tasks/get"]


def test_task_input_is_requested_once_during_polls() -> None:
    asks = flat("input_required", inputRequests={"who": QUESTION})
    yes = (Result({"action": "accept"}),)
    done = flat("completed", result={"content": []})
    followed, game = played(
        *(None, asks, StillWaiting(), asks, yes, result({"resultType": "complete"}), None, asks, None, done),
        revision=FOLLOW_EXTENSION,
    )
    assert game.methods == [
        "WaitForNews",
        "tasks/get",
        "RequestUserInput",
        "tasks/get",
        "RequestUserInput",
        "tasks/update",
        "WaitForNews",
        "tasks/get",
        "WaitForNews",
        "tasks/get",
    ]
    first, again = (step for step in game.steps if isinstance(step, RequestUserInput))
    assert first.server_requests == again.server_requests
    assert [(q.message, q.key, q.task, q.cause) for q in first.server_requests] == [("Who?", "who", "t1", 7)]
    (update,) = (step for step in game.steps if isinstance(step, Send) and step.method == "tasks/update")
    assert update.params == {"taskId": "t1", "inputResponses": {"who": {"action": "accept"}}}
    assert followed.end.state == "completed"


def test_a_question_that_the_task_needs_no_more_is_withdrawn() -> None:
    asks = flat("input_required", inputRequests={"who": QUESTION})
    _, game = played(
        None, asks, StillWaiting(), flat("working"), None, None, flat("completed", result={}), revision=FOLLOW_EXTENSION
    )
    assert game.methods == [
        "WaitForNews",
        "tasks/get",
        "RequestUserInput",
        "tasks/get",
        "Withdraw",
        "WaitForNews",
        "tasks/get",
    ]
    (withdrawn,) = (step for step in game.steps if isinstance(step, Withdraw))
    assert [server_request.key for server_request in withdrawn.server_requests] == ["who"]


def test_a_refused_question_leaves_the_task_where_it_is() -> None:
    asks = flat("input_required", inputRequests={"who": QUESTION})
    followed, game = played(None, asks, (ErrorReply(-1, "nobody is there"),), revision=FOLLOW_EXTENSION)
    assert game.methods == ["WaitForNews", "tasks/get", "RequestUserInput"]
    assert followed.unanswered == "nobody is there"
    assert followed.end.state == "input_required"


def test_answers_that_the_server_does_not_take_are_the_end() -> None:
    asks = flat("input_required", inputRequests={"who": QUESTION})
    followed, _ = played(None, asks, (Result({}),), error(-32602, message="who?"), revision=FOLLOW_EXTENSION)
    assert followed.end.why == "it does not take the answers"


@pytest.mark.parametrize("revision", [FOLLOW_CORE, FOLLOW_EXTENSION])
def test_an_id_that_the_server_does_not_know_ends_it_at_once(revision: Any) -> None:
    followed, game = played(None, error(-32602, message="no such task"), revision=revision)
    assert game.methods == ["WaitForNews", "tasks/get"]
    assert "does not know it" in followed.end.why
    assert text_of(followed.reply)["message"] == "no such task"


def test_a_status_that_no_version_has_ends_it_after_a_few_polls() -> None:
    followed, game = played(*[None, flat("done")] * FAILURES, revision=FOLLOW_EXTENSION)
    assert game.methods.count("tasks/get") == FAILURES
    assert followed.end.why == "its status is 'done', which no version has"


@pytest.mark.parametrize("failure", [error(-32603), refused(503), result({"taskId": "other"}), result(None)])
def test_a_poll_may_fail_a_few_times_in_a_row(failure: Reply) -> None:
    followed, game = played(*[None, failure] * (FAILURES - 1), None, core("completed"), result({}))
    assert followed.end.why == ""
    followed, game = played(*[None, failure] * FAILURES)
    assert game.methods.count("tasks/get") == FAILURES
    assert followed.end.why == f"it can't be polled: {FAILURES} times in a row"
    assert followed.reply is failure


@pytest.mark.parametrize(
    "last", [Broken(None, "gone"), Silent(None, 60, "idle"), GivenUp(None, "x"), refused(404), refused(401)]
)
def test_final_poll_error_is_not_retried(last: Reply) -> None:
    followed, game = played(None, last)
    assert game.methods == ["WaitForNews", "tasks/get"]
    assert followed.reply is last
    assert not isinstance(last, Refused) or followed.end.why == "it can't be polled"


@pytest.mark.parametrize(
    ("wanted", "paused"), [(None, USUAL_S), (0, LEAST_S), (0.001, LEAST_S), (2500, 2.5), (1e9, MOST_S), (1e15, MOST_S)]
)
def test_the_interval_is_kept_within_bounds(wanted: float | None, paused: float) -> None:
    assert pause_of(wanted) == paused
    _, game = played(
        None, core(pollInterval=wanted), None, core("cancelled"), word=TaskReport("t1", "working", poll_ms=wanted)
    )
    first, second = (step for step in game.steps if isinstance(step, WaitForNews))
    assert first.seconds == (FIRST_S if wanted is None else paused)
    assert second.seconds == paused


def test_states_that_are_none_are_polled_on() -> None:
    followed, _ = played(None, core("sleeping"), None, core(""), None, core("completed"), result({}))
    assert followed.end.state == "completed"


def test_a_part_that_is_the_result_keeps_its_bytes() -> None:
    raw = b'{"taskId":"t1","status":"completed","result":{"content":[], "x":  1.50}}'
    reply = Replied(ResultResponse(1, Part(raw)), Exchange(1, Direction.TO_SERVER, 1, "tasks/get", "t1", 1, 0))
    followed, _ = played(None, reply, revision=FOLLOW_EXTENSION)
    assert isinstance(followed.reply, Replied)
    assert isinstance(followed.reply.message, ResultResponse)
    assert followed.reply.message.result_part.raw == b'{"content":[], "x":  1.50}'


LIST_TASKS_CORE = Opening(ROWS[3], capabilities={"tasks": {"list": {}}})


def test_all_pages_are_fetched() -> None:
    played = Played()
    pages = [
        result({"tasks": [{"taskId": "a"}, {"taskId": "b"}], "nextCursor": "2"}),
        result({"tasks": [{"taskId": "c"}, {"no": "id"}]}),
    ]
    found = played.play(list_tasks(LIST_TASKS_CORE), pages)
    assert (found.ids, found.pages, found.stopped) == (("a", "b", "c"), 2, "")
    assert played.methods == ["tasks/list", "tasks/list"]


def test_a_cursor_that_comes_again_ends_it() -> None:
    page = result({"tasks": [{"taskId": "a"}], "nextCursor": "x"})
    found = Played().play(list_tasks(LIST_TASKS_CORE), [page, page])
    assert (found.ids, found.pages) == (("a",), 2)
    assert "a second time" in found.stopped


def test_refused_and_invalid_task_pages_have_a_reason() -> None:
    refused = Played().play(list_tasks(LIST_TASKS_CORE), [error(-32603)])
    assert (refused.pages, refused.stopped) == (0, "page 1 could not be fetched")
    assert refused.failed is not None
    assert Played().play(list_tasks(LIST_TASKS_CORE), [result({})]).stopped == "the result has no array 'tasks'"


@pytest.mark.parametrize("opening", [Opening(ROWS[3]), Opening(ROWS[4]), Opening(ROWS[0])])
def test_undeclared_task_list_is_not_requested(opening: Opening) -> None:
    assert why_no_list(opening)
    with pytest.raises(UsageError):
        Played().play(list_tasks(opening), [])
