"""Rows of Traffic for a width: columns, times and the waterfall."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format.notes import COLOURS, Mark, Notes, View
from inspector.filters.language.parser import parse
from inspector.present.rows import RowView
from inspector.present.spans import plain
from inspector.present.traffic.columns import PLAIN
from inspector.present.traffic.log import LogModel
from inspector.present.traffic.note_rows import NoteRows, mark_role, mark_spans, next_colour
from inspector.present.traffic.rows import RowPlace, RowWriter
from inspector.present.traffic.tail import TailWriter
from inspector.present.traffic.time_axis import TimeWindow, around, bar, moment, role_of, ticks
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Cause, Channel, Direction
from inspector.text import cell_width
from tests.present.errands import begun, polled
from tests.present.tape import Tape

_S = 1_000_000_000


def _drawn(start: float, end: float) -> str:
    """In ten cells, a second each."""
    return plain(bar(round(start * _S), round(end * _S), TimeWindow(0, 10 * _S), 10, "text"))


def test_a_bar_takes_the_cells_of_its_time() -> None:
    assert _drawn(0, 10) == "━" * 10
    assert _drawn(2, 4.4) == "  ━━╸     "
    assert _drawn(2.5, 4.9) == "  ╺━━     "


def test_nothing_is_too_short_to_be_seen() -> None:
    assert _drawn(3, 3) == "   ╸      "
    assert _drawn(10, 10) == "         ╺"


def test_bar_outside_the_window_is_an_arrow() -> None:
    assert _drawn(-5, -1) == "‹         "
    assert _drawn(12, 13) == "         ›"
    assert _drawn(-5, 20) == "━" * 10


def test_a_moment_is_a_dot() -> None:
    assert plain(moment(5 * _S, TimeWindow(0, 10 * _S), 10)) == "     ·    "
    assert plain(moment(11 * _S, TimeWindow(0, 10 * _S), 10)) == "         ›"


_TIMES = st.integers(-(2**62), 2**62)


@given(_TIMES, _TIMES, _TIMES, st.integers(0, 2**62), st.integers(1, 200))
def test_bar_always_fills_its_width(start: int, end: int, begin: int, lasts: int, width: int) -> None:
    window = TimeWindow(begin, begin + lasts)
    assert len(plain(bar(start, end, window, width, "text"))) == width
    assert len(plain(moment(start, window, width))) == width
    assert all(0 <= cell < width for cell, _, _ in ticks(window, width))


def test_the_axis_has_round_marks() -> None:
    assert [(cell, said) for cell, _, said in ticks(TimeWindow(0, 10 * _S), 60)] == [
        (0, "0"),
        (12, "2 s"),
        (24, "4 s"),
        (36, "6 s"),
        (48, "8 s"),
    ]
    assert [said for _, _, said in ticks(TimeWindow(1_230_000, 1_260_000), 60)] == ["1.23 ms", "1.24 ms", "1.25 ms"]


@pytest.mark.parametrize("lasts", [1, 999, 1000, 10**6, 10**9, 10**12, 10**15, 10**18])
def test_two_marks_of_an_axis_never_read_the_same(lasts: int) -> None:
    for begin in (0, -lasts // 2, 5 * lasts + 7, 10**15):
        said = [words for _, _, words in ticks(TimeWindow(begin, begin + lasts), 120)]
        assert len(set(said)) == len(said)


def test_the_window_around_what_is_in_sight_changes_rarely_while_it_grows() -> None:
    assert around([]) is None
    assert around([(5, 5)]) == TimeWindow(5, 1005)
    windows = {around([(0, ms * 1_000_000)]) for ms in range(1, 10_000)}
    assert len(windows) < 50
    for ms in range(1, 10_000, 7):
        window = around([(0, ms * 1_000_000)])
        assert window is not None
        assert ms * 1_000_000 <= window.end <= 1.5 * ms * 1_000_000 + 1000


def _exchange(state: ExchangeState, sender: Direction = Direction.TO_SERVER, **more: bool) -> Exchange:
    return Exchange(1, sender, 1, "x", "", 1, 0, state=state, **more)  # type: ignore[arg-type]


def test_a_bar_looks_like_what_became_of_its_exchange() -> None:
    assert role_of(_exchange(ExchangeState.ANSWERED)) == "to_server"
    assert role_of(_exchange(ExchangeState.ANSWERED, Direction.FROM_SERVER)) == "from_server"
    assert role_of(_exchange(ExchangeState.ANSWERED, tool_error=True)) == "error"
    assert role_of(_exchange(ExchangeState.LOST)) == "error"
    assert role_of(_exchange(ExchangeState.ERROR, probe=True)) == "muted"
    assert role_of(_exchange(ExchangeState.CANCELLED)) == "warning"
    assert role_of(_exchange(ExchangeState.PENDING)) == "pending"


_TREE, _WIRE = RowPlace(tree=True), RowPlace(tree=False)


def _row(tape: Tape, n: int, width: int, place: RowPlace = _TREE) -> RowView:
    number = tape.journal.store.exchange(n)
    exchange: Exchange | None = tape.journal.conversation.exchanges[number - 1] if number else None
    return RowWriter(tape.journal).row(n, exchange, place, width, tape.now)


def _read(tape: Tape, n: int, width: int = 80, place: RowPlace = _TREE) -> str:
    """The row without its time, whose zone is the reader's."""
    row = plain(_row(tape, n, width, place).spans)
    assert cell_width(row) == width
    return row[6:].rstrip() if width == 80 else row


def _calls(tape: Tape) -> int:
    request = tape.call(1, "echo", {"message": "hi"})
    tape.wait(31)
    tape.answer(1, {"content": [{"type": "text", "text": "hi"}]})
    return request


def test_row_at_80_columns_has_time_method_status_and_size(tape: Tape) -> None:
    request = _calls(tape)
    assert _read(tape, request) == '→ tools/call echo  {"message":"hi"}      ✓ OK                 31 ms   75 B'
    assert (
        plain(PLAIN.titles(80)).rstrip()
        == "mm:ss   Method and target                      Status            Duration   Size"
    )


def test_row_at_160_columns_has_number_delta_and_channel(tape: Tape) -> None:
    request = _calls(tape)
    row = _read(tape, request, 160, RowPlace(tree=True, previous_ns=tape.now - 33_000_000))
    assert row.startswith("      1 ")
    assert "+2.0ms → tools/call echo" in row
    assert row.rstrip().endswith("✓ OK                 31 ms  128 B     75 B stdin")
    assert "Delta" in plain(PLAIN.titles(160))


@pytest.mark.parametrize("width", [1, 10, 30, 55, 56, 80, 99, 100, 139, 140, 160, 300])
def test_rows_have_the_requested_width(tape: Tape, width: int) -> None:
    tape.started()
    request = tape.call(1, "数据库" * 30, {"a": "\u0301" * 50})
    tape.stderr("日本語".encode() * 50)
    for n in range(1, tape.journal.count + 1):
        assert cell_width(plain(_row(tape, n, width).spans)) == width
    assert cell_width(plain(PLAIN.titles(width))) == width
    assert request
    assert PLAIN.columns(width)


def test_pending_row_is_live(tape: Tape) -> None:
    request = tape.call(1, "slow")
    tape.wait(14_200)
    assert _read(tape, request).endswith("⋯ Pending           14.2 s")
    assert _row(tape, request, 80).live
    tape.answer(1, {})
    assert not _row(tape, request, 80).live


def test_failed_row_has_the_reason(tape: Tape) -> None:
    refused = tape.call(1, "gone")
    tape.error(1, -32602, "Unknown tool: gone")
    failed = tape.call(2, "read")
    tape.answer(2, {"content": [{"type": "text", "text": "no such file"}], "isError": True})
    lost = tape.call(3, "wait")
    tape.died(why="the server ended")
    assert "tools/call gone  Unknown tool: gone" in _read(tape, refused)
    assert "✗ Error -32602" in _read(tape, refused)
    assert "tools/call read  no such file" in _read(tape, failed)
    assert "✗ Tool error" in _read(tape, failed)
    assert "tools/call wait  the server ended" in _read(tape, lost)
    assert "✗ Lost" in _read(tape, lost)


def test_wire_rows_show_each_frame(tape: Tape) -> None:
    request = _calls(tape)
    assert _read(tape, request, place=_WIRE).endswith("Response #2                 128 B")
    assert _read(tape, 2, place=_WIRE) == "← tools/call echo  hi                    ✓ OK                 31 ms   75 B"


def test_a_call_whose_result_asks_is_not_ok_and_a_retry_has_brought_the_answers(tape: Tape) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    request = tape.request(1, "tools/call", {"name": "ask", "_meta": meta})
    question = {"method": "elicitation/create", "params": {"message": "Sure?"}}
    tape.answer(1, {"resultType": "input_required", "inputRequests": {"q": question}, "requestState": "s"})
    assert "◆ Input required" in _read(tape, request)
    assert _row(tape, request, 80, _TREE).live
    answers = {"q": {"action": "accept"}}
    params = {"name": "ask", "_meta": meta, "inputResponses": answers, "requestState": "s"}
    retry = tape.request(2, "tools/call", params)
    assert "◆ Input required" in _read(tape, request)
    assert not _row(tape, request, 80, _TREE).live
    tape.answer(2, {"resultType": "complete", "content": []})
    assert "✓ OK" in _read(tape, retry)


def test_progress_that_can_not_be_true_is_shown_and_flagged(tape: Tape) -> None:
    tape.call(1, "slow")
    word = tape.notify("notifications/progress", {"progressToken": 1, "progress": 5, "total": 3})
    tape.wait(1000).notify("notifications/progress", {"progressToken": 1, "progress": -2, "total": 3})
    row = _read(tape, word, place=RowPlace(tree=True, nested=True))
    assert "────────── -2 of 3 · -67 %  ▲ beyond the t" in row


def test_nested_row_is_indented_and_short(tape: Tape) -> None:
    tape.call(1, "slow")
    word = tape.notify("notifications/progress", {"progressToken": 1, "progress": 1, "total": 3, "message": "one"})
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 2, "total": 3, "message": "two"})
    nested = RowPlace(tree=True, nested=True)
    assert _read(tape, word, place=nested).startswith("← └ progress ×2  ━━━━━━━─── 2 of 3 · 67 %  two ")
    assert _row(tape, word, 80, nested).live
    assert _read(tape, word, place=_WIRE).startswith("← notifications/progress  1 of 3 one ")


def test_folded_rows_are_counted(tape: Tape) -> None:
    request = _calls(tape)
    assert "tools/call echo ▸ 7 more" in _read(tape, request, place=RowPlace(tree=True, folded=7))


def test_a_late_and_a_second_answer_are_named_as_such(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    tape.wait(2000)
    late, second = tape.answer(1, {}), tape.answer(1, {})
    assert "▲ Late              2.00 s" in _read(tape, late)
    assert "▲ Duplicate" in _read(tape, second)


def test_non_message_row_is_marked(tape: Tape) -> None:
    banner = tape.from_server(b"\x1b[32mListening\x1b[0m on [/] 3000")
    orphan = tape.answer(9, {"a": 1})
    batch = tape.to_server([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (1, 2)])
    assert _read(tape, banner).startswith("← ␛[32mListening␛[0m on [/] 3000")
    assert "✗ Not JSON-RPC" in _read(tape, banner)
    assert _read(tape, orphan).startswith('← response without request  {"a":1}')
    assert "▲ No request" in _read(tape, orphan)
    assert "a batch of 2 messages" in _read(tape, batch)


def test_stderr_and_facts_use_the_room_that_messages_need_for_their_state(tape: Tape) -> None:
    tape.started(("npx", "-y", "@scope/some-server-with-a-long-name", "--flag"))
    line = tape.stderr(b"rate limited, retrying in 3 seconds, please be patient")
    assert _read(tape, 1) == "◆ stdio opened: npx -y @scope/some-server-with-a-long-name --flag"
    assert _read(tape, line).startswith("! rate limited, retrying in 3 seconds, please be patient ")
    assert _read(tape, line).endswith("54 B")
    assert _read(tape, tape.stderr(b"")).startswith("! (empty line)")


def test_probe_row_is_marked_with_its_http_status(http_tape: Tape) -> None:
    probe = http_tape.request(1, "server/discover", http=1, probe=True)
    http_tape.posted(1, status=404)
    http_tape.error(1, -32601, "no", http=1)
    assert _read(http_tape, probe).startswith("→ server/discover probe HTTP 404  no ")
    assert _read(http_tape, http_tape.journal.count, place=_WIRE).startswith("← server/discover probe  no ")


def test_hostile_names_do_not_act(tape: Tape) -> None:
    request = tape.request(1, "tools/call\x1b]52;c;x\x07", {"name": "[@click=app.quit]\u202etxt"})
    assert _read(tape, request, 160).count("\x1b") == 0
    assert "tools/call␛]52;c;x␇ [@click=app.quit]‹U+202E›txt" in _read(tape, request, 160)


def test_unreadable_payload_row_is_marked(tape: Tape) -> None:
    request = _calls(tape)
    stderr = tape.stderr(b"x")
    tape.journal.close()
    assert "cannot read the message" in _read(tape, request, 160)
    assert "cannot read the message" in _read(tape, stderr, 160)


def test_a_word_of_thanks_from_an_http_server_is_no_fault(http_tape: Tape) -> None:
    http_tape.request(1, "initialize", {}, http=1)
    http_tape.posted(1, status=202)
    http_tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=1)
    assert "Acknowledged" in _read(http_tape, http_tape.journal.count, place=_WIRE)
    http_tape.posted(2, status=200)
    http_tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=2)
    assert "Not JSON-RPC" in _read(http_tape, http_tape.journal.count, place=_WIRE)


def test_task_row_shows_the_task_state(tape: Tape) -> None:
    request = begun(tape.initialized("2025-11-25")).seen_frame - 1
    assert "⋯ Working" in _read(tape, request)
    assert _row(tape, request, 80).live
    polled(tape, 11, state="completed")
    assert "✓ Completed" in _read(tape, request)
    assert not _row(tape, request, 80).live


def row(rows: NoteRows, index: int) -> str:
    return "".join(text for text, _ in rows.row(index, 110).spans).rstrip()


def test_marks_come_in_their_order_then_views_by_name(tape: Tape) -> None:
    tape.call(1, "dig")
    tape.answer(1, {})
    tape.stderr(b"oops")
    marks = {1: Mark(1, "red", "first\x1b[2J"), 3: Mark(3), 99: Mark(99, "blue", "gone")}
    rows = NoteRows(tape.journal, Notes(marks, (View("b", "is:error"), View("a", tree=False, columns=("what",))), 3))
    assert rows.count == 5
    assert "★ red" in row(rows, 0)
    assert "first␛[2J" in row(rows, 0)
    assert "tools/call dig" in row(rows, 0)
    assert "time reference  stderr" in row(rows, 1)
    assert "no such entry" in row(rows, 2)
    assert [row(rows, at).split()[1] for at in (3, 4)] == ["a", "b"]
    assert "wire order, 1 columns" in row(rows, 3)
    assert isinstance(rows.item(3), View)
    assert rows.item(9) is None
    generation = rows.generation
    rows.show(Notes())
    assert (rows.count, rows.generation) == (0, generation + 1)


def test_each_colour_has_a_letter_of_its_own_beside_its_look() -> None:
    assert len({mark_spans(Mark(1, colour))[0][0] for colour in COLOURS}) == len(COLOURS)
    assert len({mark_role(colour) for colour in COLOURS}) == len(COLOURS)
    assert [next_colour(colour) for colour in COLOURS] == [*COLOURS[1:], COLOURS[0]]


@pytest.mark.parametrize(("wanted", "entries"), [("mark", [1, 2]), ("mark == red", [2]), ("comment ~ late", [2])])
def test_marks_are_found_by_filters_and_seen_in_rows(tape: Tape, wanted: str, entries: list[int]) -> None:
    tape.call(1, "dig")
    tape.answer(1, {})
    tape.call(2, "dig")
    tape.journal.marks.update({1: Mark(1), 2: Mark(2, "red", "too late")})
    model = LogModel(tape.journal, tape.clock, tree=False)
    model.refresh()
    model.set_filter(parse(wanted))
    while model.filter_step():
        pass
    assert [model.entry_of(at) for at in range(model.count)] == entries
    tree = LogModel(tape.journal, tape.clock)
    tree.refresh()
    shown = "".join(text for text, _ in tree.row(0, 120).spans)
    assert "★y " in shown, "its own mark before that of its answer"
    del tape.journal.marks[1]
    assert "★r too late · " in "".join(text for text, _ in tree.row(0, 120).spans)


def test_tail_line_has_message_and_outcome(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.wait(12).answer(1, {"content": []})
    writer = TailWriter(tape.journal)
    line = plain(writer.line(2, 160))
    assert "tools/call echo" in line
    assert "✓ OK" in line
    assert "12 ms" in line
    assert writer.line(2, 160, "error") == ((plain(writer.line(2, 160)).rstrip(), "error"),)


def test_data_has_the_cause_of_a_request_and_of_its_response(tape: Tape) -> None:
    tape.journal.frame(Direction.TO_SERVER, Channel.STDIN, b'{"jsonrpc":"2.0","id":1,"method":"x"}', cause=Cause.RETRY)
    tape.answer(1, {})
    tape.request(2, "y")
    writer = TailWriter(tape.journal)
    assert [writer.data(n).get("cause") for n in (1, 2, 3)] == ["retry", "retry", None]


def test_data_holds_the_message_as_it_came(tape: Tape) -> None:
    tape.call(1, "echo", {"q": 1})
    tape.wait(12).error(1, -5, "no")
    tape.stderr(b"oh\xff")
    tape.from_server(b"\xffjunk")
    tape.from_server(b'{\n "a": 1}')
    tape.died(code=3)
    writer = TailWriter(tape.journal)
    rows = [msgspec.json.decode(msgspec.json.encode(writer.data(n))) for n in range(1, 7)]
    assert rows[0]["message"]["params"]["arguments"] == {"q": 1}
    assert {key: rows[1][key] for key in ("n", "kind", "dir", "method", "target", "status", "duration_ms")} == {
        "n": 2,
        "kind": "error",
        "dir": "s2c",
        "method": "tools/call",
        "target": "echo",
        "status": "error",
        "duration_ms": 12.0,
    }
    assert rows[1]["time"].endswith("Z")
    assert [rows[2]["kind"], rows[2]["text"]] == ["stderr", "oh‹xFF›"]
    assert rows[3]["text"] == "‹xFF›junk"
    assert rows[4]["message"] == {"a": 1}
    assert b"\n" not in msgspec.json.encode(writer.data(5))
    assert "exited with code 3" in rows[5]["text"]
