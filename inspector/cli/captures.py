"""Load a capture for a command, and choose entries by a filter."""

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
    """Load a capture for the time of the block; its notices are warnings.

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
    """The numbers of the entries that match a filter, ascending; a problem with a pattern is a warning.

    Raises: UsageError for an invalid filter.
    """
    own = places(output.env.environ)
    tail = Tail(journal, output, read_tail_options(filter_text, (), named=SavedFilters(own.config, own.state).named()))
    found = tail.matching()
    if tail.trouble:
        output.warn(tail.trouble)
    return found
