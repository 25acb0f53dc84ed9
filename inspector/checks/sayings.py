"""Tables of what programs say when something is wrong: a regular expression, its meaning, and what to do."""

import re
from functools import cache
from pathlib import Path

_SDKS = Path(__file__).with_name("sdks.tsv")
MOST_WORDS = 220
"""Maximum characters that are quoted."""


@cache
def sayings(table: Path) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """Return the rows of a table, in its order: pattern, meaning, fix. Further columns say where it was seen."""
    rows = (line.split("\t") for line in table.read_text("utf-8").splitlines() if line and line[0] != "#")
    return tuple((re.compile(row[0], re.MULTILINE), row[1], row[2]) for row in rows)


def meaning(means: str, found: re.Match[str]) -> str:
    """Fill in what was found: {} is the first group that matched, {1} and {2} are groups by number."""
    if "{}" in means:
        return means.format(next((group for group in found.groups() if group), "")[:MOST_WORDS])
    return means.format(*((each or "")[:MOST_WORDS] for each in (found[0], *found.groups())))


def explained(sentence: str) -> tuple[str, str]:
    """Return what a sentence means that quotes an SDK or a platform, and what to do; ("", "") for any other."""
    for pattern, means, fix in sayings(_SDKS):
        if pattern.search(sentence):
            return means, fix
    return "", ""
