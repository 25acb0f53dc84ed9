"""Prints what `check` says of each faulty server: `python -m tests.servers.faulty [--keep DIR] [WORD…]`.

With words, of those whose names have one of them. Recordings and reports are kept in the folder that is named.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.faulty import servers
from tests.servers.faulty.verdicts import check_all


def main() -> int:
    """The table; 1 if something is not as expected."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers.faulty")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep recordings and reports there")
    parser.add_argument("words", nargs="*", metavar="WORD")
    asked = parser.parse_args()
    wanted = [each for each in servers() if not asked.words or any(word in each.name for word in asked.words)]
    wrong, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        os.environ["MCP_INSPECT_HOME"] = str(Path(place, "home"))
        if asked.keep is not None:
            asked.keep.mkdir(parents=True, exist_ok=True)
        for verdict in check_all(wanted, asked.keep or Path(place)):
            faults = verdict.faults
            wrong += bool(faults)
            name, expects = verdict.server.name, verdict.server.expects
            print(
                f"{name:<40} {expects:<32} {verdict.primary:<32} {'ok' if not faults else '; '.join(faults)}",
                flush=True,
            )
    print(f"{len(wanted)} servers, {wrong} not as expected, {time.monotonic() - began:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
