"""Prints what `check` says of each faulty server: `python -m tests.servers.faulty [WORD…]`, or of those so named."""

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.faulty import servers
from tests.servers.faulty.verdicts import check_all


def main() -> int:
    """The table; 1 if something is not as expected."""
    wanted = [each for each in servers() if not sys.argv[1:] or any(word in each.name for word in sys.argv[1:])]
    wrong, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        os.environ["MCP_INSPECT_HOME"] = str(Path(place, "home"))
        for verdict in check_all(wanted, Path(place)):
            faults = verdict.faults
            wrong += bool(faults)
            name, expects = verdict.server.name, verdict.server.expects
            print(
                f"{name:<40} {expects:<6} {verdict.primary:<6} {'ok' if not faults else '; '.join(faults)}", flush=True
            )
    print(f"{len(wanted)} servers, {wrong} not as expected, {time.monotonic() - began:.0f} s")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
