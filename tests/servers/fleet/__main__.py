"""Runs the fleet, or prints its table."""

import sys
from pathlib import Path

from tests.servers.fleet.members import members
from tests.servers.fleet.running import run
from tests.servers.fleet.table import print_table, print_unproved


def main(words: list[str]) -> int:
    """Run the members that FILE does not have yet, or print the table of FILE; 1 if a statement is not proved."""
    options = {word for word in words if word.startswith("--")}
    path, *wanted = (word for word in words if word not in options)
    if "--table" in options:
        print_table(Path(path))
        return 0
    chosen = [each for each in members() if not wanted or any(word in each.name for word in wanted)]
    run(Path(path), chosen)
    return bool(print_unproved(Path(path), {each.name for each in chosen}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
