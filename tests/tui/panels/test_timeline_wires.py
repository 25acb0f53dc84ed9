"""The timeline follows the tabs: what is new joins once it is ready, and nothing jumps meanwhile."""

from inspector.capture.filters.parse import parse
from inspector.tui.panels.timeline_wires import Wires
from inspector.tui.subject import Stage
from inspector.tui.tabs import Tab
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape


def _tab(number: int, name: str) -> Tab:
    tab = Tab(number, Staged(handshake(Tape())), name=name)
    tab.subject.journal.name = name
    return tab


def _settle(wires: Wires, tabs: list[Tab]) -> int:
    """Look until nothing changes any more; how often there was another timeline."""
    changes = sum(wires.sync(tabs) for _ in range(20))
    while wires.timeline.is_behind:
        changes += wires.sync(tabs)
    return changes


def _names(wires: Wires) -> list[str]:
    return sorted({wires.timeline.entry(at)[0].name for at in range(wires.timeline.count)})


def test_tabs_that_come_and_go_do_so_in_the_timeline() -> None:
    wires, tabs = Wires(), [_tab(1, "pier"), _tab(2, "quay")]
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["pier", "quay"]
    key = wires.timeline.key(0)
    tabs.append(_tab(3, "mole"))
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["mole", "pier", "quay"]
    assert wires.timeline.key(wires.timeline.index_of(key)) == key
    assert wires.subject(3) is tabs[2].subject
    del tabs[0]
    assert _settle(wires, tabs) == 1
    assert _names(wires) == ["mole", "quay"]
    assert wires.subject(1) is None


def test_another_connection_takes_the_place_of_the_one_before() -> None:
    wires, tabs = Wires(), [_tab(1, "pier")]
    _settle(wires, tabs)
    before = wires.timeline.count
    again = Staged(Tape())
    again.tape.request(1, "ping")
    tabs[0].subject = again
    assert _settle(wires, tabs) == 1
    assert (before, wires.timeline.count) == (5, 1)


def test_a_filter_holds_for_what_joins_later() -> None:
    wires, tabs = Wires(), [_tab(1, "pier")]
    _settle(wires, tabs)
    wires.set_filter(parse("method == tools/list"))
    _settle(wires, tabs)
    tabs.append(_tab(2, "quay"))
    _settle(wires, tabs)
    assert wires.timeline.count == 4
    wires.set_filter(None)
    _settle(wires, tabs)
    assert wires.timeline.count == 10


def test_a_capture_that_is_being_read_joins_when_that_is_done() -> None:
    wires, tabs = Wires(), [_tab(1, "pier"), _tab(2, "tape")]
    reading = tabs[1].subject
    assert isinstance(reading, Staged)
    reading.now_stage = Stage.LOADING
    _settle(wires, tabs)
    assert (_names(wires), wires.reading(tabs)) == (["pier"], ["tape"])
    reading.now_stage = Stage.RECORDED
    _settle(wires, tabs)
    assert (_names(wires), wires.reading(tabs)) == (["pier", "tape"], [])
