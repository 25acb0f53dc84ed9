"""What is told on stderr while a command waits: questions and answers as they crossed the wire, progress, logs."""

import io
import json
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.cli.narration import Narrator, asked
from inspector.cli.output import Output
from inspector.cli.progress import ProgressBar
from inspector.cli.world import World
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.questions import Kind, Question

_OURS, _THEIRS = Direction.TO_SERVER, Direction.FROM_SERVER
_ELICIT = {"method": "elicitation/create", "params": {"message": "Which \x1b[31mcity?", "requestedSchema": {}}}


class _Told:
    """A journal, and what is told of what it records."""

    def __init__(self, journal: Journal, *, logs: bool = False, progress: bool = False) -> None:
        self.journal = journal
        self._stderr = io.StringIO()
        output = Output(World(None, {}, io.StringIO(), io.StringIO(), self._stderr))
        journal.listen(Narrator(output, ProgressBar(output) if progress else None, logs=logs).hear)

    def record(self, direction: Direction, **message: Any) -> None:
        payload = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.journal.frame(direction, Channel.STDIN if direction is _OURS else Channel.STDOUT, payload)

    @property
    def lines(self) -> list[str]:
        return self._stderr.getvalue().splitlines()


@pytest.fixture
def journal() -> Any:
    made = start_capture(None)
    yield made
    made.close()


def test_a_question_and_its_answer_are_told(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_THEIRS, id=1, **_ELICIT)
    told.record(_OURS, id=1, result={"action": "accept", "content": {"city": "Oslo\x07"}})
    assert told.lines == ["? elicitation: Which ␛[31mcity?", '  → accept {"city":"Oslo\\u0007"}']


def test_a_refusal_and_a_withdrawal_are_told(journal: Journal) -> None:
    told = _Told(journal)
    told.record(_THEIRS, id=1, method="sampling/createMessage", params={"maxTokens": 1})
    told.record(_OURS, id=1, error={"code": -1, "message": "nobody"})
    told.record(_THEIRS, id=2, method="roots/list")
    told.record(_THEIRS, method="notifications/cancelled", params={"requestId": 2, "reason": "too late"})
    assert told.lines == [
        '? sampling: {"maxTokens":1}',
        "  → refused: nobody",
        "? roots: {}",
        "  → the server no longer asks roots/list: too late",
    ]


def test_questions_in_a_result_and_their_answers_in_the_retry_are_told(journal: Journal) -> None:
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
def test_log_messages_are_told_if_they_were_asked_for(journal: Journal, logs: bool, lines: list[str]) -> None:
    told = _Told(journal, logs=logs)
    told.record(_THEIRS, method="notifications/message", params={"level": "warning", "logger": "lamp", "data": "dim"})
    told.record(_THEIRS, method="notifications/tools/list_changed")
    assert told.lines == lines


@pytest.mark.parametrize(("progress", "lines"), [(True, ["1 of 2 · 50 %  half"]), (False, [])])
def test_progress_is_told_if_it_was_asked_for(journal: Journal, progress: bool, lines: list[str]) -> None:
    told = _Told(journal, progress=progress)
    told.record(_OURS, id=1, method="tools/call", params={"name": "t", "_meta": {"progressToken": "p"}})
    params = {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
    told.record(_THEIRS, method="notifications/progress", params=params)
    assert told.lines == lines


def test_a_question_that_leads_away_says_where() -> None:
    params = {"mode": "url", "url": "https://h/\x07", "message": "Go"}
    assert asked(Question(Kind.ELICITATION, params, 1, 1, 0)) == "elicitation at https://h/␇: Go"
