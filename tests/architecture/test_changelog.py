"""The changelog has entries for what is not released yet; each is short and appears once."""

import re

from tests.architecture.sources import ROOT

_HEADING = re.compile(r"^## ", re.MULTILINE)
_MOST = 25
"""Entries of a released version."""
_LONGEST = 300
"""Characters of an entry."""


def _entries(text: str) -> dict[str, list[str]]:
    """Return the entries of each section, by the version in its heading, each as one line."""
    parts = [part.partition("\n") for part in _HEADING.split(text)[1:]]
    bodies = {title.strip().strip("[]"): body for title, _, body in parts}
    return {
        title: [
            " ".join(re.split(r"^#", entry, flags=re.MULTILINE)[0].split())
            for entry in re.split(r"^- ", body, flags=re.MULTILINE)[1:]
        ]
        for title, body in bodies.items()
    }


def test_entries_are_short_and_appear_once() -> None:
    entries = _entries((ROOT / "CHANGELOG.md").read_text())
    assert next(iter(entries)) == "Unreleased"
    assert all(entries.values())
    every = [entry for section in entries.values() for entry in section]
    assert not [entry for entry in every if not entry.endswith(".") or len(entry) > _LONGEST]
    assert len(every) == len(set(every))
    assert all(len(section) <= _MOST for title, section in entries.items() if title != "Unreleased")


def test_entries_are_read_by_section() -> None:
    assert _entries("# Changelog\n\n## [Unreleased]\n\n### Added\n\n## [1.0]\n\n- Old.\n") == {
        "Unreleased": [],
        "1.0": ["Old."],
    }
    assert _entries("## [Unreleased]\n### Added\n- A new\n  one.\n### Fixed\n- Two.\n") == {
        "Unreleased": ["A new one.", "Two."]
    }
