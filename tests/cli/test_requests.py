"""One request of a command: its result, log messages and progress, in both eras."""

import io
import json
from pathlib import Path
from typing import Any

import click
import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.cli.commands.call import command
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import answered
from inspector.cli.output import Output
from inspector.cli.progress import ProgressBar
from inspector.cli.requests import CliRequest, Narrator, TaskPrinter, as_json, asked
from inspector.errors import (
    AuthorizationNeeded,
    Disconnected,
    InspectError,
    RequestCancelled,
    RequestFailed,
    RequestTimeout,
)
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Part, ResultResponse
from inspector.protocol.request_meta import LEVELS
from inspector.protocol.server_requests import RequestKind, ServerRequest
from inspector.protocol.tracking.tasks import Task, TaskFault, TaskStep
from tests.cli.running import demo, inspect, scripted


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_log_messages_from_the_level_on_are_printed(flag: str) -> None:
    ran = inspect("call", "log_messages", "--log-level", "error", "--json", *demo(flag)).exits(0)
    told = [line.partition(":")[0] for line in ran.stderr.splitlines() if ": log_messages: " in line]
    assert told == list(LEVELS[LEVELS.index("error") :])


def test_log_messages_are_off_by_default() -> None:
    ran = inspect("call", "log_messages", "--json", *demo())
    assert ": log_messages: " not in ran.stderr
    assert ran.data["rounds"] == 1


def test_a_server_that_sets_no_level_is_called_all_the_same() -> None:
    ran = inspect("call", "t", "--log-level", "info", "--json", *scripted({"tools/call": {"result": {"content": []}}}))
    assert (ran.status, ran.data["result"]) == (0, {"content": []})
    assert "! the server sets no log level: " in ran.stderr


def test_a_level_that_is_none_is_refused_before_anything_is_started() -> None:
    inspect("call", "t", "--log-level", "loud", "--", "no-such-program").exits(2, "invalid --log-level 'loud'")


def test_the_option_takes_the_eight_levels_and_no_other() -> None:
    (option,) = (each for each in command.params if each.name == "log_level")
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == LEVELS


_OURS, _THEIRS = Direction.TO_SERVER, Direction.FROM_SERVER
_ELICIT = {"method": "elicitation/create", "params": {"message": "Which \x1b[31mcity?", "requestedSchema": {}}}


class _Told:
    """A journal, and what is told of what it records."""

    def __init__(self, journal: Journal, *, logs: bool = False, progress: bool = False) -> None:
        self.journal = journal
        self._stderr = io.StringIO()
        output = Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), self._stderr))
        journal.listen(Narrator(output, ProgressBar(output) if progress else None, logs=logs).hear)

    def record(self, direction: Direction, **message: Any) -> None:
        payload = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.journal.frame(direction, Channel.STDIN if direction is _OURS else Channel.STDOUT, payload)

    @property
    def lines(self) -> list[str]:
        return self._stderr.getvalue().splitlines()


@pytest.fixture
def journal() -> Any:
    return start_capture(None)


def test_server_request_and_response_are_narrated(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_THEIRS, id=1, **_ELICIT)
    told.record(_OURS, id=1, result={"action": "accept", "content": {"city": "Oslo\x07"}})
    assert told.lines == ["? elicitation: Which ␛[31mcity?", '  → accept {"city":"Oslo\\u0007"}']


def test_refused_and_cancelled_server_requests_are_narrated(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_THEIRS, id=1, method="sampling/createMessage", params={"maxTokens": 1})
    told.record(_OURS, id=1, error={"code": -1, "message": "nobody"})
    told.record(_THEIRS, id=2, method="roots/list")
    told.record(_THEIRS, method="notifications/cancelled", params={"requestId": 2, "reason": "too late"})
    assert told.lines == [
        '? sampling: {"maxTokens":1}',
        "  → error: nobody",
        "? roots: {}",
        "  → the server cancelled roots/list: too late",
    ]


def test_input_requests_in_a_result_are_narrated(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_OURS, id=1, method="tools/call", params={"name": "t"})
    told.record(_THEIRS, id=1, result={"resultType": "input_required", "inputRequests": {"q": _ELICIT}})
    told.record(_OURS, id=2, method="tools/call", params={"name": "t", "inputResponses": {"q": {"action": "decline"}}})
    assert told.lines == ["? elicitation: Which ␛[31mcity?", "  → decline"]


def test_a_ping_is_no_question(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_THEIRS, id=1, method="ping")
    told.record(_OURS, id=1, result={})
    assert told.lines == []


@pytest.mark.parametrize(("logs", "lines"), [(True, ["warning: lamp: dim"]), (False, [])])
def test_log_messages_are_narrated_on_request(journal: Journal, logs: bool, lines: list[str]) -> None:
    told = _Told(journal, logs=logs)
    told.record(_THEIRS, method="notifications/message", params={"level": "warning", "logger": "lamp", "data": "dim"})
    told.record(_THEIRS, method="notifications/tools/list_changed")
    assert told.lines == lines


@pytest.mark.parametrize(("progress", "lines"), [(True, ["1 of 2 · 50 %  half"]), (False, [])])
def test_progress_is_narrated_on_request(journal: Journal, progress: bool, lines: list[str]) -> None:
    told = _Told(journal, progress=progress)
    told.record(_OURS, id=1, method="tools/call", params={"name": "t", "_meta": {"progressToken": "p"}})
    params = {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
    told.record(_THEIRS, method="notifications/progress", params=params)
    assert told.lines == lines


def test_url_elicitation_is_narrated_with_its_url() -> None:
    params = {"mode": "url", "url": "https://h/\x07", "message": "Go"}
    assert asked(ServerRequest(RequestKind.ELICITATION, params, 1, 1, 0)) == "elicitation at https://h/␇: Go"


_EXCHANGE = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "t", 1, 0)


def test_an_answer_is_handed_on() -> None:
    reply = Replied(ResultResponse(1, Part(b"{}")), _EXCHANGE)
    assert answered(reply, "tools/call") is reply


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (Silent(_EXCHANGE, 3.0, "idle"), RequestTimeout, "timeout: no response to m and no progress for 3 s"),
        (Silent(_EXCHANGE, 9.0, "total"), RequestTimeout, "timeout: no response to m within 9 s in total"),
        (Refused(_EXCHANGE, 401, "", b""), AuthorizationNeeded, "authentication required: HTTP 401 for m"),
        (Refused(_EXCHANGE, 403, "", b""), AuthorizationNeeded, "access denied: HTTP 403 for m"),
        (Refused(_EXCHANGE, 500, "", b"oops \n", (), "cut"), RequestFailed, "no response to m: HTTP 500; cut; oops"),
        (Refused(None, None, "", b"", (), "cut"), RequestFailed, "no response to m: cut"),
        (Broken(_EXCHANGE, "it died", "look"), Disconnected, "no response to m: it died"),
        (GivenUp(_EXCHANGE), RequestCancelled, "m was cancelled"),
    ],
)
def test_everything_else_is_raised(reply: Reply, kind: type[InspectError], said: str) -> None:
    with pytest.raises(kind) as raised:
        answered(reply, "m")
    assert type(raised.value) is kind
    assert str(raised.value) == said


def test_timeout_hint_names_the_option() -> None:
    for clock, option in (("idle", "--timeout"), ("total", "--max-total")):
        with pytest.raises(RequestTimeout) as raised:
            answered(Silent(None, 1.0, clock), "m")
        assert option in raised.value.hint


def _exchange(number: int, started: int, ended: int | None) -> Exchange:
    return Exchange(number, Direction.TO_SERVER, number, "m", "", 1, started, ended_ns=ended)


def test_the_duration_is_from_the_first_request_to_the_last_answer() -> None:
    request = CliRequest("m", None, "")
    durations = [request.duration_ns]
    for exchange in (_exchange(1, 10, 20), _exchange(2, 30, 70), _exchange(3, 80, None)):
        request.exchanges.append(exchange)
        durations.append(request.duration_ns)
    assert durations == [None, 10, 60, None]


def test_an_error_that_is_null_is_still_an_error() -> None:
    ran = inspect("read", "a:b", "--json", *scripted({"resources/read": {"error": None}}))
    assert (ran.status, ran.data["result"], ran.data["error"]) == (5, None, None)


def test_a_result_that_is_null_is_no_complete_one() -> None:
    ran = inspect("read", "a:b", "--json", *scripted({"resources/read": {"result": None}}))
    assert (ran.status, ran.data["result"], ran.data["error"]) == (5, None, None)
    assert ran.data["outcome"] == "incomplete result"


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
def test_followed_task_prints_each_state_once(era: str) -> None:
    ran = inspect("call", "task_optional", "--task", "-a", "coats=2", *QUICK, "--json", *demo(era)).exits(ExitStatus.OK)
    assert ran.data["result"]["content"][0]["text"] == "The tower is white again, by 2 coats."
    task = ran.data["task"]
    assert (task["state"], task["message"], task["poll_ms"]) == ("completed", "done", 500)
    assert task["history"][0]["state"] == "working"
    assert task["history"][-1] == task["history"][-1] | {"state": "completed", "message": "done"}
    assert f"task: {task['id']}\n  · working: scraping (1 of 3)\n" in ran.stderr
    assert ran.stderr.count("  · completed: done\n") == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_task_that_must_be_one_is_one_unasked_and_fails_with_an_exit_status(era: str) -> None:
    ran = inspect("call", "task_that_fails", *QUICK, *demo(era)).exits(ExitStatus.TOOL_ERROR)
    assert "The chain has parted" in ran.stdout
    assert "  · failed: The chain has parted" in ran.stderr


@pytest.mark.parametrize("era", ERAS)
def test_a_question_inside_a_task_is_answered_by_the_file(era: str, tmp_path: Any) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text('[{"kind": "elicitation", "answer": "accept", "content": {"goods": "biscuits", "barrels": 3}}]')
    ran = inspect("call", "task_that_asks", *QUICK, "--responses", str(answers), *demo(era)).exits(ExitStatus.OK)
    assert "The boat brings 3 barrels of biscuits." in ran.stdout
    assert "  · input_required: waiting for a response to the elicitation\n" in ran.stderr
    assert "? elicitation: What should the supply boat bring?" in ran.stderr


@pytest.mark.parametrize("era", ERAS)
def test_task_with_unanswered_input_fails_at_once(era: str) -> None:
    ran = inspect("call", "task_that_asks", *QUICK, "--capability", "elicitation", "--json", *demo(era))
    assert ran.status == ExitStatus.TOOL_ERROR
    assert ran.error["code"] == "unanswered"


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("echo", "--task", "-a", "text=x"), ExitStatus.USAGE, "the server does not let echo be called as a task"),
        (("echo", "--ttl", "5"), ExitStatus.USAGE, "--ttl needs --task"),
        (("echo", "--no-wait"), ExitStatus.USAGE, "--no-wait needs --task"),
        (("echo", "--task", "--ttl", "-5"), ExitStatus.USAGE, "-5"),
    ],
)
def test_task_of_an_unfit_tool_is_not_called(words: tuple[str, ...], status: int, says: str) -> None:
    inspect("call", *words, *demo("--legacy-only")).exits(status, says)


def test_server_may_answer_without_a_task() -> None:
    ran = inspect("call", "echo", "--task", "-a", "text=x", *demo("--modern-only")).exits(ExitStatus.OK)
    assert "the server returned a result instead of a task" in ran.stderr


def test_task_handle_is_written_with_no_wait() -> None:
    ran = inspect("call", "task_optional", "--task", "--ttl", "5000", "--no-wait", "--json", *demo("--legacy-only"))
    assert ran.data["result"]["task"]["ttl"] == 5000
    assert ran.data["task"]["polls"] == 0
    assert "the server ends with this command, and its task with it" in ran.stderr
    raw = inspect("request", "tools/call", "--params", '{"name": "task_that_fails"}', "--json", *demo("--legacy-only"))
    assert raw.data["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("answers", "status", "says"),
    [
        ({"tasks_get": {"result": core("cancelled", statusMessage="rain")}}, 5, "the task was cancelled: rain"),
        ({"tasks_get": {"error": {"code": -32602, "message": "what task?"}}}, 5, "does not know it (any more)"),
        ({"tasks_get": {"error": {"code": -32603, "message": "hm"}}}, 5, "it can't be polled: 3 times in a row"),
        ({"tasks_get": {"result": {}}}, 5, "the response to tasks/get names no task"),
        ({"tools_call": {"result": {"task": {}}}}, 5, "a task without an id"),
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
            "'sleeping' is not a task state",
        ),
    ],
)
def test_a_task_that_goes_wrong_ends_in_words(answers: dict[str, Any], status: int, says: str) -> None:
    inspect("call", "dig", "--json", *yard(**answers)).exits(status, says)


def test_a_task_that_never_ends_is_given_up_when_the_time_is_over() -> None:
    answers = {"tasks_get": {"result": core()}, "tasks_cancel": {"result": core("cancelled")}}
    ran = inspect("call", "dig", "--max-total", "0.4", *yard(**answers)).exits(ExitStatus.TIMEOUT)
    assert "not completed within 0.4 s" in ran.stderr


def test_task_printer_prints_visible_text_once() -> None:
    env = CliEnv(None, {}, io.StringIO(), io.StringIO(), io.StringIO())
    teller = TaskPrinter(Output(env))
    task = Task(1, "t\x1b[2J", True, 0, 1, state="working", message="dig\x07")
    for _ in range(3):
        teller.tell(task)
    task.state = ""
    teller.tell(task)
    said = env.stderr.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in said
    assert "\x07" not in said
    assert said.count("working") == 1
    assert "no state" in said


def test_task_history_counts_from_its_start() -> None:
    task = Task(1, "t1", True, 1_000_000, 1, state="working", history=(TaskStep("working", "", 1, 3_500_000),))
    task.faults = (TaskFault("it has no ttl", 1),)
    assert as_json(task)["history"] == [{"state": "working", "message": "", "at_ms": 2.5}]
    assert as_json(task)["faults"] == ["it has no ttl"]


_ECHO = {"resources/read": {"result": {"contents": [{"uri": "a:b", "text": "found"}]}}}


def test_read_when_the_uri_is_a_template_sends_it_with_literals_and_values_encoded(tmp_path: Path) -> None:
    capture = tmp_path / "read.mcpcap"
    words = ("notes://café/my docs/{name}", "-a", "name=a b", "--capture", str(capture))
    assert inspect("read", *words, *scripted(_ECHO)).status == 0
    assert "notes://caf%C3%A9/my%20docs/a%20b" in capture.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("notes://{name}",), "needs a value for name"),
        (("notes://a", "-a", "x=1"), "-a x: the URI has no such variable; it has no variables"),
        (("notes://{name}", "-a", "nam=1"), "its variables are name"),
        (("notes://{name", "-a", "name=1"), "no such variable"),
        (("notes://{name",), "a brace in it is never closed"),
    ],
)
def test_read_with_unfilled_template_names_missing_variables(words: tuple[str, ...], says: str) -> None:
    ran = inspect("read", *words, *scripted(_ECHO))
    assert (ran.status, says in ran.stderr) == (2, True)
