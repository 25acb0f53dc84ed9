"""Prints what `check` finds first in each of the reported faults: `python -m tests.servers.trackers [--long] [WORD…]`.

With words, of those whose names have one of them.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.trackers import faults
from tests.servers.trackers.running import run_all


def main() -> int:
    """The table; 1 if fewer than all are named."""
    words = [word for word in sys.argv[1:] if word != "--long"]
    wanted = [each for each in faults() if not words or any(word in each[0] for word in words)]
    named, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        os.environ["MCP_INSPECT_HOME"] = str(Path(place, "home"))
        for found in run_all(wanted, Path(place)):
            wrong = found.wrong
            named += not wrong
            print(f"{found.name:<52} {'/'.join(found.fault.expects):<24} {found.id:<5} {wrong or 'ok'}", flush=True)
            if wrong or "--long" in sys.argv:
                print(f"      {found.sentence}", flush=True)
    print(f"{len(wanted)} faults, {named} named first, {time.monotonic() - began:.0f} s")
    return named < len(wanted)


if __name__ == "__main__":
    sys.exit(main())
