"""Tables of what programs say when something is wrong, with their meaning and a fix, and of how products behave."""

import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SDKS = Path(__file__).with_name("sdks.tsv")
_PRODUCTS = Path(__file__).with_name("products.tsv")
_CODES = Path(__file__).with_name("codes")
KINDS = ("programs", "services", "gateways", "exceptions")
"""The files of published enumerations, in the order in which they are asked: the last explains what no other does."""
MOST_WORDS, _LONGEST = 220, 315
"""Maximum characters that are quoted, and those of a sentence with its meaning."""


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


@cache
def vocabularies(kind: str) -> tuple[tuple[re.Pattern[str], dict[str, tuple[str, str]]], ...]:
    """Return the enumerations of a file in codes/: how a text names a member (group 1), and meaning and fix of each."""
    found: list[tuple[str, dict[str, tuple[str, str]]]] = []
    for row in _rows(_CODES / f"{kind}.tsv"):
        if len(row) == 1:
            found.append((row[0], {}))
        for member in row[0].split("|") if len(row) > 1 else ():
            found[-1][1].setdefault(member, (row[1], row[2]))
    return tuple(
        (re.compile(pattern.replace("{}", "|".join(map(re.escape, sorted(members, reverse=True))))), members)
        for pattern, members in found
    )


def decoded(sentence: str, *kinds: str) -> tuple[str, str]:
    """Return meaning and fix of the first member of an enumeration that a sentence names; ("", "") for none."""
    for pattern, members in itertools.chain(*map(vocabularies, kinds)):
        for found in pattern.finditer(sentence):
            if known := members.get(word := found[found.lastindex or 0]) or members.get(word.lower()):
                return known
    return "", ""


def with_meaning(sentence: str, means: str) -> str:
    """Return a sentence with its meaning in brackets; what follows a colon explains more, and needs more room."""
    head, room = means.partition(":")[0], _LONGEST - 3 - len(sentence)
    means = means if len(means) <= room else head if " " in head and len(head) <= room else ""
    return f"{sentence} ({means})" if means else sentence


def explained(sentence: str, *, is_failure: bool = True) -> tuple[str, str]:
    """Return what a sentence means, and what to do; ("", "") if no table has it. Codes count in failures alone."""
    for pattern, means, fix in sayings(_SDKS):
        if pattern.search(sentence):
            return means, fix
    return decoded(sentence, *KINDS) if is_failure else ("", "")
