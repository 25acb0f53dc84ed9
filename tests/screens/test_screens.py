"""Every screen looks as it did.

What is meant to look otherwise is accepted with `pytest tests/screens --snapshot-update`, and the pictures of the
README follow with `python -m tests.screens.pictures`.
"""

import asyncio
import difflib
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from tests.screens.forms import NAMES as FORMS
from tests.screens.pictures import PLACE, SHOWN
from tests.screens.scenes import SCENES
from tests.screens.staging import Scene, dressed, pose, posed
from tests.screens.tapped import NAMES as TAPPED
from tests.screens.tour import NAME as TOUR

_PAGES = tuple(f"app-{width}-{theme}.png" for width in ("wide", "narrow") for theme in ("dark", "light"))
"""The page of an app in a browser, in docs/apps.md."""
_KEPT = Path(__file__).parent / "__snapshots__" / "test_screens"


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")  # of the library that draws pictures
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_screen_looks_as_it_did(scene: Scene, snap_compare: Callable[..., bool]) -> None:
    with dressed(scene):
        app = posed(scene)
        same = snap_compare(app, terminal_size=scene.size, run_before=lambda pilot: pose(pilot, scene))
        asyncio.run(app.conversation.end())
    assert same, f"{scene.name} looks otherwise; snapshot_report.html shows both:\n{_changes(scene.name, app.picture)}"


def _kept(name: str) -> str:
    return (_KEPT / f"test_a_screen_looks_as_it_did[{name}].svg").read_text()


def _changes(name: str, picture: str) -> str:
    """The first lines of the picture that differ, for a log without the report."""
    lines = difflib.unified_diff(_kept(name).splitlines(), picture.splitlines(), "as it did", "now", n=0, lineterm="")
    return "\n".join(line[:400] for line in islice(lines, 24))


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_of_the_readme_is_the_screen_of_today(name: str) -> None:
    assert (PLACE / f"{name}.svg").read_text() == _kept(name)


def test_there_is_no_picture_of_anything_else() -> None:
    assert {path.name for path in PLACE.iterdir() if path.is_file()} == {
        TOUR,
        *TAPPED,
        *FORMS,
        *_PAGES,
        *(f"{name}.svg" for name in SHOWN),
    }
    assert {path.name for path in _KEPT.iterdir()} == {
        f"test_a_screen_looks_as_it_did[{scene.name}].svg" for scene in SCENES
    }


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_picture_fetches_nothing(scene: Scene) -> None:
    fetched = re.findall(r"""(?:url\(|href=|src[:=])\s*["']?([^"')\s]+)""", _kept(scene.name))
    assert [where for where in fetched if not where.startswith("#")] == []
