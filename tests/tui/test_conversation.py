"""The conversation behind the interface, live and recorded: its stages, server requests and logins."""

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
from inspector.present.words import status_in
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
    LiveConversation,
    LoginView,
    MemoryView,
    Recording,
    ReplayedConversation,
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


async def test_empty_inbox_view_answers_nothing() -> None:
    view = InboxView()
    assert (view.tickets, view.changes, view.roots, view.patience_s, view.proposer) == ((), 0, (), None, None)
    ticket = Ticket(1, ServerRequest(RequestKind.SAMPLING, {}, 1, 1, 0))
    await view.request_proposal(ticket, {})
    await view.cancel_proposal(ticket)
    await view.set_roots([Root("file:///a")])
    assert not await view.answer(ticket, accepted())
    assert (await view.declare(frozenset(ALL)), view.offers, view.answered_earlier) == (False, frozenset(), ())
    assert ticket.proposal is None


async def test_recording_has_no_login() -> None:
    view = LoginView()
    assert view.guide is None
    assert not view.refused
    assert "no request is pending" in await view.take_pasted("x")
    await view.give_up()


async def test_pasted_code_reaches_the_guide() -> None:
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


async def test_login_without_a_guide_fails_with_advice() -> None:
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


def test_past_conversation_has_state_and_clock_of_its_moment(tape: Tape) -> None:
    whole = Staged(handshake(tape), stage=ConversationStage.RECORDED)
    then = ReplayedConversation(whole, past_of(whole).at(2))
    assert (then.stage, then.about, then.can_act) == (ConversationStage.RECORDED, whole.about, False)
    assert then.opening is not None
    assert then.now_ns == tape.journal.store.time_ns(2)
    then.waited_ns = 5
    assert then.now_ns == tape.journal.store.time_ns(2) + 5
    assert past_of(then) is past_of(whole)
    assert then.moment_shown == 2
    empty = ReplayedConversation(whole, past_of(whole).at(0))
    assert (empty.now_ns, empty.opening) == (0, None)


def test_past_conversation_has_findings_of_its_moment(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = Staged(tape, stage=ConversationStage.RECORDED)
    then = ReplayedConversation(whole, past_of(whole).at(1))
    before = then.checks_so_far
    assert before is None, "nobody has begun"
    whole.checks.catch_up()
    found = then.checks
    assert then.checks_so_far is found
    assert (found.all, found.later) == ([], 1)
    then.moment.advance(tape.journal.count)
    assert then.checks_so_far is found
    assert [each.id for each in found.all] == ["stdout-not-json"]


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
    subject = LiveConversation(live(engine, sys.executable, "-m", "inspector.demo", capture=tmp_path / "a.mcpcap"))
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
    subject = LiveConversation(live(engine, "no-such-command-anywhere"))
    await until(lambda: subject.stage is ConversationStage.FAILED, "failed")
    assert "no-such-command-anywhere" in subject.why
    assert subject.hint
    await subject.end()
    engine.stop()


async def test_dead_server_has_a_reason() -> None:
    engine = Engine()
    subject = LiveConversation(live(engine, sys.executable, "-m", "tests.servers.dying_demo", "echo"))
    await until(lambda: subject.stage is ConversationStage.OPEN, "connected")
    await subject.call("tools/call", {"name": "echo", "arguments": {"message": "x"}}, lambda exchange: None)
    await until(lambda: subject.stage is ConversationStage.CLOSED, "closed")
    assert "exited with code 70" in subject.why
    await subject.end()
    engine.stop()


async def test_recording_cannot_act_and_its_clock_stops() -> None:
    subject = Recording(sample("handshake"))
    subject.load()
    assert not subject.can_act
    assert subject.now_ns == subject.journal.store.time_ns(subject.journal.count)
    with pytest.raises(NotImplementedError):
        await subject.call("ping", None, lambda exchange: None)
    await subject.end()


def test_recording_refuses_other_files(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<html></html>")
    with pytest.raises(CaptureError):
        Recording(path)


async def test_questions_reach_the_interface_and_answers_the_server() -> None:
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False, set_=())
    target = StdioTarget((sys.executable, str(REPO / "tests/servers/asks.py")), environment, str(REPO))
    settings = Settings(era=Era.LEGACY, offers=frozenset(ALL), roots=(Root("file:///a"),), has_person=True)
    subject = LiveConversation(Live(engine, target, start_capture(None), settings))
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


async def test_recording_has_an_empty_inbox() -> None:
    recording = Recording(sample("handshake"))
    assert (recording.inbox.tickets, recording.inbox.changes, recording.inbox.roots) == ((), 0, ())
    await recording.end()


async def test_growing_capture_is_loaded_and_followed(tmp_path: Path) -> None:
    journal = start_capture(tmp_path / "a.mcpcap")
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b"{}")
    await until(lambda: b"frame" in (tmp_path / "a.mcpcap").read_bytes(), "the first line in the file")
    recording = Recording(tmp_path / "a.mcpcap")
    thread = threading.Thread(target=recording.load)
    thread.start()
    await until(
        lambda: recording.grows and recording.stage is ConversationStage.RECORDED, "all was read that was there"
    )
    journal.frame(Direction.TO_SERVER, Channel.STDIN, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    await until(lambda: recording.journal.count == 2, "what came since was read")
    (exchange,) = recording.journal.conversation.exchanges
    assert status_in(recording.journal, exchange)[0] == "⋯ Pending"
    journal.close()
    thread.join(10)
    assert not recording.grows
    assert status_in(recording.journal, exchange)[0] != "⋯ Pending"
    await recording.end()


@pytest.mark.parametrize(
    ("stage", "acts", "said"),
    [
        (ConversationStage.OPEN, True, ""),
        (ConversationStage.CONNECTING, True, "Still connecting. ^r reconnects."),
        (ConversationStage.CLOSED, True, "Not connected. ^r reconnects."),
        (ConversationStage.RECORDED, False, "This is a recording. ^r starts its server in a new tab."),
    ],
)
def test_why_silent_names_the_obstacle(tape: Tape, stage: ConversationStage, acts: bool, said: str) -> None:
    subject = Staged(tape, stage=stage)
    subject.can_act = acts
    assert why_silent(subject) == said


async def test_task_view_of_a_recording_cannot_act() -> None:
    view = TaskView()
    assert view.followed == frozenset()
    with pytest.raises(NotImplementedError):
        await view.perform(lambda tasks: tasks.fetch("t1"))


def test_a_recording_has_no_news() -> None:
    assert WatchView().news() == ()


def test_watch_news_are_returned_once() -> None:
    live = SimpleNamespace(session=None)
    told = WatchView(cast(Live, live))
    assert told.news() == ()
    said = ["cut"]
    live.session = SimpleNamespace(watching=SimpleNamespace(notices=said))
    assert told.news() == ("cut",)
    said.append("open again")
    assert told.news() == ("open again",)
    assert told.news() == ()


def test_a_recording_wants_nothing_watched() -> None:
    WatchView().watch_first(("a:b",))
    assert WatchView().wanted == ()


def test_watched_resources_carry_over_to_the_next_connection() -> None:
    live = SimpleNamespace(session=None, watch_first=())
    told = WatchView(cast(Live, live))
    told.watch_first(("a:b",))
    assert told.wanted == ("a:b",)
    live.session = SimpleNamespace(watching=SimpleNamespace(wanted=SimpleNamespace(uris=("c:d",))))
    assert told.wanted == ("c:d",)
