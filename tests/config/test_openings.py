"""`--as CLIENT` beside the recorded openings of that client, which stand in `openings/` with its version.

A recording has the requests and notifications of a run against `tests/clients/recorder.py` with two pages of tools, or
with one page, prompts and resources ("all"), or of lists that may change ("listening").
"""

import json
import re
import sys
from pathlib import Path

import pytest

from inspector.config.profiles import client_profile
from inspector.protocol.frames import Direction
from tests.cli.running import inspect
from tests.clients import recorder
from tests.entries import frames_to

RECORDINGS = sorted(Path(__file__).with_name("openings").glob("*.jsonl"))
_TOOL = {"name": "fine", "inputSchema": {"type": "object"}}
_VARIES = re.compile(rb'"(id|progressToken|version)":("[^"]*"|\d+)')


def _sent(capture: Path) -> list[bytes]:
    """Return the requests and notifications to the server."""
    ours = frames_to(capture, Direction.TO_SERVER)
    return [bytes(each.payload).strip() for each in ours if b'"method"' in each.payload]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda each: each.stem)
def test_as_a_client_the_opening_has_the_bytes_of_its_recording_but_for_ids_and_versions(
    recording: Path, tmp_path: Path
) -> None:
    client, version, kind = re.fullmatch(r"(.+)-(\d[\d.]*)-(\w+)", recording.stem).groups()  # type: ignore[union-attr]
    assert client_profile(client).client["version"] == version
    case = tmp_path / "case.json"
    has_all = kind.endswith("_all")
    listens = "acknowledged" if "listening" in kind else None
    pages = [[_TOOL]] if has_all or listens else [[_TOOL], [_TOOL | {"name": "b"}]]
    served = {"pages": pages, "modern": kind.startswith("modern"), "lists": has_all, "listens": listens}
    case.write_text(json.dumps(served))
    server = (sys.executable, "-S", "-E", str(recorder.__file__), str(case), str(tmp_path / "log"))
    inspect("list", "tools", "--as", client, "--capture", str(tmp_path / "it.mcpcap"), "--", *server).exits(0)
    expected = recording.read_bytes().splitlines()
    sent = _sent(tmp_path / "it.mcpcap")
    assert [_VARIES.sub(rb'"\1":0', each) for each in sent[: len(expected)]] == [
        _VARIES.sub(rb'"\1":0', each) for each in expected
    ]
