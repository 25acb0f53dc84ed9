"""Actions when a tap ends: fail if a message matches a filter, and keep its capture only if one does.

`python -m inspector.features.tap.keeping FILTER CAPTURE...` removes the captures unless a message in one of them
matches. It runs as a separate process, so that the tap does not wait for it. If it fails, captures are kept.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.capture.journal import Journal
from inspector.capture.store.load import Loading
from inspector.errors import InspectError
from inspector.features.tap.writing import earlier_part
from inspector.filters.engine.nodes import ExchangeColumns
from inspector.filters.engine.program import Program
from inspector.filters.language.fields import Term
from inspector.filters.language.parser import parse
from inspector.present import words
from inspector.present.live_checks import LiveChecks
from inspector.text import counted

ANY_ERROR = "failed or severity >= error"
"""Meaning of the filter `error`."""


def read_filter(text: str) -> Term | None:
    """Parse the filter of `--fail-on` or `--keep-on`: `error`, or one in the filter language. Raises: FilterError."""
    return parse(ANY_ERROR if text.strip() == "error" else text)


def count_matches(path: Path, text: str) -> int:
    """Return the number of entries of a finished capture that match a filter. Raises: InspectError, OSError."""
    loading = Loading(path)
    try:
        while loading.step():
            pass
        return matches(loading.journal, text)
    finally:
        loading.journal.close()


def matches(journal: Journal, text: str) -> int:
    """Return the number of entries of a journal that match a filter. Raises: FilterError."""
    term = read_filter(text)
    if term is None or not journal.count:
        return journal.count
    checks = LiveChecks(journal)
    program = Program(
        term,
        journal,
        clock=lambda: journal.store.time_ns(journal.count),
        say=lambda fact: words.sentence(fact)[0],
        exchanges=ExchangeColumns(journal),
        findings=checks,
    )
    if program.follows_findings:
        checks.catch_up()
    return sum(sum(map(bool, program.mark(low, high))) for low, high in program.stretches(1, journal.count))


def verdict(captures: Sequence[Path], text: str) -> str:
    """Return a sentence if a message in the captures matches, or if that can't be determined; "" otherwise."""
    found = 0
    for path in captures:
        try:
            found += count_matches(path, text)
        except (InspectError, OSError) as error:
            return f"--fail-on was not evaluated: {error}"
    if not found:
        return ""
    return f"{counted(found, 'message')} matched --fail-on {text!r}; see {captures[-1]}"


def remove_unless(text: str, captures: Sequence[Path]) -> bool:
    """Remove captures unless a message in them matches. Return whether they were removed.

    Raises: InspectError, OSError.
    """
    if any(count_matches(path, text) for path in captures):
        return False
    for path in captures:
        path.unlink()
    return True


def remove_later(text: str, captures: Sequence[Path]) -> None:
    """Run `remove_unless` in another process."""
    import subprocess

    nowhere = subprocess.DEVNULL
    argv = [sys.executable, "-I", "-m", __name__, text, *map(str, captures)]
    subprocess.Popen(  # noqa: TID251 - it outlives the tap, and touches nothing but these files
        argv, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True, cwd="/"
    )


def parts(capture: str | Path) -> list[Path]:
    """Return the existing files of a capture, oldest first. With `--keep` these are two parts."""
    path = Path(os.path.abspath(capture))
    return [each for each in (earlier_part(path), path) if each.exists()]


if __name__ == "__main__":
    remove_unless(sys.argv[1], [Path(each) for each in sys.argv[2:]])
