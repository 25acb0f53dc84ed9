"""The table of observed facts: one row for each client and fact, tab-separated, in `config/clients/observed.tsv`."""

from collections.abc import Sequence
from datetime import date

from inspector.checks.compat.packs import OBSERVED
from tests.clients.pins import PINS
from tests.clients.run import Row

_HEAD = ("client", "version", "date", "fact", "observed")


def read_table() -> list[Row]:
    """Return the rows of the table; [] without one."""
    if not OBSERVED.exists():
        return []
    rows = [line.split("\t") for line in OBSERVED.read_text().splitlines()[1:]]
    return [Row(client, version, date.fromisoformat(day), fact, what) for client, version, day, fact, what in rows]


def write_table(rows: Sequence[Row]) -> None:
    lines = [(row.client, row.version, row.date.isoformat(), row.fact, row.observed) for row in rows]
    OBSERVED.write_text("".join("\t".join(line) + "\n" for line in (_HEAD, *lines)))


def merged(table: Sequence[Row], found: Sequence[Row]) -> list[Row]:
    """Return the table with the rows of a client replaced, in the order of the pins."""
    ids = {row.client for row in found}
    rows = [*(row for row in table if row.client not in ids), *found]
    return sorted(rows, key=lambda row: [*PINS].index(row.client))
