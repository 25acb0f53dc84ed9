"""Definitions against what is remembered of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from inspector.checks.diagnoses import surface_memory
from inspector.checks.inspection import Inspection
from inspector.protocol.fingerprints import Remembered, known_of, known_text
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, Talk

_TOOL: dict[str, Any] = {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
_KNOWN = {"tools": known_of("tools", [_TOOL], 1_793_620_800)}


class _Known(Talk):
    """A conversation with a server that was met before."""

    known: Mapping[str, Remembered] = _KNOWN

    def findings(self) -> Any:
        inspection = Inspection(None, self.known)
        return inspection.take(self.entries) + inspection.finish()


def _lists(*tools: dict[str, Any], known: Mapping[str, Remembered] = _KNOWN) -> Script:
    def talk() -> Talk:
        made = _Known()
        made.known = known
        return made.ask("tools/list").answer({"tools": [*tools]})

    return talk


CASES: Cases = {"S-24": (_lists({**_TOOL, "description": "Buys, and tells."}), _lists({**_TOOL}))}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(surface_memory)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


def test_it_says_what_has_changed_and_since_when_and_a_new_tool_is_a_hint() -> None:
    talk = _lists({**_TOOL, "description": "Buys!", "title": "B"}, {"name": "sell"})()
    changed, new = of_one(talk.findings(), "S-24")
    assert (changed.severity, new.severity) == ("warning", "hint")
    assert changed.sentence.startswith("the tool buy has changed since 2026-11-0")
    assert changed.sentence.endswith(": description, title")
    assert (changed.pointer, new.pointer) == ("/result/tools/0", "/result/tools/1")


def test_instructions_and_a_lock_file_are_held_against_too() -> None:
    (found,) = of_one(_lists(known={"instructions": known_text("Be kind.", 0)})().findings(), "S-24")
    assert found.sentence == "the instructions have changed since it was locked"


def test_a_server_that_is_not_known_has_changed_in_nothing() -> None:
    assert of_one(_lists(_TOOL, known={})().findings(), "S-24") == []
    assert of_one(_lists(_TOOL, known={"prompts": Remembered(1)})().findings(), "S-24") == []
