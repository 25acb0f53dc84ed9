"""The notation, read."""

import pytest

from inspector.checks.shapes.parse import read

_SMALL = """
Base !X01
  _meta?   object  3+
Thing < Base
  name     text        !X02/X03
  size?    whole  3-4
  needs name|size
Either = Thing | Other 2+  !X04
"""


def test_a_member_has_its_kind_its_rows_and_its_rules() -> None:
    thing = read(_SMALL)["Thing"]
    meta, name, size = thing.members
    assert (name.required, name.kind, name.absent, name.wrong) == (True, "text", "X02", "X03")
    assert (size.required, list(size.rows)) == (False, [3, 4])
    assert (meta.name, list(meta.rows)) == ("_meta", [3, 4, 5])
    assert (thing.rule, thing.needs) == ("X01", ("name", "size"))


def test_a_choice_has_arms_with_their_rows() -> None:
    either = read(_SMALL)["Either"]
    assert {arm: list(rows) for arm, rows in either.arms.items()} == {"Thing": [1, 2, 3, 4, 5], "Other": [2, 3, 4, 5]}
    assert either.rule == "X04"


@pytest.mark.parametrize("line", ["Thing <", "Thing\n  name", "Thing\n  name text 3+ X01"])
def test_what_can_t_be_read_is_a_mistake(line: str) -> None:
    with pytest.raises(AssertionError):
        read(line)
