"""How a subject handles server requests and logins, in a live session and in a recording."""

import asyncio
import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.errors import CaptureError
from inspector.protocol.capabilities import ALL
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import RequestKind, Root, ServerRequest, accepted, declined
from inspector.session.engine import Engine, Live
from inspector.session.inbox import Ticket
from inspector.session.options import Settings
from inspector.tui.conversation import (
    ConversationStage,
    InboxView,
    LiveSubject,
    LoginView,
    MemoryView,
    PastSubject,
    Recording,
    RequestView,
    TaskView,
    WatchView,
    past_of,
    why_silent,
)
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.servers.guarded import Guarded
from tests.tui.screens.logins import Entrance
from tests.tui.staging import Staged, handshake
from tests.waiting import until


async def test_where_nobody_asks_nothing_is_answered() -> None:
    view = InboxView()
    assert (view.tickets, view.changes, view.roots, view.patience_s, view.proposer) == ((), 0, (), None, None)
    ticket = Ticket(1, ServerRequest(RequestKind.SAMPLING, {}, 1, 1, 0))
    await view.request_proposal(ticket, {})
    await view.cancel_proposal(ticket)
    await view.set_roots([Root("file:///a")])
    assert not await view.answer(ticket, accepted())
    assert (await view.declare(frozenset(ALL)), view.offers, view.answered_earlier) == (False, frozenset(), ())
    assert ticket.proposal is None


async def test_of_a_recording_nobody_logs_in() -> None:
    view = LoginView()
    assert view.guide is None
    assert not view.refused
    assert "no request is pending" in await view.take_pasted("x")
    await view.give_up()


async def test_what_is_pasted_reaches_the_guide_on_its_own_loop() -> None:
    async with Guarded() as house:
        with Entrance(house.url) as entrance:
            subject = entrance.subject()
            await until(lambda: bool(subject.login.guide and subject.login.guide.waiting), "consent is waited for")
            assert "neither" in await subject.login.take_pasted("two words")
            await subject.login.give_up()
            await until(lambda: "it was cancelled" in subject.why, "the login ends")
            assert subject.login.refused
            assert "not waiting for a code" in await subject.login.take_pasted("late")
            await subject.end()


async def test_without_a_guide_there_is_nobody_to_tell() -> None:
    async with Guarded() as house:
        with Entrance(house.url, person=False) as entrance:
            subject = entrance.subject()
            assert subject.login.guide is None
            assert "no request is pending" in await subject.login.take_pasted("x")
            await subject.login.give_up()
            await until(lambda: "needs a user's consent" in subject.why, "it says what to do")
            await subject.end()


def test_the_key_is_the_target_s_and_a_recording_has_none() -> None:
    recorded, live = MemoryView(), MemoryView(cast(Live, SimpleNamespace(target=SimpleNamespace(key="aa"))))
    assert (recorded.key, live.key, recorded.comparison) == ("", "aa", None)


def test_it_knows_what_was_known_and_its_clock_stands_there(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=ConversationStage.RECORDED)
    then = PastSubject(whole, past_of(whole).at(2))
    assert (then.stage, then.about, then.can_act) == (ConversationStage.RECORDED, whole.about, False)
    assert then.opening is not None
    assert then.now_ns == tape.journal.store.time_ns(2)
    then.waited_ns = 5
    assert then.now_ns == tape.journal.store.time_ns(2) + 5
    assert past_of(then) is past_of(whole)
    assert then.moment_shown == 2
    empty = PastSubject(whole, past_of(whole).at(0))
    assert (empty.now_ns, empty.opening) == (0, None)


def test_it_knows_of_findings_what_could_be_said_then(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = Staged(tape, stage=ConversationStage.RECORDED)
    then = PastSubject(whole, past_of(whole).at(1))
    before = then.checks_so_far
    assert before is None, "nobody has begun"
    whole.checks.catch_up()
    found = then.checks
    assert then.checks_so_far is found
    assert (found.all, found.later) == ([], 2)
    then.moment.advance(tape.journal.count)
    assert then.checks_so_far is found
    assert [each.id for each in found.all] == ["stdout-not-json", "stdout-extra-output"]


async def test_a_recording_has_nothing_on_its_way_and_asks_for_nothing() -> None:
    view = RequestView()
    assert view.log_level == ""
    assert await view.ask_for_level("info") is None
    assert view.clocks_of(Exchange(1, Direction.TO_SERVER, 1, "m", "", 1, 0)) is None


REPO = ROOT


def live(engine: Engine, *argv: str, capture: Path | None = None) -> Live:
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
    return Live(engine, StdioTarget(argv, environment, str(REPO)), start_capture(capture), Settings())


async def test_a_live_subject_connects_lists_calls_and_ends(tmp_path: Path) -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, sys.executable, "-m", "inspector.demo", capture=tmp_path / "a.mcpcap"))
    tools = subject.journal.conversation.catalogue
    await until(
        lambda: subject.stage is ConversationStage.OPEN and tools.listings["prompts"].asked, "connected and listed"
    )
    opened: list[str] = []
    called = await subject.call(
        "tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, lambda exchange: opened.append(exchange.target)
    )
    assert isinstance(called.reply, Replied)
    assert opened == ["add"]
    await subject.end()
    assert subject.stage is ConversationStage.CLOSED
    assert subject.why == ""
    engine.stop()
    again = Recording(tmp_path / "a.mcpcap")
    stages = [again.stage]
    again.load()
    assert [*stages, again.stage] == [ConversationStage.LOADING, ConversationStage.RECORDED]
    assert [exchange.method for exchange in again.journal.conversation.exchanges][-1] == "tools/call"
    await again.end()


async def test_a_server_that_can_not_be_started_is_a_failed_subject_with_a_hint() -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, "no-such-command-anywhere"))
    await until(lambda: subject.stage is ConversationStage.FAILED, "failed")
    assert "no-such-command-anywhere" in subject.why
    assert subject.hint
    await subject.end()
    engine.stop()


async def test_a_server_that_dies_says_how() -> None:
    engine = Engine()
    subject = LiveSubject(live(engine, sys.executable, "-m", "inspector.demo", "--crash-on", "echo"))
    await until(lambda: subject.stage is ConversationStage.OPEN, "connected")
    await subject.call("tools/call", {"name": "echo", "arguments": {"message": "x"}}, lambda exchange: None)
    await until(lambda: subject.stage is ConversationStage.CLOSED, "closed")
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
    await until(lambda: subject.stage is ConversationStage.OPEN, "connected")
    before = subject.inbox.changes
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(subject.call("tools/call", {"name": "book"}, lambda exchange: None))
        await until(lambda: subject.inbox.tickets, "the question is there")
        assert subject.inbox.changes > before
        (ticket,) = subject.inbox.tickets
        assert await subject.inbox.answer(ticket, declined())
        assert not await subject.inbox.answer(ticket, declined())
        reply = (await call).reply
    assert isinstance(reply, Replied)
    assert isinstance(reply.message, ResultResponse)
    assert "decline" in reply.message.result["content"][0]["text"]
    assert (subject.inbox.roots, subject.inbox.patience_s) == ((Root("file:///a"),), 3600.0)
    await subject.inbox.set_roots([Root("file:///b")])
    assert subject.inbox.roots == (Root("file:///b"),)
    await subject.end()
    engine.stop()


async def test_a_recording_asks_nobody_anything() -> None:
    recording = Recording(sample("handshake"))
    assert (recording.inbox.tickets, recording.inbox.changes, recording.inbox.roots) == ((), 0, ())
    await recording.end()


async def test_a_capture_that_somebody_records_into_is_there_and_grows(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b"{}")
    await until(lambda: b"frame" in (tmp_path / "a.mcpcap").read_bytes(), "the first line in the file")
    recording = Recording(tmp_path / "a.mcpcap")
    thread = threading.Thread(target=recording.load)
    thread.start()
    await until(
        lambda: recording.grows and recording.stage is ConversationStage.RECORDED, "all was read that was there"
    )
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b"{}")
    await until(lambda: recording.journal.count == 2, "what came since was read")
    journal.close()
    thread.join(10)
    assert not recording.grows
    await recording.end()


@pytest.mark.parametrize(
    ("stage", "acts", "said"),
    [
        (ConversationStage.OPEN, True, ""),
        (ConversationStage.CONNECTING, True, "Still connecting. ^r reconnects."),
        (ConversationStage.CLOSED, True, "Not connected. ^r reconnects."),
        (
            ConversationStage.RECORDED,
            False,
            "This is a recording. ^r starts its server in a new tab.",
        ),
    ],
)
def test_a_key_that_can_send_nothing_says_why_and_what_to_do(
    tape: Tape, stage: ConversationStage, acts: bool, said: str
) -> None:
    subject = Staged(tape, stage=stage)
    subject.can_act = acts
    assert why_silent(subject) == said


async def test_where_nothing_lives_nothing_is_followed_and_nothing_can_be_done() -> None:
    view = TaskView()
    assert view.followed == frozenset()
    with pytest.raises(NotImplementedError):
        await view.perform(lambda tasks: tasks.fetch("t1"))


def test_a_recording_has_no_news() -> None:
    assert WatchView().news() == ()


def test_each_thing_is_told_once_and_nothing_before_there_is_a_session() -> None:
    live = SimpleNamespace(session=None)
    told = WatchView(cast(Live, live))
    assert told.news() == ()
    said = ["cut"]
    live.session = SimpleNamespace(watching=SimpleNamespace(said=said))
    assert told.news() == ("cut",)
    said.append("open again")
    assert told.news() == ("open again",)
    assert told.news() == ()


def test_a_recording_wants_nothing_watched() -> None:
    WatchView().watch_first(("a:b",))
    assert WatchView().wanted == ()


def test_what_is_watched_goes_on_to_the_next_connection_even_one_that_never_opened() -> None:
    live = SimpleNamespace(session=None, watch_first=())
    told = WatchView(cast(Live, live))
    told.watch_first(("a:b",))
    assert told.wanted == ("a:b",)
    live.session = SimpleNamespace(watching=SimpleNamespace(wanted=SimpleNamespace(uris=("c:d",))))
    assert told.wanted == ("c:d",)
