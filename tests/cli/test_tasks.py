"""Tasks on the command line: what is told of them, what is written, and how it ends."""

import io
from typing import Any

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.tasks import TaskTeller, as_json
from inspector.cli.world import World
from inspector.protocol.tracking.tasks import Task, TaskFault, TaskStep
from tests.cli.running import demo, inspect, scripted

QUICK = ("-a", "seconds_per_step=0.05")
ERAS = ("--legacy-only", "--modern-only")
TIMES = {"createdAt": "2026-08-01T00:00:00Z", "lastUpdatedAt": "2026-08-01T00:00:00Z"}
ABLE: dict[str, Any] = {"capabilities": {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}}
TOOLS = [{"name": "dig", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]


def core(state: str = "working", **more: Any) -> dict[str, Any]:
    return {"taskId": "t1", "status": state, **TIMES, "ttl": None, "pollInterval": 1, **more}


def yard(**answers: Any) -> tuple[str, ...]:
    """A server with one tool whose task goes as the answers say, by method with _ for /."""
    script = {"tools/list": {"result": {"tools": TOOLS}}, "tools/call": {"result": {"task": core()}}}
    return scripted(script | {name.replace("_", "/"): answer for name, answer in answers.items()}, **ABLE)


@pytest.mark.parametrize("era", ERAS)
def test_a_task_is_followed_and_each_of_its_words_told_once(era: str) -> None:
    ran = inspect("call", "paint_tower", "--task", "-a", "coats=2", *QUICK, "--json", *demo(era))
    assert ran.status == ExitStatus.OK
    assert ran.data["result"]["content"][0]["text"] == "The tower is white again, by 2 coats."
    task = ran.data["task"]
    assert (task["state"], task["message"], task["poll_ms"]) == ("completed", "done", 500)
    assert task["history"][0]["state"] == "working"
    assert task["history"][-1] == task["history"][-1] | {"state": "completed", "message": "done"}
    assert f"task: {task['id']}\n  · working: scraping (1 of 3)\n" in ran.stderr
    assert ran.stderr.count("  · completed: done\n") == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_task_that_must_be_one_is_one_unasked_and_fails_with_an_exit_status(era: str) -> None:
    ran = inspect("call", "raise_wreck", *QUICK, *demo(era))
    assert ran.status == ExitStatus.TOOL_ERROR
    assert "The chain has parted" in ran.stdout
    assert "  · failed: The chain has parted" in ran.stderr


@pytest.mark.parametrize("era", ERAS)
def test_a_question_inside_a_task_is_answered_by_the_file(era: str, tmp_path: Any) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text('[{"kind": "elicitation", "answer": "accept", "content": {"goods": "biscuits", "barrels": 3}}]')
    ran = inspect("call", "order_supplies", *QUICK, "--answers", str(answers), *demo(era))
    assert ran.status == ExitStatus.OK
    assert "The boat brings 3 barrels of biscuits." in ran.stdout
    assert "  · input_required: somebody must say how to go on\n" in ran.stderr
    assert "? elicitation: The supply boat asks what to bring." in ran.stderr


@pytest.mark.parametrize("era", ERAS)
def test_a_question_that_nobody_answers_ends_it_at_once(era: str) -> None:
    ran = inspect("call", "order_supplies", *QUICK, "--offer", "elicitation", "--json", *demo(era))
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.error["code"] == "unanswered"


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("echo", "--task", "-a", "text=x"), ExitStatus.USAGE, "the server does not let echo be called as a task"),
        (("echo", "--ttl", "5"), ExitStatus.USAGE, "--ttl says how a task is run"),
        (("echo", "--no-wait"), ExitStatus.USAGE, "--no-wait says how a task is run"),
        (("echo", "--task", "--ttl", "-5"), ExitStatus.USAGE, "-5"),
    ],
)
def test_what_can_not_be_a_task_is_not_called(words: tuple[str, ...], status: int, says: str) -> None:
    ran = inspect("call", *words, *demo("--legacy-only"))
    assert ran.status == status
    assert says in ran.stderr


def test_where_the_server_decides_a_wish_may_come_to_nothing() -> None:
    ran = inspect("call", "echo", "--task", "-a", "text=x", *demo("--modern-only"))
    assert ran.status == ExitStatus.OK
    assert "answered at once: whether a call becomes a task is the server's choice" in ran.stderr


def test_the_handle_is_written_where_nobody_waits_and_a_raw_request_is_not_followed() -> None:
    ran = inspect("call", "paint_tower", "--task", "--ttl", "5000", "--no-wait", "--json", *demo("--legacy-only"))
    assert ran.data["result"]["task"]["ttl"] == 5000
    assert ran.data["task"]["polls"] == 0
    assert "the server ends with this command, and its task with it" in ran.stderr
    raw = inspect("request", "tools/call", "--params", '{"name": "raise_wreck"}', "--json", *demo("--legacy-only"))
    assert raw.data["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("answers", "status", "says"),
    [
        ({"tasks_get": {"result": core("cancelled", statusMessage="rain")}}, 5, "the task was cancelled: rain"),
        ({"tasks_get": {"error": {"code": -32602, "message": "what task?"}}}, 5, "does not know it (any more)"),
        ({"tasks_get": {"error": {"code": -32603, "message": "hm"}}}, 5, "it can't be polled: 3 times in a row"),
        ({"tasks_get": {"result": {}}}, 5, "the answer to tasks/get names no task"),
        ({"tools_call": {"result": {"task": {}}}}, 5, "answered with a task that has no id"),
        (
            {"tasks_get": {"result": core("failed", statusMessage="stone")}, "tasks_result": {"result": {}}},
            5,
            "the task failed: stone",
        ),
        (
            {
                "tools_call": {"result": {"task": core("sleeping", pollInterval="x", ttl=-1)}},
                "tasks_get": {"result": core("completed")},
                "tasks_result": {"result": {"content": []}},
            },
            0,
            "'sleeping' is no state of a task",
        ),
    ],
)
def test_a_task_that_goes_wrong_ends_in_words(answers: dict[str, Any], status: int, says: str) -> None:
    ran = inspect("call", "dig", "--json", *yard(**answers))
    assert ran.status == status
    assert says in ran.stderr


def test_a_task_that_never_ends_is_given_up_when_the_time_is_over() -> None:
    answers = {"tasks_get": {"result": core()}, "tasks_cancel": {"result": core("cancelled")}}
    ran = inspect("call", "dig", "--max-total", "0.4", *yard(**answers))
    assert ran.status == ExitStatus.TIMEOUT
    assert "did not end within 0.4 s" in ran.stderr


def test_a_teller_says_each_word_once_and_makes_foreign_text_visible() -> None:
    world = World(None, {}, io.StringIO(), io.StringIO(), io.StringIO())
    teller = TaskTeller(Output(world))
    task = Task(1, "t\x1b[2J", True, 0, 1, state="working", message="dig\x07")
    for _ in range(3):
        teller.tell(task)
    task.state = ""
    teller.tell(task)
    said = world.stderr.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in said
    assert "\x07" not in said
    assert said.count("working") == 1
    assert "no state" in said


def test_what_is_written_of_a_task_counts_from_its_beginning() -> None:
    task = Task(1, "t1", True, 1_000_000, 1, state="working", history=(TaskStep("working", "", 1, 3_500_000),))
    task.faults = (TaskFault("it has no ttl", 1),)
    assert as_json(task)["history"] == [{"state": "working", "message": "", "at_ms": 2.5}]
    assert as_json(task)["faults"] == ["it has no ttl"]
