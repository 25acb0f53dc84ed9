"""The world that a command is handed."""

import io

import pytest

from inspector.cli.world import World
from tests.cli.running import Terminal


@pytest.mark.parametrize(
    ("stdin", "stdout", "term", "has"),
    [
        (Terminal(), Terminal(), "xterm", True),
        (Terminal(), Terminal(), "dumb", False),
        (Terminal(), Terminal(), "", False),
        (Terminal(), io.StringIO(), "xterm", False),
        (io.StringIO(), Terminal(), "xterm", False),
    ],
)
def test_an_interface_needs_a_terminal_on_both_sides(
    stdin: io.StringIO, stdout: io.StringIO, term: str, has: bool
) -> None:
    assert World(None, {"TERM": term}, stdin, stdout, io.StringIO()).has_terminal is has


def test_by_itself_it_is_the_process_s_own() -> None:
    import os
    import sys

    world = World()
    assert (world.theirs, world.env, world.stdout) == (None, os.environ, sys.stdout)
