"""Skills as a reader sees them."""

from inspector.present.skills import amount, check_facts, file_row, file_text, read_lines, skill_facts, skill_lines
from inspector.present.spans import plain
from inspector.protocol.flows.skills import SkillRead
from inspector.protocol.skills import Skill, verify
from tests.protocol.test_skills import TEXT, entry, listed, text_result


def _texts(skill: Skill, read: SkillRead, *, whole: bool = False) -> list[str]:
    return [plain(line).rstrip() for line in read_lines(skill, read, whole=whole)]


def test_skill_lines_list_flaws_without_reading() -> None:
    lines = [plain(line).rstrip() for line in skill_lines([entry(), entry(resources=3)])]
    assert lines[0] == "2 skills  no files read"
    assert lines[1] == "knots  skill://harbour/knots/SKILL.md  ▲ duplicate name"
    assert lines[2].startswith("    How to tie  1 file, ")
    assert '    ▲ its resources are neither an array nor "dynamic"' in lines
    assert "skills: none listed" in plain(skill_lines([])[0])


def test_hostile_words_of_a_skill_do_not_act() -> None:
    skill = entry(frontmatter={"name": "a\x1b[31m", "description": "\u202eevil", "x\x07": "\x1b]0;t\x07"})
    shown = "".join(plain(line) for line in skill_lines([skill])) + "".join(
        fact.key + fact.value for fact in skill_facts(skill)
    )
    assert not any(char in shown for char in "\x1b\x07\u202e")


def test_a_match_shows_what_was_compared_and_the_text() -> None:
    skill = entry()
    read = SkillRead(skill.files[0], None, verify(skill, skill.files[0], text_result(TEXT)))
    lines = _texts(skill, read, whole=True)
    assert lines[0] == f"✓ SKILL.md  {len(TEXT)} B, as listed"
    assert lines[1] == f"    size {len(TEXT)} bytes"
    assert lines[-1] == "# Knots"


def test_a_mismatch_shows_both_values_and_no_text() -> None:
    skill = entry()
    read = SkillRead(skill.files[0], None, verify(skill, skill.files[0], text_result("no")))
    lines = _texts(skill, read, whole=True)
    assert lines[0] == "✗ SKILL.md  does not match its entry: must not be used"
    assert lines[1] == f"    size differs: listed {len(TEXT)} bytes, received 2 bytes"
    assert not any(line == "no" for line in lines)
    assert read.verified is not None
    assert [fact.role for fact in check_facts(read.verified)][:2] == ["error", "error"]


def test_unread_skill_file_has_a_reason() -> None:
    skill = entry(listed("../x", b""))
    read = SkillRead(skill.files[1], None, None, "it is not within the skill's directory")
    assert _texts(skill, read) == ["✗ ../x  not read: it is not within the skill's directory"]
    assert _texts(skill, SkillRead(skill.files[0], None, None)) == ["✗ SKILL.md  no response"]


def test_amounts_and_rows_are_short() -> None:
    skill = entry(listed("a.md", b"12"))
    assert amount(skill) == f"2 files, {len(TEXT) + 2} B"
    assert amount(entry(resources="dynamic")) == "dynamic"
    path, claimed = file_row(skill.files[1])
    assert (path, claimed) == ("a.md", f"2 B  {skill.files[1].digest[:19]}")


def test_bytes_that_are_no_text_are_counted() -> None:
    skill = entry(listed("a", b"\xff"))
    found = verify(skill, skill.files[1], {"contents": [{"uri": skill.files[1].uri, "blob": "/w=="}]})
    assert plain(file_text(found)[0]) == "1 B of binary data"
