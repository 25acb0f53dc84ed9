"""The two flows of docs/architecture.md: their functions exist and are called in the order that the page gives."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

import pytest

from inspector.tui.app import InspectApp
from tests.architecture.sources import ROOT
from tests.architecture.test_layers import FLOORS
from tests.settling import painting
from tests.tui.screen_text import text
from tests.tui.test_app import SIZE, Sitting, connected
from tests.waiting import until

_PAGE = (ROOT / "docs" / "architecture.md").read_text()
_STEP = re.compile(r"^\| \d+ \| `([\w/.]+)` \| `([\w.]+)` \|", re.MULTILINE)
_MOST = 15

Step = tuple[str, str]
"""A file below `inspector/` and the qualified name of a function in it."""


def steps(title: str) -> list[Step]:
    """Return the steps in one section of the page."""
    section = _PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [(file, name) for file, name in _STEP.findall(section)]


def missing(wanted: list[Step], called: list[Step]) -> Step | None:
    """Return the first step that is not called after the one before it; None if all are."""
    rest = iter(called)
    return next((step for step in wanted if step not in rest), None)


@contextmanager
def recorded(wanted: list[Step]) -> Iterator[list[Step]]:
    """Record calls of some functions, on every thread that begins within, and on this one."""
    calls: list[Step] = []
    known: dict[CodeType, Step | None] = {}

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            code = frame.f_code
            if code not in known:
                step = (code.co_filename.rpartition("/inspector/")[2], code.co_qualname)
                known[code] = step if step in wanted else None
            if (step_called := known[code]) is not None:
                calls.append(step_called)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def test_both_flows_are_as_the_page_describes_them() -> None:
    there, back = steps("From a key to the wire"), steps("From bytes to a row")
    with painting(), recorded([*there, *back]) as calls:
        sitting = Sitting()
        async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
            await connected(pilot)
            await until(lambda: "tools/list" in text(app), "the lists")
            calls.clear()
            await pilot.press("x p")
            await until(lambda: re.search(r"server/discover.*\n.*✓|ping.*\n?.*✓", text(app)), "a response")
            await until(lambda: missing(back, calls) is None, f"{missing(back, calls)} is called in its place")
        assert missing(there, calls) is None
        for live in sitting.lives:
            live.end().result(10)
        sitting.engine.stop()


@pytest.mark.parametrize("title", ["From bytes to a row", "From a key to the wire"])
def test_a_flow_is_short_enough_to_be_read(title: str) -> None:
    assert 8 <= len(steps(title)) <= _MOST


def test_a_step_out_of_order_is_missing() -> None:
    one, two, three = ("a.py", "f"), ("b.py", "g"), ("c.py", "h")
    assert missing([one, two, three], [one, three, two, one, three]) is None
    assert missing([one, two, three], [two, one, three]) == two
    assert missing([one], []) == one


def test_every_file_that_the_page_names_exists() -> None:
    tables = [line for line in _PAGE.splitlines() if line.startswith("|")]
    named = {name for line in tables for name in re.findall(r"`([\w/]+\.py|[\w/]+/)`", line)}
    assert len(named) > 30
    places = ("inspector", "inspector/tui", "tests", ".")
    assert not [name for name in sorted(named) if not any((ROOT / place / name).exists() for place in places)]


def test_the_map_has_every_package_on_its_level() -> None:
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", _PAGE, re.MULTILINE)
    levels = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)(?:/|\.py)`", names)}
    assert levels == {name: number for number, names in enumerate(FLOORS, 1) for name in names}
