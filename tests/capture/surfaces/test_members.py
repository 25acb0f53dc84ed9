"""What it matters that a member of a thing, or of a server's account of itself, is another one."""

from typing import Any

import pytest

from inspector.capture.surfaces.members import account_changes, thing_changes
from inspector.capture.surfaces.ratings import Rating
from tests.capture.surfaces.offered import shop

_B, _W, _I = Rating.BREAKING, Rating.WARNING, Rating.INFO


def _thing(kind: str, before: Any, after: Any) -> list[tuple[str, str, Rating]]:
    base = {"name": "t"}
    return [(each.path, each.rule, each.rating) for each in thing_changes(kind, "t", base | before, base | after)]


@pytest.mark.parametrize(
    ("kind", "before", "after", "path", "rule", "rating"),
    [
        ("tools", {"description": "a b"}, {"description": "a c"}, "description", "description", _W),
        ("tools", {"description": "a b"}, {"description": "a  b"}, "description", "blanks", _I),
        ("tools", {}, {"title": "T"}, "title", "other", _I),
        ("tools", {}, {"annotations": {"readOnlyHint": True}}, "annotations", "annotation", _W),
        ("tools", {"annotations": {"title": "a"}}, {"annotations": {"title": "b"}}, "annotations.title", "other", _I),
        ("tools", {}, {"outputSchema": {}}, "outputSchema", "output-added", _I),
        ("tools", {"outputSchema": {}}, {}, "outputSchema", "output-removed", _B),
        ("tools", {"inputSchema": {}}, {}, "inputSchema", "rewritten", _I),
        ("tools", {"inputSchema": {}}, {"inputSchema": {"type": "object"}}, "inputSchema.type", "type-narrower", _B),
        ("tools", {}, {"execution": {"taskSupport": "required"}}, "execution", "task-support", _B),
        ("tools", {}, {"execution": {"taskSupport": "forbidden"}}, "execution", "other", _I),
        (
            *("tools", {"execution": {"taskSupport": "optional"}}, {"execution": {"taskSupport": "forbidden"}}),
            *("execution.taskSupport", "task-support", _W),
        ),
        ("resources", {"mimeType": "a/b"}, {"mimeType": "a/c"}, "mimeType", "mime-type", _W),
        ("prompts", {}, {"arguments": [{"name": "q"}]}, "arguments.q", "argument-added", _I),
        (
            *("prompts", {"arguments": []}, {"arguments": [{"name": "q", "required": True}]}),
            *("arguments.q", "required-argument-added", _B),
        ),
        ("prompts", {"arguments": [{"name": "q"}]}, {"arguments": []}, "arguments.q", "argument-removed", _W),
        (
            *("prompts", {"arguments": [{"name": "q"}]}, {"arguments": [{"name": "q", "required": True}]}),
            *("arguments.q.required", "required-added", _B),
        ),
        (
            *("prompts", {"arguments": [{"name": "q", "required": True}]}, {"arguments": [{"name": "q"}]}),
            *("arguments.q.required", "required-removed", _I),
        ),
        (
            *("prompts", {"arguments": [{"name": "a"}, {"name": "b"}]}, {"arguments": [{"name": "b"}, {"name": "a"}]}),
            *("arguments", "rewritten", _I),
        ),
        ("prompts", {"arguments": 7}, {"arguments": 8}, "arguments", "other", _I),
    ],
)
def test_the_rules(kind: str, before: Any, after: Any, path: str, rule: str, rating: Rating) -> None:
    assert _thing(kind, before, after) == [(path, rule, rating)]


def test_what_is_no_object_breaks() -> None:
    (found,) = thing_changes("tools", "", "text", {"name": "t"})
    assert (found.rule, found.rating) == ("no-object", _B)


@pytest.mark.parametrize(
    ("changed", "rule", "rating"),
    [
        ({"server": {"name": "shop", "version": "2"}}, "server", _I),
        ({"server": {"name": "other", "version": "1"}}, "server-name", _W),
        ({"revision": "r2"}, "revision", _W),
        ({"instructions": "Be rude."}, "description", _W),
        ({"capabilities": {"tools": {"listChanged": True}}}, "capability-removed", _B),
        ({"capabilities": {"tools": {}, "prompts": {}}}, "capability-removed", _W),
        ({"capabilities": {"tools": {"listChanged": False}, "prompts": {}}}, "capability-changed", _W),
        ({"capabilities": {"tools": {"listChanged": True}, "prompts": {}, "logging": {}}}, "capability-added", _I),
    ],
)
def test_what_a_server_says_of_itself(changed: dict[str, Any], rule: str, rating: Rating) -> None:
    assert [(each.rule, each.rating) for each in account_changes(shop(), shop(**changed))] == [(rule, rating)]
