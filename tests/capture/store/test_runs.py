"""Floods of log messages and of lines of stderr are kept as if they had come one by one."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format.records import Entry
from inspector.capture.format.verify import verify
from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.capture.store.runs import LONGEST_PAYLOAD, METHOD, belongs
from inspector.protocol.facts import ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Channel, Direction, Eol, Frame

CAME, OUT = Direction.FROM_SERVER, Channel.STDOUT
LOG = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%b}}'
Line = tuple[bytes, Eol]

payloads = st.one_of(
    st.binary(max_size=20).map(lambda text: LOG % json.dumps(text.decode("latin-1")).encode()),
    st.text(max_size=20).map(lambda text: LOG % json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")),
    st.just(LOG % b'"\xff"'),
    st.sampled_from(
        [
            b"",
            b"Listening...",
            b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
            b'{"jsonrpc":"2.0","id":1,"method":"notifications/message"}',
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
            b'{"jsonrpc":"1.0","method":"notifications/message"}',
            b'{"jsonrpc":"2.0","method":"notifications/message","result":{}}',
            b'[{"jsonrpc":"2.0","method":"notifications/message"}]',
        ]
    ),
)
lines = st.lists(st.tuples(payloads, st.sampled_from([Eol.LF, Eol.CRLF])), max_size=30)


def journal(path: Path | None = None) -> Journal:
    return start_capture(path, clock=lambda: 5, wall=lambda: 7)


def kept(made: Journal) -> list[tuple[Entry, Any, Any, Any, Any]]:
    """Everything that the store knows of each entry."""
    store = made.store
    return [
        (store.entry(n), store.message_kind(n), store.method(n), store.exchange(n), (store.size(n), store.direction(n)))
        for n in range(1, made.count + 1)
    ]


@given(lines)
def test_a_burst_is_kept_as_its_frames_one_by_one_would_be(came: list[Line]) -> None:
    together, alone = journal(), journal()
    together.burst(CAME, OUT, came)
    for payload, eol in came:
        alone.frame(CAME, OUT, payload, eol=eol)
    try:
        assert kept(together) == kept(alone)
        assert list(together.conversation.exchanges) == list(alone.conversation.exchanges)
    finally:
        together.close()
        alone.close()


def test_the_file_holds_the_same_records_and_its_digests_agree(tmp_path: Path) -> None:
    came = [(LOG % b'"%d"' % n, Eol.LF) for n in range(3000)] + [(LOG % b'"\xff"', Eol.CRLF)] * 5
    together, alone = journal(tmp_path / "together"), journal(tmp_path / "alone")
    for start in range(0, len(came), 500):
        together.burst(CAME, OUT, came[start : start + 500])
    for payload, eol in came:
        alone.frame(CAME, OUT, payload, eol=eol)
    together.close()
    alone.close()
    assert records(tmp_path / "together", "frame") == records(tmp_path / "alone", "frame")
    assert records(tmp_path / "together", "sum")[-1] == records(tmp_path / "alone", "sum")[-1]
    assert len(records(tmp_path / "together", "sum")) >= 3
    verdict = verify(tmp_path / "together")
    assert (verdict.complete, verdict.faults, verdict.frames) == (True, (), 3005)
    again = load(tmp_path / "together")
    assert (again.count, again.notices) == (3005, ())


words = st.one_of(st.binary(max_size=20), st.text(max_size=20).map(str.encode), st.just(b"y" * 5000))
muttered = st.lists(st.tuples(words, st.sampled_from([Eol.LF, Eol.LF, Eol.LF, Eol.CRLF, Eol.NONE])), max_size=30)


def mutter_one_by_one(made: Journal, came: list[Line]) -> None:
    for payload, eol in came:
        made.fact(Stderr(payload, partial=eol is Eol.NONE))


@given(st.lists(muttered | lines.map(tuple), max_size=4))
def test_lines_of_stderr_are_kept_as_they_would_be_one_by_one(came: list[Any]) -> None:
    together, alone = journal(), journal()
    for part in came:
        if isinstance(part, tuple):
            together.burst(CAME, OUT, part)
            alone.burst(CAME, OUT, part)
        else:
            together.stderr_lines(part)
            mutter_one_by_one(alone, part)
    try:
        assert kept(together) == kept(alone)
        assert list(together.stderr_tail) == list(alone.stderr_tail)
        kinds = [[made.store.kind(n) for n in range(1, made.count + 1)] for made in (together, alone)]
        assert kinds[0] == kinds[1]
    finally:
        together.close()
        alone.close()


def test_the_file_holds_stderr_and_stdout_in_their_order_to_the_byte(tmp_path: Path) -> None:
    together, alone = journal(tmp_path / "together"), journal(tmp_path / "alone")
    for made in (together, alone):
        for turn in range(3):
            came = [(b"%d trouble %d" % (turn, n), Eol.LF) for n in range(400)]
            came += [('é "quoted" \u2028'.encode(), Eol.CRLF), (b"\xff", Eol.LF), (b"", Eol.LF), (b"torn", Eol.NONE)]
            if made is together:
                made.stderr_lines(came)
            else:
                mutter_one_by_one(made, came)
            made.burst(CAME, OUT, [(LOG % b'"%d"' % n, Eol.LF) for n in range(100)])
        made.fact(ProcessFact(ProcessEvent.STDERR_EOF, 1))
        made.close()
    written = [records(tmp_path / name, "err") for name in ("together", "alone")]
    assert written[0] == written[1]
    assert [record["n"] for record in written[0]][403:405] == [404, 505]
    assert written[0][403]["partial"]
    lines_of_both = [
        [each for each in file.read_bytes().splitlines() if b'"r":"err"' in each] for file in both(tmp_path)
    ]
    assert lines_of_both[0] == lines_of_both[1]
    verdict = verify(tmp_path / "together")
    assert (verdict.complete, verdict.faults, verdict.frames) == (True, (), 300)
    again = load(tmp_path / "together")
    assert (again.count, again.notices) == (3 * 504 + 1, ())


def both(directory: Path) -> list[Path]:
    return [directory / "together", directory / "alone"]


def test_listener_of_all_entries_gets_each_stderr_line() -> None:
    came = [(b"%d" % n, Eol.LF) for n in range(10)]
    all_, few = [], []
    made = journal()
    made.listen(lambda entry, found: few.append(entry.what), in_runs=False)
    made.stderr_lines(came)
    assert few == []
    made.listen(lambda entry, found: all_.append(entry.what))
    made.stderr_lines(came)
    made.close()
    assert all_ == [Stderr(b"%d" % n) for n in range(10)]


def records(path: Path, kind: str) -> list[Any]:
    return [found for line in path.read_bytes().splitlines() if (found := json.loads(line))["r"] == kind]


def test_a_listener_that_wants_all_hears_of_each(tmp_path: Path) -> None:
    heard: list[bytes] = []
    made = journal()
    made.listen(lambda entry, found: heard.append(entry.what.payload) if isinstance(entry.what, Frame) else None)
    made.burst(CAME, OUT, [(LOG % b'"%d"' % n, Eol.LF) for n in range(10)])
    made.close()
    assert heard == [LOG % b'"%d"' % n for n in range(10)]


def test_a_listener_that_need_not_hear_of_floods_hears_of_all_else() -> None:
    heard: list[int] = []
    made = journal()
    stop = made.listen(lambda entry, found: heard.append(entry.n), in_runs=False)
    request = b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}'
    logs = [(LOG % b"1", Eol.LF)] * 10
    made.burst(CAME, OUT, [*logs, (request, Eol.LF), *logs])
    stop()
    made.burst(CAME, OUT, [(request, Eol.LF)])
    made.close()
    assert heard == [11]


def test_only_short_log_messages_belong_to_a_run() -> None:
    assert belongs(LOG % b"1")
    assert METHOD.encode() in LOG
    assert not belongs(LOG % (b'"%b"' % (b"x" * LONGEST_PAYLOAD)))
    assert not belongs(b'{"jsonrpc":"2.0","method":"notifications/progress"}')
