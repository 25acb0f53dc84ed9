"""Walls inside a floor: screens, features, models and shared widgets stay apart from one another.

A screen posts a message for what another screen does, and the app routes it. What two of them need lies below both.
"""

from collections.abc import Iterator

import pytest

from tests.architecture.imports import imports
from tests.architecture.sources import Source, read, sources

_SCREENS = "inspector.tui.screens"
_FEATURES = "inspector.features"
_WIDGETS = "inspector.tui.widgets"


def _within(module: str, package: str) -> str:
    """The folder below a package that a module belongs to; "" for a module of another place, and for a table of all."""
    folder = module.removeprefix(package + ".").partition(".")[0] if module.startswith(package + ".") else ""
    return "" if folder.isupper() else folder


def _faults(source: Source) -> Iterator[tuple[int, str]]:
    """Yield line and sentence of each import through a wall."""
    for wanted in imports(source):
        for package, one in ((_SCREENS, "screen"), (_FEATURES, "feature")):
            here, there = _within(source.module, package), _within(wanted.name, package)
            if here and there and here != there:
                yield wanted.line, f"a {one} imports no other {one}: {wanted.name}"
        if _is_plain(source) and (wanted.is_of("textual") or wanted.is_of("rich")):
            yield wanted.line, f"a model imports no widgets: {wanted.name}"
        if _within(source.module, _WIDGETS) and (wanted.is_of("inspector.protocol") or wanted.is_of(_SCREENS)):
            yield wanted.line, f"a shared widget knows no {wanted.name}"


def _is_plain(source: Source) -> bool:
    name = source.path.rpartition("/")[2]
    return name == "model.py" or name.endswith("_model.py") or source.path.startswith("inspector/present/")


def test_nothing_is_imported_through_a_wall() -> None:
    assert not [
        f"{source.path}:{line}: {sentence}" for source in sources("inspector") for line, sentence in _faults(source)
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("inspector/tui/screens/log/panel.py", "from inspector.tui.screens.tasks.panel import TasksPanel"),
        ("inspector/tui/screens/log/panel.py", "def f():\n    from inspector.tui.screens.tasks import panel"),
        ("inspector/features/lock/file.py", "from inspector.features.mock.playback import Playback"),
        ("inspector/tui/screens/log/model.py", "from textual.widget import Widget"),
        ("inspector/tui/screens/traffic/filter_model.py", "import textual"),
        ("inspector/present/spans.py", "if TYPE_CHECKING:\n    from textual.widget import Widget"),
        ("inspector/tui/widgets/bars.py", "from inspector.protocol.frames import Frame"),
        ("inspector/tui/widgets/json_tree/view.py", "from inspector.tui.screens.log.panel import ServerLogPanel"),
    ],
)
def test_an_import_through_a_wall_is_found(path: str, text: str) -> None:
    assert list(_faults(read(path, text)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("inspector/tui/screens/log/panel.py", "from inspector.tui.screens.log.model import ServerLog"),
        ("inspector/tui/screens/log/panel.py", "from textual.widget import Widget"),
        ("inspector/tui/screens/help/commands.py", "from inspector.tui.screens import SCREENS"),
        ("inspector/tui/app.py", "from inspector.tui.screens.log.panel import ServerLogPanel"),
        ("inspector/tui/widgets/bars.py", "from inspector.present.spans import Span"),
    ],
)
def test_an_import_beside_a_wall_is_left_alone(path: str, text: str) -> None:
    assert not list(_faults(read(path, text)))
