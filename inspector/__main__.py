"""`python -m inspector` and `mcp-inspect`: the words of the command line to the command line."""

import gc
import sys
from collections.abc import Sequence

gc.disable()  # while modules are imported: many objects, no garbage, a twelfth of the time

from inspector.cli.main import run  # noqa: E402


def main(argv: Sequence[str] | None = None) -> int:
    """Run with the given words, or the process's own, and return the exit status.

    The process's own words end the process, once the interface has been shown.
    """
    status = run(sys.argv[1:] if argv is None else argv)
    if argv is None and "textual" in sys.modules:
        _leave(status)
    return status


def _leave(status: int) -> None:
    """End the process without freeing each of its objects first: of a long conversation there are millions.

    By now captures are closed, servers have ended, and the terminal is as it was. What is registered for the end is
    still called. Threads that only look at what was shown are not waited for.
    """
    import atexit
    import logging
    import os
    from contextlib import suppress

    gc.disable()
    logging.shutdown()
    atexit._run_exitfuncs()  # noqa: SLF001 - no public name runs them
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
