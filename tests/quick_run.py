"""Which tests run when `pytest` is called without paths: those that show most in a second.

The others start real servers, drive whole sessions in a terminal, or look at the whole source. `--run=rest` runs those,
`--run=whole` all; `.ci/run` runs both parts. A folder or a file that is named runs whole.
"""

from collections.abc import Container
from functools import cache
from pathlib import Path, PurePath
from typing import Final

LEFT_OUT: Final = tuple(Path(__file__).with_suffix(".txt").read_text("utf-8").split())
"""Folders and files below `tests/`: each takes more than two seconds, most of them far more."""
KEPT: Final = ("architecture/test_errors.py",)
"""Of these folders, the files that run nevertheless."""


@cache  # it is asked for each test
def is_quick(path: str) -> bool:
    """Whether the tests of a file run without `--run=whole`; the path is relative to `tests/`."""
    return _is_in(path, KEPT) or not _is_in(path, LEFT_OUT)


def _is_in(path: str, places: Container[str]) -> bool:
    return path in places or any(str(folder) in places for folder in PurePath(path).parents)
