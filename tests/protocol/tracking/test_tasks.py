"""Tasks as far as frames show them, also from invalid messages."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol import events
from inspector.protocol.conversation import Conversation
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Part
from inspector.protocol.tracking.tasks import (
    FAULTS,
    STEPS,
    Task,
    asks_for_task,
    handle_in,
    read_task_report,
    related_task,
    word_of,
)

TIMES = {"createdAt": "2026-08-01T00:00:00Z", "lastUpdatedAt": "2026-08-01T00:00:01Z"}
CORE = {"taskId": "t1", "status": "working", "statusMessage": "on it", **TIMES, "ttl": 60000, "pollInterval": 500}
FLAT = {"taskId": "t1", "status": "completed", **TIMES, "ttlMs": None, "pollIntervalMs": 250}


def part(value: Any) -> Part:
    return Part(json.dumps(value).encode())


def test_both_eras_say_the_same_in_their_words() -> None:
    core = read_task_report(part(CORE))
    assert core is not None
    assert (core.id, core.state, core.message, core.ttl_ms, core.poll_ms) == ("t1", "working", "on it", 60000, 500)
    flat = read_task_report(part(FLAT | {"result": {"content": []}}))
    assert flat is not None
    assert (flat.state, flat.ttl_ms, flat.poll_ms, flat.ended) == ("completed", None, 250, True)
    assert flat.result is not None
    assert flat.result.value == {"content": []}
    assert core.flaws == flat.flaws == ()


@pytest.mark.parametrize(
    ("wrong", "flaw"),
    [
        ({"status": "sleeping"}, "'sleeping' is not a task state"),
        ({"status": 7}, "its status is of type number"),
        ({"status": None}, "it has no status"),
        ({"ttl": -5}, "ttl is -5"),
        ({"ttl": "soon"}, "ttl is of type string"),
        ({"pollInterval": "often"}, "pollInterval is of type string"),
        ({"pollInterval": True}, "pollInterval is of type boolean"),
        ({"createdAt": 5}, "createdAt is of type number"),
    ],
)
def test_wrong_task_member_is_a_flaw(wrong: dict[str, Any], flaw: str) -> None:
    word = read_task_report(part(CORE | wrong))
    assert word is not None
    assert flaw in word.flaws
    assert word.id == "t1"
    assert word.message == "on it"


def test_missing_task_member_is_a_flaw() -> None:
    word = word_of({"taskId": "t"})
    assert word is not None
    assert set(word.flaws) == {"it has no status", "it has no createdAt", "it has no lastUpdatedAt", "it has no ttl"}


@pytest.mark.parametrize("value", [None, 5, "t1", [], {}, {"taskId": 5}, {"taskId": ""}])
def test_report_without_task_is_none(value: Any) -> None:
    assert read_task_report(part(value)) is None
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


def test_handle_without_id_counts_if_requested() -> None:
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
    read_task_report(raw)
    word_of(value)
    handle_in(raw, asked=True)
    asks_for_task(value)
    related_task(value)


class Talk:
    """A conversation, line by line."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.found: list[events.Event] = []
        self._n = 0
        self._id = 0

    def frame(self, message: dict[str, Any], direction: Direction) -> None:
        self._n += 1
        payload = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.found = self.conversation.observe(Frame(self._n, self._n * 10, 0, direction, Channel.MEMORY, payload))

    def asks(self, method: str, params: Any = None, *, by_server: bool = False) -> int:
        self._id += 1
        direction = Direction.FROM_SERVER if by_server else Direction.TO_SERVER
        self.frame({"id": self._id, "method": method, "params": params or {}}, direction)
        return self._id

    def answers(self, id_: int, *, by_server: bool = True, **answer: Any) -> None:
        self.frame({"id": id_, **answer}, Direction.FROM_SERVER if by_server else Direction.TO_SERVER)

    def call(self, method: str, params: Any, result: Any) -> None:
        self.answers(self.asks(method, params), result=result)

    def tells(self, method: str, params: Any) -> None:
        self.frame({"method": method, "params": params}, Direction.FROM_SERVER)

    @property
    def task(self) -> Task:
        return self.conversation.tasks.all[0]

    @property
    def faults(self) -> list[str]:
        return [fault.what for fault in self.task.faults]


def core(state: str = "working", message: str = "", id_: str = "t1", **more: Any) -> dict[str, Any]:
    return {
        "taskId": id_,
        "status": state,
        "statusMessage": message,
        **TIMES,
        "ttl": 60000,
        "pollInterval": 500,
        **more,
    }


def flat(state: str = "working", id_: str = "t1", **more: Any) -> dict[str, Any]:
    return {"taskId": id_, "status": state, **TIMES, "ttlMs": 60000, "resultType": "complete", **more}


@pytest.fixture
def talk() -> Talk:
    return Talk()


def begin(talk: Talk, *, name: str = "dig", id_: str = "t1") -> None:
    talk.call("tools/call", {"name": name, "task": {}}, {"task": core(id_=id_)})


def test_a_task_of_the_core_is_known_from_its_handle_to_its_result(talk: Talk) -> None:
    begin(talk)
    talk.call("tasks/get", {"taskId": "t1"}, core(message="halfway"))
    talk.tells("notifications/tasks/status", core("completed", "halfway"))
    talk.call("tasks/result", {"taskId": "t1"}, {"content": [], "isError": True})
    task = talk.task
    assert (task.id, task.by_server, task.target, task.state, task.polls) == ("t1", True, "dig", "completed", 1)
    assert [(step.state, step.message) for step in task.history] == [
        ("working", ""),
        ("working", "halfway"),
        ("completed", "halfway"),
    ]
    assert (task.ttl_ms, task.poll_ms, task.failed, task.result_frame) == (60000, 500, True, 7)
    assert task.ended
    assert talk.faults == []


def test_the_call_its_polls_and_its_result_are_one_operation(talk: Talk) -> None:
    begin(talk)
    begin(talk, id_="t2")
    talk.call("tasks/get", {"taskId": "t1"}, core())
    talk.call("tasks/result", {"taskId": "t2"}, {"content": []})
    talk.call("tasks/cancel", {"taskId": "t1"}, core("cancelled"))
    operations = [list(operation.exchanges) for operation in talk.conversation.operations.operations]
    assert operations == [[1, 3, 5], [2, 4]]
    assert talk.conversation.tasks.of_operation(1) is talk.task
    assert talk.task.cancel_asked == 5


def test_task_update_is_emitted_once(talk: Talk) -> None:
    begin(talk)
    assert [type(event).__name__ for event in talk.found] == ["Closed", "TaskUpdated"]
    talk.call("tasks/get", {"taskId": "t1"}, core())
    assert [type(event).__name__ for event in talk.found] == ["Closed"]


def test_a_task_of_the_extension_asks_and_brings_its_result_with_the_poll(talk: Talk) -> None:
    talk.call("tools/call", {"name": "dig"}, flat() | {"resultType": "task"})
    asked = {"name": {"method": "elicitation/create", "params": {"message": "Who?"}}}
    for _ in range(2):  # the question is told once, however often the poll repeats it
        talk.call("tasks/get", {"taskId": "t1"}, flat("input_required", inputRequests=asked))
    assert [(q.message, q.key, q.task, q.cause) for q in talk.conversation.server_requests] == [
        ("Who?", "name", "t1", 1)
    ]
    assert talk.task.state == "input_required"
    talk.call("tasks/update", {"taskId": "t1", "inputResponses": {}}, {"resultType": "complete"})
    talk.call("tasks/get", {"taskId": "t1"}, flat("completed", result={"content": []}))
    assert (talk.task.state, talk.task.result_frame, talk.task.failed) == ("completed", 10, False)
    assert [list(each.exchanges) for each in talk.conversation.operations.operations] == [[1, 2, 3, 4, 5]]


def test_server_request_inside_a_task_names_the_task(talk: Talk) -> None:
    begin(talk)
    talk.asks("tasks/result", {"taskId": "t1"})
    related = {"io.modelcontextprotocol/related-task": {"taskId": "t1"}}
    talk.asks("elicitation/create", {"message": "Who?", "_meta": related}, by_server=True)
    (server_request,) = talk.conversation.server_requests
    assert (server_request.task, server_request.cause) == ("t1", 1)


def test_a_question_that_the_client_answers_as_a_task_is_a_task_of_the_client(talk: Talk) -> None:
    asked = talk.asks("sampling/createMessage", {"task": {"ttl": 5}}, by_server=True)
    talk.answers(asked, by_server=False, result={"task": core(id_="ours")})
    polled = talk.asks("tasks/get", {"taskId": "ours"}, by_server=True)
    talk.answers(polled, by_server=False, result=core("completed", id_="ours"))
    assert (talk.task.by_server, talk.task.method, talk.task.state, talk.task.polls) == (
        False,
        "sampling/createMessage",
        "completed",
        1,
    )
    assert talk.conversation.tasks.find("ours") is None
    assert talk.conversation.tasks.find("ours", by_server=False) is talk.task


def test_task_result_completes_the_task(talk: Talk) -> None:
    begin(talk)
    talk.call("tasks/get", {"taskId": "t1"}, core("input_required"))
    talk.call("tasks/result", {"taskId": "t1"}, {"content": []})
    assert (talk.task.state, talk.task.ended) == ("completed", True)


def test_task_list_adds_unknown_tasks(talk: Talk) -> None:
    talk.call("tasks/list", {}, {"tasks": [core("completed", id_="old"), core(id_="new"), {"no": "id"}]})
    tasks = talk.conversation.tasks
    assert [(task.id, task.state, task.exchange) for task in tasks.all] == [
        ("old", "completed", None),
        ("new", "working", None),
    ]
    assert [fault.what for fault in tasks.faults] == ["a listed task has no id"]


def test_a_state_that_goes_backwards_is_shown_and_blamed(talk: Talk) -> None:
    begin(talk)
    talk.call("tasks/get", {"taskId": "t1"}, core("completed"))
    talk.call("tasks/get", {"taskId": "t1"}, core("working"))
    assert talk.task.state == "working"
    assert talk.task.ended
    assert talk.faults == ["the state changed from completed back to working"]


@pytest.mark.parametrize(
    ("handle", "says"),
    [
        (core("completed"), "it began as completed, not as working"),
        (core("sleeping"), "'sleeping' is not a task state"),
        (core(ttl=-1), "ttl is -1"),
        (core(pollInterval="often"), "pollInterval is of type string"),
    ],
)
def test_wrong_handle_is_a_fault(talk: Talk, handle: Any, says: str) -> None:
    talk.call("tools/call", {"name": "dig", "task": {}}, {"task": handle})
    assert says in talk.faults


def test_unrequested_and_duplicate_tasks_are_faults(talk: Talk) -> None:
    begin(talk)
    talk.call("tools/call", {"name": "dig"}, {"task": core()})
    second = talk.conversation.tasks.all[1]
    assert [fault.what for fault in second.faults] == [
        "its id was given before, to task 1",
        "a task that was not requested",
    ]


def test_handle_without_id_is_a_fault_without_a_task(talk: Talk) -> None:
    talk.call("tools/call", {"name": "dig"}, {"resultType": "task", "status": "working"})
    talk.tells("notifications/tasks", {"status": "working"})
    assert talk.conversation.tasks.all == []
    assert [fault.what for fault in talk.conversation.tasks.faults] == [
        "tools/call was answered with a task that has no id",
        "a notification about a task names none",
    ]


def test_a_task_that_is_not_known_any_more_is_lost(talk: Talk) -> None:
    begin(talk)
    talk.answers(talk.asks("tasks/get", {"taskId": "t1"}), error={"code": -32602, "message": "what task?"})
    assert talk.task.lost
    assert talk.task.ended
    assert talk.faults == ["the server returned its handle, but does not know the task"]
    talk.answers(talk.asks("tasks/get", {"taskId": "never"}), error={"code": -32602, "message": "what task?"})
    assert len(talk.conversation.tasks.all) == 1


def test_an_answer_that_speaks_of_another_task_is_blamed(talk: Talk) -> None:
    begin(talk)
    talk.call("tasks/get", {"taskId": "t1"}, core("completed", id_="t9"))
    talk.call("tasks/get", {"taskId": "t1"}, {})
    assert talk.task.state == "working"
    assert talk.faults == ["the response names a different task: 't9'", "the response to tasks/get names no task"]


def test_an_error_as_the_result_of_a_task_that_has_ended_is_its_result(talk: Talk) -> None:
    begin(talk)
    talk.call("tasks/get", {"taskId": "t1"}, core("failed", "no spade"))
    talk.answers(talk.asks("tasks/result", {"taskId": "t1"}), error={"code": -32603, "message": "no spade"})
    assert talk.task.failed
    assert talk.task.result_frame is not None


def test_an_endless_task_keeps_its_first_and_its_newest_steps(talk: Talk) -> None:
    begin(talk)
    for n in range(STEPS + 20):
        talk.tells("notifications/tasks/status", core(message=f"day {n}"))
    assert len(talk.task.history) == STEPS
    assert talk.task.left_out == 21
    assert talk.task.history[0].message == ""
    assert talk.task.history[-1].message == f"day {STEPS + 19}"


def test_faults_are_noted_once_and_not_for_ever(talk: Talk) -> None:
    begin(talk)
    for n in range(FAULTS * 2):
        talk.call("tasks/get", {"taskId": "t1"}, core(f"state {n}"))
        talk.call("tasks/get", {"taskId": "t1"}, core(f"state {n}"))
    assert len(talk.task.faults) == FAULTS


def test_thousands_of_tasks_are_found_by_their_ids(talk: Talk) -> None:
    for n in range(3000):
        begin(talk, id_=f"t{n}")
    talk.call("tasks/get", {"taskId": "t2999"}, core("completed", id_="t2999"))
    found = talk.conversation.tasks.find("t2999")
    assert found is not None
    assert (found.number, found.state) == (3000, "completed")


@given(
    st.lists(st.tuples(st.sampled_from(["tools/call", "tasks/get", "tasks/list", "tasks/result"]), st.integers(0, 3)))
)
def test_a_task_that_has_ended_once_stays_ended(lines: list[tuple[str, int]]) -> None:
    talk, ended = Talk(), set[int]()
    states = ("working", "completed", "nonsense", "input_required")
    for method, n in lines:
        word = core(states[n], id_=f"t{n % 2}")
        results = {"tools/call": {"task": word}, "tasks/list": {"tasks": [word]}}
        talk.call(method, {"name": "x", "task": {}, "taskId": f"t{n % 2}"}, results.get(method, word))
        now = {task.number for task in talk.conversation.tasks.all if task.ended_ns is not None}
        assert ended <= now
        ended = now
