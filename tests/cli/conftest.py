"""What tests of commands share: the demo over HTTP, and the servers that were started ahead."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

import pytest

from inspector.cli import targets
from inspector.transports.children import Started, start
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


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    """The servers that were started before their session."""
    seen: list[Started] = []

    def watched(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> Started:
        seen.append(start(argv, env, cwd))
        return seen[-1]

    monkeypatch.setattr(targets, "start", watched)
    return seen
