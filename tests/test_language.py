"""Texts are plain English: the phrases of tests/language.py occur nowhere, or in some folders less and less often."""

from collections import Counter

import pytest

from tests.language import all_hits, hits

_LEFT = {"inspector/checks": 1, "inspector/cli": 1, "inspector/demo": 6, "benchmarks": 28, "tests": 196}
"""Folder → how many phrases may still be there. Lower it with each landing that removes some; new text adds none."""


def test_no_folder_has_more_of_the_phrases_than_before() -> None:
    found = all_hits()
    over = {room: count for room, count in Counter(hit.room for hit in found).items() if count > _LEFT.get(room, 0)}
    listed = [f"{hit.path}:{hit.line}: {hit.found!r} → {hit.instead}" for hit in found if hit.room in over]
    assert not over, "\n".join(["python -m tests.language --list PATH shows them", *listed[:40]])


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.py", '"""What it told."""', ["told"]),
        ("a.py", "x = f'the URI {x} is none'", ["is none"]),
        ("a.py", "a = 1  # what\n# comes", ["what comes"]),
        ("a.py", "told = x is None  # None if there is none", []),
        ("a.py", "assert x == 'Nobody'", ["Nobody"]),
        ("tests/a.py", "assert x == 'Nobody'", []),
        ("tests/a.py", '"""Nobody."""', ["Nobody"]),
        ("a.md", "A line stands\nfor itself, and another stands there.", ["stands"]),
        ("a.md", "Stand-in servers are understood, and foretold.", []),
    ],
)
def test_phrases_are_found_in_prose_alone(path: str, text: str, found: list[str]) -> None:
    assert [hit.found for hit in hits(path, text)] == found
