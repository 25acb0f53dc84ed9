"""Plain JSON-RPC lines: who sent each is worked out, and what was exported comes back."""

from pathlib import Path

from inspector.capture.export.jsonrpc import lines
from inspector.capture.import_.plain import READER
from inspector.capture.load import load
from tests.capture.export.staging import all_of
from tests.capture.import_.orchard import SESSION, frames, imported, messages, read_text
from tests.captures.record import sample


def test_directions_are_worked_out_and_bytes_are_exact(tmp_path: Path) -> None:
    journal, told = imported("jsonrpc.txt", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    whole = (Path(__file__).parents[2] / "captures/foreign/jsonrpc.txt").read_bytes()
    assert b"".join(frame.payload + b"\n" for frame in frames(journal)) == whole
    journal.close()


def test_what_was_exported_comes_back_the_same(tmp_path: Path) -> None:
    for name in ("lighthouse", "evening", "harbour", "handshake", "stateless"):
        before = load(sample(name))
        text = b"".join(lines(all_of(before)))
        after, _ = read_text(tmp_path, "jsonrpc", text)
        assert b"".join(lines(all_of(after))) == text, name
        assert messages(after) == messages(before), name
        before.close()
        after.close()


def test_bytes_that_are_no_message_are_kept(tmp_path: Path) -> None:
    journal, _ = read_text(tmp_path, "jsonrpc", b'\xef\xbb\xbf{"jsonrpc":"2.0","method":"a"}\r\n\n\xff oops\n[{}')
    assert [frame.payload for frame in frames(journal)] == [b'{"jsonrpc":"2.0","method":"a"}', b"\xff oops", b"[{}"]
    journal.close()
