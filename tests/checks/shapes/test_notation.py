"""The table of shapes holds together."""

import re

import pytest

from inspector.checks.shapes.notation import OF_EXTENSION, PARAMS, RESULTS, TYPES, read
from inspector.protocol.revisions.table import ROWS

_SIMPLE = {
    *("text", "name", "number", "whole", "natural", "unit", "flag", "any", "object", "base64", "uri", "template"),
    "nothing",
}


def test_every_type_that_is_named_is_there_and_used() -> None:
    types = read(TYPES)
    named = {
        *RESULTS.values(),
        *PARAMS.values(),
        *OF_EXTENSION.values(),
        "Result",
        "Created",
        "Asking",
        "Cached",
        "Page",
    }
    for each in types.values():
        named |= {arm.type_name for arm in each.arms.values()}
        for member in each.members:
            named |= set(re.findall(r"\w+", re.sub(r"'\w+'", "", member.kind))) - _SIMPLE
    assert named == set(types)


def test_every_method_is_one_of_some_revision() -> None:
    requests = frozenset().union(*(row.client_requests for row in ROWS))
    others = frozenset().union(*(row.server_requests | row.server_notifications for row in ROWS))
    assert set(RESULTS) <= requests
    assert set(PARAMS) <= others


_SMALL = """
Base !cancelled-unknown-request
  _meta?   object  3+
Thing < Base
  name     text        !response-after-cancellation/task-cancelled-by-notification
  size?    whole  3-4
  needs name|size
Either = 'thing' Thing | 'other' Other 2+  !X04
"""


def test_a_member_has_its_kind_its_rows_and_its_rules() -> None:
    thing = read(_SMALL)["Thing"]
    meta, name, size = thing.members
    assert (name.required, name.kind, name.absent, name.wrong) == (
        True,
        "text",
        "response-after-cancellation",
        "task-cancelled-by-notification",
    )
    assert (size.required, list(size.rows)) == (False, [3, 4])
    assert (meta.name, list(meta.rows)) == ("_meta", [3, 4, 5])
    assert (thing.rule, thing.needs) == ("cancelled-unknown-request", ("name", "size"))


def test_a_choice_has_arms_with_their_rows() -> None:
    either = read(_SMALL)["Either"]
    assert {word: (arm.type_name, list(arm.rows)) for word, arm in either.arms.items()} == {
        "thing": ("Thing", [1, 2, 3, 4, 5]),
        "other": ("Other", [2, 3, 4, 5]),
    }
    assert either.rule == "X04"


@pytest.mark.parametrize("line", ["Thing <", "Thing\n  name", "Thing\n  name text 3+ cancelled-unknown-request"])
def test_invalid_notation_is_an_assertion_error(line: str) -> None:
    with pytest.raises(AssertionError):
        read(line)
