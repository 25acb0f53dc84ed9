"""The table of shapes holds together."""

import re

from inspector.checks.shapes.notation import OF_EXTENSION, PARAMS, RESULTS, TYPES
from inspector.checks.shapes.parse import read
from inspector.protocol.revisions.table import ROWS

_SIMPLE = {
    "text",
    "number",
    "whole",
    "natural",
    "unit",
    "flag",
    "any",
    "object",
    "base64",
    "uri",
    "template",
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
        named |= set(each.arms)
        for member in each.members:
            named |= set(re.findall(r"\w+", re.sub(r"'\w+'", "", member.kind))) - _SIMPLE
    assert named == set(types)


def test_every_method_is_one_of_some_revision() -> None:
    requests = frozenset().union(*(row.client_requests for row in ROWS))
    others = frozenset().union(*(row.server_requests | row.server_notifications for row in ROWS))
    assert set(RESULTS) <= requests
    assert set(PARAMS) <= others
