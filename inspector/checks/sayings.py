"""Tables of what programs say when something is wrong, with their meaning and a fix, and of how products behave."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SDKS = Path(__file__).with_name("sdks.tsv")
_PRODUCTS = Path(__file__).with_name("products.tsv")
MOST_WORDS = 220
"""Maximum characters that are quoted."""


def _rows(table: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in table.read_text("utf-8").splitlines() if line and line[0] != "#")


@cache
def sayings(table: Path) -> tuple[tuple[re.Pattern[str], str, str], ...]:
    """Return the rows of a table, in its order: pattern, meaning, fix. Further columns say where it was seen."""
    return tuple((re.compile(row[0], re.MULTILINE), row[1], row[2]) for row in _rows(table))


@cache
def product_facts() -> dict[str, str]:
    """Return how products behave, by id, each with its product, version and date."""
    rows = _rows(_PRODUCTS)
    return {id_: words.replace("{product}", product).replace("{date}", date) for id_, product, date, words in rows}


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
