"""Every command that reads a capture takes steps in proportion to its entries."""

from pathlib import Path

import pytest

from benchmarks.commands import COMMANDS, record
from inspector.__main__ import main
from tests.counting import steps

_FEW = 30
_MOST = 1.3
"""Times the steps per entry in a capture of four times the entries."""


@pytest.fixture(scope="module", params=["open sampling", "pages", "http"])
def captures(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Captures of one shape: nearly empty, with some entries more, and with four times as many more."""
    place = tmp_path_factory.mktemp("shape")
    paths = [place / f"{count}.mcpcap" for count in (9, 9 + _FEW, 9 + 4 * _FEW)]
    for path in paths:
        record(path, request.param, int(path.stem))
    return paths


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_steps_in_proportion_to_the_entries(name: str, captures: list[Path], tmp_path: Path) -> None:
    def work(capture: Path) -> int:
        out = tmp_path / "out"
        out.unlink(missing_ok=True)
        argv = [{"FILE": str(capture), "OUT": str(out)}.get(word, word) for word in COMMANDS[name]]
        return steps(lambda: main(argv))

    work(captures[0])  # imports
    empty, few, many = map(work, captures)
    assert (many - empty) / (few - empty) / 4 < _MOST
