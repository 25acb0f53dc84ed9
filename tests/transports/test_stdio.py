"""The stdio transport: messages, stderr, and how a child ends."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Eol
from inspector.transports import children
from inspector.transports.base import Expects, Outgoing
from inspector.transports.children import end_all_children, is_group_alive, spawn
from inspector.transports.ending import Ending, Exit, ShutdownTimeouts, signal_name
from inspector.transports.stdio import StdioTransport
from tests.transports.recording import Recorder, child_env, server
from tests.waiting import until


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        (Exit(1, "", 0.31), "the server exited with code 1 after 0.3 s"),
        (Exit(None, "SIGSEGV", 62), "the server was ended by SIGSEGV after 62.0 s"),
    ],
)
def test_end_is_one_sentence(how: Exit, sentence: str) -> None:
    assert how.sentence() == sentence


def test_every_signal_has_a_name() -> None:
    assert signal_name(signal.SIGTERM) == "SIGTERM"
    assert signal_name(40) == "signal 40"


async def test_exit_is_reported_once_despite_open_streams(home: Path) -> None:
    child = spawn(sys.executable, server("ignores_sigterm"), child_env(), None)
    told: list[str] = []

    def report(fact: ProcessFact) -> None:
        told.append(fact.signal if fact.event is ProcessEvent.SIGNAL else str(fact.event))

    ending = Ending(
        child,
        ShutdownTimeouts(30, 30),
        report=report,
        is_drained=lambda: False,
        drain=lambda: None,
        on_exit=lambda how: told.append(f"on_exit {how.signal}"),
        on_gone=lambda: told.append("on_gone"),
    )
    assert ending.exit is None
    ending.begin()
    ending.begin()
    child.kill()
    await until(lambda: "on_gone" in told, "it is over")
    ending.kill()
    ending.begin()
    ending.look()
    assert told == ["exit", "on_exit SIGKILL", "on_gone"]
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe
        pipe.close()


HASTY = ShutdownTimeouts(stdin_close=0.1, term=0.1)
Start = Callable[..., StdioTransport]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    """Make transports to servers of tests/servers; each is closed at the end of the test."""
    made: list[StdioTransport] = []

    def make(name: str, *arguments: str, grace: ShutdownTimeouts = HASTY) -> StdioTransport:
        made.append(StdioTransport(server(name, *arguments), env=child_env(), grace=grace))
        return made[-1]

    yield make
    for transport in made:
        await transport.close()


def _message(text: bytes) -> Outgoing:
    return Outgoing(text, Expects.NOTHING)


async def test_every_line_is_a_frame_blank_or_not_with_what_ended_it(start: Start) -> None:
    recorder, transport = Recorder(), start("banner")
    await transport.open(recorder)
    await recorder.until(lambda seen: len(seen.frames) == 3, "the banner is read")
    assert [(frame.payload, frame.eol) for frame in recorder.frames] == [
        (b"Welcome to the server!", Eol.LF),
        (b"", Eol.LF),
        (b"Listening", Eol.CRLF),
    ]
    assert {(frame.direction, frame.channel) for frame in recorder.frames} == {(Direction.FROM_SERVER, Channel.STDOUT)}


async def test_late_first_output_has_how_long_the_process_waited_for_the_cpu(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.transports.stdio._LATE_S", -1)
    recorder, transport = Recorder(), start("banner")
    await transport.open(recorder)
    await recorder.until(lambda seen: len(seen.frames) == 3, "the banner is read")
    late = [each for each in recorder.facts if isinstance(each, ProcessFact) and each.event is ProcessEvent.LATE]
    assert [each.state is not None and each.state.delayed_s >= 0 for each in late] == [True]


async def test_separators_of_unicode_end_no_line(start: Start) -> None:
    recorder, transport = Recorder(), start("banner")
    await transport.open(recorder)
    text = '{"text":"a\u2028b\u0085c"}'.encode()
    await transport.send(_message(text))
    await recorder.until(lambda seen: text in seen.received(), "the line came back whole")


async def test_opening_facts_have_command_directory_and_names(start: Start) -> None:
    recorder, transport = Recorder(), start("echo")
    await transport.open(recorder)
    connection, process = recorder.facts[:2]
    assert isinstance(connection, ConnectionFact)
    assert connection.argv == server("echo")
    assert connection.cwd == os.getcwd()
    assert connection.env_names == ("HOME", "PATH")
    assert process == ProcessFact(ProcessEvent.SPAWN, transport.pid or 0)


async def test_a_child_that_runs_already_is_taken_over_with_what_it_has_printed() -> None:
    recorder, started = Recorder(), children.start(server("banner"), child_env(), None)
    transport = StdioTransport(server("banner"), env=child_env(), started=started)
    await transport.open(recorder)
    await recorder.until(lambda seen: len(seen.frames) == 3, "the banner is read")
    await transport.close()
    assert transport.pid == started.child.pid
    assert recorder.of(ConnectionFact)[0].argv[0] == started.path
    assert recorder.events()[:2] == ["open", "spawn"]


async def test_a_child_that_runs_already_is_ended_if_it_is_never_taken_over() -> None:
    started = children.start(server("echo"), child_env(), None)
    await StdioTransport(server("echo"), env=child_env(), started=started).close()
    assert started.child.returncode == -signal.SIGKILL
    assert not is_group_alive(started.child.pid)


async def test_the_command_is_found_on_the_path_of_the_child_and_keeps_its_name(tmp_path: object) -> None:
    script = f"{tmp_path}/greet"
    with open(script, "w") as file:  # noqa: ASYNC230
        file.write('#!/bin/sh\necho "$0 in $PWD"\n')
    os.chmod(script, 0o755)
    recorder = Recorder()
    transport = StdioTransport(["greet"], env={**child_env(), "PATH": str(tmp_path)}, cwd="/")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it greets")
    await transport.close()
    assert recorder.received() == [f"{script} in /".encode()]
    assert recorder.of(ConnectionFact)[0].argv == (script,)


async def test_missing_command_aborts_with_what_was_tried() -> None:
    recorder = Recorder()
    transport = StdioTransport(["no-such-command", "--stdio"], env={"PATH": "/usr/bin"}, cwd="/")
    with pytest.raises(ConnectError, match="`no-such-command` is not on the PATH"):
        await transport.open(recorder)
    await transport.close()
    began, ended = recorder.of(ConnectionFact)
    assert (began.argv, began.cwd, began.env_names) == (("no-such-command", "--stdio"), "/", ("PATH",))
    assert (ended.event, ended.why[:16]) == (ConnectionEvent.ABORT, "`no-such-command")
    assert recorder.events() == ["open", "abort"]


async def test_a_file_that_the_kernel_refuses_is_an_error_with_a_sentence(tmp_path: object) -> None:
    path = f"{tmp_path}/nonsense"
    with open(path, "wb") as file:  # noqa: ASYNC230
        file.write(b"\x00\x01\x02nothing that runs")
    os.chmod(path, 0o755)
    with pytest.raises(ConnectError, match="neither a program for this machine nor a script"):
        await StdioTransport([path], env=child_env()).open(Recorder())


async def test_a_nul_in_an_argument_is_an_error_with_a_sentence() -> None:
    with pytest.raises(ConnectError, match="could not be started"):
        await StdioTransport(["/bin/sh", "a\0b"], env=child_env()).open(Recorder())


async def test_a_connection_opens_once(start: Start) -> None:
    transport = start("echo")
    await transport.open(Recorder())
    with pytest.raises(ConnectError, match="opened or closed before"):
        await transport.open(Recorder())


async def test_send_before_open_is_refused(start: Start) -> None:
    with pytest.raises(Disconnected, match="not started"):
        await start("echo").send(_message(b"{}"))


async def test_windows_is_refused_in_words(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = start("echo")
    with monkeypatch.context() as patch:
        patch.setattr("inspector.transports.stdio.os.name", "nt")
        with pytest.raises(ConnectError, match="Linux and macOS only"):
            await transport.open(Recorder())


async def test_stderr_is_a_channel_of_its_own_and_last_words_come_before_the_exit(start: Start) -> None:
    recorder, transport = Recorder(), start("dies", "3")
    await transport.open(recorder)
    why = await transport.wait_closed()
    assert why.startswith("the server exited with code 3 after 0.")
    assert recorder.received() == [b"last line on stdout"]
    assert recorder.of(Stderr) == [Stderr(b"cannot go on")]
    assert recorder.log[-3:] == [
        ProcessFact(ProcessEvent.EXIT, transport.pid or 0, code=3),
        ProcessFact(ProcessEvent.STDIN_EOF, transport.pid or 0),
        ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why),
    ]
    assert transport.exit is not None
    assert transport.exit.code == 3


async def test_an_end_by_a_signal_names_the_signal(start: Start) -> None:
    recorder, transport = Recorder(), start("dies", "SIGSEGV")
    await transport.open(recorder)
    assert (await transport.wait_closed()).startswith("the server was ended by SIGSEGV")
    ends = [fact for fact in recorder.of(ProcessFact) if fact.event is ProcessEvent.EXIT]
    assert [(fact.code, fact.signal) for fact in ends] == [(None, "SIGSEGV")]


async def test_an_exit_with_code_zero_is_an_end_and_no_abort(start: Start) -> None:
    recorder, transport = Recorder(), start("dies", "0")
    await transport.open(recorder)
    assert "exited with code 0" in await transport.wait_closed()
    assert recorder.events()[-1] == "close"


async def test_a_server_without_stdout_still_runs_and_the_connection_is_over(start: Start) -> None:
    recorder, transport = Recorder(), start("closes_stdout")
    await transport.open(recorder)
    assert await transport.wait_closed() == "the server closed its stdout but still runs"
    assert transport.exit is None
    with pytest.raises(Disconnected, match="closed its stdout"):
        await transport.send(_message(b"{}"))
    await transport.close()
    assert recorder.events().count("abort") == 1
    assert "close" not in recorder.events()


async def test_a_server_without_stdin_cannot_be_sent_anything(start: Start) -> None:
    recorder, transport = Recorder(), start("closes_stdout", "stdin")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it has closed its stdin")
    with pytest.raises(Disconnected, match="closed its stdin"):
        await transport.send(_message(b"{}"))
    assert recorder.sent() == []


async def test_half_a_line_is_shown_after_a_pause_and_at_the_end(start: Start) -> None:
    recorder, transport = Recorder(), start("no_newline")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.of(Stderr), "the prompt is shown")
    assert recorder.of(Stderr) == [Stderr(b"Password: ", partial=True)]
    assert recorder.frames == []
    await transport.close()
    assert [(frame.payload, frame.eol) for frame in recorder.frames] == [(b'{"jsonrpc":', Eol.NONE)]
    assert recorder.events()[-1] == "close"


async def test_a_flood_on_stderr_without_line_ends_comes_in_pieces(start: Start) -> None:
    recorder, transport = Recorder(), start("floods_stderr")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.received() == [b"done"], "the server got rid of it all")
    await recorder.until(lambda seen: len(seen.stderr()) == 8 * 1024 * 1024, "all of it is read")
    assert max(len(fact.payload) for fact in recorder.of(Stderr)) == 64 * 1024
    assert all(fact.partial for fact in recorder.of(Stderr))


async def test_a_line_may_have_any_length(start: Start) -> None:
    recorder, transport = Recorder(), start("huge_line")
    await transport.open(recorder)
    await transport.wait_closed()
    assert [len(payload) for payload in recorder.received()] == [100_000_000, 5]


async def test_flood_loses_no_line_and_keeps_the_loop_running(start: Start) -> None:
    recorder, transport = Recorder(), start("floods")
    await transport.open(recorder)
    most = turns = seen = 0
    while transport.exit is None:
        await asyncio.sleep(0)
        turns += 1
        most = max(most, len(recorder.frames) - seen)
        seen = len(recorder.frames)
    await transport.wait_closed()
    assert len(recorder.frames) == 100_000
    assert {len(frame.payload) for frame in recorder.frames} == {199}
    assert most <= 1024
    assert turns >= 100_000 // 1024


async def test_send_waits_for_a_slow_reader_while_reading(start: Start) -> None:
    recorder, transport = Recorder(), start("never_reads")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it is ready")

    async def send_in_vain() -> None:
        with pytest.raises(Disconnected):
            await transport.send(_message(b"a" * 5_000_000))

    async with asyncio.TaskGroup() as group:
        first = group.create_task(send_in_vain())
        second = group.create_task(transport.send(_message(b"never begun")))
        await recorder.until(lambda seen: seen.sent(), "the first is on its way")
        os.kill(transport.pid or 0, signal.SIGUSR1)
        await recorder.until(lambda seen: b"still here" in seen.received(), "it speaks meanwhile")
        assert not first.done()
        second.cancel()
        await asyncio.wait([second])
        await transport.close()
    assert [len(payload) for payload in recorder.sent()] == [5_000_000]


async def test_a_line_that_has_begun_is_written_whole_although_its_sender_gave_up(start: Start) -> None:
    recorder, transport = Recorder(), start("reads_late", grace=ShutdownTimeouts(60, 60))
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it is ready")
    async with asyncio.TaskGroup() as group:
        first = group.create_task(transport.send(_message(b"a" * 4_999_999)))
        await recorder.until(lambda seen: seen.sent(), "the first is on its way")
        first.cancel()
        await asyncio.wait([first])
        group.create_task(transport.send(_message(b"b" * 99)))
        await asyncio.sleep(0)
        closing = group.create_task(transport.close())
        await asyncio.sleep(0)
        os.kill(transport.pid or 0, signal.SIGUSR1)
    assert closing.done()
    assert recorder.received() == [b"ready", b"5000000", b"100"]
    assert [len(payload) for payload in recorder.sent()] == [4_999_999, 99]


async def test_a_well_behaved_server_ends_with_its_stdin(start: Start) -> None:
    recorder, transport = Recorder(), start("echo", grace=ShutdownTimeouts(30, 30))
    await transport.open(recorder)
    await transport.close()
    events = recorder.events()
    assert events[:3] == ["open", "spawn", "stdin_eof"]
    assert sorted(events[3:5]) == ["stderr_eof", "stdout_eof"]
    assert events[5:] == ["exit", "close"]
    assert await transport.wait_closed() == ""


async def test_stubborn_server_is_killed(start: Start) -> None:
    recorder, transport = Recorder(), start("ignores_sigterm")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it ignores signals")
    await transport.close()
    events = [event for event in recorder.events() if not event.endswith("_eof")]
    assert events == ["open", "spawn", "SIGTERM", "SIGKILL", "exit", "close"]
    assert recorder.of(ProcessFact)[-1].signal == "SIGKILL"


@pytest.mark.parametrize(("delays", "excused"), [([0, 1], True), ([5, 5], False)])
async def test_a_server_that_waited_for_the_cpu_since_stdin_was_closed_counts_as_computing(
    start: Start, monkeypatch: pytest.MonkeyPatch, delays: list[float], excused: bool
) -> None:
    monkeypatch.setattr("inspector.transports.ending.delayed_seconds", lambda pid: delays.pop(0) if delays else 9)
    monkeypatch.setattr("inspector.transports.ending.is_runnable", lambda pid: False)
    recorder, transport = Recorder(), start("ignores_sigterm")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it ignores signals")
    await transport.close()
    first = next(each for each in recorder.of(ProcessFact) if each.event is ProcessEvent.SIGNAL)
    assert first.was_computing is excused


@pytest.mark.parametrize("first_look_s", [0.1, 0.0])
async def test_a_server_that_floods_on_after_its_stdin_was_closed_is_sent_sigterm_without_the_usual_wait(
    start: Start, monkeypatch: pytest.MonkeyPatch, first_look_s: float
) -> None:
    monkeypatch.setattr("inspector.transports.stdio._FLOOD_S", first_look_s)
    recorder, transport = Recorder(), start("floods", "1000000000", grace=ShutdownTimeouts(600, 600))
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it floods")
    await transport.close()
    events = [event for event in recorder.events() if not event.endswith("_eof")]
    assert events == ["open", "spawn", "SIGTERM", "exit", "close"]


async def test_a_close_that_is_cancelled_kills(start: Start) -> None:
    recorder, transport = Recorder(), start("ignores_sigterm", grace=ShutdownTimeouts(30, 30))
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it ignores signals")
    async with asyncio.TaskGroup() as group:
        closing = group.create_task(transport.close())
        await recorder.until(lambda seen: "stdin_eof" in seen.events(), "the close has begun")
        closing.cancel()
    assert transport.exit is not None
    assert transport.exit.signal == "SIGKILL"
    assert not is_group_alive(transport.pid or 0)
    assert recorder.events()[-1] == "close"
    await transport.close()


@pytest.mark.parametrize(("temper", "sent"), [("meek", "SIGTERM"), ("stubborn", "SIGTERM SIGKILL"), ("brief", "")])
async def test_a_grandchild_that_holds_the_pipes_is_ended_after_its_parent_unless_it_ends_by_itself(
    start: Start, temper: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.transports.ending._REST_MAY_END_S", 60 if temper == "brief" else 0.1)
    recorder, transport = Recorder(), start("forks_and_exits", temper)
    await transport.open(recorder)
    assert "exited with code 0" in await transport.wait_closed()
    await until(lambda: not is_group_alive(transport.pid or 0), "the group is ended, though nobody asked")
    await transport.close()
    assert [event for event in recorder.events() if event.startswith("SIG")] == sent.split()


async def test_a_child_in_a_session_of_its_own_is_reported_when_its_server_has_ended(start: Start) -> None:
    recorder, transport = Recorder(), start("leaves_a_child")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "the child runs")
    await transport.close()
    (left,) = (each for each in recorder.of(ProcessFact) if each.event is ProcessEvent.LEFT)
    assert left.state is not None
    (child,) = left.state.children
    assert child.command == "sleep 60"
    os.kill(child.pid, signal.SIGKILL)


async def test_closing_while_a_grandchild_holds_the_pipes_does_not_hang(start: Start) -> None:
    recorder, transport = Recorder(), start("forks_and_exits")
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "the grandchild lives")
    assert is_group_alive(transport.pid or 0)
    await transport.close()
    assert not is_group_alive(transport.pid or 0)


def test_stdio_works_on_a_loop_in_any_thread(home: object) -> None:
    recorder = Recorder()

    async def converse() -> None:
        transport = StdioTransport(server("echo"), env=child_env())
        await transport.open(recorder)
        await transport.send(_message(b'{"id":1,"method":"x","params":{}}'))
        await recorder.until(lambda seen: seen.received(), "the answer is there")
        await transport.close()

    thread = threading.Thread(target=asyncio.run, args=(converse(),))
    thread.start()
    thread.join()
    assert recorder.received() == [b'{"jsonrpc": "2.0", "id": 1, "result": {}}']
    assert recorder.events()[-2:] == ["exit", "close"]


async def test_send_to_a_dead_server_has_its_signal(start: Start) -> None:
    recorder, transport = Recorder(), start("echo")
    await transport.open(recorder)

    async def send_until_it_fails() -> None:
        while True:
            await transport.send(_message(b"{}"))

    os.kill(transport.pid or 0, signal.SIGKILL)
    with pytest.raises(Disconnected, match="was ended by SIGKILL"):
        await send_until_it_fails()


async def test_output_before_the_exit_is_read_on_a_busy_loop(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.transports.ending._LINGER", -1)
    recorder, transport = Recorder(), start("floods", "1000")  # no more than the pipe holds
    await transport.open(recorder)
    transport._live.ending._child.wait()  # type: ignore[union-attr]
    await transport.wait_closed()
    assert len(recorder.frames) == 1000
    assert recorder.events()[-3:] == ["exit", "stdin_eof", "close"]


@pytest.mark.benchmark
async def test_a_hundred_thousand_lines_are_all_read(start: Start) -> None:
    recorder, transport = Recorder(), start("floods")
    await transport.open(recorder)
    await transport.wait_closed()
    assert len(recorder.frames) == 100_000


async def test_an_end_that_a_signal_to_this_program_brings_is_ours_and_no_fault_of_the_server(start: Start) -> None:
    recorder, transport = Recorder(), start("echo")
    await transport.open(recorder)
    await asyncio.to_thread(end_all_children)
    assert await transport.wait_closed() == ""
    await until(lambda: recorder.of(ConnectionFact)[-1].event is ConnectionEvent.CLOSE, "the end was reported")
    events = [(each.event, each.signal) for each in recorder.of(ProcessFact)]
    assert events.index((ProcessEvent.SIGNAL, "SIGTERM")) < events.index((ProcessEvent.EXIT, "SIGTERM"))


def _connections(recorder: Recorder) -> list[ConnectionEvent]:
    return [fact.event for fact in recorder.of(ConnectionFact)]


async def _lost_at_the_probe(start: Start, recorder: Recorder, *how: str) -> tuple[StdioTransport, list[str]]:
    """A server that is lost at its first message while that is on hold, and what was said of it.

    It has exited, or, if it "closes", has closed its stdout.
    """
    transport, lost = start("exits_at_strangers", *how), list[str]()
    transport.hold(lost.append)
    await transport.open(recorder)
    await transport.send(
        Outgoing(b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}', Expects.ANSWER, cause=Cause.PROBE)
    )
    await until(lambda: lost, "its end was noticed")
    return transport, lost


async def test_an_exit_on_hold_ends_no_connection_and_the_server_can_be_started_once_more(start: Start) -> None:
    recorder = Recorder()
    transport, lost = await _lost_at_the_probe(start, recorder)
    with pytest.raises(Disconnected, match="exited with code 1"):
        await transport.send(_message(b"{}"))
    assert await transport.restart("its first message") == lost[0]
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.RENEW]
    renewed = recorder.of(ConnectionFact)[-1]
    assert renewed.why == f"{lost[0]}; its first message"
    assert renewed.argv == recorder.of(ConnectionFact)[0].argv
    await transport.send(_message(b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"x"}}'))
    await recorder.until(lambda seen: seen.received(), "the second start has answered")
    assert await transport.restart("again") == "", "once"
    await transport.close()
    assert _connections(recorder)[-1] is ConnectionEvent.CLOSE


async def test_restart_when_the_server_closed_its_stdout_ends_it_first(start: Start) -> None:
    recorder = Recorder()
    transport, lost = await _lost_at_the_probe(start, recorder, "closes")
    first = transport.pid
    assert await transport.restart("its first message") == lost[0] == "the server closed its stdout but still runs"
    assert transport.pid != first
    await transport.send(_message(b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"x"}}'))
    await recorder.until(lambda seen: seen.received(), "the second start has answered")
    await transport.close()
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.RENEW, ConnectionEvent.CLOSE]


async def test_settle_when_the_server_closed_its_stdout_ends_the_connection(start: Start) -> None:
    recorder = Recorder()
    transport, lost = await _lost_at_the_probe(start, recorder, "closes")
    transport.settle()
    assert await transport.wait_closed() == lost[0]
    await transport.close()
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.ABORT]


async def test_an_exit_on_hold_that_is_settled_is_the_end_of_the_connection(start: Start) -> None:
    recorder = Recorder()
    transport, lost = await _lost_at_the_probe(start, recorder)
    transport.settle()
    assert await transport.wait_closed() == lost[0]
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.ABORT]
    assert await transport.restart("too late") == ""


async def test_a_connection_can_be_closed_while_an_exit_is_on_hold(start: Start) -> None:
    recorder = Recorder()
    transport, _ = await _lost_at_the_probe(start, recorder)
    await transport.close()
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.ABORT]


async def test_a_server_that_has_read_nothing_is_not_started_again(start: Start) -> None:
    recorder, lost = Recorder(), list[str]()
    transport = start("dies", "3")
    transport.hold(lost.append)
    await transport.open(recorder)
    with suppress(Disconnected):
        await transport.send(_message(b"{}"))
    await until(lambda: lost, "its end was noticed")
    assert await transport.restart("its first message") == ""
    transport.settle()
    assert _connections(recorder) == [ConnectionEvent.OPEN, ConnectionEvent.ABORT]
