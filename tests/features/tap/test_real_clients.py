"""Clients and servers that were not written here, with and without the tap between them: the same results."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from tests.features.tap.tapping import TAP
from tests.servers.real import argv

CLIENT = str(Path(__file__).with_name("sdk_client.py"))

pytestmark = pytest.mark.real


def _results(client: str, command: list[str], home: Path) -> dict[str, object]:
    ran = subprocess.run(
        [*argv(client), CLIENT, *command],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
        env=os.environ | {"MEMORY_FILE_PATH": str(home / "memory.json")},
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("client", ["mcp1", "mcp2"])
@pytest.mark.parametrize("server", ["everything", "filesystem", "memory"])
def test_a_client_gets_the_same_with_and_without_the_tap(tmp_path: Path, client: str, server: str) -> None:
    command = [*argv(server), *([str(tmp_path)] if server == "filesystem" else [])]
    capture = tmp_path / "tap.mcpcap"
    direct = _results(client, command, tmp_path)
    through = _results(client, [*TAP, "--capture", str(capture), "--", *command], tmp_path)
    assert through == direct
    assert len(direct) > 2, "tools were called"
    verdict = verify(capture)
    assert (verdict.state, verdict.covered) == ("complete", verdict.frames)
