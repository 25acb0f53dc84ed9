"""The captures that were made last, as what can be chosen."""

import time
from collections.abc import Iterator, Mapping

from inspector.capture.shelf import captures
from inspector.config.paths import places
from inspector.viewmodels.start import Capture

_MOST = 10


def recent(env: Mapping[str, str]) -> Iterator[Capture]:
    """The newest first."""
    for path in captures(places(env).captures)[:_MOST]:
        facts = path.stat()
        yield Capture(path, max(0.0, time.time() - facts.st_mtime), facts.st_size)
