"""The changelog has something to say to users about what is not released yet, in entries they can read."""

import re

from tests.architecture.sources import ROOT

_HEADING = re.compile(r"^## ", re.MULTILINE)


def _unreleased(text: str) -> list[str]:
    """Return the entries below "## [Unreleased]", each as one line."""
    sections = {part.partition("\n")[0].strip(): part.partition("\n")[2] for part in _HEADING.split(text)[1:]}
    entries = re.split(r"^- ", sections.get("[Unreleased]", ""), flags=re.MULTILINE)[1:]
    return [" ".join(re.split(r"^#", entry, flags=re.MULTILINE)[0].split()) for entry in entries]


def test_what_is_unreleased_has_entries_of_a_sentence_or_two() -> None:
    entries = _unreleased((ROOT / "CHANGELOG.md").read_text())
    assert entries
    assert not [entry for entry in entries if not entry.endswith(".") or len(entry) > 300]


def test_an_empty_section_is_found() -> None:
    assert _unreleased("# Changelog\n\n## [Unreleased]\n\n### Added\n\n## [1.0]\n\n- An old entry.\n") == []
    assert _unreleased("# Changelog\n\n## [1.0]\n\n- An old entry.\n") == []
    assert _unreleased("## [Unreleased]\n### Added\n- A new\n  one.\n### Fixed\n- Two.\n") == ["A new one.", "Two."]
