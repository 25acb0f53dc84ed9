"""The bar over the footer while something hangs: its words, its keys, and that it goes."""

import os
from pathlib import Path
from typing import Any

import pytest

from inspector.protocol.questions import Kind, Question
from inspector.session.desk import Ticket
from inspector.session.proposals import Proposal
from inspector.tui.widgets.waiting_bar import Programs, WaitingBar
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape


class Busy(Staged):
    """Can act, and has questions."""

    can_act = True
    tickets: tuple[Ticket, ...] = ()

    def __init__(self, tape: Tape, **more: Any) -> None:
        super().__init__(tape, **more)


async def test_it_is_there_only_while_something_hangs(tape: Tape) -> None:
    subject, bar = Busy(handshake(tape.started())), WaitingBar()
    app = Showing(bar)
    async with app.run_test(size=(80, 10)) as pilot:

        async def seen() -> str:
            bar.sync(subject)
            await pilot.pause()
            return text(app)

        assert "buy" not in await seen()
        tape.call(7, "buy \x1b[2J")
        tape.wait(5000)
        said = await seen()
        assert "⋯ tools/call buy ␛[2J 5 s ← the server" in said
        assert "^c cancel call" in said
        assert "silent for 5 s" in said
        question = Question(Kind.ELICITATION, {"message": "Which?"}, 99, 1, tape.now)
        ticket = Ticket(1, question)
        subject.tickets = (ticket,)
        tape.wait(3000)
        said = await seen()
        assert "← you" in said
        assert "! answer here" not in said, "the line that tells of the question has its key"
        assert "silent" not in said
        ticket.proposal = Proposal("model", 0)
        assert "← the model" in await seen()
        bar.sync(None)
        await pilot.pause()
        assert "tools/call" not in text(app)
        subject.can_act = False
        assert "tools/call" not in await seen()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
def test_programs_are_looked_at_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    programs = Programs()
    assert programs.of(0) == ((), None)
    running, busy = programs.of(os.getpid())
    assert (running[0].pid, busy) == (os.getpid(), None)
    now[0] += 0.5
    assert programs.of(os.getpid())[0] is running
    now[0] += 1
    again, busy = programs.of(os.getpid())
    assert again is not running
    assert busy is not None
    programs.forget()
    assert programs.of(os.getpid())[1] is None
