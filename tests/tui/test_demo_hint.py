"""The steps of the demo's hint, judged by what happened."""

from types import SimpleNamespace
from typing import Any

from inspector.session.inbox import TicketState
from inspector.tui.demo_hint import STEPS
from tests.present.tape import Tape


def _tab(tape: Tape, *states: TicketState, shown: str = "traffic") -> Any:
    inbox = SimpleNamespace(tickets=[SimpleNamespace(state=state) for state in states])
    return SimpleNamespace(conversation=SimpleNamespace(journal=tape.journal, inbox=inbox), shown=shown)


def _done(tab: Any) -> list[bool]:
    return [step.is_done(tab) for step in STEPS]


def test_each_step_is_done_by_what_it_suggests(tape: Tape) -> None:
    tape.call(1, "echo", {"text": "hi"})
    tape.call(2, "long_running")
    assert _done(_tab(tape, TicketState.WAITING)) == [False] * 4
    tape.answer(1, {"content": []})
    assert _done(_tab(tape)) == [True, False, False, False]
    tape.notify("notifications/cancelled", {"requestId": 2}, by_client=True)
    assert _done(_tab(tape, TicketState.ANSWERED, shown="findings")) == [True] * 4


def test_a_screen_is_named_only_while_another_is_shown() -> None:
    step = STEPS[0]
    assert step.text("traffic").startswith("Press 2, call echo")
    assert step.text("tools").startswith("Call echo")
