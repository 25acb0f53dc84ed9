"""The steps of a story as rows."""

from inspector.viewmodels.spans import spans_width
from inspector.viewmodels.story import story_of
from inspector.viewmodels.story_rows import StoryRows, facts_said
from tests.tui.staging import handshake
from tests.viewmodels.tape import Tape


def test_rows_fill_the_width_and_what_comes_is_told_on(tape: Tape) -> None:
    call = handshake(tape).call(3, "dig", {"q": "x" * 200})
    story = story_of(tape.journal, call)
    assert story is not None
    rows = StoryRows(story)
    for width in (40, 80, 160):
        assert spans_width(rows.row(0, width).spans) == width
    assert "".join(text for text, _ in rows.row(0, 80).spans).rstrip().endswith(f"#{call}")
    generation = rows.generation
    tape.stderr(b"a stone")
    more = story_of(tape.journal, call)
    assert more is not None
    rows.show(more)
    assert (rows.count, rows.generation) == (2, generation + 1)
    rows.show(more)
    assert rows.generation == generation + 1
    step = rows.step(1)
    assert step is not None
    assert step.said == "a stone"
    assert rows.step(2) is None
    assert "outcome ⋯ pending" in "".join(text for text, _ in facts_said(more.facts))
