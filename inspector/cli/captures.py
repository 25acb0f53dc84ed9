"""Loads a capture for a command, and selects entries by a filter."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from inspector.capture.journal import Journal
from inspector.capture.store.load import load
from inspector.cli.filtering import Tail, read_tail_options
from inspector.cli.output import Output
from inspector.cli.progress import progress_of
from inspector.config.paths import places
from inspector.config.remembered import SavedFilters


@contextmanager
def loaded_capture(output: Output, path: Path) -> Iterator[Journal]:
    """Load a capture for the duration of the block. Its notices are printed as warnings.

    Raises: CaptureError.
    """
    with progress_of(output, "reading") as progress:
        journal = load(path, on_progress=progress)
    try:
        for notice in journal.notices:
            output.warn(notice)
        yield journal
    finally:
        journal.close()


def matching_entries(output: Output, journal: Journal, filter_text: str) -> Sequence[int]:
    """Return the numbers of matching entries, ascending. A problem with a pattern is printed as a warning.

    Raises: UsageError for an invalid filter.
    """
    own = places(output.env.environ)
    tail = Tail(journal, output, read_tail_options(filter_text, (), named=SavedFilters(own.config, own.state).named()))
    found = tail.matching()
    if tail.trouble:
        output.warn(tail.trouble)
    return found
