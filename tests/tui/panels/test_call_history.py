"""The calls of one tool, newest first."""

from inspector.tui.panels.call_history import CallHistory, HistoryRows
from inspector.viewmodels.lines import plain
from tests.tui.panels.acting import Acting


def test_calls_are_found_by_their_tool_live_or_recorded() -> None:
    subject = Acting([])
    history = CallHistory(subject)
    history.take()
    subject.tape.call(1, "add", {"a": 1})
    subject.tape.call(2, "echo")
    subject.tape.server_request(1, "tools/call", {"name": "add"})
    assert history.take()
    assert not history.take()
    assert [call.exchange.id for call in history.of("add")] == [1]
    assert history.of("nothing") == []


def test_a_row_says_when_what_how_long_and_with_what() -> None:
    subject = Acting([])
    subject.tape.call(1, "add", {"a": 1})
    subject.tape.wait(31)
    subject.tape.answer(1, {"content": []})
    subject.tape.wait(1000)
    subject.tape.call(2, "add", {"a": "\x1b[2J"})
    history = CallHistory(subject)
    history.take()
    rows = HistoryRows(subject, lambda: history.of("add"))
    newest, oldest = (plain(rows.row(index, 90).spans).split() for index in range(2))
    assert rows.row(0, 90).live
    assert newest[1:3] == ["⋯", "pending"]
    assert "\x1b" not in " ".join(newest)
    assert oldest[1:5] == ["✓", "ok", "31", "ms"]
    assert oldest[5:] == ['{"a":', "1}"]


def test_the_chosen_call_stays_chosen_when_a_newer_one_comes() -> None:
    subject = Acting([])
    subject.tape.call(1, "add")
    history = CallHistory(subject)
    history.take()
    rows = HistoryRows(subject, lambda: history.of("add"))
    key = rows.key(0)
    subject.tape.call(2, "add")
    history.take()
    assert rows.index_of(key) == 1
    assert rows.call(0).exchange.id == 2
