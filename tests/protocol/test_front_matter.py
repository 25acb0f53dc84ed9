"""Front matter and the JSON that is said to be the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.front_matter import Difference, compare, front_matter


def _file(yaml: str) -> bytes:
    return f"---\n{yaml}\n---\n# Body\n".encode()


def test_front_matter_stands_between_fences_at_the_very_beginning() -> None:
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
def test_what_a_reader_of_yaml_may_make_of_it_is_the_same(yaml: str, claimed: Any) -> None:
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
        ("k: 2\nk: 2", {"k": 2}, Difference("k: 2", "k: it is there more than once")),
        ("- a", {"k": 1}, Difference("front matter: an object", "front matter: an array of 1")),
    ],
)
def test_a_difference_is_told_with_both_values(yaml: str, claimed: Any, difference: Difference) -> None:
    found = compare(_file(yaml), claimed)
    assert found == difference


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        ("a: [", "no YAML: "),
        ("a: !!python/object/apply:os.system ['true']", "tag:yaml.org,2002:python/object"),
        ("a: !mine x", "the tag !mine"),
        ("a: &a [*a]", "grows without end"),
        ("[" * 5000, "can't be read: RecursionError"),
        ("a: " + "x" * 40_000, "more than 32,768 bytes"),
        ("a: " + "9" * 5000, "9999"),
    ],
)
def test_hostile_yaml_is_a_difference_and_nothing_else(yaml: str, said: str) -> None:
    found = compare(_file(yaml), {"a": 1})
    assert found is not None
    if "grows" in said:
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
    assert "grows without end" in found.found


def test_no_front_matter_is_a_difference() -> None:
    assert compare(b"# only text", {"name": "a"}) == Difference("an object", "none")
    assert compare(b"\xff\xfe", None) == Difference("null", "none")


@given(st.binary(max_size=200), st.recursive(st.none() | st.booleans() | st.text(), st.lists))
def test_nothing_is_raised_whatever_a_file_holds(data: bytes, claimed: Any) -> None:
    compare(b"---\n" + data + b"\n---\n", claimed)
