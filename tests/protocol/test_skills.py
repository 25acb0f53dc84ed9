"""Skills: front matter, entries and digests."""

import base64
import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.skills import (
    MOST_BYTES,
    Difference,
    Skill,
    SkillComparison,
    SkillFile,
    compare,
    front_matter,
    same_names,
    verify,
)


def _file(yaml: str) -> bytes:
    return f"---\n{yaml}\n---\n# Body\n".encode()


def test_front_matter_is_between_fences_at_the_start() -> None:
    assert front_matter("---\nname: a\n---\nbody") == "name: a\n"
    assert front_matter("---\r\nname: a\r\n---\r\n") == "name: a\r\n"
    assert front_matter("# a\n---\nname: a\n---\n") is None
    assert front_matter("---\nname: a\n") is None


@pytest.mark.parametrize(
    ("yaml", "claimed"),
    [
        ("name: a\ndescription: two words", {"name": "a", "description": "two words"}),
        ("metadata:\n  version: 1.5\n  tags: [x, 'yes', 3]", {"metadata": {"version": 1.5, "tags": ["x", "yes", 3]}}),
        ("a: no", {"a": False}),
        ("a: no", {"a": "no"}),
        ("a: 2026-01-02", {"a": "2026-01-02"}),
        ("a: 2026-01-02", {"a": "2026-01-02T00:00:00.000Z"}),
        ("a: ~\nb:", {"a": None, "b": None}),
        ("a: 0o17\nb: 017\nc: 0x1F", {"a": 15, "b": 17, "c": 31}),
        ("a: 1e3\nb: true\nc: -1", {"a": 1000, "b": True, "c": -1}),
        ("a: >-\n  folded\n  text", {"a": "folded text"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("1: a", {"1": "a"}),
        ("", {}),
    ],
)
def test_yaml_readings_of_equal_front_matter_agree(yaml: str, claimed: Any) -> None:
    assert compare(_file(yaml), claimed) is None


@pytest.mark.parametrize(
    ("yaml", "claimed", "difference"),
    [
        ("name: a", {"name": "b"}, Difference("name: b", "name: a")),
        ("name: a", {}, Difference("name: not there", "name: a")),
        ("", {"name": "a"}, Difference("front matter: an object", "front matter: nothing")),
        ("name: a", {"name": "a", "x": True}, Difference("x: true", "x: not there")),
        ("m:\n  k: [1, 2]", {"m": {"k": [1]}}, Difference("m.k: an array of 1", "m.k: an array of 2")),
        ("k: [1, 2]", {"k": [1, 3]}, Difference("k[1]: 3", "k[1]: 2")),
        ("k: '1'", {"k": 1}, Difference("k: 1, a number", "k: 1, a string")),
        ("k: true", {"k": 1}, Difference("k: 1", "k: true")),
        ("k: 2\nk: 2", {"k": 2}, Difference("k: 2", "k: the key is repeated")),
        ("- a", {"k": 1}, Difference("front matter: an object", "front matter: an array of 1")),
    ],
)
def test_front_matter_difference_has_both_values(yaml: str, claimed: Any, difference: Difference) -> None:
    found = compare(_file(yaml), claimed)
    assert found == difference


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        ("a: [", "no YAML: "),
        ("a: !!python/object/apply:os.system ['true']", "tag:yaml.org,2002:python/object"),
        ("a: !mine x", "the tag !mine"),
        ("a: &a [*a]", "expands without limit"),
        ("[" * 5000, "can't be read: RecursionError"),
        ("a: " + "x" * 40_000, "more than 32,768 bytes"),
        ("a: " + "9" * 5000, "9999"),
    ],
)
def test_hostile_yaml_is_a_difference_and_nothing_else(yaml: str, said: str) -> None:
    found = compare(_file(yaml), {"a": 1})
    assert found is not None
    if "expands" in said:
        deep: Any = []
        for _ in range(100):
            deep = [deep]
        found = compare(_file(yaml), {"a": deep})
        assert found is not None
    assert said in found.found


def test_a_billion_laughs_are_not_laughed() -> None:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    claimed: Any = {"a0": ["x"] * 10}
    for n in range(1, 10):
        claimed[f"a{n}"] = [claimed[f"a{n - 1}"]] * 10
    found = compare(_file("\n".join(lines)), claimed)
    assert found is not None
    assert "expands without limit" in found.found


def test_no_front_matter_is_a_difference() -> None:
    assert compare(b"# only text", {"name": "a"}) == Difference("an object", "none")
    assert compare(b"\xff\xfe", None) == Difference("null", "none")


@given(st.binary(max_size=200), st.recursive(st.none() | st.booleans() | st.text(), st.lists))
def test_nothing_is_raised_whatever_a_file_holds(data: bytes, claimed: Any) -> None:
    compare(b"---\n" + data + b"\n---\n", claimed)


TEXT = "---\nname: knots\ndescription: How to tie\n---\n# Knots\n"
ROOT = "skill://harbour/knots"


def listed(path: str, data: bytes) -> dict[str, Any]:
    return {"uri": f"{ROOT}/{path}", "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}


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


def test_skill_file_equal_to_its_entry_is_verified() -> None:
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


def test_size_mismatch_has_both_sizes() -> None:
    skill = entry()
    found = verify(skill, skill.files[0], text_result(TEXT + "!"))
    assert found.mismatch == SkillComparison("size", f"{len(TEXT)} bytes", f"{len(TEXT) + 1} bytes", False)


def test_digest_mismatch_has_both_digests() -> None:
    skill = entry()
    found = verify(skill, skill.files[0], text_result(TEXT.replace("# K", "# k")))
    assert found.mismatch is not None
    assert found.mismatch.name == "sha256"
    assert found.mismatch.claimed == skill.files[0].digest != found.mismatch.found


def test_front_matter_mismatch_names_the_member() -> None:
    skill = entry(frontmatter={"name": "knots", "description": "How to sail"})
    found = verify(skill, skill.files[0], text_result(TEXT))
    assert found.mismatch == SkillComparison(
        "front matter", "description: How to sail", "description: How to tie", False
    )


def test_dynamic_skill_is_verified_by_front_matter_only() -> None:
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
def test_wrong_skill_entry_has_flaws(changed: dict[str, Any], flaw: str) -> None:
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
