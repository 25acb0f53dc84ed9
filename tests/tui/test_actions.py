"""Actions, and how their keys are written."""

from inspector.tui.actions import Action, key_name, types


def test_the_keys_of_an_action_stand_side_by_side() -> None:
    action = Action("x", ("ctrl+@", "f9"), "Complete", "Complete it.", "Prompts", "complete")
    assert action.key_text == "^Space  F9"


def test_keys_have_short_names() -> None:
    assert [key_name(key) for key in ("ctrl+g", "escape", "pageup", "space")] == ["^g", "Esc", "PgUp", "Space"]


def test_letters_are_typed_and_control_keys_are_not() -> None:
    assert types("h", "h")
    assert not types("ctrl+g", None)
