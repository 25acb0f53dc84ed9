"""The list of Traffic: order, filters, and jumps by numbers and times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import FilterError
from inspector.filters.language.parser import parse
from inspector.present.spans import plain
from inspector.present.traffic.index import RowIndex
from inspector.present.traffic.log import LogFind, LogModel, RowNavigation, parse_position
from inspector.protocol.frames import Channel, Direction
from inspector.text import cell_width
from tests.present.tape import Tape


def test_numbers_and_seconds_lead_to_an_entry_of_those_there_are(tape: Tape) -> None:
    tape.request(1, "ping")
    tape.wait(100).answer(1, {})
    tape.wait(100).notify("x")
    assert [parse_position(tape.journal, wanted, 3) for wanted in ("#2", "99", "+0.1", "+150ms", "+9")] == [
        2,
        3,
        2,
        3,
        3,
    ]
    assert parse_position(tape.journal, "99", 2) == 2
    with pytest.raises(FilterError):
        parse_position(tape.journal, "never", 3)


def _model(tape: Tape, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree)
    model.refresh()
    return model


def _read(model: LogModel, width: int = 80) -> list[str]:
    """All rows without their times and without what only fills them."""
    return [plain(model.row(index, width).spans)[6:].rstrip() for index in range(model.count)]


def _a_short_conversation(tape: Tape) -> None:
    tape.started()
    tape.call(1, "search", {"q": "x"})
    tape.wait(410)
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 40, "total": 100})
    tape.server_request(1, "elicitation/create", {"message": "Which repo?"})
    tape.wait(590)
    tape.client_answer(1, {"action": "accept"})
    tape.stderr(b"rate limited, retrying")
    tape.answer(1, {"content": []})
    tape.call(2, "wait")


def test_tree_shows_the_conversation(tape: Tape) -> None:
    _a_short_conversation(tape)
    assert _read(_model(tape)) == [
        "◆ stdio opened: python server.py --verbose",
        "◆ process 4711 started",
        '→ tools/call search  {"q":"x"}           ✓ OK                1.00 s   48 B',
        "← └ progress  ━━━━────── 40 %                                        106 B",
        "← └ elicitation/create  Which repo?      ✓ OK                590 ms   53 B",
        "! rate limited, retrying                                              22 B",
        "→ tools/call wait                        ⋯ Pending             0 µs",
    ]


def test_the_wire_order_proves_it(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape, tree=False)
    assert model.count == tape.journal.count
    assert _read(model)[5:] == [
        '→ elicitation/create  {"action":"accept… ✓ OK                590 ms   53 B',
        "! rate limited, retrying                                              22 B",
        '← tools/call search  {"content":[]}      ✓ OK                1.00 s   48 B',
        "→ tools/call wait                        ⋯ Pending             0 µs",
    ]


def test_a_choice_is_kept_across_views_by_its_entry(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape, tree=False)
    answer = model.entry_of(7)
    model.show(tree=True)
    row = model.find(answer)
    assert row == 2
    assert model.index_of(model.key(row)) == row
    assert model.tree
    assert model.facts


def test_the_row_of_progress_leads_to_the_newest_word(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    newest = tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    model = _model(tape)
    assert model.entry_of(1) == newest
    assert model.find(newest) == 1
    model.show(tree=False)
    assert model.entry_of(1) == 2


def test_request_and_answer_lead_to_one_another(tape: Tape) -> None:
    tape.call(1, "a")
    tape.stderr(b"x")
    tape.answer(1, {})
    tape.call(2, "b")
    model = _model(tape, tree=False)
    assert [model.jumps.partner(index) for index in range(4)] == [3, None, 1, None]


def test_jumps_go_from_exchange_to_exchange(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape)
    assert [model.jumps.exchange(-1), model.jumps.exchange(2), model.jumps.exchange(4)] == [2, 4, 6]
    assert model.jumps.exchange(6) is None
    assert [model.jumps.exchange(6, back=True), model.jumps.exchange(2, back=True)] == [4, None]


def test_a_filter_works_in_slices(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape)
    model.set_filter(parse('"which REPO"'))
    assert model.is_filtering
    while model.filter_step():
        pass
    assert [row.split()[1:3] for row in _read(model)] == [["tools/call", "search"], ["└", "elicitation/create"]]
    assert model.matches == 1
    model.set_filter(None)
    assert model.count == 7
    assert not model.is_filtering


def test_folding_belongs_to_the_tree(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape)
    before = model.generation
    model.toggle_fold(3)
    assert model.count == 5
    assert model.generation != before
    assert "▸ 2 more" in _read(model)[2]
    model.show(tree=False)
    model.toggle_fold(3)
    assert model.count == tape.journal.count


def test_titles_stand_over_their_columns(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape)
    title, row = plain(model.header(160)), plain(model.row(2, 160).spans)
    assert title.index("Status") == row.index("✓ OK")
    assert title.index("Method") == row.index("tools/call")


_PARTS = st.sampled_from(
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1}}}',
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":"no","message":7}}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":"x"}}',
        b'{"jsonrpc":"2.0","method":"notifications/message","params":[]}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","id":null,"error":null}',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"result":{}},7]',
        b"[]",
        b"",
        b"\xff\xfe[/]",
        b"[" * 5000,
    ]
)


@given(
    st.lists(st.tuples(_PARTS | st.binary(max_size=30), st.sampled_from(list(Direction))), max_size=12), st.booleans()
)
def test_arbitrary_frames_become_rows(frames: list[tuple[bytes, Direction]], tree: bool) -> None:
    tape = Tape()
    for payload, direction in frames:
        tape.journal.frame(direction, Channel.STDIN, payload)
    model = _model(tape, tree=tree)
    for width in (40, 80, 160):
        for index in range(model.count):
            row = plain(model.row(index, width).spans)
            assert cell_width(row) == width
            assert row.isprintable()
            assert model.index_of(model.key(index)) == index
    assert all(model.find(n) is not None for n in range(1, len(frames) + 1))
    tape.journal.close()


@pytest.mark.parametrize("tree", [True, False])
def test_ten_thousand_entries_cost_no_payload(tape: Tape, tree: bool) -> None:
    for number in range(10_000):
        tape.notify("notifications/resources/updated", {"uri": f"a://{number}"})
    model = LogModel(tape.journal, tape.clock, tree=tree)
    tape.journal.close()
    while model.refresh():
        pass
    assert model.count == (1 if tree else 10_000)
    assert model.find(5_000) == (0 if tree else 4_999)
    if tree:
        model.toggle_fold(0)
    assert model.count == 10_000
    assert model.find(5_000) == 4_999


def looking(tape: Tape, text: str, *, tree: bool = True) -> tuple[LogFind, RowIndex]:
    index = RowIndex(tape.journal, tree=tree, facts=True)
    index.take(1000)
    find = LogFind(tape.journal, index, tape.clock)
    find.set(text)
    find.step()
    return find, index


def test_rows_are_gone_through_and_around(tape: Tape) -> None:
    for number, name in enumerate(("ape", "cat", "ape", "dog", "APE"), 1):
        tape.call(number, name)
    find, index = looking(tape, "ape")
    assert find.matches == 3
    assert [find.next(cursor) for cursor in (-1, 0, 2, 4)] == [0, 2, 4, 0]
    assert [find.next(cursor, back=True) for cursor in (4, 3, 0)] == [2, 2, 4]
    assert len(index.view.rows) == 5


def test_search_in_the_tree_finds_a_response_in_its_request_row(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    tape.answer(1, {"text": "pearl"})
    find, index = looking(tape, "pearl")
    assert index.view.rows[find.next(-1) or 0] == 1
    find, index = looking(tape, "pearl", tree=False)
    assert [index.view.rows[row] for row in [find.next(-1)] if row is not None] == [3]


def test_search_finds_new_entries(tape: Tape) -> None:
    tape.call(1, "a")
    find, index = looking(tape, "pearl")
    assert find.next(-1) is None
    tape.stderr(b"a pearl")
    index.take(10)
    find.step()
    assert find.next(-1) == 1


def test_nothing_is_looked_for_without_a_text(tape: Tape) -> None:
    tape.call(1, "a")
    find, _ = looking(tape, "")
    assert (find.matches, find.next(-1)) == (0, None)
    find.cancel()


def _calls(tape: Tape) -> None:
    """1 call, 2 progress, 3 question, 4 its answer, 5 progress, 6 call, 7 tool error, 8 answer."""
    tape.call(1, "a")
    tape.wait(10).notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.wait(10).server_request(9, "roots/list")
    tape.wait(10).client_answer(9, {"roots": []})
    tape.wait(10).notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tape.wait(10).call(2, "b")
    tape.wait(10).answer(2, {"content": [], "isError": True})
    tape.wait(10).answer(1, {"content": []})


def test_origin_of_nested_row_is_its_call(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    assert isinstance(model.jumps, RowNavigation)
    assert [model.jumps.origin(index) for index in range(8)] == [None, 1, 1, 3, 1, None, 6, 1]
    assert model.jumps.origin(99) is None


def test_a_page_leads_to_the_first_of_its_list(tape: Tape) -> None:
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": [], "nextCursor": "x"})
    tape.request(2, "tools/list", {"cursor": "x"})
    model = _model(tape)
    assert [model.jumps.origin(index) for index in range(2)] == [None, 1]


def test_within_an_exchange_one_goes_on_past_all_others(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    steps = [0]
    while (found := model.jumps.within(steps[-1])) is not None:
        steps.append(found)
    assert steps == [0, 1, 4, 7]
    assert [model.jumps.within(7, back=True), model.jumps.within(0, back=True)] == [4, None]


def test_within_jumps_stay_in_the_block(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape)
    assert [model.jumps.within(index) for index in range(4)] == [1, 2, None, None]
    assert model.jumps.within(2, back=True) == 1


@pytest.mark.parametrize(("tree", "rows"), [(True, [3]), (False, [6])])
def test_errors_lead_from_one_to_the_next(tape: Tape, tree: bool, rows: list[int]) -> None:
    _calls(tape)
    model = _model(tape, tree=tree)
    found, index = [], model.jumps.error(-1)
    while index is not None:
        found.append(index)
        index = model.jumps.error(index)
    assert found == rows
    assert model.jumps.error(rows[0]) is None
    assert model.jumps.error(model.count - 1 if tree else 7, back=True) == (None if tree else 6)


def test_a_filter_hides_errors_from_the_jump(tape: Tape) -> None:
    for id_ in range(3):
        tape.call(id_, f"tool{id_}")
        tape.error(id_, -1, "x")
    model = _model(tape)
    model.set_filter(parse("tool != tool1"))
    while model.filter_step():
        pass
    assert [model.jumps.error(-1), model.jumps.error(0), model.jumps.error(1)] == [0, 1, None]


@pytest.mark.parametrize(("wanted", "entry"), [("1", 1), ("#6", 6), ("999", 8), ("0", 1), ("+0.05", 6), ("+1h", 8)])
def test_a_number_or_a_time_leads_to_the_nearest(tape: Tape, wanted: str, entry: int) -> None:
    _calls(tape)
    assert _model(tape).jumps.entry(wanted) == entry


def test_a_time_of_day_leads_to_the_first_that_came_since(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.call(1, "a")
    tape.wait(2000).answer(1, {})
    moment = tape.journal.store.wall_ns(2) // 1_000_000_000
    from datetime import datetime

    said = datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")
    assert _model(tape).jumps.entry(said) == 2


@pytest.mark.parametrize("wanted", ["soon", "+x", "25:00", "-1", "1e9", "9" * 50])
def test_jump_to_entry_takes_a_number_or_refuses(tape: Tape, wanted: str) -> None:
    _calls(tape)
    if wanted.isdecimal():
        assert _model(tape).jumps.entry(wanted) == 8
        return
    with pytest.raises(FilterError):
        _model(tape).jumps.entry(wanted)


def test_without_entries_there_is_nowhere_to_go(tape: Tape) -> None:
    model = _model(tape)
    with pytest.raises(FilterError):
        model.jumps.entry("1")
    assert (model.jumps.entry_at(0), model.jumps.nearest(5)) == (0, 0)


def test_the_nearest_row_of_what_is_hidden_is_the_one_before(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    model.set_filter(parse("kind == request"))
    while model.filter_step():
        pass
    assert [model.jumps.nearest(n) for n in (1, 5, 6, 8)] == [0, 1, 2, 2]
