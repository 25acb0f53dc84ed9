"""The demo's skills, held against their own manifests by the client's code."""

import pytest

from inspector.demo import skills
from inspector.demo.call import Refusal
from inspector.protocol.skills import Skill, verify


@pytest.mark.parametrize("raw", skills.entries(), ids=lambda raw: str(raw["frontmatter"]["name"]))
def test_entries_are_without_a_flaw_and_their_front_matter_is_the_files(raw: object) -> None:
    skill = Skill(raw)
    assert skill.flaws == ()
    manifest = skill.files[0]
    assert verify(skill, manifest, {"contents": skills.read(manifest.uri)}).ok


def test_of_the_forged_chart_a_file_is_not_what_was_promised() -> None:
    skill = Skill(skills.entries()[-1])
    found = [verify(skill, file, {"contents": skills.read(file.uri)}) for file in skill.files]
    assert [each.ok for each in found] == [True, False]
    assert found[1].mismatch is not None
    assert found[1].mismatch.name == "sha256"


def test_a_directory_has_files_and_directories() -> None:
    root = Skill(skills.entries()[0]).root
    found = [(child["name"], child["mimeType"]) for child in skills.children(root)]
    assert found == [("SKILL.md", "text/markdown"), ("references", "inode/directory"), ("scripts", "inode/directory")]
    assert [child["name"] for child in skills.children(f"{root}/scripts")] == ["trim.py"]
    for none in (f"{root}/SKILL.md", "skill://nobody", f"{root}/"):
        with pytest.raises(Refusal, match="no directory"):
            skills.children(none)


def test_what_is_not_there_is_not_there() -> None:
    assert skills.read("skill://nobody/SKILL.md") is None
