"""Each sample is recognised as what it is, and nothing else is recognised."""

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.capture.format.records import Import
from inspector.capture.format.verify import verify
from inspector.capture.import_.importing import import_file
from inspector.capture.import_.readers import READERS, recognised
from inspector.capture.store.load import load
from inspector.errors import CaptureError, UsageError
from tests.capture.import_.orchard import FOREIGN, imported, read_text

_WHAT = {
    "mcporter.ndjson": "mcporter",
    "supergateway.log": "supergateway",
    "jsonrpc.txt": "jsonrpc",
    "mcpsnoop.jsonl": "mcpsnoop",
    "mcp-cassette.jsonl": "mcp-cassette",
    "browser.har": "har",
    "inspector.json": "inspector",
    "inspector-network.json": "inspector",
    "claude-desktop.log": "claude-desktop",
    "vscode.log": "vscode",
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


def test_imported_capture_has_its_origin_and_is_verified(tmp_path: Path) -> None:
    journal, told = imported("mcpsnoop.jsonl", tmp_path)
    origin = journal.head.imported
    assert isinstance(origin, Import)
    assert journal.head.mode == "import"
    assert origin.file_sha256 == hashlib.sha256((FOREIGN / "mcpsnoop.jsonl").read_bytes()).hexdigest()
    assert origin.losses == told.reader.losses
    assert "does not tell line ends" in journal.notices[0]
    out = tmp_path / "out.mcpcap"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    found = verify(out)
    assert (found.faults, found.complete) == ((), True)
    assert found.covered == 0, "nobody saw its bytes on a wire"


def test_messages_without_time_get_the_files_time(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b'{"jsonrpc":"2.0","method":"a"}\n')
    os.utime(file, ns=(0, 1_777_716_000_000_000_000))
    import_file(file, tmp_path / "out.mcpcap")
    journal = load(tmp_path / "out.mcpcap")
    assert [journal.store.wall_ns(n) for n in (1, 2)] == [1_777_716_000_000_000_000] * 2


def test_nothing_is_overwritten_or_left_half(tmp_path: Path) -> None:
    out = tmp_path / "out.mcpcap"
    out.write_bytes(b"precious")
    with pytest.raises(UsageError, match="already exists"):
        import_file(FOREIGN / "jsonrpc.txt", out)
    assert out.read_bytes() == b"precious"
    out.unlink()
    (tmp_path / "diary").write_bytes(b"Dear diary")
    with pytest.raises(CaptureError, match="is text, but not a capture"):
        import_file(tmp_path / "diary", out)
    with pytest.raises(CaptureError, match="can't be opened"):
        import_file(tmp_path / "none", out)
    with pytest.raises(CaptureError, match="holds no message that can be read as a log of VS Code"):
        import_file(tmp_path / "diary", out, name="vscode")
    assert not out.exists()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_torn_and_bent_files_end_in_a_capture_or_a_sentence(data: st.DataObject, tmp_path: Path) -> None:
    name = data.draw(st.sampled_from(sorted(each.name for each in FOREIGN.iterdir() if each.suffix != ".md")))
    whole = bytearray((FOREIGN / name).read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.sampled_from(b'\0\xff{}[]":,0n\n'))
    text = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    format_ = data.draw(st.sampled_from(list(READERS)))
    with suppress(CaptureError):
        journal, _ = read_text(tmp_path, format_, text)
        journal.close()
