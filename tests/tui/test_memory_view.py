"""A live server is remembered under its target's own key; a recorded one is not."""

from types import SimpleNamespace

from inspector.tui.memory_view import LiveMemoryView, MemoryView


def test_the_key_is_the_target_s_and_each_subject_has_a_state_of_its_own() -> None:
    recorded, live = MemoryView(), LiveMemoryView()
    live._live = SimpleNamespace(target=SimpleNamespace(key="aa"))  # type: ignore[assignment]
    assert (recorded.memory_key, live.memory_key, recorded.memory) == ("", "aa", None)
    live.memory_state.shown = True
    assert not recorded.memory_state.shown
