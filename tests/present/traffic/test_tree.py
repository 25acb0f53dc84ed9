"""The tree of Traffic: entries that count as errors, and runs of entries that are one row."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.filters.language.parser import parse
from inspector.present.spans import plain
from inspector.present.traffic.index import RowIndex
from inspector.present.traffic.log import LogModel
from inspector.present.traffic.tree import (
    FEWEST,
    IN_TREE,
    IN_TREE_PLAIN,
    IN_WIRE,
    IN_WIRE_PLAIN,
    SHORTEST,
    Errors,
    Tree,
    WireRuns,
    is_acknowledgment,
)
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction
from tests.present.tape import Tape
from tests.present.traffic.test_index import STEPS, play


def _wrong(tape: Tape, *, tree: bool = False) -> list[int]:
    """The entries of all errors, or in the tree those of their rows."""
    places = Tree(tape.journal)
    if tape.journal.count:
        places.take_many(1, tape.journal.count)
    found, key = [], -1
    while (key := places.errors.after(key, tree=tree)) >= 0:
        found.append(key & 0xFFFF_FFFF)
    assert len(found) == len(places.errors)
    return found


def test_errors_tool_errors_and_what_is_no_message_are_errors(tape: Tape) -> None:
    for id_ in range(3):
        tape.call(id_, "x")
    tape.answer(0, {"content": []})
    refused = tape.error(1, -32602, "no")
    failed = tape.answer(2, {"content": [], "isError": True})
    junk = tape.from_server(b"hello")
    assert _wrong(tape) == [refused, failed, junk]
    assert _wrong(tape, tree=True) == [2, 3, junk]


def test_a_death_is_an_error_and_so_is_what_was_lost_with_it(tape: Tape) -> None:
    tape.started()
    call = tape.call(1, "x")
    tape.died(3)
    assert _wrong(tape) == [call, 4, 5]


def test_an_end_that_was_wanted_is_none(tape: Tape) -> None:
    tape.started()
    tape.died(0)
    tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    assert _wrong(tape) == [4], "the connection broke off"


def test_a_probe_that_is_refused_is_none(tape: Tape) -> None:
    tape.request(1, "server/discover", probe=True)
    tape.error(1, -32601, "no such method", probe=True)
    assert _wrong(tape) == []


def test_accepted_body_is_no_wrong_line() -> None:
    tape = Tape(http=True)
    tape.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", "https://example.test/mcp"))
    tape.notify("notifications/initialized", by_client=True, http=1)
    tape.fact(HttpFact(HttpEvent.RESPONSE, 1, status=202))
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=1)
    assert is_acknowledgment(tape.journal, tape.journal.count)
    assert _wrong(tape) == []
    tape.journal.frame(Direction.FROM_SERVER, Channel.REPLY, b"Accepted", http=7)
    assert _wrong(tape) == [tape.journal.count]


def test_they_are_found_from_any_place_in_both_directions() -> None:
    from array import array

    errors = Errors(array("I", range(100)))
    for n in (50, 10, 90, 50):
        errors.add(n, n)
    assert len(errors) == 3
    assert [errors.after(key, tree=False) for key in (-1, 10, 50, 90)] == [10, 50, 90, -1]
    assert [errors.after(key, tree=False, back=True) for key in (99, 90, 11, 10)] == [90, 50, 10, -1]


def _log(tape: Tape, count: int, said: str = "line") -> list[int]:
    return [
        tape.wait(1).notify("notifications/message", {"level": "info", "data": f"{said} {n}"}) for n in range(count)
    ]


def _model(tape: Tape, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree)
    model.refresh()
    return model


def _rows(model: LogModel, width: int = 100) -> list[str]:
    return [plain(model.row(index, width).spans)[21:].rstrip() for index in range(model.count)]


def test_a_long_run_is_one_row_with_its_count_and_its_last_text(tape: Tape) -> None:
    _log(tape, 240)
    (row,) = _rows(_model(tape))
    assert " ".join(row.split()) == "← ▸ ×240 notifications/message info: line 2… 239 ms"


def test_a_short_run_is_read_faster_as_it_is(tape: Tape) -> None:
    _log(tape, SHORTEST - 1)
    assert _model(tape).count == SHORTEST - 1


def test_a_few_notifications_that_a_list_has_changed_are_one_row(tape: Tape) -> None:
    for _ in range(FEWEST - 1):
        tape.notify("notifications/tools/list_changed")
    tape.notify("notifications/prompts/list_changed")
    assert _model(tape).count == FEWEST
    for _ in range(FEWEST):
        tape.notify("notifications/tools/list_changed")
    model = _model(tape)
    assert model.count == FEWEST + 1
    assert f"▸ ×{FEWEST} notifications/tools/list_changed" in _rows(model)[-1]
    model.toggle_fold(FEWEST)
    assert model.count == 2 * FEWEST


def test_the_run_is_folded_as_soon_as_it_is_long_enough(tape: Tape) -> None:
    model = LogModel(tape.journal, tape.clock)
    seen = []
    for _ in range(SHORTEST + 1):
        _log(tape, 1)
        model.refresh()
        seen.append(model.count)
    assert seen == [*range(1, SHORTEST), 1, 1]


def test_space_unfolds_a_run_and_folds_it_again_from_any_of_its_rows(tape: Tape) -> None:
    tape.stderr(b"before")
    entries = _log(tape, 12)
    tape.stderr(b"after")
    model = _model(tape)
    assert model.count == 3
    model.toggle_fold(1)
    assert [model.entry_of(index) for index in range(1, 13)] == entries
    assert "▾ ×12" in _rows(model)[1]
    more = _log(tape, 1)
    model.refresh()
    model.toggle_fold(5)
    assert model.count == 4, "the line of stderr parts the runs"
    assert model.find(more[0]) == 3
    assert "▸ ×12" in _rows(model)[1]


def test_a_run_that_is_unfolded_grows_row_by_row(tape: Tape) -> None:
    _log(tape, 12)
    model = _model(tape)
    model.toggle_fold(0)
    _log(tape, 3)
    tape.flood(300)
    model.refresh()
    assert model.count == 315
    model.toggle_fold(300)
    assert model.count == 1
    assert "×315" in _rows(model)[0]


def _mutter(tape: Tape, count: int, said: bytes = b"line") -> None:
    for n in range(count):
        tape.wait(1).stderr(b"%b %d" % (said, n))


def test_stderr_run_is_one_row_after_its_cause(tape: Tape) -> None:
    call = tape.call(1, "slow")
    _mutter(tape, 150)
    tape.answer(1, {})
    _mutter(tape, 100)
    model = _model(tape)
    row = " ".join(_rows(model)[1].split())
    assert model.count == 2, "the answer is no row, so the lines stand side by side"
    assert row.startswith(f"! stderr ▸ ×250 after tools/call #{call} line 99")
    model.toggle_fold(1)
    assert model.count == 251
    assert "▾ ×250 after tools/call" in _rows(model)[1]
    assert "line 0" in _rows(model)[1]
    assert _rows(model)[2].split()[:3] == ["!", "line", "1"]
    model.toggle_fold(77)
    assert model.count == 2


def test_lines_of_stderr_follow_an_answer_or_the_start_of_the_server(tape: Tape) -> None:
    tape.journal.fact(ProcessFact(ProcessEvent.SPAWN, 7))
    _mutter(tape, 10)
    tape.call(1, "slow")
    answer = tape.answer(1, {})
    _log(tape, 5)
    _mutter(tape, 12)
    rows = _rows(_model(tape), 120)
    assert "×10 after server start" in rows[1]
    assert f"×12 after response to tools/call #{answer}" in rows[-1]


def test_a_few_lines_of_stderr_are_read_faster_as_they_are(tape: Tape) -> None:
    _mutter(tape, SHORTEST - 1)
    assert _model(tape).count == SHORTEST - 1


def test_stderr_run_folds_in_wire_order_on_request(tape: Tape) -> None:
    tape.call(1, "slow")
    _mutter(tape, 30)
    tape.answer(1, {})
    model = _model(tape, tree=False)
    assert model.count == 32
    model.toggle_fold(4)
    assert model.count == 3
    assert "stderr ▸ ×30 after tools/call #1" in " ".join(_rows(model)[1].split())
    model.toggle_fold(1)
    assert model.count == 32


def test_another_method_or_another_sender_ends_a_run(tape: Tape) -> None:
    for _ in range(2):
        _log(tape, 10)
        for _ in range(10):
            tape.notify("notifications/resources/updated", {"uri": "a://b"})
    for _ in range(10):
        tape.notify("notifications/resources/updated", {"uri": "a://b"}, by_client=True)
    assert [row.split("▸")[1].split()[0] for row in _rows(_model(tape))] == ["×10"] * 5


def test_nested_messages_are_their_own_run(tape: Tape) -> None:
    _log(tape, 10)
    call = tape.call(1, "slow")
    nested = _log(tape, 10)
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    _log(tape, 10)
    tape.wait(1).answer(1, {})
    _log(tape, 10)
    model = _model(tape)
    assert [row.count("×10") for row in _rows(model)] == [1, 0, 1, 0, 1, 1]
    assert model.find(nested[7]) == model.find(nested[0]) == 2
    model.toggle_fold(model.find(call) or 0)
    assert "▸ 3 more" in _rows(model)[1]
    model.toggle_fold(1)
    assert model.count == 6


def test_the_row_of_a_run_leads_to_its_newest_entry(tape: Tape) -> None:
    entries = _log(tape, 20)
    model = _model(tape)
    assert model.entry_of(0) == entries[-1]
    assert [model.find(n) for n in (entries[0], entries[7], entries[-1])] == [0, 0, 0]


def test_a_filter_shows_each_that_matches(tape: Tape) -> None:
    _log(tape, 20)
    model = _model(tape)
    model.set_filter(parse('"line 1"'))
    while model.filter_step():
        pass
    assert model.count == 11
    model.set_filter(None)
    assert model.count == 1


def test_the_order_of_the_wire_folds_nothing(tape: Tape) -> None:
    _log(tape, 20)
    assert _model(tape, tree=False).count == 20


def test_run_row_is_live_while_it_grows(tape: Tape) -> None:
    _log(tape, 20)
    model = _model(tape)
    assert model.row(0, 80).live
    tape.stderr(b"x")
    model.refresh()
    assert not model.row(0, 80).live


_STEPS = ("call", "answer", "progress", "log", "logs", "log", "logs", "update", "stderr", "question", "flood")


def _play(tape: Tape, step: str) -> None:
    match step:
        case "call":
            tape.call(1, "x")
        case "answer":
            tape.answer(1, {})
        case "progress":
            tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        case "log":
            _log(tape, 1)
        case "logs":
            _log(tape, 11)
        case "update":
            tape.notify("notifications/resources/updated", {"uri": "a://b"})
        case "question":
            tape.server_request(1, "roots/list")
        case "flood":
            tape.flood(300)
        case _:
            tape.stderr(b"x")


@pytest.mark.parametrize("facts", [True, False])
@given(st.lists(st.sampled_from(_STEPS), max_size=20), st.randoms(use_true_random=False))
def test_folding_and_unfolding_keep_the_order_and_lose_nothing(
    facts: bool, steps: list[str], chance: random.Random
) -> None:
    tape = Tape()
    index = RowIndex(tape.journal, tree=True, facts=facts)
    for step in steps:
        _play(tape.wait(1), step)
        if chance.random() < 0.5:
            index.take(chance.choice((1, 7, 10_000)))
        if len(index.view.rows) and chance.random() < 0.5:
            index.view.toggle_fold(chance.choice(index.view.rows))
    index.take(1_000_000)
    _check_rows(index, chance)
    anew = RowIndex(tape.journal, tree=True, facts=facts)
    anew.take(1_000_000)
    folded = list(anew.view.rows)
    for n in list(anew.view.rows):
        run = anew.places.runs.run(n)
        if run is not None:
            anew.view.toggle_fold(n)
    everything = list(anew.view.rows)
    assert everything == sorted(everything, key=anew.view.key)
    for n in folded:
        if anew.places.runs.run(n) is not None:
            anew.view.toggle_fold(n)
    assert list(anew.view.rows) == folded
    tape.journal.close()


def _check_rows(index: RowIndex, chance: random.Random) -> None:
    keys = [index.view.key(n) for n in index.view.rows]
    assert keys == sorted(set(keys))
    rows = list(index.view.rows)
    index.show(tree=False, facts=index.facts)
    index.show(tree=True, facts=index.facts)
    assert list(index.view.rows) == rows, "rows that folded by themselves are the rows that would be made anew"
    for n in chance.sample(rows, min(5, len(rows))):
        index.view.toggle_fold(n)
        shown = index.find(n)
        index.view.toggle_fold(n if shown is None else index.view.rows[shown])  # folded into a block, or into a run
    assert list(index.view.rows) == rows


def _tree(tape: Tape) -> Tree:
    tree = Tree(tape.journal)
    for n in range(1, tape.journal.count + 1):
        tree.take(n)
    return tree


def test_response_is_in_the_row_of_its_request(tape: Tape) -> None:
    request = tape.request(1, "tools/list")
    answer = tape.answer(1, {})
    tree = _tree(tape)
    assert tree.row_of(answer) == tree.roots[answer] == request
    assert not tree.flags[answer] & IN_TREE
    assert tree.flags[answer] & IN_WIRE


def test_unrelated_entries_are_roots(tape: Tape) -> None:
    alone = [
        tape.answer(9, {}),
        tape.from_server(b"banner"),
        tape.notify("notifications/initialized"),
        tape.stderr(b"x"),
    ]
    tree = _tree(tape)
    assert [tree.roots[n] for n in alone] == alone
    assert all(tree.flags[n] & IN_TREE for n in alone)


def test_all_progress_of_a_request_is_one_row(tape: Tape) -> None:
    call = tape.call(1, "slow")
    first = tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    second = tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (first, second)] == [call, call]
    assert tree.row_of(second) == tree.row_of(first) == first
    assert not tree.flags[second] & IN_TREE


def test_questions_and_log_messages_stand_under_the_one_open_request(tape: Tape) -> None:
    call = tape.call(1, "ask")
    question = tape.server_request(7, "elicitation/create", {"message": "?"})
    word = tape.notify("notifications/message", {"data": "x"})
    tree = _tree(tape)
    assert [tree.roots[question], tree.roots[word]] == [call, call]


def test_ambiguous_server_request_is_a_root(tape: Tape) -> None:
    tape.call(1, "one")
    tape.call(2, "two")
    question = tape.server_request(7, "roots/list")
    tape.answer(1, {})
    tape.answer(2, {})
    later = tape.notify("notifications/message", {"data": "x"})
    tree = _tree(tape)
    assert [tree.roots[question], tree.roots[later]] == [question, later]


def test_a_request_that_was_given_up_is_no_cause_any_more(tape: Tape) -> None:
    tape.call(1, "one")
    tape.wait(1).notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    call = tape.wait(1).call(2, "two")
    word = tape.wait(1).notify("notifications/message", {"data": "x"})
    assert _tree(tape).roots[word] == call


def test_listening_for_changes_causes_nothing(tape: Tape) -> None:
    tape.request(1, "subscriptions/listen")
    word = tape.notify("notifications/message", {"data": "x"})
    assert _tree(tape).roots[word] == word


def test_cancellation_and_a_late_answer_stand_under_the_request(tape: Tape) -> None:
    call = tape.call(1, "slow")
    given_up = tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    late = tape.answer(1, {})
    again = tape.answer(1, {})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (given_up, late, again)] == [call] * 3
    assert all(tree.flags[n] & IN_TREE for n in (given_up, late, again))


def test_a_batch_is_a_row_of_its_own(tape: Tape) -> None:
    batch = tape.to_server([{"jsonrpc": "2.0", "id": i, "method": "ping"} for i in (1, 2)])
    answers = tape.from_server([{"jsonrpc": "2.0", "id": i, "result": {}} for i in (1, 2)])
    tree = _tree(tape)
    assert [tree.roots[batch], tree.roots[answers]] == [batch, answers]


def test_facts_can_be_left_out_but_never_stderr(tape: Tape) -> None:
    tape.started()
    tape.posted(1)
    stderr = tape.stderr(b"x")
    tree = _tree(tape)
    assert [bool(tree.flags[n] & IN_TREE) for n in range(1, 6)] == [True, True, False, False, True]
    assert [bool(tree.flags[n] & IN_WIRE) for n in range(1, 6)] == [True] * 5
    assert [bool(tree.flags[n] & (IN_TREE_PLAIN | IN_WIRE_PLAIN)) for n in range(1, 6)] == [False] * 4 + [True]
    assert tree.exchange(stderr) is None


def test_task_poll_is_under_the_call_of_the_task(tape: Tape) -> None:
    task = {"taskId": "t1", "status": "working"}
    call = tape.request(1, "tools/call", {"name": "dig", "task": {}})
    tape.answer(1, {"task": task})
    other = tape.call(2, "other")
    poll = tape.request(3, "tasks/get", {"taskId": "t1"})
    answer = tape.answer(3, task)
    unknown = tape.request(4, "tasks/get", {"taskId": "t2"})
    tree = _tree(tape)
    assert [tree.roots[n] for n in (poll, answer)] == [call, call]
    assert [tree.roots[n] for n in (call, other, unknown)] == [call, other, unknown]


def model_of(tape: Tape) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=False)
    while model.refresh():
        pass
    return model


def shown(model: LogModel) -> list[str]:
    return [plain(model.row(index, 100).spans) for index in range(model.count)]


def test_fold_joins_similar_rows_and_unfolds_them(tape: Tape) -> None:
    tape.call(1, "a")
    tape.flood(2500)
    tape.answer(1, {})
    tape.flood(3)
    model = model_of(tape)
    model.toggle_fold(1200)
    lines = shown(model)
    assert (len(lines), "▸ ×2,500" in lines[1]) == (6, True), lines[1]
    assert model.entry_of(1) == 2501
    assert [model.find(n) for n in (1, 2, 1000, 2501, 2502)] == [0, 1, 1, 1, 2]
    tape.flood(2)
    model.refresh()
    assert model.count == 8, "what comes later is not hidden"
    model.toggle_fold(1)
    assert model.count == 2507
    assert list(model.entries) == list(range(1, 2508))


def test_requests_and_single_lines_do_not_fold(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "a")
    tape.flood(1)
    model = model_of(tape)
    for index in range(3):
        model.toggle_fold(index)
    assert model.count == 3


def test_another_view_folds_nothing(tape: Tape) -> None:
    tape.flood(9)
    model = model_of(tape)
    model.toggle_fold(4)
    assert model.count == 1
    model.show(tree=True)
    model.show(tree=False)
    assert model.count == 9


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 2)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
    st.sampled_from(["", "progress", "x", "pending"]),
)
def test_folding_hides_rows_and_loses_none(steps: list[tuple[str, int]], chance: random.Random, wanted: str) -> None:
    tape = Tape()
    index, plain_one = (RowIndex(tape.journal, tree=False, facts=True) for _ in range(2))
    for each in (index, plain_one):
        each.set_filter(parse(wanted))
    for step, id_ in steps:
        play(tape.wait(1), step, id_)
        for each in (index, plain_one):
            each.take(1000)
            each.filter_step()
        if len(index.view.rows) and chance.random() < 0.3:
            index.view.toggle_fold(chance.choice(index.view.rows))
        for n in plain_one.view.rows:
            at = index.find(n)
            assert at is not None
            assert index.view.rows[at] == n or index.view.wire_runs.run(index.view.rows[at]) is not None
        assert list(index.view.rows) == sorted(set(index.view.rows))
        assert set(index.view.rows) <= set(plain_one.view.rows)
    for n in list(index.view.rows):
        if index.view.wire_runs.run(n) is not None:
            index.view.toggle_fold(n)
    tape.journal.close()
    assert list(index.view.rows) == list(plain_one.view.rows)
    assert isinstance(index.view.wire_runs, WireRuns)
    assert not index.view.wire_runs
