"""`python -m inspector` and `mcp-inspect`: entry point of the command line."""

import gc
import os
import sys
from collections.abc import Sequence

gc.disable()  # while modules are imported: many objects, no garbage, a twelfth of the time

try:
    from inspector.cli.exit_status import ExitStatus
    from inspector.cli.main import run
except KeyboardInterrupt:
    sys.exit(130)


def main(argv: Sequence[str] | None = None) -> int:
    """Run with the given words, or the process's own, and return the exit status.

    With the process's own words it does not return: it ends the process.
    """
    _open_missing_streams()
    try:
        status = run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # while a failure was reported
        status = 130
    if argv is None:
        _leave(status)
    return status


def _open_missing_streams() -> None:
    """Open the null device in place of standard streams that are closed: their numbers are taken by no other file."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - stays open to the end


def _leave(status: int) -> None:
    """End the process without freeing each of its objects first.

    Of a long conversation there are millions. Of a command without a screen, freeing modules takes a tenth of its time.
    By now captures are closed, servers have ended, and the terminal is as it was. What is registered for the end is
    still called. Threads that only look at what was shown are not waited for. Output that can't be written makes the
    exit status 2, as for a file.
    """
    import atexit
    import logging

    gc.disable()
    logging.shutdown()
    atexit._run_exitfuncs()  # noqa: SLF001 - no public name runs them
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # full, or closed
            if stream is sys.stdout and not stream.closed:
                status = status or ExitStatus.USAGE
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
