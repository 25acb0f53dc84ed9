"""HAR: what we wrote comes back, and of a browser's only what carries MCP."""

from pathlib import Path

import pytest

from inspector.capture.export.har import document
from inspector.capture.import_.har import READER
from inspector.capture.load import load
from inspector.errors import CaptureError
from tests.capture.export.staging import all_of
from tests.capture.import_.orchard import BACK, OUT, frames, imported, messages, read_text
from tests.captures.record import sample


def test_a_browser_s_is_read_without_what_is_not_mcp_and_without_credentials(tmp_path: Path) -> None:
    journal, told = imported("browser.har", tmp_path)
    assert told.reader is READER
    assert messages(journal) == [(OUT, "initialize"), (BACK, 1), (OUT, "tools/call"), (BACK, 2)]
    assert told.passed_over == {"HTTP exchanges that carry no MCP": 1}
    last = frames(journal)[-1]
    assert last.sse is not None
    assert (last.http, last.sse.id) == (2, "7")
    assert b"planted-orchard-token" not in (tmp_path / "out.mcpcap").read_bytes()
    journal.close()


@pytest.mark.parametrize("name", ["lighthouse", "harbour", "stateless", "evening"])
def test_what_we_wrote_has_the_same_messages(name: str, tmp_path: Path) -> None:
    before = load(sample(name))
    after, _ = read_text(tmp_path, "har", b"".join(document(all_of(before))))

    def payloads(which: object) -> list[tuple[str, bytes]]:
        return sorted((frame.direction, frame.payload) for frame in frames(which))  # type: ignore[arg-type]

    assert payloads(after) == payloads(before)
    before.close()
    after.close()


@pytest.mark.parametrize("text", [b'{"log":{"entries":[{', b"[]", b'{"log":{"entries":[1,{"request":[]}]}}'])
def test_what_is_torn_or_odd_is_refused(text: bytes, tmp_path: Path) -> None:
    with pytest.raises(CaptureError):
        read_text(tmp_path, "har", text)
