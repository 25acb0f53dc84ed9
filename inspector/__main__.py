"""`python -m inspector` and `mcp-inspect`: the words of the command line to the command line."""

import gc
import sys
from collections.abc import Sequence

gc.disable()  # while modules are imported: many objects, no garbage, a twelfth of the time

from inspector.cli.main import run  # noqa: E402


def main(argv: Sequence[str] | None = None) -> int:
    """Run with the given words, or the process's own, and return the exit status."""
    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
