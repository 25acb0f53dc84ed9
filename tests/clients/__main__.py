"""Run pinned clients and write the table of what was observed: `python -m tests.clients [CLIENT …]`.

Each client is installed into a temporary folder, run without an account against recording servers and a model
endpoint on loopback, and removed. Without names all run, one after the other; it takes about an hour.
`--installed FOLDER` uses the installations in its subfolders, named by client. `--check` writes nothing, and fails if
the run differs from the table.
"""

import argparse
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from tests.clients.pins import PINS
from tests.clients.run import DidNotWork, Row, install, observe
from tests.clients.table import merged, read_table, write_table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", choices=[*PINS, []])
    parser.add_argument("--installed", type=Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table, failed = read_table(), 0
    for id_ in options.clients or PINS:
        try:
            found = _observed(id_, options.installed)
        except DidNotWork as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        before = {row.fact: row.observed for row in table if row.client == id_}
        now = {row.fact: row.observed for row in found}
        for fact in sorted({*before, *now}):
            if before.get(fact) != now.get(fact):
                print(f"{id_} {PINS[id_].version} {fact}: {now.get(fact)} (table: {before.get(fact)})")
                failed += options.check
        table = merged(table, found)
        if not options.check:
            write_table(table)
        print(f"{id_} {PINS[id_].version}: {len(found)} facts")
    return 1 if failed else 0


def _observed(id_: str, installed: Path | None) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        home.mkdir()
        place = installed / id_ if installed else Path(folder) / "client"
        if not installed:
            install(PINS[id_], place)
        return observe(PINS[id_], place, home, datetime.now(UTC).date())


if __name__ == "__main__":
    sys.exit(main())
