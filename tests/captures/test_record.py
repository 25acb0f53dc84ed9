"""The samples equal a new recording. If they differ intentionally, record them again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.captures.record import record, sample

_BLOB = re.compile(r"[A-Za-z0-9+/]{200,}={0,2}")
_MOST = 200_000
"""Bytes of a sample."""


@pytest.mark.parametrize("name", ["handshake", "stateless", "torn", "shipyard"])
def test_a_sample_is_what_would_be_recorded_today(tmp_path: Path, name: str) -> None:
    record(tmp_path)
    assert (tmp_path / f"{name}.mcpcap").read_bytes() == sample(name).read_bytes()


def _said(path: Path) -> list[dict[str, Any]]:
    """What a capture tells, but for what depends on how well this machine's zlib compresses the demo's pictures."""
    records = [json.loads(_BLOB.sub("blob", line)) for line in path.read_text().split("\n")[:-1]]
    sized = ("len", "body_len", "headers")
    return [
        {key: value for key, value in record.items() if key not in sized}
        for record in records
        if record["r"] not in ("sum", "end")
    ]


@pytest.mark.parametrize("name", ["lighthouse", "evening", "wreck", "harbour"])
def test_a_session_with_the_demo_goes_as_it_did_when_it_was_recorded(tmp_path: Path, name: str) -> None:
    record(tmp_path)
    assert _said(tmp_path / f"{name}.mcpcap") == _said(sample(name))


@pytest.mark.parametrize("path", sorted(sample("torn").parent.glob("*.mcpcap")), ids=lambda path: path.stem)
def test_a_sample_is_small(path: Path) -> None:
    assert path.stat().st_size < _MOST
