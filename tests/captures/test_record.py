"""The samples are what is recorded today; if that is meant to change, record them anew."""

from pathlib import Path

import pytest

from tests.captures.record import record, sample


@pytest.mark.parametrize("name", ["handshake", "stateless", "torn"])
def test_a_sample_is_what_would_be_recorded_today(tmp_path: Path, name: str) -> None:
    record(tmp_path)
    assert (tmp_path / f"{name}.mcpcap").read_bytes() == sample(name).read_bytes()
