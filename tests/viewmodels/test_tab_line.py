"""What the line of tabs says of a conversation."""

from inspector.viewmodels.tab_line import TabState, spans_of


def _said(state: TabState, *, here: bool = False) -> str:
    return "".join(text for text, _ in spans_of(state, here=here))


def test_a_tab_says_what_waits_and_what_failed_and_nothing_of_nothing() -> None:
    assert _said(TabState("memory", ("●", "ok"))) == " ● memory "
    told = _said(TabState("memory", ("●", "ok"), failed=1200, waiting=2))
    assert "2" in told
    assert "1,200" in told


def test_the_tab_in_sight_is_told_by_its_role_and_a_name_moves_no_cursor() -> None:
    state = TabState("a\x1b[2J very long name of a server", ("●", "ok"))
    assert ("title" in [role for _, role in spans_of(state, here=True)]) is True
    assert "title" not in [role for _, role in spans_of(state, here=False)]
    assert "\x1b" not in _said(state)
    assert len(_said(state)) <= 30
