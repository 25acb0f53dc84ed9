"""The environment that a command is given."""

import io

import pytest

from inspector.cli.env import CliEnv
from inspector.cli.main import run
from tests.architecture.sources import ROOT
from tests.cli.running import Terminal

_CAPTURE = (ROOT / "tests") / "captures" / "lighthouse.mcpcap"


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
    assert CliEnv(None, {"TERM": term}, stdin, stdout, io.StringIO()).has_terminal is has


def test_cli_env_defaults_to_the_process() -> None:
    import os
    import sys

    env = CliEnv()
    assert (env.server_argv, env.environ, env.stdout) == (None, os.environ, sys.stdout)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])  # the second is that of the locale C
def test_unencodable_sign_is_replaced_on_stdout(encoding: str, errors: str) -> None:
    said = io.BytesIO()
    stdout = io.TextIOWrapper(said, encoding=encoding, errors=errors)
    assert run(["tail", str(_CAPTURE)], CliEnv(None, {}, io.StringIO(), stdout, io.StringIO())) == 0
    stdout.flush()
    text = said.getvalue().decode(encoding)
    assert "tools/call" in text
    assert ("→" in text) is (encoding == "utf-8")
