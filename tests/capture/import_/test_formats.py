"""Each sample is recognised as what it is, and nothing else is recognised."""

import pytest

from inspector.capture.import_.formats import READERS, recognised
from tests.capture.import_.orchard import FOREIGN

_WHAT = {
    "jsonrpc.txt": "jsonrpc",
    "mcp-rec.jsonl": "mcp-rec",
    "mcporter.ndjson": "mcporter",
    "mcpsnoop.jsonl": "mcpsnoop",
    "mcp-cassette.jsonl": "mcp-cassette",
    "mcp-recorder.json": "mcp-recorder",
    "browser.har": "har",
    "inspector.json": "inspector",
    "inspector-network.json": "inspector",
    "claude-desktop.log": "claude-desktop",
    "vscode.log": "vscode",
    "claude-code.jsonl": "claude-code",
}


def test_there_is_a_sample_of_each_format() -> None:
    assert set(_WHAT.values()) == set(READERS)
    assert {each.name for each in FOREIGN.iterdir()} == {*_WHAT, "README.md"}


@pytest.mark.parametrize(("name", "what"), list(_WHAT.items()))
def test_one_reader_knows_it(name: str, what: str) -> None:
    start = (FOREIGN / name).read_bytes()
    assert [each.name for each in READERS.values() if each.knows(start)] == [what]
    cut = recognised(start[:300])
    assert cut is None or cut.name == what


@pytest.mark.parametrize(
    "start", [b"", b"\0\0", b"{}", b"[]", b'{"r":"head"}', b"\xff" * 99, b'[{"direction"', b"[" * 9999]
)
def test_anything_else_is_nothing(start: bytes) -> None:
    assert recognised(start) is None
