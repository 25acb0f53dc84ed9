"""What panels ask: a live conversation, and a recorded one."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.errors import CaptureError
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.offers import ALL
from inspector.protocol.questions import Root, declined
from inspector.protocol.revisions._shape import Era
from inspector.session.engine import Engine, Live
from inspector.session.open import Settings
from inspector.tui.subject import LiveSubject, Recording, Stage, why_silent
from tests.captures.record import sample
from tests.tui.staging import Staged
from tests.viewmodels.tape import Tape
from tests.waiting import until

REPO = Path(__file__).parents[2]


def live(engine: Engine, *argv: str, capture: Path | None = None) -> Live:
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
    return Live(engine, StdioTarget(argv, environment, str(REPO)), start_capture(capture), Settings())


async def test_a_live_subject_connects_lists_calls_and_ends(tmp_path: Path) -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, sys.executable, "-m", "inspector.demo", capture=tmp_path / "a.mcpcap"))
    tools = subject.journal.conversation.catalogue
    await until(lambda: subject.stage is Stage.OPEN and tools.listings["prompts"].asked, "connected and listed")
    opened: list[str] = []
    called = await subject.call(
        "tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, lambda exchange: opened.append(exchange.target)
    )
    assert isinstance(called.reply, Replied)
    assert opened == ["add"]
    await subject.end()
    assert subject.stage is Stage.CLOSED
    assert subject.why == ""
    engine.stop()
    again = Recording(tmp_path / "a.mcpcap")
    stages = [again.stage]
    again.load()
    assert [*stages, again.stage] == [Stage.LOADING, Stage.RECORDED]
    assert [exchange.method for exchange in again.journal.conversation.exchanges][-1] == "tools/call"
    await again.end()


async def test_a_server_that_can_not_be_started_is_a_failed_subject_with_a_hint() -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, "no-such-command-anywhere"))
    await until(lambda: subject.stage is Stage.FAILED, "failed")
    assert "no-such-command-anywhere" in subject.why
    assert subject.hint
    await subject.end()
    engine.stop()


async def test_a_server_that_dies_says_how() -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, sys.executable, "-m", "inspector.demo", "--crash-on", "echo"))
    await until(lambda: subject.stage is Stage.OPEN, "connected")
    await subject.call("tools/call", {"name": "echo", "arguments": {"message": "x"}}, lambda exchange: None)
    await until(lambda: subject.stage is Stage.CLOSED, "closed")
    assert "exited with code 70" in subject.why
    await subject.end()
    engine.stop()


async def test_a_recording_can_do_nothing_and_its_time_stands_still() -> None:
    subject = Recording(sample("handshake"))
    subject.load()
    assert not subject.can_act
    assert subject.now_ns == subject.journal.store.time_ns(subject.journal.count)
    with pytest.raises(NotImplementedError):
        await subject.call("ping", None, lambda exchange: None)
    await subject.end()


def test_what_is_no_capture_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html></html>")
    with pytest.raises(CaptureError):
        Recording(path)


async def test_questions_reach_the_interface_and_answers_the_server() -> None:
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False, set_=())
    target = StdioTarget((sys.executable, str(REPO / "tests/servers/asks.py")), environment, str(REPO))
    settings = Settings(era=Era.LEGACY, offers=frozenset(ALL), roots=(Root("file:///a"),), has_person=True)
    subject = LiveSubject(Live(engine, target, start_capture(None), settings))
    await until(lambda: subject.stage is Stage.OPEN, "connected")
    before = subject.desk_changes
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(subject.call("tools/call", {"name": "book"}, lambda exchange: None))
        await until(lambda: subject.tickets, "the question is there")
        assert subject.desk_changes > before
        (ticket,) = subject.tickets
        assert await subject.answer(ticket, declined())
        assert not await subject.answer(ticket, declined())
        reply = (await call).reply
    assert isinstance(reply, Replied)
    assert isinstance(reply.message, Answer)
    assert "decline" in reply.message.result["content"][0]["text"]
    assert (subject.roots, subject.patience_s) == ((Root("file:///a"),), 3600.0)
    await subject.set_roots([Root("file:///b")])
    assert subject.roots == (Root("file:///b"),)
    await subject.end()
    engine.stop()


async def test_a_recording_asks_nobody_anything() -> None:
    recording = Recording(sample("handshake"))
    assert (recording.tickets, recording.desk_changes, recording.roots) == ((), 0, ())
    await recording.end()


async def test_a_capture_that_somebody_records_into_is_there_and_grows(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b"{}")
    await until(lambda: b"frame" in (tmp_path / "a.mcpcap").read_bytes(), "the first line in the file")
    recording = Recording(tmp_path / "a.mcpcap")
    thread = threading.Thread(target=recording.load)
    thread.start()
    await until(lambda: recording.grows and recording.stage is Stage.RECORDED, "all was read that was there")
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b"{}")
    await until(lambda: recording.journal.count == 2, "what came since was read")
    journal.close()
    thread.join(10)
    assert not recording.grows
    await recording.end()


@pytest.mark.parametrize(
    ("stage", "acts", "said"),
    [
        (Stage.OPEN, True, ""),
        (Stage.CONNECTING, True, "Nothing is sent while it connects. ^r begins anew."),
        (Stage.CLOSED, True, "Nothing is sent: there is no connection. ^r connects again."),
        (Stage.RECORDED, False, "Nothing is sent: this is a recording. ^r starts its server in a tab beside."),
    ],
)
def test_a_key_that_can_send_nothing_says_why_and_what_to_do(tape: Tape, stage: Stage, acts: bool, said: str) -> None:
    subject = Staged(tape, stage=stage)
    subject.can_act = acts
    assert why_silent(subject) == said
