"""The phrases of `words.tsv`, from which `check --probe` reads what errors, names and descriptions mean."""

import re
from pathlib import Path

_ROWS = [line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]]


def words(*kinds: str) -> re.Pattern[str]:
    """Return what finds any phrase of these kinds."""
    return re.compile("|".join(pattern for kind, pattern in _ROWS if kind in kinds))
