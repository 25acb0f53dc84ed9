"""Rows that are laid a piece at a time are those that would be laid at once, whatever comes meanwhile."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.filters.language.parser import parse
from inspector.present.traffic import index as module
from inspector.present.traffic.index import RowIndex
from tests.present.tape import Tape
from tests.present.traffic.test_index import STEPS, play

_SEQUENCES = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 3)), min_size=1, max_size=40)


@pytest.fixture(autouse=True, scope="module")
def _small_pieces() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "AT_ONCE", 3)
        for size in ("_PIECE", "_FILTERED_PIECE", "_PIECE_WITH_PARTNERS"):
            patch.setattr(module, size, 4)
        yield


def index_of(tape: Tape, wanted: str, *, tree: bool, partners: bool) -> RowIndex:
    index = RowIndex(tape.journal, tree=tree, facts=True)
    index.partners = partners
    index.set_filter(parse(wanted))
    return index


def finish(index: RowIndex) -> None:
    while index.take(1000) or index.filter_step() or index.lay():
        pass


@given(
    _SEQUENCES,
    st.randoms(use_true_random=False),
    st.sampled_from(["", "x", "progress", "call", "pending", "error"]),
    st.booleans(),
    st.booleans(),
)
def test_a_view_that_changes_while_traffic_comes_has_the_rows_of_a_new_one(
    steps: list[tuple[str, int]], chance: random.Random, wanted: str, tree: bool, partners: bool
) -> None:
    tape = Tape()
    index = index_of(tape, wanted, tree=not tree, partners=False)
    for step, id_ in steps:
        play(tape.wait(1), step, id_)
        if chance.random() < 0.5:
            index.take(chance.randint(1, 9))
        if chance.random() < 0.2:
            index.filter_step()
        if chance.random() < 0.2:
            index.show(tree=tree, facts=True, partners=partners, around=chance.randint(0, index.taken))
        if chance.random() < 0.3:
            index.lay()
    finish(index)
    index.show(tree=tree, facts=True, partners=partners, around=chance.randint(0, index.taken))
    finish(index)
    anew = index_of(tape, wanted, tree=tree, partners=partners)
    finish(anew)
    tape.journal.close()
    assert list(index.view.rows) == list(anew.view.rows)
    assert not index.is_laying
    assert index.laid == 1


@pytest.mark.parametrize("tree", [True, False])
def test_visible_rows_are_laid_out_first(tape: Tape, tree: bool) -> None:
    for id_ in range(1, 21):
        tape.call(id_, "a")
        tape.answer(id_, {})
    index = RowIndex(tape.journal, tree=not tree, facts=True)
    index.take(1000)
    index.set_filter(parse("method == tools/call"))
    finish(index)
    answer = 6
    index.show(tree=tree, facts=True, around=answer)
    assert index.is_laying
    assert index.find(answer) is not None
    assert index.find(40) is None
    finish(index)
    assert index.find(40) is not None
