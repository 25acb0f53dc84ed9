"""The traffic list as a screen uses it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.parse import parse
from inspector.protocol.frames import Channel, Direction
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.text import cell_width
from tests.viewmodels.tape import Tape


def _model(tape: Tape, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree)
    model.refresh()
    return model


def _read(model: LogModel, width: int = 80) -> list[str]:
    """All rows without their times and without what only fills them."""
    return [plain(model.row(index, width).spans)[9:].rstrip() for index in range(model.count)]


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


def test_the_tree_tells_the_story(tape: Tape) -> None:
    _a_short_conversation(tape)
    assert _read(_model(tape)) == [
        "◆ stdio opened: python server.py --verbose",
        "◆ process 4711 started",
        '→ tools/call search  {"q":"x"}            ✓ ok            1.00 s   48 B',
        "← └ progress  ━━━━────── 40 %                                     106 B",
        "← └ elicitation/create  Which repo?       ✓ ok            590 ms   53 B",
        "! rate limited, retrying                                           22 B",
        "→ tools/call wait                         ⋯ pending         0 µs",
    ]


def test_the_wire_order_proves_it(tape: Tape) -> None:
    _a_short_conversation(tape)
    model = _model(tape, tree=False)
    assert model.count == tape.journal.count
    assert _read(model)[5:] == [
        '→ elicitation/create  {"action":"accept"} ✓ ok            590 ms   53 B',
        "! rate limited, retrying                                           22 B",
        '← tools/call search  {"content":[]}       ✓ ok            1.00 s   48 B',
        "→ tools/call wait                         ⋯ pending         0 µs",
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


def test_it_goes_from_exchange_to_exchange(tape: Tape) -> None:
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
    assert title.index("status") == row.index("✓ ok")
    assert title.index("method") == row.index("tools/call")


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
def test_whatever_crosses_the_wire_becomes_rows(frames: list[tuple[bytes, Direction]], tree: bool) -> None:
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
def test_a_hundred_thousand_entries_cost_no_payload(tape: Tape, tree: bool) -> None:
    for number in range(100_000):
        tape.notify("notifications/resources/updated", {"uri": f"a://{number}"})
    model = LogModel(tape.journal, tape.clock, tree=tree)
    tape.journal.close()
    while model.refresh():
        pass
    assert model.count == (1 if tree else 100_000)
    assert model.find(50_000) == (0 if tree else 49_999)
    if tree:
        model.toggle_fold(0)
    assert model.count == 100_000
    assert model.find(50_000) == 49_999
