"""Finding in the merged timeline goes from conversation to conversation in one order of time."""

from inspector.viewmodels.timeline import Timeline, Wire
from inspector.viewmodels.timeline_find import TimelineFind
from tests.viewmodels.tape import Tape


def two() -> tuple[Timeline, Tape, Tape]:
    one, other = Tape(), Tape()
    for at, word in enumerate(("gull", "herring", "gull", "crab")):
        tape = (one, other)[at % 2]
        for each in (one, other):
            each.wait(5)
        tape.notify("notifications/message", {"data": word})
    wires = [Wire(1, "one", one.journal, one.clock), Wire(2, "other", other.journal, other.clock)]
    timeline = Timeline(wires)
    while timeline.refresh(100):
        pass
    return timeline, one, other


def test_what_is_found_is_walked_in_the_order_of_time_and_around_the_end() -> None:
    timeline, one, other = two()
    other.wait(50).notify("notifications/message", {"data": "gull"})
    while timeline.refresh(100):
        pass
    find = TimelineFind(timeline, "gull")
    while find.matches < 3:
        find.step()
    places = [index for index in range(timeline.count) if (index in (0, 2, 4))]
    cursor, walked = -1, []
    for _ in range(4):
        cursor = find.next(cursor) or 0
        walked.append(cursor)
    assert walked == [*places, places[0]]
    assert find.next(2, back=True) == 0
    assert find.next(0, back=True) == 4
    one.journal.close()
    other.journal.close()


def test_nothing_is_found_before_somebody_looks(tape: Tape) -> None:
    timeline, one, other = two()
    find = TimelineFind(timeline)
    find.step()
    assert (find.matches, find.next(0)) == (0, None)
    one.journal.close()
    other.journal.close()
