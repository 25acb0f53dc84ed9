"""Runs the fleet, or prints its table."""

import sys
from pathlib import Path

from tests.servers.fleet.members import members
from tests.servers.fleet.running import run
from tests.servers.fleet.table import print_table


def main(words: list[str]) -> None:
    """Run the members that FILE does not have yet, or print the table of FILE."""
    options = {word for word in words if word.startswith("--")}
    path, *wanted = (word for word in words if word not in options)
    if "--table" in options:
        print_table(Path(path))
        return
    run(Path(path), [each for each in members() if not wanted or any(word in each.name for word in wanted)])


if __name__ == "__main__":
    main(sys.argv[1:])
