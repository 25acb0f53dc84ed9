"""Findings that are known again."""

import json
from pathlib import Path

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.cli.baseline import Baseline, key_of, read_baseline, written
from inspector.errors import UsageError


def _found(sentence: str, id_: str = "P-04", pointer: str = "", frame: int = 1) -> Finding:
    return Finding(id_, Severity.ERROR, Confidence.CERTAIN, sentence, (frame,), pointer)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (_found("it exited after 0.1 s"), _found("it exited after 12.3 s", frame=9), True),
        (_found("a", pointer="/result/tools/3/name"), _found("a", pointer="/result/tools/4/name"), True),
        (_found("session 0a1b2c3d-11aa is gone"), _found("session ffffffff-22bb is gone"), True),
        (_found("a"), _found("a", "P-05"), False),
        (_found("the module yaml is missing"), _found("the module json is missing"), False),
    ],
)
def test_a_finding_is_known_by_its_words_without_their_numbers(one: Finding, other: Finding, *, same: bool) -> None:
    assert (key_of(one) == key_of(other)) is same


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    found = [_found("b \ud800"), _found("a 1"), _found("a 2")]
    path.write_bytes(written(found, "server"))
    before = read_baseline(path)
    assert len(json.loads(path.read_text())["findings"]) == 2
    assert before.new(found[1:]) == []
    assert before.new([_found("c")]) == [_found("c")]
    assert before.gone([found[1]]) == 1
    assert not Baseline().knows(found[0])


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "x"}', '{"format": "mcp-inspect baseline", "findings": [1]}']
)
def test_what_is_no_baseline_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="no baseline"):
        read_baseline(path)


def test_one_that_a_newer_program_wrote_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text('{"format": "mcp-inspect baseline", "version": 2, "findings": []}')
    with pytest.raises(UsageError, match="newer"):
        read_baseline(path)
