"""Where an export goes: nowhere half, never over a file."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.capture.export.files import to_file
from inspector.errors import UsageError


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    out = place / "out"

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise ValueError

    with pytest.raises(ValueError):
        to_file(out, failing())
    assert list(place.iterdir()) == []
    assert to_file(out, [b"a", b"bc"]) == 3
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="there already"):
        to_file(out, [b"x"])
    to_file(out, [b"x"], overwrite=True)
    assert out.read_bytes() == b"x"
    with pytest.raises(UsageError, match="can't be written"):
        to_file(tmp_path / "no" / "place", [b"x"])
