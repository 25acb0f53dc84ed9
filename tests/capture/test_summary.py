"""What a capture is about, in a few facts; whatever stands in the file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture import summary as module
from inspector.capture.records import Head, to_line
from inspector.capture.summary import Summaries, Summary, summary
from tests.capture.recording import HEAD, life, recorded
from tests.captures.record import sample


@pytest.mark.parametrize(
    ("name", "ended", "errors"),
    [("lighthouse", "clean", 3), ("wreck", "died", 1), ("torn", "cut", 0), ("harbour", "clean", 2)],
)
def test_a_small_one_is_known_whole(name: str, ended: str, errors: int) -> None:
    found = summary(sample(name))
    assert (found.ended, found.errors, found.readable) == (ended, errors, True)
    assert found.size == sample(name).stat().st_size
    assert found.entries
    assert found.lasted_ns > 0
    assert ("SIGSEGV" in found.why) == (name == "wreck")


def test_of_a_large_one_beginning_and_end_say_who_when_and_how(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {name: summary(sample(name)) for name in ("lighthouse", "wreck", "torn")}
    monkeypatch.setattr(module, "SMALL", 0)
    for name, known in whole.items():
        found = summary(sample(name))
        assert (found.server, found.started_ns, found.ended) == (known.server, known.started_ns, known.ended), name
        assert (found.target, found.why, found.lasted_ns) == (known.target, known.why, known.lasted_ns), name
        assert (found.errors, found.exchanges) == (None, None), "that needs all of it"
    assert summary(sample("lighthouse")).entries == whole["lighthouse"].entries


def test_one_that_is_being_recorded_is_told_so(tmp_path: Path) -> None:
    journal = recorded(tmp_path / "x.mcpcap")
    life(journal)
    while not (tmp_path / "x.mcpcap").stat().st_size:
        os.sched_yield()
    assert summary(tmp_path / "x.mcpcap").ended == "recording"
    journal.close()
    assert summary(tmp_path / "x.mcpcap").ended in ("clean", "died")


@pytest.mark.parametrize("content", [b"", b"nonsense", to_line(Head(format="mcpcap", v="9.0")), b'{"r":"head"}\n'])
def test_what_is_none_says_why(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mcpcap").write_bytes(content)
    found = summary(tmp_path / "x.mcpcap")
    assert not found.readable
    assert found.why
    assert summary(tmp_path / "none.mcpcap").why
    assert not summary(tmp_path).readable


@given(st.binary(max_size=400))
def test_anything_can_stand_in_it(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.mcpcap"
    path.write_bytes(to_line(HEAD) + content)
    limit, module.SMALL = module.SMALL, 0
    try:
        assert summary(path).readable
    finally:
        module.SMALL = limit
    assert summary(path).readable


def test_what_was_found_out_is_kept_until_the_capture_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = tmp_path / "x.mcpcap", tmp_path / "sessions.json"
    path.write_bytes(sample("lighthouse").read_bytes())
    first = Summaries(kept)
    made = first.of(path)
    kept.write_bytes(first.content([path]))
    monkeypatch.setattr(module, "summary", lambda path: Summary(why="made anew"))
    assert Summaries(kept).of(path) == made
    os.utime(path, ns=(1, 1))
    assert Summaries(kept).of(path).why == "made anew"
    assert Summaries(tmp_path / "none").of(path).why == "made anew"
    assert b"lighthouse" not in Summaries(kept).content([tmp_path / "y.mcpcap"])
    kept.write_bytes(b'{"/x":{"version":"?"}}')
    assert Summaries(kept).of(path).why == "made anew"
    assert not Summaries(None).of(tmp_path / "gone").readable
