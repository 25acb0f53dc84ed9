"""The demo's app: the page, and the tool that brings it."""

import pytest

from inspector.demo import extensions
from inspector.demo.call import DemoError
from inspector.demo.state import DemoState
from inspector.demo.tools import catalogue
from inspector.protocol.skills import Skill, verify


def test_a_tool_names_the_page_and_the_page_can_be_read() -> None:
    tool = next(tool for tool in catalogue(DemoState()) if "_meta" in tool.definition)
    uri = tool.definition["_meta"]["ui"]["resourceUri"]
    contents = extensions.read_app(uri)
    assert contents is not None
    assert (contents[0]["uri"], contents[0]["mimeType"]) == (uri, "text/html;profile=mcp-app")
    assert contents[0]["text"].startswith("<!doctype html>")
    assert extensions.read_app("ui://gull-rock/other") is None


@pytest.mark.parametrize("raw", extensions.entries(), ids=lambda raw: str(raw["frontmatter"]["name"]))
def test_entries_are_without_a_flaw_and_their_front_matter_is_the_files(raw: object) -> None:
    skill = Skill(raw)
    assert skill.flaws == ()
    manifest = skill.files[0]
    assert verify(skill, manifest, {"contents": extensions.read(manifest.uri)}).ok


def test_forged_chart_has_another_hash() -> None:
    skill = Skill(extensions.entries()[-1])
    found = [verify(skill, file, {"contents": extensions.read(file.uri)}) for file in skill.files]
    assert [each.ok for each in found] == [True, False]
    assert found[1].mismatch is not None
    assert found[1].mismatch.name == "sha256"


def test_a_directory_has_files_and_directories() -> None:
    root = Skill(extensions.entries()[0]).root
    found = [(child["name"], child["mimeType"]) for child in extensions.children(root)]
    assert found == [("SKILL.md", "text/markdown"), ("references", "inode/directory"), ("scripts", "inode/directory")]
    assert [child["name"] for child in extensions.children(f"{root}/scripts")] == ["trim.py"]
    for none in (f"{root}/SKILL.md", "skill://nobody", f"{root}/"):
        with pytest.raises(DemoError, match="not a directory"):
            extensions.children(none)


def test_unknown_skill_is_none() -> None:
    assert extensions.read("skill://nobody/SKILL.md") is None
