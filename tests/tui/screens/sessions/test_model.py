"""Captures as rows."""

from pathlib import Path

import pytest

from inspector.capture.automatic import Summary
from inspector.present.spans import spans_width
from inspector.tui.screens.sessions.model import CaptureSummary, SessionRows, about

PATH = Path("/shelf/x\x1b[31m.mcpcap")
FOUND = Summary(
    "id", "shop\x07", "node shop.js", 1_795_300_000_000_000_000, 5_000_000_000, 2048, 30, 9, 2, "died", "oops"
)


def row(session: CaptureSummary, width: int = 140) -> str:
    rows = SessionRows()
    rows.show([session])
    spans = rows.row(0, width).spans
    assert spans_width(spans) == width
    return "".join(text for text, _ in spans)


def test_capture_row_has_time_size_end_and_notes() -> None:
    told = row(CaptureSummary(PATH, FOUND, "the slow\none", 3, here=True))
    for said in ("● ", "5.00 s", "30", "✗ 2", "2.0 kB", "✗ Exited", "shop␇", "· the slow␊one", "★ 3", "oops"):
        assert said in told, said
    assert "2026" in told


@pytest.mark.parametrize("width", [50, 80, 99, 120, 200])
def test_capture_row_keeps_end_and_server_at_any_width(width: int) -> None:
    told = row(CaptureSummary(PATH, FOUND), width)
    assert "✗ Exited" in told
    assert "sh" in told


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (None, "⋯ x␛[31m.mcpcap"),
        (Summary(readable=False, why="no capture"), "✗ Unreadable"),
        (Summary(ended="recording"), "● Recording"),
        (Summary(ended="cut", target="node a.js"), "▲ Truncated"),
        (Summary(ended="clean", errors=0), "none"),
    ],
)
def test_unknown_capture_facts_are_omitted(summary: Summary | None, said: str) -> None:
    assert said in row(CaptureSummary(PATH, summary))


def test_one_that_waits_to_be_compared_has_a_sign_and_the_chosen_one_is_named() -> None:
    assert row(CaptureSummary(PATH, FOUND, compared=True)).startswith(" ◆ ")
    assert about(CaptureSummary(PATH))[0][0] == "/shelf/x␛[31m.mcpcap"
    rows = SessionRows()
    rows.show([CaptureSummary(PATH)])
    generation = rows.generation
    rows.show([CaptureSummary(PATH)])
    assert rows.generation == generation
    assert rows.session(1) is None
