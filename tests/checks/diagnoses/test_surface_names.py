"""Names of tools: what hosts make of them."""

from typing import Any

import pytest

from inspector.checks.diagnoses import surface_names
from inspector.checks.inspection import Inspection
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, Talk, asked

_OBJECT: dict[str, Any] = {"type": "object"}
_WRONG = {"type": "object", "properties": {"r": {"type": "number", "x-mcp-header": "R"}}}


def _named(*names: str, row: int = 4, schema: dict[str, Any] = _OBJECT, **more: object) -> Script:
    tools = [{"name": name, "description": "d", "inputSchema": schema} | more for name in names]
    return asked("tools/list", {"tools": tools}, row)


class _Neighbour(Talk):
    """A conversation that a host has beside another server's."""

    def findings(self) -> Any:
        inspection = Inspection({"other": frozenset({"search"})})
        return inspection.take(self.entries) + inspection.finish()


def _beside(name: str) -> Script:
    tool = {"name": name, "description": "d", "inputSchema": _OBJECT}
    return lambda: _Neighbour().ask("tools/list").answer({"tools": [tool]})


CASES: Cases = {
    "S-12": (_named("x" * 65), _named("x" * 40)),
    "S-19": (
        _named("delete_file", annotations={"readOnlyHint": True}),
        _named("list_deleted", "add", annotations={"readOnlyHint": True}),
    ),
    "S-20": (_named("a", row=5, schema=_WRONG), _named("a", row=5, schema=_OBJECT)),
    "S-25": (_beside("search"), _beside("find")),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(surface_names)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize(("names", "said"), [(("save", "Save"), "capitals"), (("a.b", "a_b"), "but for punctuation")])
def test_names_that_become_the_same_are_told(names: tuple[str, ...], said: str) -> None:
    (found,) = of_one(_named(*names)().findings(), "S-12")
    assert said in found.sentence


def test_a_name_that_is_too_long_only_behind_the_server_s_is_a_hint_that_names_the_hosts() -> None:
    (found,) = of_one(_named("x" * 60)().findings(), "S-12")
    assert found.severity == "hint"
    assert {"claude-code", "cursor", "gemini-cli"} <= set(found.hosts)
    assert "VS Code (commit " in found.sentence
    assert "Claude Code" not in found.sentence, "its source names no version"
