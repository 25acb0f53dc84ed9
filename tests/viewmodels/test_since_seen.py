"""What a server offers against what is remembered: what changed and what is new waits, what is gone does not."""

from collections.abc import Mapping
from datetime import UTC

from inspector.protocol.fingerprints import Remembered, known_of, known_text
from inspector.viewmodels.lines import plain
from inspector.viewmodels.since_seen import (
    against,
    alarm,
    approved,
    can_approve,
    day,
    first_met,
    head_lines,
    marks_since,
    since_lines,
)
from tests.tui.staging import handshake
from tests.viewmodels.tape import Tape

_NOV_2 = 1_793_620_800
_TOOL = {"inputSchema": {"type": "object"}}


def _remembered(*tools: Mapping[str, object], instructions: str = "") -> dict[str, Remembered]:
    return {"tools": known_of("tools", tools, _NOV_2), "instructions": known_text(instructions, _NOV_2)}


def test_a_server_that_is_met_for_the_first_time_is_to_be_remembered(tape: Tape) -> None:
    memory = against({}, handshake(tape).journal.conversation, 5)
    assert not memory.alarms
    assert first_met(memory) == "2 tools"
    assert {kind: [*known.things] for kind, known in memory.first.items()} == {
        "tools": ["buy", "sell"],
        "instructions": [""],
    }
    again = against(memory.first, tape.journal.conversation, 6)
    assert (again.first, again.alarms, alarm(again), since_lines(again, ("tools",))) == ({}, False, "", [])


def test_changed_and_new_tools_are_told_until_they_are_approved(tape: Tape) -> None:
    known = _remembered({"name": "buy", "description": "Buys.", **_TOOL}, {"name": "gone", **_TOOL})
    memory = against(known, handshake(tape).journal.conversation, 5)
    assert day(_NOV_2, UTC) == "2026-11-02"
    assert alarm(memory) == f"1 tool changed, 1 new since {day(_NOV_2)}"
    assert marks_since(memory, ("tools",)) == {"buy": "changed", "sell": "new"}
    assert marks_since(memory, ("prompts",)) == {}
    (line,) = head_lines(memory, ("tools",), changes_key="D")
    assert plain(line) == f"▲ {alarm(memory)}: D shows"
    told = [plain(each).strip() for each in since_lines(memory, ("tools",))]
    assert {'description: − "Buys."', "+ sell", "− gone"} <= set(told)
    now = approved(memory, ("tools",), 9)
    assert now["tools"].since == 9
    assert not against(now, tape.journal.conversation, 10).alarms


def test_what_is_gone_alone_is_nothing_to_approve(tape: Tape) -> None:
    names = ("buy", "sell", "lend")
    memory = against(_remembered(*({"name": each, **_TOOL} for each in names)), handshake(tape).journal.conversation, 5)
    assert not memory.alarms
    assert not can_approve(memory, ("tools",))


def test_other_instructions_are_told_in_every_list(tape: Tape) -> None:
    tools = [{"name": each, **_TOOL} for each in ("buy", "sell")]
    memory = against(_remembered(*tools, instructions="Be \x1b[31mkind."), handshake(tape).journal.conversation, 5)
    assert alarm(memory) == f"the instructions changed since {day(_NOV_2)}"
    assert can_approve(memory, ("prompts",))
    told = "\n".join(plain(each) for each in since_lines(memory, ("prompts",)))
    assert "␛[31m" in told
    assert "\x1b" not in told


def test_a_change_whose_words_were_too_long_to_be_kept_is_told_all_the_same(tape: Tape) -> None:
    known = {"tools": Remembered(_NOV_2, {"buy": ("sha256:other", None), "sell": ("sha256:other", {"name": "sell"})})}
    memory = against(known, handshake(tape).journal.conversation, 5)
    assert alarm(memory).startswith("2 tools changed since")
    assert "too long to be kept" in "\n".join(plain(each) for each in since_lines(memory, ("tools",)))


def test_a_day_beyond_the_calendar_is_no_reason_to_fail() -> None:
    assert day(1 << 60) == "0001-01-01"
