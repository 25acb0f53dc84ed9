"""The captures that were made last."""

import os

from inspector.cli.shelf import recent
from inspector.config.paths import places


def test_the_newest_ten_come_first_with_age_and_size() -> None:
    shelf = places().captures
    shelf.mkdir(parents=True)
    for number in range(12):
        (shelf / f"2026{number:02}.mcpcap").write_text("x" * number)
        os.utime(shelf / f"2026{number:02}.mcpcap", (1000 + number, 1000 + number))
    found = [*recent(os.environ)]
    assert len(found) == 10
    assert (found[0].path.name, found[0].size) == ("202611.mcpcap", 11)
    assert found[0].age_s > 0
