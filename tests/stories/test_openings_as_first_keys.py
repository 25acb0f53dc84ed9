"""Each menu entry and dialog opens as the first keys of a fresh start, at each size, and nothing fails in painting."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from tests.stories.terminals import Window
from tests.waiting import PATIENCE_S

SIZES = ((80, 24), (100, 30), (120, 36), (215, 50))
_BYTES = {"f1": b"\x1bOP", "ctrl+p": b"\x10", "space": b" ", "tab": b"\t", "shift+tab": b"\x1b[Z"} | {
    "up": b"\x1b[A",
    "down": b"\x1b[B",
}
_HERE = (ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST, "Traffic")
"""Where the actions are that are possible after the start."""
_DIRECT = ("f1", "?", "ctrl+p", ":", "/")
OPENINGS: tuple[tuple[bytes, ...], ...] = (
    *((_BYTES.get(key, key.encode()),) for key in _DIRECT),
    *sorted(
        {
            (key[:1].encode(), _BYTES.get(key[2:], key[2:].encode()))
            for action in keys.all_actions()
            for key in action.keys
            if action.where in _HERE and key[:2] in ("g ", "v ", "f ", "x ")
        }
    ),
)
"""The keys of each menu entry, and those that open a dialog at once."""
_SHOWN_FIRST = ((b"x", b"x"), (b"x", b"n"), (b"v", b"c"), (b"g", b"n"), (b"f", b"a"), (b"\x1bOP",))
"""Dialogs that cover most, one for each way in which a screen is opened."""
_QUICK = [(opening, SIZES[n % 3], n % 2 == 1) for n, opening in enumerate(_SHOWN_FIRST)]
_ALL = [
    *((opening, size, False) for opening in OPENINGS for size in SIZES),
    *((opening, SIZES[0], True) for opening in OPENINGS if len(opening) > 1),
]


def _name(value: object) -> str | None:
    return repr(b" ".join(value))[2:-1] if isinstance(value, tuple) and isinstance(value[0], bytes) else None


def _open(opening: tuple[bytes, ...], size: tuple[int, int], at_once: bool, place: Path) -> None:
    """Press the keys, in one write or each after what the one before has shown."""
    with Window(("demo",), place, columns=size[0], lines=size[1]) as window:
        window.until(b"prompts/list")
        for press in (b"".join(opening),) if at_once else opening:
            window.press(press)
            window.until_still(0.1, 2)
        window.press(b"\x11")
        assert window.ended(PATIENCE_S), window.plain()[-500:]
    assert window.status == ExitStatus.OK
    assert not [log.read_text() for log in place.rglob("errors.log")]


@pytest.mark.parametrize(("opening", "size", "at_once"), _QUICK, ids=_name)
def test_an_opening_as_first_keys_fails_nowhere(
    opening: tuple[bytes, ...], size: tuple[int, int], at_once: bool, tmp_path: Path
) -> None:
    _open(opening, size, at_once, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize(("opening", "size", "at_once"), _ALL, ids=_name)
def test_each_opening_as_first_keys_fails_nowhere(
    opening: tuple[bytes, ...], size: tuple[int, int], at_once: bool, tmp_path: Path
) -> None:
    _open(opening, size, at_once, tmp_path)
