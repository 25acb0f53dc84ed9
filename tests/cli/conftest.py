"""The demo server over HTTP, for the tests that need a URL."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.architecture.sources import ROOT


@pytest.fixture(scope="session")
def demo_url() -> Iterator[str]:
    """The address of a demo server that runs as long as these tests do."""
    command = [sys.executable, "-m", "inspector.demo", "--http", "0"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:  # noqa: TID251 - a fixture
        assert process.stderr
        said = process.stderr.readline()
        yield next(word for word in said.split() if word.startswith("http"))
        process.terminate()
