"""Skills as rows, read back from a journal."""

from typing import Any

from inspector.present.spans import plain
from inspector.tui.screens.skills.model import SkillIndex
from tests.present.tape import Tape
from tests.protocol.test_skills import ROOT, TEXT, entry, listed, text_result


def _rows(index: SkillIndex) -> list[str]:
    return [plain(index.row(at, 120).spans).rstrip() for at in range(index.count)]


def _list(tape: Tape, id_: int, *raws: Any, **more: Any) -> None:
    tape.request(id_, "skills/list", {"cursor": "2"} if more.pop("goes_on", False) else None)
    tape.answer(id_, {"skills": list(raws), **more})


def test_skills_and_files_are_rows_and_nothing_was_read(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    assert not index.take()
    _list(tape, 1, entry(listed("b.md", b"b")).raw)
    assert index.take()
    assert not index.take()
    rows = _rows(index)
    assert rows[0].startswith("knots  2 files")
    assert rows[1].startswith("  SKILL.md  · not read  ")
    assert rows[2].startswith("  b.md  · not read  1 B  sha256:")
    assert (index.listed, index.skills) == (True, 1)


def test_a_read_is_running_then_compared(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    _list(tape, 1, entry().raw)
    tape.request(2, "resources/read", {"uri": f"{ROOT}/SKILL.md"})
    index.take()
    assert "⋯ reading" in _rows(index)[1]
    tape.answer(2, text_result(TEXT))
    index.take()
    assert "✓ as listed" in _rows(index)[1]
    tape.request(3, "resources/read", {"uri": f"{ROOT}/SKILL.md"})
    tape.answer(3, text_result(TEXT + "!"))
    index.take()
    assert "✗ size differs" in _rows(index)[1]


def test_read_before_the_listing_is_ignored(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    tape.request(1, "resources/read", {"uri": f"{ROOT}/SKILL.md"})
    tape.answer(1, text_result(TEXT))
    _list(tape, 2, entry().raw)
    index.take()
    assert "· not read" in _rows(index)[1]


def test_failed_skill_read_has_the_error(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    _list(tape, 1, entry().raw)
    tape.request(2, "resources/read", {"uri": f"{ROOT}/SKILL.md"})
    tape.error(2, -32602, "gone\x1b[31m")
    index.take()
    assert "✗ not read: error -32602: gone␛[31m" in _rows(index)[1]


def test_pages_add_up_and_a_new_list_replaces(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    other = entry(uri="skill://other/knots/SKILL.md")
    _list(tape, 1, entry().raw, nextCursor="2")
    _list(tape, 2, other.raw, goes_on=True)
    index.take()
    assert [row.split("  ")[:2] for row in _rows(index) if not row.startswith(" ")] == [
        ["knots", ROOT],
        ["knots", "skill://other/knots"],
    ]
    _list(tape, 3, other.raw)
    index.take()
    assert index.skills == 1


def test_fetched_skill_is_in_the_list(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    tape.request(1, "skills/get", {"uri": f"{ROOT}/SKILL.md"})
    tape.answer(1, {"skill": entry().raw})
    assert index.take()
    assert index.skills == 1


def test_refused_skill_list_has_the_error(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    tape.request(1, "skills/list")
    tape.error(1, -32601, "no")
    index.take()
    assert (index.refusal, index.count) == ("error -32601: no", 0)


def test_rubbish_is_shown_with_its_flaw(tape: Tape) -> None:
    index = SkillIndex(tape.journal)
    _list(tape, 1, 3, {"uri": 4}, entry(listed("../x", b"")).raw)
    index.take()
    rows = _rows(index)
    assert rows[0].endswith("▲ it has no uri")
    assert any(row.startswith("  ../x  ▲ it is not within the skill's directory") for row in rows)
