"""Entries of skills, and content held against them."""

import base64
import hashlib
from typing import Any

import pytest

from inspector.protocol.skills import MOST_BYTES, Check, Skill, SkillFile, same_names, verify

TEXT = "---\nname: knots\ndescription: How to tie\n---\n# Knots\n"
ROOT = "skill://harbour/knots"


def listed(path: str, data: bytes) -> dict[str, Any]:
    return {
        "uri": f"{ROOT}/{path}",
        "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
        "size": len(data),
    }


def entry(*more: dict[str, Any], **changed: Any) -> Skill:
    raw = {
        "uri": f"{ROOT}/SKILL.md",
        "frontmatter": {"name": "knots", "description": "How to tie"},
        "resources": [listed("SKILL.md", TEXT.encode()), *more],
    }
    return Skill(raw | changed)


def text_result(text: str, path: str = "SKILL.md") -> dict[str, Any]:
    return {"contents": [{"uri": f"{ROOT}/{path}", "mimeType": "text/markdown", "text": text}]}


def test_a_good_entry_has_no_flaw() -> None:
    skill = entry(listed("ropes/hemp.md", b"hemp"))
    assert (skill.name, skill.description, skill.flaws) == ("knots", "How to tie", ())
    assert [file.path for file in skill.files] == ["SKILL.md", "ropes/hemp.md"]
    assert skill.size == len(TEXT) + 4


def test_what_is_what_the_entry_says_is_verified() -> None:
    skill = entry()
    found = verify(skill, skill.files[0], text_result(TEXT))
    assert found.ok
    assert [check.name for check in found.checks] == ["size", "sha256", "front matter"]
    assert (found.data, found.mime_type) == (TEXT.encode(), "text/markdown")


def test_a_blob_is_verified_by_its_bytes() -> None:
    skill = entry(listed("a.bin", b"\x00\xff"))
    blob = base64.b64encode(b"\x00\xff").decode()
    found = verify(skill, skill.files[1], {"contents": [{"uri": f"{ROOT}/a.bin", "blob": blob}]})
    assert [check.name for check in found.checks if check.ok] == ["size", "sha256"]


def test_another_size_is_told_with_both() -> None:
    skill = entry()
    found = verify(skill, skill.files[0], text_result(TEXT + "!"))
    assert found.mismatch == Check("size", f"{len(TEXT)} bytes", f"{len(TEXT) + 1} bytes", False)


def test_other_bytes_of_the_same_size_are_told_by_their_digests() -> None:
    skill = entry()
    found = verify(skill, skill.files[0], text_result(TEXT.replace("# K", "# k")))
    assert found.mismatch is not None
    assert found.mismatch.name == "sha256"
    assert found.mismatch.claimed == skill.files[0].digest != found.mismatch.found


def test_other_front_matter_is_told_by_its_member() -> None:
    skill = entry(frontmatter={"name": "knots", "description": "How to sail"})
    found = verify(skill, skill.files[0], text_result(TEXT))
    assert found.mismatch == Check("front matter", "description: How to sail", "description: How to tie", False)


def test_of_a_dynamic_skill_only_the_front_matter_can_be_compared() -> None:
    skill = entry(resources="dynamic")
    assert [file.path for file in skill.files] == ["SKILL.md"]
    found = verify(skill, skill.files[0], text_result(TEXT + "more"))
    assert [check.name for check in found.checks] == ["front matter"]
    assert found.ok


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ({}, "the answer has no contents"),
        ({"contents": [{"uri": "other://x", "text": TEXT}]}, "the answer has 0 contents of this URI, among 1"),
        ({"contents": [{"uri": f"{ROOT}/SKILL.md"}]}, "the content has neither text nor blob"),
        ({"contents": [{"uri": f"{ROOT}/SKILL.md", "blob": "%%"}]}, "the blob is no base64"),
        (None, "the answer has no contents"),
    ],
)
def test_an_answer_without_the_file_is_a_problem_and_no_match(result: Any, problem: str) -> None:
    skill = entry()
    found = verify(skill, skill.files[0], result)
    assert (found.problem, found.ok) == (problem, False)


@pytest.mark.parametrize(
    "uri",
    [
        f"{ROOT}/../secrets/key",
        f"{ROOT}/a/../../b",
        f"{ROOT}/%2e%2e/b",
        f"{ROOT}/a%2Fb",
        f"{ROOT}//b",
        f"{ROOT}/.",
        "skill://harbour/knotsmore/x",
        "file:///etc/passwd",
    ],
)
def test_a_file_that_is_not_within_the_skill_has_a_flaw(uri: str) -> None:
    file = SkillFile(listed("x", b"") | {"uri": uri}, ROOT)
    assert file.flaw == "it is not within the skill's directory"
    assert any("not within" in flaw for flaw in entry(file.raw).flaws)


@pytest.mark.parametrize(
    ("changed", "flaw"),
    [
        ({"uri": "skill://harbour/knots"}, "its uri does not end in /SKILL.md"),
        ({"uri": None}, "it has no uri"),
        ({"resources": None}, 'its resources are neither an array nor "dynamic"'),
        ({"resources": "static"}, 'its resources are neither an array nor "dynamic"'),
        ({"frontmatter": {"name": "knots"}}, "its front matter has no description"),
        ({"frontmatter": {"name": "bends", "description": "x"}}, "its path does not end in its name, bends"),
        ({"frontmatter": {"name": "Kn ots", "description": "x"}}, "its name is not lower-case"),
        ({"resources": []}, "its files lack SKILL.md"),
        ({"resources": [listed("SKILL.md", b"")] * 2}, "a file is listed more than once"),
        ({"resources": [listed("SKILL.md", b"") | {"size": MOST_BYTES + 1}]}, "hosts must support 16,777,216"),
        ({"resources": [listed("SKILL.md", b"") | {"digest": "sha256:AB"}]}, "its digest is not sha256:"),
        ({"resources": [listed("SKILL.md", b"") | {"size": "4"}]}, "its size is missing"),
        ({"resources": [listed(f"f{n}", b"") for n in range(513)]}, "it has 513 files"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said(changed: dict[str, Any], flaw: str) -> None:
    assert any(flaw in each for each in entry(**changed).flaws)


@pytest.mark.parametrize("raw", [None, 3, [], {"frontmatter": [], "resources": [None, 3, {}]}])
def test_anything_is_a_skill_with_flaws(raw: Any) -> None:
    assert Skill(raw).flaws
    assert all(file.flaw for file in Skill(raw).files)


def test_names_that_are_not_unique_are_known() -> None:
    other = entry(uri="skill://other/knots/SKILL.md")
    assert same_names([entry(), other]) == {"knots"}
    assert same_names([entry()]) == frozenset()


def test_a_file_of_ten_megabytes_is_compared_like_any_other() -> None:
    data = b"x" * 10_000_000
    skill = entry(listed("big.txt", data))
    found = verify(skill, skill.files[1], text_result(data.decode(), "big.txt"))
    assert found.ok
    assert verify(skill, skill.files[1], text_result(data.decode() + "y", "big.txt")).mismatch is not None
    manifest = verify(skill, skill.files[0], text_result("---\nname: " + data.decode()))
    assert manifest.mismatch is not None
