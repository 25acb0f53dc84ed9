"""The formats of exports: each says what it is, and which of them have a place for notes."""

import json

import pytest

from inspector.capture.format.notes import Notes, new_mark
from inspector.errors import UsageError
from inspector.features.export.formats import FORMATS, demand_place_for_notes, pieces
from inspector.features.export.selection import Selection
from tests.features.export.staging import all_of
from tests.present.tape import Tape
from tests.tui.staging import handshake


def test_formats_describe_their_losses() -> None:
    assert all(each.says and each.loses for each in FORMATS.values())


def test_a_capture_without_anything_of_the_kind_is_refused_with_what_would_do(tape: Tape) -> None:
    for name in ("jsonrpc", "curl"):
        with pytest.raises(UsageError, match=f"can be written as {name}") as raised:
            pieces(name, all_of(tape.journal))
        assert raised.value.hint == FORMATS[name].empty


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.notes])
def test_notes_come_along_on_demand_and_act_on_nothing(name: str, tape: Tape) -> None:
    handshake(tape).call(3, "buy")
    last = tape.error(3, -1, "sold out")
    notes = Notes(
        marks={last: new_mark(last, "red", "</script><b>[why](x:y)\x1b[2J"), 1: new_mark(1, "green")},
        remark="The day the\nrope ran out <i>",
    )
    chosen = range(1, tape.journal.count + 1)
    plain = b"".join(pieces(name, Selection(tape.journal, chosen))).decode()
    found = b"".join(pieces(name, Selection(tape.journal, chosen, notes=notes))).decode()
    assert "rope ran out" not in plain
    assert "rope ran out" in found
    assert "[why](x:y)" in found
    assert "green" in found, "a mark without a comment is one, too"
    assert "\x1b" not in found
    if name == "har":
        document = json.loads(found)
        assert document["log"]["comment"] == notes.remark
        assert [each["comment"] for each in document["log"]["entries"] if "comment" in each] == [
            "marked green",
            notes.marks[last].text,
        ]
    else:
        assert "<b>" not in found.replace("`</script><b>[why]", ""), "it is code, or data"
        assert "<i>" not in found.replace("ran out <i>`", "")


def test_format_without_notes_names_those_with_notes() -> None:
    demand_place_for_notes("har")
    with pytest.raises(UsageError, match="jsonrpc has no place for notes") as raised:
        demand_place_for_notes("jsonrpc")
    assert raised.value.hint == "These have: har, markdown, html."
