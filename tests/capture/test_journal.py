"""The journal: numbers, times, the fold and its listeners, and failures that do not reach the traffic."""

import errno
import json
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from inspector.capture import allocator
from inspector.capture.format.file import CaptureFile, create
from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal, Listeners, start_capture
from inspector.errors import UsageError
from inspector.protocol.credentials import SecretValues
from inspector.protocol.events import Closed, Event, RequestSent
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, Stderr
from inspector.protocol.frames import Cause, Channel, Eol, Frame, SseFacts
from inspector.transports.base import Observer
from tests.capture.recording import CAME, HEAD, SENT, anonymous, came, entries, http_life, life, over, recorded, sent
from tests.waiting import until

ASK = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}'
ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[]}}'


@pytest.fixture
def journal() -> Journal:
    return over(anonymous())


def test_a_transport_can_report_to_a_journal(journal: Journal) -> None:
    observer: Observer = journal
    observer.frame(SENT, Channel.MEMORY, b"x")
    observer.fact(Stderr(b"y"))
    assert journal.count == 2


def test_entries_are_numbered_from_one_and_dated_by_the_clocks_they_were_given(journal: Journal) -> None:
    sent(journal, b"a")
    journal.fact(Stderr(b"b"))
    came(journal, b"c")
    assert [entry.n for entry in entries(journal)] == [1, 2, 3]
    assert [entry.time_ns - HEAD.tm for entry in entries(journal)] == [0, 1_000_000, 2_000_000]
    assert [entry.wall_ns - HEAD.tw for entry in entries(journal)] == [0, 1_000_000, 2_000_000]
    assert (journal.started_ns, journal.started_wall_ns) == (HEAD.tm, HEAD.tw)


def test_journal_keeps_all_facts_of_a_frame(journal: Journal) -> None:
    journal.frame(CAME, Channel.SSE, b"x", eol=Eol.NONE, http=3, sse=SseFacts("message", "7", 10), cause=Cause.PROBE)
    frame = journal.store.entry(1).what
    assert isinstance(frame, Frame)
    assert (frame.n, frame.channel, frame.http, frame.sse, frame.cause) == (
        1,
        Channel.SSE,
        3,
        SseFacts("message", "7", 10),
        Cause.PROBE,
    )


def test_frames_are_folded_into_the_conversation(journal: Journal) -> None:
    life(journal)
    assert [exchange.method for exchange in journal.conversation.exchanges] == [
        "initialize",
        "tools/list",
        "tools/call",
        "tools/call",
    ]
    assert [tool.name for tool in journal.conversation.catalogue.tools] == ["add"]


def test_listeners_hear_of_an_entry_when_it_can_be_read(journal: Journal) -> None:
    heard: list[tuple[int, int, list[type]]] = []

    def listen(entry: Entry, events: Sequence[Event]) -> None:
        assert journal.store.entry(entry.n) == entry
        heard.append((entry.n, journal.count, [type(event) for event in events]))

    stop = journal.listen(listen)
    sent(journal, ASK % 1)
    journal.fact(Stderr(b"x"))
    came(journal, ANSWER % 1)
    stop()
    stop()
    sent(journal, ASK % 2)
    assert [(n, count) for n, count, _ in heard] == [(1, 1), (2, 2), (3, 3)]
    assert heard[0][2] == [RequestSent]
    assert heard[1][2] == []
    assert heard[2][2][0] is Closed


def test_a_listener_may_report_in_its_turn(journal: Journal) -> None:
    def answer(entry: Entry, events: Sequence[Event]) -> None:
        if entry.n == 1:
            came(journal, ANSWER % 1)

    journal.listen(answer)
    sent(journal, ASK % 1)
    assert journal.count == 2
    assert journal.conversation.exchanges[0].answer_frame == 2


def test_a_listener_that_fails_is_taken_off_and_the_others_hear_on(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []

    def fail(entry: Entry, events: Sequence[Event]) -> None:
        raise ZeroDivisionError

    journal.listen(fail)
    journal.listen(lambda entry, events: heard.append(entry.n))
    with caplog.at_level(logging.ERROR):
        sent(journal, b"a")
        sent(journal, b"b")
    assert heard == [1, 2]
    assert len(journal.notices) == 1
    assert "entry 1" in journal.notices[0]
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize("why", ["", "the server ended"])
def test_the_end_of_the_connection_loses_what_is_open(journal: Journal, why: str) -> None:
    sent(journal, ASK % 1)
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why))
    exchange = journal.conversation.exchanges[0]
    assert exchange.state is ExchangeState.LOST
    assert exchange.why == (why or "the connection was closed")
    assert exchange.ended_ns == journal.store.time_ns(2)


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        (HttpFact(HttpEvent.ERROR, 1, why="reset"), "reset"),
        (HttpFact(HttpEvent.ERROR, 1), "the HTTP exchange failed"),
        (HttpFact(HttpEvent.END, 1, why="the stream was cut"), "the stream was cut"),
    ],
)
def test_the_failure_of_an_http_exchange_loses_what_is_open_on_it_alone(
    journal: Journal, fact: HttpFact, why: str
) -> None:
    journal.frame(SENT, Channel.POST, ASK % 1, http=1)
    journal.frame(SENT, Channel.POST, ASK % 2, http=2)
    journal.fact(fact)
    first, second = journal.conversation.exchanges
    assert (first.state, first.why) == (ExchangeState.LOST, why)
    assert second.is_open


@pytest.mark.parametrize(
    ("status", "kind", "why"),
    [
        (400, "text/html", "the response ended without an answer"),
        (200, "application/json", "the response ended without an answer"),
        (202, "text/plain", None),
        (200, "Text/Event-Stream; charset=utf-8", None),
    ],
)
def test_a_response_that_brought_no_answer_ends_the_wait_for_it(
    journal: Journal, status: int, kind: str, why: str | None
) -> None:
    journal.frame(SENT, Channel.POST, ASK % 1, http=1)
    journal.fact(HttpFact(HttpEvent.RESPONSE, 1, status=status, headers=(("Content-Type", kind),)))
    journal.fact(HttpFact(HttpEvent.END, 1))
    (exchange,) = journal.conversation.exchanges
    assert (exchange.is_open, exchange.why) == (why is None, why or "")


def test_the_good_end_of_an_http_exchange_decides_nothing(journal: Journal) -> None:
    journal.frame(SENT, Channel.POST, ASK % 1, http=1)
    journal.fact(HttpFact(HttpEvent.RESPONSE, 1, status=202))
    journal.fact(HttpFact(HttpEvent.END, 1))
    assert journal.conversation.exchanges[0].is_open


def test_recorded_entries_keep_their_clocks_and_get_the_next_number(journal: Journal) -> None:
    other = over(anonymous())
    http_life(other)
    for entry in entries(other):
        journal.append(entry)
    assert entries(journal) == entries(other)
    first = other.store.entry(1)
    journal.append(first)
    again = journal.store.entry(journal.count)
    assert again.n == journal.count
    assert (again.time_ns, again.what) == (first.time_ns, first.what)


def test_large_blocks_return_to_the_system_from_the_first_long_message_or_a_flood_on(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(allocator, "_call", lambda name, *_: asked.append(name))
    allocator.return_large_blocks.cache_clear()
    for size, calls in ((1_000_000, 0), (2_000_000, 2), (2_000_000, 2)):
        journal.frame(CAME, Channel.STDOUT, b"x" * size)
        assert asked == ["mallopt"] * calls
    allocator.return_large_blocks.cache_clear()
    journal.stderr_lines([(b"x", Eol.LF)] * 50_000)
    assert asked == ["mallopt"] * 4


def test_new_capture_is_private_and_names_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "captures" / "x.mcpcap"
    journal = recorded(path)
    assert journal.live
    assert journal.capture_path == path
    life(journal)
    recording = [journal.recording]
    journal.close()
    assert [*recording, journal.recording] == [True, False]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    head = json.loads(path.read_bytes().splitlines()[0])
    assert head["tool"]["name"] == "mcp-inspect"
    assert head["tool"]["py"].startswith("3.")
    assert head["mode"] == "client"
    assert len(head["id"]) == 36


def test_two_captures_have_two_ids(tmp_path: Path) -> None:
    first, second = recorded(tmp_path / "a"), recorded(tmp_path / "b", mode="stdio-proxy")
    assert first.head.id != second.head.id
    assert second.head.mode == "stdio-proxy"


def test_a_capture_that_is_there_is_kept_unless_it_may_go(tmp_path: Path) -> None:
    path = tmp_path / "x.mcpcap"
    recorded(path).close()
    with pytest.raises(UsageError):
        recorded(path)
    recorded(path, overwrite=True).close()


def test_real_clocks_are_the_default() -> None:
    journal = start_capture(None)
    came(journal, b"x")
    assert journal.started_ns <= journal.store.time_ns(1)
    assert journal.started_wall_ns > 1_500_000_000 * 10**9
    assert not journal.recording
    assert not journal.backpressure


def test_after_the_close_the_traffic_goes_on_and_payloads_are_missing(journal: Journal) -> None:
    sent(journal, ASK % 1)
    journal.close()
    came(journal, ANSWER % 1)
    journal.close()
    assert journal.count == 2
    assert journal.conversation.exchanges[0].state is ExchangeState.ANSWERED
    assert journal.store.entry(2).missing


async def test_a_full_disk_is_a_banner_and_the_traffic_goes_on(tmp_path: Path) -> None:
    def full(fd: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "x.mcpcap"
    file = CaptureFile(create(path), path, write=full, budget=2000, pace=0.01)
    journal = over(file)
    sent(journal, ASK % 1)
    await until(lambda: journal.notices, "the disk failed")
    assert not journal.recording
    for _ in range(20):
        came(journal, b"x" * 200)
    came(journal, ANSWER % 1)
    assert "No space left on device" in journal.notices[0]
    assert journal.count == 22
    assert journal.conversation.exchanges[0].state is ExchangeState.ANSWERED
    assert not journal.store.entry(1).missing
    assert journal.store.entry(22).missing
    journal.close()
    assert path.read_bytes() == b""


def test_journal_without_recorder_is_not_live() -> None:
    shelf = anonymous()
    journal = Journal(shelf, HEAD)
    came(journal, b"x")
    assert not journal.live
    assert not journal.recording
    assert not journal.backpressure
    assert journal.notices == ()
    assert journal.store.entry(1).missing


ENTRY = Entry(7, 7, 7, Stderr(b"x"))


def test_failing_listener_is_removed_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    heard: list[int] = []
    listeners = Listeners(told.append)
    listeners.add(lambda entry, events: [][0], in_runs=True)
    listeners.add(lambda entry, events: heard.append(entry.n), in_runs=True)
    with caplog.at_level(logging.CRITICAL):
        listeners.tell(ENTRY, ())
        listeners.tell(ENTRY, ())
    assert heard == [7, 7]
    assert told == ["A part of the program failed at entry 7 and no longer follows what happens."]


def test_runs_are_for_those_who_want_them() -> None:
    listeners = Listeners(print)
    wanted = [listeners.hear_runs]
    stop = listeners.add(lambda entry, events: None, in_runs=False)
    wanted.append(listeners.hear_runs)
    also = listeners.add(lambda entry, events: None, in_runs=True)
    wanted.append(listeners.hear_runs)
    also()
    stop()
    assert [*wanted, listeners.hear_runs] == [False, False, True, False]


def test_hidden_values_are_masked_in_strings_of_messages_and_in_stderr_and_nothing_else_changes(tmp_path: Path) -> None:
    with_number = b'{"jsonrpc":"2.0","id":1234,"method":"x","params":{"a":"<1234>","b":"p\\u00e4\\"ss","c":[1234]}}'
    for keeps in (False, True):
        path = tmp_path / f"{keeps}.mcpcap"
        journal = start_capture(path, keep_secrets=keeps)
        journal.frame(SENT, Channel.STDIN, b'{"before":"1234"}')
        journal.mask_with(SecretValues(["1234", 'pä"ss']).masked)
        journal.frame(SENT, Channel.STDIN, with_number)
        journal.burst(CAME, Channel.STDOUT, [(b'{"1234":"\xc3\xa4"}', Eol.LF), (b"no JSON 1234", Eol.LF)])
        journal.stderr_lines([(b"said 1234", Eol.LF)])
        frames = [each.what.payload for each in entries(journal) if isinstance(each.what, Frame)]
        journal.close()
        if keeps:
            assert frames[1] == with_number
            continue
        mask = "••••••".encode()
        assert frames[0] == b'{"before":"1234"}'
        assert frames[1] == b'{"jsonrpc":"2.0","id":1234,"method":"x","params":{"a":"<%b>","b":"%b","c":[1234]}}' % (
            mask,
            mask,
        )
        assert frames[2:] == [b'{"%b":"\xc3\xa4"}' % mask, b"no JSON " + mask]
        assert b"said 1234" not in path.read_bytes()
