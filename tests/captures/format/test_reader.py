"""An independent reader, written from the format's specification, agrees with mcp-inspect on every capture."""

from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.store.load import load
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Frame
from tests.captures.expectations import EXPECTED
from tests.captures.format.reader import Reader, Refused
from tests.captures.formats import DIRECTORY
from tests.captures.record import HERE

_FILES = [*(DIRECTORY / f"{name}.mcpcap" for name, each in EXPECTED.items() if each.opens), *HERE.glob("*.mcpcap")]


@pytest.mark.parametrize("path", sorted(_FILES), ids=lambda path: path.stem)
def test_both_readers_see_the_same_entries_and_come_to_the_same_verdict(path: Path) -> None:
    theirs, ours = Reader(path.read_bytes()), load(path)
    try:
        entries = [ours.store.entry(n) for n in range(1, ours.count + 1)]
        payloads = [_payload(entry.what) for entry in entries]
        assert payloads == [payload for _, payload in theirs.entries]
        assert [entry.time_ns for entry in entries] == [record["tm"] for record, _ in theirs.entries]
    finally:
        ours.close()
    assert theirs.verdict == verify(path).state
    if path.parent == DIRECTORY:
        assert theirs.left_out == EXPECTED[path.stem].left_out


def _payload(what: object) -> bytes | None:
    if isinstance(what, Frame | Stderr):
        return what.payload
    return what.raw if isinstance(what, SseNote) else None


@pytest.mark.parametrize("name", [name for name, each in EXPECTED.items() if not each.opens])
def test_the_other_reader_refuses_what_must_be_refused(name: str) -> None:
    with pytest.raises(Refused):
        Reader((DIRECTORY / f"{name}.mcpcap").read_bytes())
