"""An export on stdout: never as a terminal's commands."""

import io

from inspector.cli.exporting import to_stdout
from inspector.cli.output import Output
from inspector.cli.world import World
from tests.cli.running import Terminal


def test_a_terminal_gets_nothing_that_acts_on_it() -> None:
    world = World(None, {}, io.StringIO(), Terminal(), io.StringIO())
    to_stdout(Output(world), [b"a\x1b[2J\nb\n"])
    assert world.stdout.getvalue() == "a␛[2J\nb\n"  # type: ignore[attr-defined]
