"""The head of a field in words."""

from typing import Any

from inspector.forms.fields import UNSET
from inspector.forms.read_schema import read_schema
from inspector.tui.widgets.form_head import Place, about, deeds, has_head, head_spans
from inspector.viewmodels.lines import plain


def head(schema: Any, name: str = "x", shape: str = "line", value: Any = UNSET) -> str:
    return plain(head_spans(read_schema(schema), Place(name), shape, value, folded=False))


def test_a_head_says_what_is_asked() -> None:
    assert (
        head({"type": "string", "minLength": 2, "maxLength": 9, "format": "email"})
        == "x  text · 2–9 characters · email"
    )
    assert head({"type": "integer", "minimum": 1, "maximum": 5}) == "x  integer · 1–5"
    assert head({"type": "string", "title": "Call sign"}) == "x  Call sign  text"


def test_a_title_that_only_repeats_the_name_is_left_out() -> None:
    assert head({"type": "string", "title": "Home port"}, "home_port") == "home_port  text"


def test_states_are_words() -> None:
    assert head({"type": "object"}, shape="absent") == "x  object · unset"
    assert head({"type": "string"}, shape="null", value=None) == "x  text  null"
    assert "2 now" in head({"type": "array", "items": {"type": "string"}}, shape="list", value=["a", "b"])


def test_the_words_of_a_schema_are_made_safe() -> None:
    shown = head({"type": "string", "title": "\x1b[31mred", "pattern": "\x07"}, "\u202ename")
    assert "\x1b" not in shown
    assert "‹U+202E›name" in shown
    assert "\x07" not in shown


def test_what_can_be_done_depends_on_where_a_field_stands() -> None:
    text, group = read_schema({"type": "string"}), read_schema({"type": "object"})
    names = [deed.name for deed in deeds(text, Place("1", item=0, of=2, removable=True), "line", folded=False)]
    assert names == ["up", "down", "remove"]
    assert [deed.name for deed in deeds(group, Place("g"), "object", folded=False)] == ["fold", "remove"]
    assert deeds(text, Place("t"), "line", folded=False) == []


def test_a_bare_place_has_a_head_only_where_there_is_something_to_press() -> None:
    assert not has_head(Place(bare=True), "object")
    assert has_head(Place(bare=True), "absent")


def test_why_there_is_no_form_is_said() -> None:
    assert "Written as JSON: its type is 'fathoms'" in about(read_schema({"type": "fathoms"}), "json")
    assert "not of the kind" in about(read_schema({"type": "string"}), "json")
    assert about(read_schema({"type": "string", "examples": ["a b"]}), "line") == 'Such as "a b"'
